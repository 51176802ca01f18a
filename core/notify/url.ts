import { readIpv4, readIpv6 } from '../kernel/index.ts';
import { isListedHost } from './hosts.ts';

const MAX_URL = 2048;
/** Matches the text before parsing: the parser would complete `https:host`, and `http:///host`. */
const ABSOLUTE = /^https?:\/\/[^/?#]/i;
/** Characters that the URL parser would silently drop or replace. */
const UNSOUND = /[\s\\\p{Cc}]/u;
/** Bidirectional marks and other invisible characters, with which a link can lead elsewhere than its text says. */
const INVISIBLE = /\p{Cf}/u;

/**
 * IPv4 blocks to which no callback is sent: outside the public internet (IANA's special-purpose registry, RFC 6890), or
 * of a cloud's own services.
 */
export const SPECIAL_V4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // this network, unspecified
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['168.63.129.16', 32], // Azure's services for its machines
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.52.193.0', 24], // multicast tunnelling
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** IPv6 blocks outside the public internet, or that embed an IPv4 address. */
export const SPECIAL_V6: readonly (readonly [network: string, bits: number])[] = [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

/**
 * Why a merchant's URL is unsafe, in words; `null` when it is safe. No name is resolved here: the addresses are checked
 * when the connection is made.
 *
 * @param allowPrivate - true where private networks are allowed (sandbox), and for URLs that only a browser follows
 */
export function checkMerchantUrl(text: string, allowPrivate: boolean): string | null {
  if (text.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  if (INVISIBLE.test(text)) return 'must not contain invisible characters; write them percent-encoded';
  if (UNSOUND.test(text) || !URL.canParse(text)) return 'must be an absolute http or https URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL';
  if (!ABSOLUTE.test(text)) return 'must be an absolute http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password';
  if (!allowPrivate && isPrivateHost(url.hostname)) return 'must not point to a private, local or reserved address';
  return null;
}

/** Further restrictions on URLs that the till itself calls. */
export interface CallbackPlaces {
  readonly allowPrivateNetworks: boolean;
  /** The hosts that may be called; `null` for any public host. */
  readonly hosts: readonly string[] | null;
}

/** Why the till refuses to call a merchant's URL, in words; `null` when it does not. */
export function checkCallbackUrl(text: string, { allowPrivateNetworks, hosts }: CallbackPlaces): string | null {
  const problem = checkMerchantUrl(text, allowPrivateNetworks);
  if (problem !== null || hosts === null || isListedHost(new URL(text), hosts)) return problem;
  return 'must have a host that the setting callbacks.hosts allows';
}

/**
 * True for literal addresses and names of this machine or a private network. Expects a host in the form of `URL`, where
 * `2130706433`, `0x7f.1` and `127.1` are all `127.0.0.1`.
 */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  const v4 = readIpv4(name);
  if (v4 !== null) return V4_RANGES.some((range) => inRange(v4, range));
  if (!name.startsWith('[')) return false;
  const v6 = readIpv6(name.slice(1, -1)) ?? UNSPECIFIED;
  return V6_RANGES.some((range) => inRange(v6, range));
}

/**
 * True for addresses at which clouds give credentials to their machines, and for all other link-local addresses. They
 * are refused also where private networks are allowed. Expects a host in the form of `URL`.
 */
export function isMetadataHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (METADATA_NAMES.includes(name)) return true;
  const v4 = readIpv4(name);
  if (v4 !== null) return METADATA_V4.some((range) => inRange(v4, range));
  if (!name.startsWith('[')) return false;
  const v6 = readIpv6(name.slice(1, -1)) ?? UNSPECIFIED;
  if (METADATA_V6.some((range) => inRange(v6, range))) return true;
  // The last bits of these addresses are an IPv4 address.
  return (
    EMBEDDING_V6.some((range) => inRange(v6, range)) && METADATA_V4.some((range) => inRange(v6 & 0xffff_ffffn, range))
  );
}

/** The first address of a block, and its number of free low bits. */
interface Range {
  readonly first: bigint;
  readonly freeBits: bigint;
}

type Block = readonly [network: string, bits: number];

/** `::`, which is not public: what is no address counts as it. */
const UNSPECIFIED = 0n;

const rangesV4 = (blocks: readonly Block[]): readonly Range[] =>
  blocks.map(([network, bits]) => ({ first: readIpv4(network) ?? 0n, freeBits: BigInt(32 - bits) }));
const rangesV6 = (blocks: readonly Block[]): readonly Range[] =>
  blocks.map(([network, bits]) => ({ first: readIpv6(network) ?? UNSPECIFIED, freeBits: BigInt(128 - bits) }));

const V4_RANGES = rangesV4(SPECIAL_V4);
const V6_RANGES = rangesV6(SPECIAL_V6);
const METADATA_NAMES: readonly string[] = ['metadata', 'metadata.google.internal', 'instance-data'];
const METADATA_V4 = rangesV4([
  ['169.254.0.0', 16],
  ['168.63.129.16', 32],
  ['100.100.100.200', 32], // Alibaba Cloud
  ['192.0.0.192', 32], // Oracle Cloud
]);
const METADATA_V6 = rangesV6([
  ['fe80::', 10],
  ['fd00:ec2::254', 128], // AWS
]);
const EMBEDDING_V6 = rangesV6([
  ['::', 96],
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
]);

function inRange(address: bigint, { first, freeBits }: Range): boolean {
  return address >> freeBits === first >> freeBits;
}
