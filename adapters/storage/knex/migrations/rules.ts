import { createHash } from 'node:crypto';
import {
  ACCOUNT_TRANSITIONS,
  ALERT_TRANSITIONS,
  APP_KEY_TRANSITIONS,
  BATCH_TRANSITIONS,
  CALLBACK_TRANSITIONS,
  CLAIM_TRANSITIONS,
  DAY_MS,
  DEPOSIT_ASSIGNMENT_TRANSITIONS,
  DEPOSIT_TRANSITIONS,
  legalMoves,
  NOTICE_TRANSITIONS,
  UNCONFIRMED_PAYMENT_TRANSITIONS,
  TRANSFER_TRANSITIONS,
} from '../../../../core/index.ts';
import type { PayoutStatus, HoldingStatus } from '../../../../core/index.ts';
import type { Dialect, QueueRule, SumRule, UpdateRule } from '../dialects/dialect.ts';
import { UNCHECKED_ENTRY, UNCHECKED_ORDER } from '../stores/ledger/ledger-checkpoint.ts';
import type { Namespace } from '../tables.ts';

type Moves = readonly (readonly [string, string])[];

function pairs(
  transitions: Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>,
): Moves {
  return Object.values(transitions).flatMap(({ from, to }) => from.map((status) => [status, to] as const));
}

/** A payout is closed once. */
const PAYOUT_MOVES: readonly (readonly [PayoutStatus, PayoutStatus])[] = [
  ['LIVE', 'DONE'],
  ['LIVE', 'VOID'],
];

/** A coin mined again after a reorg is free or its payout's, as before. SPENT is final. */
const HOLDING_MOVES: readonly (readonly [HoldingStatus, HoldingStatus])[] = [
  ['FREE', 'TAKEN'],
  ['TAKEN', 'FREE'],
  ['TAKEN', 'SPENT'],
  ['FREE', 'GONE'],
  ['TAKEN', 'GONE'],
  ['SPENT', 'GONE'],
  ['GONE', 'FREE'],
  ['GONE', 'TAKEN'],
  ['GONE', 'SPENT'],
];

/**
 * A transfer may change its payout only when no transaction of the previous payout can be mined any more: otherwise
 * both could be mined, and the transfer would be paid twice.
 */
const resigned = ({ bare: { transfers }, tables: { payouts } }: Namespace): UpdateRule => ({
  table: transfers,
  name: 'one_payout',
  column: 'payout_id',
  refused: `OLD.payout_id IS NOT NULL AND (NEW.payout_id IS NULL OR NEW.payout_id <> OLD.payout_id)
    AND NOT EXISTS (SELECT 1 FROM ${payouts} WHERE id = OLD.payout_id AND status = 'VOID')`,
  words: `a transfer in ${transfers} leaves a payout that is not VOID`,
});

/** A row of a batch is one transfer, for ever. */
const paidAgain = ({ bare: { batchRows } }: Namespace): UpdateRule => ({
  table: batchRows,
  name: 'one_transfer',
  column: 'transfer_id',
  refused: 'OLD.transfer_id IS NOT NULL AND (NEW.transfer_id IS NULL OR NEW.transfer_id <> OLD.transfer_id)',
  words: `a row of ${batchRows} is a transfer already`,
});

/** A deposit changes its owner by the domain's transitions only. */
function reassigned({ bare: { deposits } }: Namespace): UpdateRule {
  const legal = pairs(DEPOSIT_ASSIGNMENT_TRANSITIONS)
    .map(([from, to]) => `(OLD.assignment = '${from}' AND NEW.assignment = '${to}')`)
    .join(' OR ');
  return {
    table: deposits,
    name: 'assignment',
    column: 'assignment',
    refused: `OLD.assignment <> NEW.assignment AND NOT (${legal})`,
    words: `illegal change of assignment in ${deposits}`,
  };
}

/** The audit chain only grows. */
const auditGrows = ({ bare: { auditHead } }: Namespace): UpdateRule => ({
  table: auditHead,
  name: 'grows',
  column: 'seq',
  refused: 'NEW.seq <= OLD.seq',
  words: `the chain of ${auditHead} only grows`,
});

const account = { name: 'account_id', of: (row: string) => `${row}.account_id` };
const day = { name: 'day', of: (row: string) => `${row}.created_at - ${row}.created_at % ${DAY_MS}` };
const status = { name: 'status', of: (row: string) => `${row}.status` };

/** The daily sums for overviews. */
const sumRules = ({ bare, tables }: Namespace): readonly SumRule[] => [
  {
    source: bare.orders,
    sums: tables.orderSums,
    groups: [
      account,
      day,
      { name: 'currency', of: (row) => `coalesce(${row}.currency, '')` },
      { name: 'vs_currency', of: (row) => `${row}.vs_currency` },
      status,
    ],
    amounts: ['received', 'vs_price'],
  },
  { source: bare.callbacks, sums: tables.callbackSums, groups: [account, day, status], amounts: [] },
];

/** The rows that the next check of the ledger has to read. */
const queueRules = ({ bare, tables }: Namespace): readonly QueueRule[] => [
  { source: bare.entries, queue: tables.unchecked, kind: UNCHECKED_ENTRY, subject: 'id' },
  { source: bare.history, queue: tables.unchecked, kind: UNCHECKED_ORDER, subject: 'order_id' },
];

/**
 * Triggers that enforce the domain's transition tables in the database, that keep daily sums, and that store batches of orders. They are
 * generated from those tables, and created again whenever their text has changed.
 */
export function ruleStatements(namespace: Namespace, dialect: Dialect): readonly string[] {
  const { bare: tables } = namespace;
  const moves: readonly (readonly [string, Moves])[] = [
    [tables.orders, legalMoves()],
    [tables.deposits, pairs(DEPOSIT_TRANSITIONS)],
    [tables.unconfirmedPayments, pairs(UNCONFIRMED_PAYMENT_TRANSITIONS)],
    [tables.callbacks, pairs(CALLBACK_TRANSITIONS)],
    [tables.appKeys, pairs(APP_KEY_TRANSITIONS)],
    [tables.accounts, pairs(ACCOUNT_TRANSITIONS)],
    [tables.transfers, pairs(TRANSFER_TRANSITIONS)],
    [tables.batches, pairs(BATCH_TRANSITIONS)],
    [tables.alerts, pairs(ALERT_TRANSITIONS)],
    [tables.notices, pairs(NOTICE_TRANSITIONS)],
    [tables.claims, pairs(CLAIM_TRANSITIONS)],
    [tables.payouts, PAYOUT_MOVES],
    [tables.holdings, HOLDING_MOVES],
  ];
  return [
    ...moves.flatMap(([table, legal]) => dialect.enforceMoves({ table, moves: legal })),
    ...dialect.enforceUpdates(resigned(namespace)),
    ...dialect.enforceUpdates(paidAgain(namespace)),
    ...dialect.enforceUpdates(reassigned(namespace)),
    ...dialect.enforceUpdates(auditGrows(namespace)),
    ...sumRules(namespace).flatMap((rule) => dialect.keepSums(rule)),
    ...queueRules(namespace).flatMap((rule) => dialect.queueNew(rule)),
    ...dialect.orderBatches(tables),
    ...[
      tables.entries,
      tables.postings,
      tables.history,
      tables.audit,
      tables.payoutAttempts,
      tables.transferApprovals,
      tables.lightningPayments,
    ].flatMap((table) => dialect.enforceAppendOnly(table)),
  ];
}

/** The version of the triggers: a hash of their text. */
export function checksum(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join('\n')).digest('hex');
}
