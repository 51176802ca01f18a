import type { BalanceSheet, CurrencyCode, Logger } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { fetchHead } from './blocks.ts';
import { inconsistent } from './rpc-values.ts';
import { StateReader } from './state-reader.ts';
import type { BalanceAnswer } from './state-reader.ts';

/** An address and the currency whose balance is read. */
export interface AccountQuestion {
  readonly address: string;
  readonly currency: CurrencyCode;
}

/** Reads balances of addresses at the head, all as of one block. */
export class AccountBalances {
  readonly #client: JsonRpcClient;
  readonly #state: StateReader;
  readonly #native: CurrencyCode;
  readonly #contracts: ReadonlyMap<CurrencyCode, string>;

  constructor(
    client: JsonRpcClient,
    logger: Logger,
    native: CurrencyCode,
    contracts: ReadonlyMap<CurrencyCode, string>,
  ) {
    this.#client = client;
    this.#state = new StateReader(client, logger);
    this.#native = native;
    this.#contracts = contracts;
  }

  /**
   * Returns balances in the order of the questions; `null` for a currency that is not of this chain. @throws
   * TillgateError `NODE_FAILED`
   */
  async read(questions: readonly AccountQuestion[]): Promise<readonly (bigint | null)[]> {
    if (questions.length === 0) return [];
    const at = await fetchHead(this.#client);
    const asked = questions.map(({ address, currency }) => ({ key: address.slice(2).toLowerCase(), currency, at }));
    const coins = asked.filter(({ currency }) => currency === this.#native);
    const tokens = asked.flatMap((question) => {
      const contract = this.#contracts.get(question.currency);
      return contract === undefined ? [] : [{ ...question, tokenKey: contract.slice(2).toLowerCase() }];
    });
    const answers = new Map<unknown, BalanceAnswer>();
    (await this.#state.coins(coins)).forEach((answer, index) => answers.set(nameOf(coins[index]), answer));
    (await this.#state.tokens(tokens)).forEach((answer, index) => answers.set(nameOf(tokens[index]), answer));
    return asked.map((question) => {
      const answer = answers.get(nameOf(question));
      if (answer === 'gone') throw inconsistent('the node does not keep the state of its head');
      return answer ?? null;
    });
  }

  /** Sums balances by currency and reads each address once. Currencies that are not of this chain are left out. */
  async sum(questions: Iterable<AccountQuestion>): Promise<BalanceSheet> {
    const distinct = [
      ...new Map(
        [...questions].map(({ address, currency }) => [`${address.toLowerCase()} ${currency}`, { address, currency }]),
      ).values(),
    ];
    const sums = new Map<CurrencyCode, bigint>();
    (await this.read(distinct)).forEach((units, index) => {
      const currency = distinct[index]?.currency;
      if (units !== null && currency !== undefined) sums.set(currency, (sums.get(currency) ?? 0n) + units);
    });
    return sums;
  }
}

function nameOf(question: { readonly key: string; readonly currency: CurrencyCode } | undefined): string {
  return `${question?.key} ${question?.currency}`;
}
