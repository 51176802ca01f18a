import type { WatchAddress, WithdrawalAddress, WithdrawalFreeze } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { integer, text, textOrNull } from './values.ts';

export const WITHDRAWAL_ADDRESS_COLUMNS: readonly Column<WithdrawalAddress>[] = [
  { name: 'account_id', kind: 'text', of: (w) => w.accountId },
  { name: 'chain', kind: 'text', of: (w) => w.chain },
  { name: 'former_address', kind: 'text', of: (w) => w.formerAddress },
  { name: 'address', kind: 'text', of: (w) => w.address },
  { name: 'active_from', kind: 'bigint', of: (w) => w.activeFrom },
  { name: 'updated_at', kind: 'bigint', of: (w) => w.updatedAt },
];

/** The record in a row of `withdrawal_addresses`. */
export function withdrawalAddressOf(row: Row): WithdrawalAddress {
  return {
    accountId: text(row, 'account_id') as WithdrawalAddress['accountId'],
    chain: text(row, 'chain'),
    formerAddress: textOrNull(row, 'former_address'),
    address: text(row, 'address'),
    activeFrom: integer(row, 'active_from'),
    updatedAt: integer(row, 'updated_at'),
  };
}

export const WATCH_ADDRESS_COLUMNS: readonly Column<WatchAddress>[] = [
  { name: 'id', kind: 'text', of: (w) => w.id },
  { name: 'account_id', kind: 'text', of: (w) => w.accountId },
  { name: 'chain', kind: 'text', of: (w) => w.chain },
  { name: 'kind', kind: 'text', of: (w) => w.kind },
  { name: 'value', kind: 'text', of: (w) => w.value },
  { name: 'label', kind: 'text', of: (w) => w.label },
  { name: 'created_at', kind: 'bigint', of: (w) => w.createdAt },
];

/** The record in a row of `watch_addresses`. */
export function watchAddressOf(row: Row): WatchAddress {
  return {
    id: text(row, 'id') as WatchAddress['id'],
    accountId: text(row, 'account_id') as WatchAddress['accountId'],
    chain: text(row, 'chain'),
    kind: text(row, 'kind') as WatchAddress['kind'],
    value: text(row, 'value'),
    label: text(row, 'label'),
    createdAt: integer(row, 'created_at'),
  };
}

export const FREEZE_COLUMNS: readonly Column<WithdrawalFreeze>[] = [
  { name: 'account_id', kind: 'text', of: (f) => f.accountId },
  { name: 'reason', kind: 'text', of: (f) => f.reason },
  { name: 'frozen_at', kind: 'bigint', of: (f) => f.at },
];

/** The freeze in a row of `withdrawal_freezes`. */
export function freezeOf(row: Row): WithdrawalFreeze {
  return {
    accountId: text(row, 'account_id') as WithdrawalFreeze['accountId'],
    reason: text(row, 'reason'),
    at: integer(row, 'frozen_at'),
  };
}
