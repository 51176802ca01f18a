import type { BatchSum, Payee, PayoutBatch, PayoutBatchRow } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import {
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
import type { StoredField, StoredFields } from './stored-fields.ts';
import { json } from './values.ts';

type WrittenSum = Omit<BatchSum, 'units' | 'feeUnits'> & { readonly units: string; readonly feeUnits: string };

/** Sums as JSON, with units as digits. */
const sumsField: StoredField<readonly BatchSum[]> = {
  columns: [
    {
      name: 'sums',
      kind: 'text',
      of: (sums) =>
        JSON.stringify(sums.map((sum) => ({ ...sum, units: String(sum.units), feeUnits: String(sum.feeUnits) }))),
    },
  ],
  read: (row) =>
    json<readonly WrittenSum[]>(row, 'sums').map((sum) => ({
      ...sum,
      units: BigInt(sum.units),
      feeUnits: BigInt(sum.feeUnits),
    })),
};

export const BATCH: StoredFields<PayoutBatch> = {
  id: textField('id'),
  accountId: textField('account_id'),
  name: textField('name'),
  status: textField('status'),
  createdBy: textOrNullField('created_by'),
  sums: sumsField,
  approvals: jsonField('approvals'),
  listed: flagField('listed'),
  createdAt: integerField('created_at'),
  updatedAt: integerField('updated_at'),
  approvedAt: integerOrNullField('approved_at'),
  finishedAt: integerOrNullField('finished_at'),
};

export const BATCH_COLUMNS: readonly Column<PayoutBatch>[] = columnsOf(BATCH);

/** The batch in a row of `payout_batches`. */
export const batchOf = (row: Row): PayoutBatch => readFields(BATCH, row);

const BATCH_ROW: StoredFields<PayoutBatchRow> = {
  batchId: textField('batch_id'),
  line: integerField('line'),
  reference: textField('reference'),
  chain: textField('chain'),
  currency: textField('currency'),
  toAddress: textField('to_address'),
  units: unitsField('units'),
  fiat: jsonOrNullField('fiat'),
  feeUnits: unitsField('fee_units'),
  maxFeeUnits: unitsField('max_fee_units'),
  transferId: textOrNullField('transfer_id'),
  problem: textOrNullField('problem'),
};

export const BATCH_ROW_COLUMNS: readonly Column<PayoutBatchRow>[] = columnsOf(BATCH_ROW);

/** The columns of a new row, whose reference is held. */
export const newBatchRowColumns = (accountId: string): readonly Column<PayoutBatchRow>[] => [
  ...BATCH_ROW_COLUMNS,
  { name: 'account_id', kind: 'text', of: () => accountId },
  { name: 'held_reference', kind: 'text', of: ({ reference }) => reference },
];

/** The row of a batch in a row of `payout_batch_rows`. */
export const batchRowOf = (row: Row): PayoutBatchRow => readFields(BATCH_ROW, row);

const PAYEE: StoredFields<Payee> = {
  id: textField('id'),
  accountId: textField('account_id'),
  chain: textField('chain'),
  address: textField('address'),
  label: textField('label'),
  activeFrom: integerField('active_from'),
  createdAt: integerField('created_at'),
};

export const PAYEE_COLUMNS: readonly Column<Payee>[] = columnsOf(PAYEE);

/** The payee in a row of `payees`. */
export const payeeOf = (row: Row): Payee => readFields(PAYEE, row);
