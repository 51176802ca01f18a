import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';

const base58check = createBase58check((bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest());

/** BIP-380: the characters of a descriptor, and those of its checksum. */
const INPUT = '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const CHECKSUM = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn];

/** The descriptor with its checksum (BIP-380). */
export function withChecksum(descriptor: string): string {
  const symbols: number[] = [];
  const groups: number[] = [];
  for (const character of descriptor) {
    const at = INPUT.indexOf(character);
    symbols.push(at & 31);
    groups.push(at >> 5);
    if (groups.length === 3) symbols.push(groups.splice(0).reduce((sum, group) => sum * 3 + group, 0));
  }
  if (groups.length > 0) symbols.push(groups.reduce((sum, group) => sum * 3 + group, 0));
  const sum = polynomial([...symbols, 0, 0, 0, 0, 0, 0, 0, 0]) ^ 1n;
  const checksum = Array.from({ length: 8 }, (_, at) => CHECKSUM[Number((sum >> (5n * (7n - BigInt(at)))) & 31n)]);
  return `${descriptor}#${checksum.join('')}`;
}

function polynomial(symbols: readonly number[]): bigint {
  let value = 1n;
  for (const symbol of symbols) {
    const top = value >> 35n;
    value = ((value & 0x7ffffffffn) << 5n) ^ BigInt(symbol);
    for (const [bit, generator] of GENERATOR.entries()) if ((top >> BigInt(bit)) & 1n) value ^= generator;
  }
  return value;
}

/**
 * The output descriptor of one branch of an account: native SegWit addresses (BIP-84).
 *
 * @param xpub - the account's extended public key
 * @param version - the version bytes of public keys on the network
 * @param keys - the path below the account: `0/*`, or `0/0` for one address
 */
export function accountDescriptor(xpub: string, version: number, keys: string): string {
  const bytes = Uint8Array.from(base58check.decode(xpub));
  new DataView(bytes.buffer).setUint32(0, version);
  return withChecksum(`wpkh(${base58check.encode(bytes)}/${keys})`);
}
