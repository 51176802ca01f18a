import { TillgateError } from '../../../core/index.ts';
import type { CurrencyCode } from '../../../core/index.ts';
import { callConstant } from './constant-call.ts';
import { balanceOf, decimals } from './trc20.ts';
import type { TronClient } from './tron-client.ts';
import { asObject, asUnits, malformed, toHexAddress } from './tron-values.ts';
import { TRX } from './trx.ts';

/** 32 bytes. */
const WORD_DIGITS = 64;

/** Reads the balances of an address from a node. */
export class AccountReader {
  readonly #client: TronClient;
  readonly #contracts: ReadonlyMap<CurrencyCode, string>;

  /** @param contracts - the keys of the tokens' contracts by currency */
  constructor(client: TronClient, contracts: ReadonlyMap<CurrencyCode, string>) {
    this.#client = client;
    this.#contracts = contracts;
  }

  /** An account exists once it has received TRX; tokens alone do not create one. */
  async account(key: string): Promise<{ readonly exists: boolean; readonly sun: bigint }> {
    const account = asObject(
      await this.#client.askExactly('/wallet/getaccount', { address: toHexAddress(key) }),
      'an account',
    );
    return { exists: account['address'] !== undefined, sun: asUnits(account['balance'], 'a balance') };
  }

  /** The decimals that a contract reports; `null` when there is no contract, or it does not report them. */
  async decimals(contractKey: string): Promise<number | null> {
    const call = { callerKey: contractKey, contractKey, ...decimals() };
    const { refused, output } = await callConstant(this.#client, call);
    return refused !== null || output.length !== WORD_DIGITS ? null : Number(BigInt(`0x${output}`));
  }

  /** @throws TillgateError `NODE_FAILED`; `CONFIG_INVALID` for a currency that is not configured */
  async units(key: string, currency: CurrencyCode): Promise<bigint> {
    if (currency === TRX) return (await this.account(key)).sun;
    const contractKey = this.#contracts.get(currency);
    if (contractKey === undefined)
      throw new TillgateError('CONFIG_INVALID', `${currency} is not a token of this chain.`);
    const { refused, output } = await callConstant(this.#client, { callerKey: key, contractKey, ...balanceOf(key) });
    if (refused !== null)
      throw new TillgateError('NODE_FAILED', `The contract of ${currency} returns no balance: ${refused}.`);
    if (output.length !== WORD_DIGITS) throw malformed('a token balance');
    return BigInt(`0x${output}`);
  }
}
