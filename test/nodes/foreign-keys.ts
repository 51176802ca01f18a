import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { AccountKey, segwitAddress } from '../../adapters/chains/index.ts';
import type { UtxoChain } from '../../adapters/chains/index.ts';
import { definition as bitcoin } from '../../plugins/bitcoin/definition.ts';
import { definition as litecoin } from '../../plugins/litecoin/definition.ts';

const base58check = createBase58check((bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest());
const VERSIONS = { tpub: 0x043587cf, upub: 0x044a5262, vpub: 0x045f1cf6 } as const;

/** An `xpub` in the spelling of the test networks. */
export function tpubOf(xpub: string, spelling: keyof typeof VERSIONS = 'tpub'): string {
  const bytes = Uint8Array.from(base58check.decode(xpub));
  new DataView(bytes.buffer).setUint32(0, VERSIONS[spelling]);
  return base58check.encode(bytes);
}

export function receivingOf(xpub: string, index: number, { code }: Pick<UtxoChain, 'code'>): string {
  return segwitAddress(
    new AccountKey(xpub).publicKey(index),
    (code === 'BTC' ? bitcoin : litecoin).networks.regtest.addresses,
  ).address;
}
