import { SqlLightningWrites } from '../../../adapters/storage/knex/stores/payouts/lightning-store.ts';
import { patched } from './bug.ts';
import type { Bug } from './bug.ts';

export const LIGHTNING_LIFE_BUGS: readonly Bug[] = [
  patched('a refused invoice payment waits for ever', () => {
    const { refuse } = SqlLightningWrites.prototype;
    SqlLightningWrites.prototype.refuse = async function (this: SqlLightningWrites, id, now) {
      return { ...(await refuse.call(this, id, now)), refusals: 0 };
    };
  }),
];
