import { isLoopback } from '../../core/index.ts';

/** The base URL for payers, without a slash at the end; `url` is set once the port is known. */
export interface BaseUrl {
  url: string;
  /** The address that the server listens on; absent when an application embeds the till. */
  readonly listens?: string;
}

const ANYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** The URL at which a browser on this machine reaches a listener. */
export function listenerUrl(host: string, port: number): string {
  const name = ANYWHERE.includes(host) || isLoopback(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Whether both URLs lead to the same listener of this machine, which has several names. */
export function isSameListener(url: string, listener: string): boolean {
  const [one, other] = [url, listener].map((each) => {
    const { protocol, hostname, port, pathname } = new URL(each);
    return [protocol, isLoopback(hostname) ? 'localhost' : hostname, port, pathname].join(' ');
  });
  return one === other;
}

/** The host names of the till itself, which no gateway may have. */
export function ownHosts({ url, listens }: BaseUrl): readonly string[] {
  const names = URL.canParse(url) ? [new URL(url).hostname] : [];
  return listens === undefined || ANYWHERE.includes(listens) ? names : [...names, listens];
}
