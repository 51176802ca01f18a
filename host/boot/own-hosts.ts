import type { BaseUrl } from './parts.ts';

const ANYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** The host names of the till itself, which no gateway may have. */
export function ownHosts({ url, listens }: BaseUrl): readonly string[] {
  const names = URL.canParse(url) ? [new URL(url).hostname] : [];
  return listens === undefined || ANYWHERE.includes(listens) ? names : [...names, listens];
}
