import { z } from 'zod';
import { TillgateError } from '../../../core/index.ts';
import type { ChainSigning, SigningIntent } from '../../../core/index.ts';
import { AccountKey } from '../account-key.ts';
import { count } from '../../plugin-options/option-fields.ts';
import { invalidOptions, parseOptions } from '../../plugin-options/parse-options.ts';
import { tokenProblems, tokensField, tokensOf } from '../../plugin-options/token-options.ts';
import { evmAddress, evmKey, normaliseEvmAddress } from './evm-address.ts';
import { buildEvmTransaction } from './evm-intent.ts';
import type { EvmDefaults } from './plugin-options.ts';

const optionsSchema = z.strictObject({
  chainId: count(1, Number.MAX_SAFE_INTEGER).optional(),
  tokens: tokensField((text) => normaliseEvmAddress(text) !== null),
});

/** The signing rules of an EVM chain, for a signer. @throws TillgateError `CONFIG_INVALID` naming the field */
export function evmSigning(input: unknown, defaults: EvmDefaults): ChainSigning {
  const { code, coin, accounts } = defaults;
  const options = parseOptions(optionsSchema, input);
  const chainId = options.chainId ?? defaults.chainId;
  const tokens = tokensOf(code, options.tokens ?? (chainId === defaults.chainId ? defaults.tokens : {}));
  const problems = tokenProblems(code, tokens, (address) => address.toLowerCase());
  if (problems.length > 0) throw invalidOptions(problems);
  return {
    ...{ code, coin, accounts, model: 'account' },
    tokens: new Map(tokens.map(({ address, asset }) => [normaliseEvmAddress(address) ?? address, asset])),
    build: (intent) => buildEvmTransaction(requireChainId(intent, chainId)),
    addressOf: (key, index) => evmAddress(evmKey(new AccountKey(key).publicKey(index))),
    readAddress: normaliseEvmAddress,
  };
}

/** A signature for another chain id would be a payment on another chain with the same key. */
function requireChainId(intent: SigningIntent, chainId: number): SigningIntent {
  if ('chainId' in intent && intent.chainId === chainId) return intent;
  throw new TillgateError('SIGNING_REFUSED', `The intent is not for the chain id ${chainId}.`, { reason: 'chain' });
}
