import { KnexLightningWrites } from '../../../adapters/storage/knex/stores/lightning-store.ts';
import { patched } from './bug.ts';
import type { Bug } from './bug.ts';

export const LIGHTNING_LIFE_BUGS: readonly Bug[] = [
  patched('a refused invoice payment waits for ever', () => {
    const { refuse } = KnexLightningWrites.prototype;
    KnexLightningWrites.prototype.refuse = async function (this: KnexLightningWrites, id, now) {
      return { ...(await refuse.call(this, id, now)), refusals: 0 };
    };
  }),
];
