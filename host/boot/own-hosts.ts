/** The base URL for payers, without a slash at the end; `url` is set once the port is known. */
export interface BaseUrl {
  url: string;
  /** The address that the server listens on; absent when an application embeds the till. */
  readonly listens?: string;
}

const ANYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** The host names of the till itself, which no gateway may have. */
export function ownHosts({ url, listens }: BaseUrl): readonly string[] {
  const names = URL.canParse(url) ? [new URL(url).hostname] : [];
  return listens === undefined || ANYWHERE.includes(listens) ? names : [...names, listens];
}
