import { TillgateError } from '../../../core/index.ts';
import type { CurrencyCode } from '../../../core/index.ts';
import { callConstant } from './constant-call.ts';
import { balanceOf, decimals } from './trc20.ts';
import type { TronClient } from './tron-client.ts';
import { asObject, asUnits, malformed, toHexAddress } from './tron-values.ts';
import { TRX } from './trx.ts';

/** 32 bytes. */
const WORD_DIGITS = 64;

/** What a node shows at an address. */
export class AccountReader {
  readonly #client: TronClient;
  readonly #contracts: ReadonlyMap<CurrencyCode, string>;

  /** @param contracts - keys of the tokens' contracts by currency */
  constructor(client: TronClient, contracts: ReadonlyMap<CurrencyCode, string>) {
    this.#client = client;
    this.#contracts = contracts;
  }

  /** An account exists from its first TRX on; tokens alone do not make one. */
  async account(key: string): Promise<{ readonly exists: boolean; readonly sun: bigint }> {
    const account = asObject(
      await this.#client.askExactly('/wallet/getaccount', { address: toHexAddress(key) }),
      'an account',
    );
    return { exists: account['address'] !== undefined, sun: asUnits(account['balance'], 'a balance') };
  }

  /** What a contract says of its decimals; `null` where there is none, or none that says it. */
  async decimals(contractKey: string): Promise<number | null> {
    const call = { callerKey: contractKey, contractKey, ...decimals() };
    const { refused, output } = await callConstant(this.#client, call);
    return refused !== null || output.length !== WORD_DIGITS ? null : Number(BigInt(`0x${output}`));
  }

  /** @throws TillgateError `NODE_FAILED`; `CONFIG_INVALID` for a currency that is not configured */
  async units(key: string, currency: CurrencyCode): Promise<bigint> {
    if (currency === TRX) return (await this.account(key)).sun;
    const contractKey = this.#contracts.get(currency);
    if (contractKey === undefined) throw new TillgateError('CONFIG_INVALID', `${currency} is no token of this chain.`);
    const { refused, output } = await callConstant(this.#client, { callerKey: key, contractKey, ...balanceOf(key) });
    if (refused !== null)
      throw new TillgateError('NODE_FAILED', `The contract of ${currency} returns no balance: ${refused}.`);
    if (output.length !== WORD_DIGITS) throw malformed('a token balance');
    return BigInt(`0x${output}`);
  }
}
