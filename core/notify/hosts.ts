/**
 * One host of a list: a name or an address, or `*.` and a name for all its subdomains, with a port unless it is the
 * scheme's default.
 */
const LISTED = /^((?:\*\.)?[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/;

/** True for valid hosts: `shop.example`, `*.shop.example`, `shop.example:8443`, `[2001:db8::1]`. */
export function isHostPattern(text: string): boolean {
  return LISTED.test(text);
}

/** True for a URL of one of these hosts, at the listed port, or at the scheme's default where the list has none. */
export function isListedHost({ hostname, port }: URL, hosts: readonly string[]): boolean {
  const name = hostname.replace(/\.$/, '');
  return hosts.some((host) => {
    const [, listed = '', listedPort = ''] = LISTED.exec(host) ?? [];
    if (port !== listedPort) return false;
    return listed.startsWith('*.') ? name.endsWith(listed.slice(1)) : name === listed;
  });
}
