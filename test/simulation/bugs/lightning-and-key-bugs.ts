import { InvoiceFollower } from '../../../core/index.ts';
import { keyState } from '../../../core/gateway/app-key.ts';
import { PaymentSteps } from '../../../core/payouts/payment-steps.ts';
import { SqlLightningWrites } from '../../../adapters/storage/knex/stores/payouts/lightning-store.ts';
import { edited, patched } from './bug.ts';
import type { Bug } from './bug.ts';
import { within } from './edits.ts';
import { replaced, wrapStorage } from './patches.ts';

export const LIGHTNING_BUGS: readonly Bug[] = [
  edited(
    'an invoice payment under way is given up',
    within(PaymentSteps)
      .clause('in-flight')
      .becomes(({ label, bodies }) => `case ${label}: ${bodies['failed'] ?? ''}`),
  ),
  edited(
    'a due invoice is not asked for',
    within(InvoiceFollower)
      .binary('===', { mentions: 'settled' })
      .becomes(() => 'false'),
  ),
  patched('an invoice is withdrawn to twice', () => {
    const { addPayment } = SqlLightningWrites.prototype;
    SqlLightningWrites.prototype.addPayment = async function (this: SqlLightningWrites, payment) {
      await addPayment.call(this, payment);
      return true;
    };
  }),
];

export const KEY_BUGS: readonly Bug[] = [
  patched('used signatures are kept in memory', () =>
    wrapStorage((storage) => {
      const used = new Set<string>();
      const useSignature = async (replayKey: string): Promise<boolean> => used.size < used.add(replayKey).size;
      return replaced(storage, { accounts: replaced(storage.accounts, { useSignature }) });
    }),
  ),
  edited(
    'the end of a grace is not compared',
    within(keyState)
      .binary('<=')
      .becomes(() => 'false'),
  ),
];
