import type { Claim, PullPayment } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import {
  changeOf,
  columnsOf,
  flagField,
  integerField,
  integerOrNullField,
  jsonField,
  jsonOrNullField,
  readFields,
  textField,
  textOrNullField,
  unitsField,
} from './stored-fields.ts';
import type { StoredFields } from './stored-fields.ts';

const PULL_PAYMENT: StoredFields<PullPayment> = {
  id: textField('id'),
  accountId: textField('account_id'),
  token: textField('token'),
  name: textField('name'),
  currency: textField('currency'),
  amount: unitsField('amount'),
  coins: jsonOrNullField('coins'),
  expiresAt: integerOrNullField('expires_at'),
  autoApprove: flagField('auto_approve'),
  reference: textOrNullField('reference'),
  metadata: jsonField('metadata'),
  orderId: textOrNullField('order_id'),
  requestedBy: textOrNullField('requested_by'),
  claimed: unitsField('claimed'),
  asideUnits: unitsField('aside_units'),
  archivedAt: integerOrNullField('archived_at'),
  releasedAt: integerOrNullField('released_at'),
  createdAt: integerField('created_at'),
};

const CLAIM: StoredFields<Claim> = {
  id: textField('id'),
  pullPaymentId: textField('pull_payment_id'),
  accountId: textField('account_id'),
  key: textField('claim_key'),
  chain: textField('chain'),
  currency: textField('currency'),
  toAddress: textField('to_address'),
  amount: unitsField('amount'),
  units: unitsField('units'),
  rate: jsonOrNullField('rate'),
  status: textField('status'),
  reason: textOrNullField('reason'),
  transferId: textOrNullField('transfer_id'),
  createdAt: integerField('created_at'),
  decidedAt: integerOrNullField('decided_at'),
};

export const PULL_PAYMENT_COLUMNS: readonly Column<PullPayment>[] = columnsOf(PULL_PAYMENT);
export const CLAIM_COLUMNS: readonly Column<Claim>[] = columnsOf(CLAIM);

/** The pull payment in a row of `pull_payments`. */
export const pullPaymentOf = (row: Row): PullPayment => readFields(PULL_PAYMENT, row);
/** The columns of changed fields of a pull payment. */
export const pullPaymentChange = (changes: Partial<PullPayment>) => changeOf(PULL_PAYMENT, changes);

/** The claim in a row of `claims`. */
export const claimOf = (row: Row): Claim => readFields(CLAIM, row);
/** The columns of changed fields of a claim. */
export const claimChange = (changes: Partial<Claim>) => changeOf(CLAIM, changes);
