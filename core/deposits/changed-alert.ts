import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import { amountInWords } from '../kernel/index.ts';
import type { Asset } from '../kernel/index.ts';
import type { Deposit } from '../chain/index.ts';
import type { ChangedDeposit, Recorded } from './record-transfer.ts';

/** Raises alerts, after the commit, for payments with another effect than in the removed block. */
export function raiseChanged(
  channels: AlertChannels,
  assets: readonly Asset[],
  changed: readonly ChangedDeposit[],
): void {
  for (const { former, deposit } of changed) {
    const [last] = former;
    if (last === undefined) continue;
    const reason =
      `The transaction ${deposit.txid} on ${deposit.chain} was mined again in another block and pays ${inWords(assets, deposit)}. ` +
      `In the removed block it paid ${inWords(assets, last)}. The new block counts; the earlier deposit was reversed.`;
    raiseAlert(
      channels,
      'deposit',
      `deposit ${deposit.id}`,
      former.some(wasPaidBack) ? `${reason} ${PAID_BACK}` : reason,
    );
  }
}

const PAID_BACK =
  'The earlier deposit was refunded to its payer, or its refund is in progress: check that refund before you decide about the new deposit.';

function wasPaidBack({ assignment }: Deposit): boolean {
  return assignment === 'RETURNED' || assignment === 'RETURNING';
}

/** Raises alerts for second readings of a block that contradict the recorded deposits; nothing is changed. */
export function raiseContradicted(
  channels: AlertChannels,
  assets: readonly Asset[],
  contradicted: Recorded['contradicted'],
): void {
  for (const { deposit, transfer } of contradicted) {
    const said = `${amountInWords(assets, transfer.currency, transfer.units)} to ${transfer.toKey} in block ${transfer.block.height}`;
    const reason =
      `When the chain ${deposit.chain} was read again, the payment ${deposit.txid} paid ${said}. It is recorded as ` +
      `${inWords(assets, deposit)} in block ${deposit.blockHeight} and is ${deposit.status}; the record was not changed. Check the node.`;
    raiseAlert(channels, 'deposit', `deposit ${deposit.id}`, reason);
  }
}

/** Raises alerts for deposits that were reversed because a second reading of their block does not confirm them. */
export function raiseTakenBack(channels: AlertChannels, assets: readonly Asset[], deposits: readonly Deposit[]): void {
  for (const deposit of deposits) {
    const reason =
      `When block ${deposit.blockHeight} on ${deposit.chain} was read again, it did not contain the payment ${deposit.txid} of ` +
      `${inWords(assets, deposit)}. The deposit was ${deposit.status} and is reversed. Check the node.`;
    raiseAlert(channels, 'deposit', `deposit ${deposit.id}`, reason);
  }
}

function inWords(assets: readonly Asset[], { currency, units, toAddress, orderId }: Deposit): string {
  return `${amountInWords(assets, currency, units)} to ${toAddress} (order ${orderId})`;
}
