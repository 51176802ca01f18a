import { RereadBlocks } from '../../../core/deposits/reread-blocks.ts';
import { creditDeposits } from '../../../core/deposits/credit-deposit.ts';
import type { Depth } from '../../../core/deposits/credit-deposit.ts';
import { confirmRestore } from '../../../core/payouts/decide-epoch.ts';
import { firstIndexes, isFromBackup } from '../../../core/payouts/epoch.ts';
import { finishMined } from '../../../core/payouts/finish-payout.ts';
import { FollowPayouts } from '../../../core/payouts/follow-payouts.ts';
import { PayoutReplacer } from '../../../core/payouts/replace-payouts.ts';
import type { PayoutSettings } from '../../../core/payouts/payout-settings.ts';
import { keptOf, TillBudget } from '../../../core/payouts/till-budget.ts';
import type { EpochWrites } from '../../../core/index.ts';
import { nameOf } from '../../support/name-of.ts';
import { edited, patched } from './bug.ts';
import type { Bug } from './bug.ts';
import { within } from './edits.ts';

const cancelAfterMs = nameOf<PayoutSettings>((settings) => settings.cancelAfterMs);

/** Blind trust in the node, the receivers, the float and the database. */
export const HOSTILE_WORLD_BUGS: readonly Bug[] = [
  patched('blocks are read once only', () => {
    RereadBlocks.prototype.step = async () => ({ more: false, found: false });
  }),
  edited(
    'dust is credited',
    within(creditDeposits)
      .binary('<', { mentions: nameOf<Depth>((depth) => depth.minDeposit) })
      .becomes(() => 'false'),
  ),
  patched('sweeps are made that nobody can pay for', () => {
    TillBudget.prototype.covers = () => true;
    TillBudget.prototype.canAdvance = () => true;
  }),
  edited(
    'a payment without effect costs its owner nothing',
    within(finishMined)
      .property('feeUnits')
      .becomes(({ key }) => `${key}: 0n`),
  ),
  edited(
    'a rejected payment keeps nothing back',
    within(keptOf)
      .binary('!==', { mentions: 'account' })
      .becomes(() => 'true'),
  ),
  edited(
    'what nobody mines is never cancelled',
    within(PayoutReplacer)
      .binary('<', { mentions: cancelAfterMs })
      .becomes(() => 'true'),
  ),
  edited(
    'what expires is signed again without end',
    within(PayoutReplacer)
      .binary('>=', { mentions: cancelAfterMs })
      .becomes(() => 'false'),
  ),
  edited(
    'a restored backup gives its addresses again',
    within(firstIndexes)
      .binary('+')
      .becomes(() => '0'),
  ),
  edited(
    'what waited in a restored backup is paid without a look',
    within(confirmRestore)
      .call(nameOf<EpochWrites>((epochs) => epochs.holdWaiting))
      .becomes(() => '0'),
  ),
  edited(
    'what expired in a restored backup is signed again',
    within(isFromBackup)
      .binary('>', { mentions: 'number' })
      .becomes(() => 'false'),
  ),
  edited(
    'a rival that pays the same is a stranger',
    within(FollowPayouts)
      .binary('===', { mentions: 'same' })
      .becomes(() => 'false'),
  ),
];
