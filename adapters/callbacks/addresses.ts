import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { isMetadataHost, SPECIAL_V4, SPECIAL_V6 } from '../../core/index.ts';

type Network = readonly [address: string, prefix: number];

/** Global unicast IPv6; loopback, mapped, local, site-local and multicast addresses are outside. */
const OPEN_IPV6: Network = ['2000::', 3];

/** NAT64 (RFC 6052): the last 32 bits are an IPv4 address, which is checked instead. */
const NAT64: Network = ['64:ff9b::', 96];

function blockList(networks: readonly Network[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, family);
  return list;
}

const closedIpv4 = blockList(SPECIAL_V4, 'ipv4');
const openIpv6 = blockList([OPEN_IPV6], 'ipv6');
const closedIpv6 = blockList(SPECIAL_V6, 'ipv6');
const nat64 = blockList([NAT64], 'ipv6');

/** The IPv4 address in the last 32 bits of an IPv6 address, from the canonical form of the URL standard. */
function embeddedIpv4(address: string): string | null {
  const canonical = hostOf(address).slice(1, -1);
  const [high = '', low = ''] = canonical.split(':').slice(-2);
  const value = Number.parseInt(high === '' ? '0' : high, 16) * 0x10000 + Number.parseInt(low === '' ? '0' : low, 16);
  return Number.isNaN(value) ? null : [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}

/**
 * True for a public unicast IP address, which callbacks may be sent to. Everything else is refused:
 * private, loopback, link-local, documentation and multicast networks, tunnels and mapped forms, addresses with a zone.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closedIpv4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  if (nat64.check(address, 'ipv6')) {
    const inner = embeddedIpv4(address);
    return inner !== null && isPublicAddress(inner);
  }
  return openIpv6.check(address, 'ipv6') && !closedIpv6.check(address, 'ipv6');
}

/**
 * True for an IP address that the till connects to for somebody: a public one; where private networks are allowed, any that is
 * neither link-local nor where a cloud answers its machines with credentials.
 */
export function isCallable(address: string, allowPrivate: boolean): boolean {
  if (!allowPrivate) return isPublicAddress(address);
  return isIP(address) !== 0 && !address.includes('%') && !isMetadataHost(hostOf(address));
}

/** An IP address without a zone, as `URL` writes it. */
function hostOf(address: string): string {
  return new URL(`http://${isIPv6(address) ? `[${address}]` : address}`).hostname;
}
