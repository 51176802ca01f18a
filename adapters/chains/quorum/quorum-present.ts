import { present } from '../../../core/index.ts';
import type { BalancesRead, BlockRef, CurrencyCode, PresentBalances } from '../../../core/index.ts';
import { valuesOf } from './node-group.ts';
import type { NodeGroup } from './node-group.ts';

/**
 * For each balance, the lowest value that enough nodes report: a node can hide coins for a while, but not invent them.
 * A node that keeps no state of the block does not count.
 */
export class QuorumPresentBalances implements PresentBalances {
  readonly currencies: readonly CurrencyCode[];
  readonly perCall: number;
  readonly #group: NodeGroup;

  constructor(own: PresentBalances, group: NodeGroup) {
    this.currencies = own.currencies;
    this.perCall = own.perCall;
    this.#group = group;
  }

  async read(keys: readonly string[], currency: CurrencyCode, at: BlockRef): Promise<BalancesRead> {
    const question = {
      subject: 'balances',
      about: `balances of ${currency} at block ${at.height}`,
      textOf: unitsText,
      isLie: ofOneBlock,
    };
    const answers = await this.#group.ask((chain) => present(chain.present, 'balances').read(keys, currency, at));
    const reads = valuesOf(answers);
    const [first, ...others] = reads;
    const through = others.reduce(
      (last, read) => (read.through.height > last.height ? read.through : last),
      present(first, 'an answer').through,
    );
    const units = keys.map((_key, place) =>
      lowest(
        reads.map((read) => read.units[place] ?? null),
        this.#group.quorum,
      ),
    );
    const whole = reads.filter((read) => read.units.every((each) => each !== null));
    if (new Set(whole.map(unitsText)).size <= 1) this.#group.disagreements.end(question.subject);
    else this.#group.note(question, answers);
    return { through, units };
  }
}

/** A block has only one state. */
function ofOneBlock(reads: readonly BalancesRead[]): boolean {
  return new Set(reads.map(({ through }) => through.hash)).size === 1;
}

function lowest(said: readonly (bigint | null)[], quorum: number): bigint | null {
  const known = said.filter((units) => units !== null);
  if (known.length < quorum) return null;
  return known.reduce((least, units) => (units < least ? units : least));
}

function unitsText({ through, units }: BalancesRead): string {
  return `${units.map(String).join(' ')} by ${through.hash}`;
}
