import type { BalancesRead, BlockRef, CurrencyCode, PresentBalances } from '../../../core/index.ts';
import { PACK_SIZE } from './balance-pack.ts';
import type { StateReader } from './state-reader.ts';

/**
 * Reads the native coin balances of deposit addresses, to which a contract can send coins without a log. Tokens are not
 * compared: each of their movements has a log, and the logs of a block are checked against its header.
 */
export class EvmPresentBalances implements PresentBalances {
  readonly currencies: readonly CurrencyCode[];
  readonly perCall = PACK_SIZE;
  readonly #state: StateReader;

  constructor(state: StateReader, native: CurrencyCode) {
    this.#state = state;
    this.currencies = [native];
  }

  /** Reads the state of exactly this block, by its hash. */
  async read(keys: readonly string[], _currency: CurrencyCode, at: BlockRef): Promise<BalancesRead> {
    const answers = await this.#state.coins(keys.map((key) => ({ key, at })));
    return { through: at, units: answers.map((answer) => (answer === 'gone' ? null : answer)) };
  }
}
