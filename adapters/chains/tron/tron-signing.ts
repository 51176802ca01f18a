import { z } from 'zod';
import type { ChainSigning } from '../../../core/index.ts';
import { AccountKey } from '../account-key.ts';
import { invalidOptions, parseOptions } from '../../plugin-options/parse-options.ts';
import { tokenProblems, tokensField, tokensOf } from '../../plugin-options/token-options.ts';
import { evmKey } from '../evm/evm-address.ts';
import type { EvmAccounts } from '../evm/paying-keys.ts';
import type { TronDefaults } from './plugin-options.ts';
import { tronAddress, tronKey } from './tron-address.ts';
import { buildTronTransaction } from './tron-intent.ts';
import { TRX_ASSET } from './trx.ts';

const optionsSchema = z.strictObject({
  tokens: tokensField((text) => tronKey(text) !== null),
});

/** The signing rules of Tron, for a signer. @throws TillgateError `CONFIG_INVALID` naming the field */
export function tronSigning(
  input: unknown,
  { code, accounts, tokens: usual }: TronDefaults & { readonly accounts: EvmAccounts },
): ChainSigning {
  const tokens = tokensOf(code, parseOptions(optionsSchema, input).tokens ?? usual);
  const problems = tokenProblems(code, tokens, (address) => address);
  if (problems.length > 0) throw invalidOptions(problems);
  return {
    ...{ code, coin: TRX_ASSET, accounts, model: 'account' },
    tokens: new Map(tokens.map(({ address, asset }) => [address, asset])),
    build: buildTronTransaction,
    addressOf: (key, index) => tronAddress(evmKey(new AccountKey(key).publicKey(index))),
    readAddress: (text) => (tronKey(text) === null ? null : text),
  };
}
