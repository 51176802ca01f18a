import { CompareBalances } from '../../../core/deposits/compare-balances.ts';
import { KnexComparisonStore, KnexComparisonWrites } from '../../../adapters/storage/knex/stores/comparison-store.ts';
import { patched } from './bug.ts';
import type { Bug } from './bug.ts';

/** Bugs about coins that no block shows, and about nodes that have pruned their state. */
export const STRANDED_BUGS: readonly Bug[] = [
  patched('what addresses hold is never compared', () => {
    CompareBalances.prototype.step = async () => ({ found: false, more: false, unseen: null });
  }),
  patched('native coin watched only while chosen', () => {
    const { next } = KnexComparisonStore.prototype;
    KnexComparisonStore.prototype.next = async function (this: KnexComparisonStore, chain, turn, page) {
      const { addresses, last } = await next.call(this, chain, turn, page);
      const wanting = addresses.filter(({ currency }) => currency === 'ETH');
      return { addresses: wanting, last: addresses.length < page.limit ? null : last };
    };
  }),
  patched('the gas that was sent to an address is taken for a deposit', () => {
    const { booked } = KnexComparisonWrites.prototype;
    KnexComparisonWrites.prototype.booked = function (this: KnexComparisonWrites, chain, question) {
      return booked.call(this, chain, { ...question, paysFees: false });
    };
    const { booked: outside } = KnexComparisonStore.prototype;
    KnexComparisonStore.prototype.booked = function (this: KnexComparisonStore, chain, question) {
      return outside.call(this, chain, { ...question, paysFees: false });
    };
  }),
  patched('a deposit whose look at the balance was reorganised away is forgotten', () => {
    const { booked } = KnexComparisonWrites.prototype;
    KnexComparisonWrites.prototype.booked = async function (this: KnexComparisonWrites, chain, question) {
      const books = await booked.call(this, chain, question);
      return new Map([...books].map(([address, entry]) => [address, { ...entry, orphaned: [] }]));
    };
  }),
];
