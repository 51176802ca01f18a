import { ACTIONS } from '../../../core/index.ts';
import type { ActionRow, ManageAction } from '../../../core/index.ts';
import { resumePayouts } from '../../../core/payouts/payout-stop.ts';
import { edited, patched } from './bug.ts';
import type { Bug } from './bug.ts';
import { within } from './edits.ts';

/** Classifies an operation as harmless. */
const harmless = (action: ManageAction): (() => void) => {
  const row: ActionRow = { effects: [{ effect: 'stops', of: 'nothing' }] };
  return () => Object.assign(ACTIONS, { [action]: row });
};

export const MANAGEMENT_BUGS: readonly Bug[] = [
  patched('an order is resolved in a session that was not raised', harmless('resolveOrder')),
  patched('a link is repriced in a session that was not raised', harmless('updateLink')),
  patched('a gateway is led elsewhere in a session that was not raised', harmless('updateGateway')),
  patched('an App key is shown in a session that was not raised', harmless('revealAppKey')),
  edited(
    'payouts go on that were stopped for a reason that the operator has not read',
    within(resumePayouts)
      .binary('!==', { where: ({ right }) => right.includes('??') })
      .becomes(() => 'false'),
  ),
];
