import { Resolver, lookup } from 'node:dns/promises';

/** Resolves a host name to IPv4 and IPv6 addresses; an empty list or an error when it has none. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 2500;
const QUERY_TRIES = 2;

/**
 * Queries DNS servers directly: the system's, or those given as `address:port`. getaddrinfo would run on the thread pool
 * that the database and the password hasher share, where a few names with a slow server block everything, and it cannot
 * be cancelled.
 */
export function resolveByDns(servers?: readonly string[]): Resolve {
  return async (hostname, signal) => {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** Resolves by getaddrinfo, with the hosts file: for private networks, and names like `localhost`. */
export const resolveBySystem: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};
