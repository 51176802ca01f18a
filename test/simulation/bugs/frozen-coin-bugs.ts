import { SqlTransferStore } from '../../../adapters/storage/knex/stores/payouts/transfer-store.ts';
import { FrozenCoins } from '../../../core/payouts/frozen-coins.ts';
import { Troubles } from '../../../core/payouts/troubles.ts';
import { patched } from './bug.ts';
import type { Bug } from './bug.ts';

/** Assumptions that all coins on chain can be moved, and that one refusal stops all payments. */
export const FROZEN_COIN_BUGS: readonly Bug[] = [
  patched('frozen coins are paid with those of others', () => {
    FrozenCoins.prototype.requireCover = async () => undefined;
    SqlTransferStore.prototype.frozenCoins = async () => [];
  }),
  patched('a refused move ends the pass', () => {
    Troubles.prototype.contain = (_what, work) => work();
  }),
];
