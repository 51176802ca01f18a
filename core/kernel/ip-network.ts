/** An IP address as a number, with its family. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** A network in CIDR notation (RFC 4632, RFC 4291): the fixed high bits, and the number of free low ones. */
export interface IpNetwork {
  readonly bits: 32 | 128;
  readonly prefix: bigint;
  readonly freeBits: bigint;
}

const IPV4 = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;
const GROUP = /^[\da-f]{1,4}$/i;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
const ZONE = /%.*$/s;
/** `::ffff:0:0/96`, the addresses of IPv4 in IPv6. */
const MAPPED = 0xffffn;
const MAPPED_PREFIX = 96;
const LONGEST = 45;

/** An IPv4 address of four decimal numbers without leading zeros; `null` for other text. */
export function readIpv4(text: string): bigint | null {
  const parts = IPV4.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return null;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** An IPv6 address of RFC 4291, section 2.2, in any of its forms, without a zone; `null` for other text. */
export function readIpv6(text: string): bigint | null {
  if (text.length > LONGEST) return null;
  const halves = withoutDots(text)?.split('::') ?? [];
  if (halves.length === 0 || halves.length > 2) return null;
  const [head = [], tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const all = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return all.every((group) => GROUP.test(group))
    ? all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
    : null;
}

/** The text with an IPv4 address at its end written as two groups; `null` where there is something else with dots. */
function withoutDots(text: string): string | null {
  if (!text.includes('.')) return text;
  const start = text.lastIndexOf(':') + 1;
  const last = readIpv4(text.slice(start));
  return last === null ? null : `${text.slice(0, start)}${(last >> 16n).toString(16)}:${(last & 0xffffn).toString(16)}`;
}

/**
 * The address of a connection; `null` for text that is none. An IPv4 address that is mapped into IPv6 is the IPv4
 * address, as dual-stack sockets report their clients; a zone is ignored.
 */
export function readIpAddress(text: string): IpAddress | null {
  const v4 = readIpv4(text);
  if (v4 !== null) return { bits: 32, value: v4 };
  const v6 = readIpv6(text.replace(ZONE, ''));
  if (v6 === null) return null;
  return v6 >> 32n === MAPPED ? { bits: 32, value: v6 & 0xffff_ffffn } : { bits: 128, value: v6 };
}

/**
 * A network such as `203.0.113.0/24` or `2001:db8::/32`; an address without a prefix is a network of its own. `null`
 * for other text, and for a network with bits behind its prefix, which is mostly a slip.
 */
export function readIpNetwork(text: string): IpNetwork | null {
  const slash = text.indexOf('/');
  const name = slash < 0 ? text : text.slice(0, slash);
  const v4 = readIpv4(name);
  const value = v4 ?? readIpv6(name);
  if (value === null) return null;
  const bits = v4 === null ? 128 : 32;
  const prefixText = slash < 0 ? String(bits) : text.slice(slash + 1);
  const length = Number(prefixText);
  if (!PREFIX.test(prefixText) || length > bits) return null;
  const freeBits = BigInt(bits - length);
  const prefix = value >> freeBits;
  if (prefix << freeBits !== value) return null;
  if (bits === 128 && length >= MAPPED_PREFIX && value >> 32n === MAPPED)
    return { bits: 32, prefix: (value & 0xffff_ffffn) >> freeBits, freeBits };
  return { bits, prefix, freeBits };
}

/** True for an address inside a network of its own family. */
export function isInNetwork({ bits, value }: IpAddress, network: IpNetwork): boolean {
  return bits === network.bits && value >> network.freeBits === network.prefix;
}
