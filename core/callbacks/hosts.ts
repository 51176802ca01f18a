/** One host of a list, as an operator writes it: a name or an address, or `*.` and a name for all below it, and a port where it is not the scheme's. */
const LISTED = /^((?:\*\.)?[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/;

/** True for text that {@link isListedHost} understands: `shop.example`, `*.shop.example`, `shop.example:8443`, `[2001:db8::1]`. */
export function isHostPattern(text: string): boolean {
  return LISTED.test(text);
}

/** True for a URL of one of these hosts, at its port, or at the scheme's where the list names none. */
export function isListedHost({ hostname, port }: URL, hosts: readonly string[]): boolean {
  const name = hostname.replace(/\.$/, '');
  return hosts.some((host) => {
    const [, listed = '', listedPort = ''] = LISTED.exec(host) ?? [];
    if (port !== listedPort) return false;
    return listed.startsWith('*.') ? name.endsWith(listed.slice(1)) : name === listed;
  });
}
