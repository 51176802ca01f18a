import type { AccountId, PayoutBatch, PayoutBatchId, PayoutBatchRow, Payee, PayeeId } from '../../../core/index.ts';
import { nextId, NOW } from './fixtures.ts';

/** A draft without sums. */
export function payoutBatch(accountId: AccountId): PayoutBatch {
  return {
    ...{ id: nextId() as PayoutBatchId, accountId, name: 'Salaries', status: 'DRAFT', createdBy: null },
    ...{ sums: [], approvals: [], listed: false },
    ...{ createdAt: NOW, updatedAt: NOW, approvedAt: null, finishedAt: null },
  };
}

/** A row that waits. */
export function payoutBatchRow(batchId: PayoutBatchId, line: number): PayoutBatchRow {
  return {
    ...{ batchId, line, reference: `${batchId}-${line}`, chain: 'ETH', currency: 'ETH', toAddress: 'eth-a' },
    ...{ units: 10n, fiat: null, feeUnits: 1n, maxFeeUnits: 2n, transferId: null, problem: null },
  };
}

/** A payee in force. */
export function payee(accountId: AccountId): Payee {
  const id = nextId() as PayeeId;
  return { id, accountId, chain: 'ETH', address: `eth-${id}`, label: 'A', activeFrom: NOW, createdAt: NOW };
}
