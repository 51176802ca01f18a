import { z } from 'zod';
import type { ChainSigning } from '../../../core/index.ts';
import { AccountKey } from '../account-key.ts';
import { parseOptions } from '../../plugin-options/parse-options.ts';
import { readUtxoAddress, segwitAddress } from './segwit-address.ts';
import { UTXO_NETWORKS } from './utxo-coins.ts';
import type { UtxoCoin } from './utxo-coins.ts';
import { utxoBuilder } from './utxo-intent.ts';

const optionsSchema = z.strictObject({ network: z.enum(UTXO_NETWORKS).default('main') });

/**
 * The signing rules of a chain of Bitcoin's family, for a signer. @throws TillgateError `CONFIG_INVALID` naming the
 * field
 */
export function utxoSigning(input: unknown, { code, coin, networks }: UtxoCoin): ChainSigning {
  const { accounts, addresses } = networks[parseOptions(optionsSchema, input).network];
  return {
    ...{ code, coin, accounts, model: 'utxo', tokens: new Map() },
    build: utxoBuilder(addresses),
    addressOf: (key, index) => segwitAddress(new AccountKey(key).publicKey(index), addresses).address,
    readAddress: (text) => readUtxoAddress(text, addresses)?.address ?? null,
  };
}
