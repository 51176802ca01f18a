import { CompareBalances } from '../../../core/deposits/compare-balances.ts';
import {
  SqlComparisonStore,
  SqlComparisonWrites,
} from '../../../adapters/storage/knex/stores/deposits/comparison-store.ts';
import { patched } from './bug.ts';
import type { Bug } from './bug.ts';

/** Bugs about coins that no block shows, and about nodes that have pruned their state. */
export const STRANDED_BUGS: readonly Bug[] = [
  patched('what addresses hold is never compared', () => {
    CompareBalances.prototype.step = async () => ({ found: false, more: false, unseen: null });
  }),
  patched('native coin watched only while chosen', () => {
    const { next } = SqlComparisonStore.prototype;
    SqlComparisonStore.prototype.next = async function (this: SqlComparisonStore, chain, turn, page) {
      const { addresses, last } = await next.call(this, chain, turn, page);
      const wanting = addresses.filter(({ currency }) => currency === 'ETH');
      return { addresses: wanting, last: addresses.length < page.limit ? null : last };
    };
  }),
  patched('the gas that was sent to an address is taken for a deposit', () => {
    const { booked } = SqlComparisonWrites.prototype;
    SqlComparisonWrites.prototype.booked = function (this: SqlComparisonWrites, chain, question) {
      return booked.call(this, chain, { ...question, paysFees: false });
    };
    const { booked: outside } = SqlComparisonStore.prototype;
    SqlComparisonStore.prototype.booked = function (this: SqlComparisonStore, chain, question) {
      return outside.call(this, chain, { ...question, paysFees: false });
    };
  }),
  patched('a deposit whose look at the balance was reorganised away is forgotten', () => {
    const { booked } = SqlComparisonWrites.prototype;
    SqlComparisonWrites.prototype.booked = async function (this: SqlComparisonWrites, chain, question) {
      const books = await booked.call(this, chain, question);
      return new Map([...books].map(([address, entry]) => [address, { ...entry, orphaned: [] }]));
    };
  }),
];
