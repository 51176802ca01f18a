import { createHash } from 'node:crypto';
import { ACCOUNT_TRANSITIONS, APP_KEY_TRANSITIONS, CALLBACK_TRANSITIONS, DEPOSIT_TRANSITIONS, legalMoves } from '../../../../core/index.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';

type Moves = readonly (readonly [string, string])[];

function pairs(transitions: Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>): Moves {
  return Object.values(transitions).flatMap(({ from, to }) => from.map((status) => [status, to] as const));
}

/**
 * The statements that make the database refuse what the domain's tables refuse. They come from those tables as data,
 * and are run again whenever their text has changed.
 */
export function ruleStatements(tables: Tables, dialect: Dialect): readonly string[] {
  const moves: readonly (readonly [string, Moves])[] = [
    [tables.orders, legalMoves()],
    [tables.deposits, pairs(DEPOSIT_TRANSITIONS)],
    [tables.callbacks, pairs(CALLBACK_TRANSITIONS)],
    [tables.appKeys, pairs(APP_KEY_TRANSITIONS)],
    [tables.accounts, pairs(ACCOUNT_TRANSITIONS)],
  ];
  return [
    ...moves.flatMap(([table, legal]) => dialect.enforceMoves({ table, moves: legal })),
    ...[tables.entries, tables.postings, tables.history, tables.audit].flatMap((table) => dialect.enforceAppendOnly(table)),
  ];
}

/** What tells one text of the rules from another. */
export function checksum(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join('\n')).digest('hex');
}
