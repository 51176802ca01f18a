/** The key by which limits count an address. A /64 of IPv6, which one host has, is one key. Other text is unchanged. */
export function addressKey(address: string): string {
  const plain = ipv4Of(address);
  return plain ?? ipv6Network(address) ?? address.slice(0, 64);
}

/** The network of a login: /24 of IPv4, /64 of IPv6. Other text is unchanged. */
export function networkOf(address: string): string {
  const plain = ipv4Of(address);
  return plain === null ? addressKey(address) : `${plain.slice(0, plain.lastIndexOf('.'))}.0/24`;
}

/** True for a name or address of this machine's loopback interface, where no other machine can read the traffic. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127(?:\.\d{1,3}){3}$/.test(bare);
}

const IPV4 = /^(?:::ffff:)?((?:\d{1,3}\.){3}\d{1,3})$/i;

/** An IPv4 address, also when it is mapped into IPv6. */
function ipv4Of(address: string): string | null {
  return IPV4.exec(address)?.[1] ?? null;
}

function ipv6Network(address: string): string | null {
  const [text = ''] = address.toLowerCase().split('%');
  if (!/^[0-9a-f:.]{2,45}$/.test(text) || !text.includes(':')) return null;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const all = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return `${[0, 1, 2, 3].map((at) => (all[at] ?? '0').replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
