import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/**
 * When each order got its address. `created_at` also changes when an address is watched for longer, and an order's own time
 * is never later than that of its address.
 */
function assignments(t: Tables, { types: { time, int } }: Dialect): string[] {
  return [
    `ALTER TABLE ${t.addresses} ADD COLUMN assigned_at ${time} NOT NULL DEFAULT 0`,
    `ALTER TABLE ${t.addresses} ADD COLUMN assigned_height ${int}`,
    `UPDATE ${t.addresses} SET assigned_at = COALESCE((SELECT o.created_at FROM ${t.orders} o WHERE o.id = ${t.addresses}.order_id), 0)`,
  ];
}

function unassigned(t: Tables, { types: { text } }: Dialect): string[] {
  return [
    `ALTER TABLE ${t.deposits} ADD COLUMN assignment ${text} NOT NULL DEFAULT 'ORDER'
       CHECK (assignment IN ('ORDER', 'UNASSIGNED', 'RETURNING', 'RETURNED'))`,
    `ALTER TABLE ${t.deposits} ADD COLUMN unassigned_reason ${text}`,
    `CREATE INDEX ${t.deposits}_unassigned ON ${t.deposits} (id) WHERE assignment <> 'ORDER'`,
  ];
}

/** How far blocks were read a second time, and the deposit that a transfer pays back. */
function followUps(t: Tables, { types: { text, int } }: Dialect): string[] {
  return [
    `ALTER TABLE ${t.chainStates} ADD COLUMN reread_height ${int}`,
    `ALTER TABLE ${t.transfers} ADD COLUMN deposit_id ${text} REFERENCES ${t.deposits} (id)`,
    // Of two operators that pay the same deposit back, one does.
    `CREATE UNIQUE INDEX ${t.transfers}_one_return ON ${t.transfers} (deposit_id) WHERE deposit_id IS NOT NULL AND status <> 'FAILED'`,
  ];
}

/** Deposits that belong to no order. */
export const unassignedDeposits: Migration = {
  name: '0011-unassigned-deposits',
  statements: (tables, dialect) => [assignments, unassigned, followUps].flatMap((part) => part(tables, dialect)),
};
