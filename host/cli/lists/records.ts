import type { Command } from '../command.ts';
import { flag, lazily } from './lazily.ts';

const alerts = lazily(() => import('../alert-commands.ts'));
const audit = lazily(() => import('../audit-commands.ts'));
const ledger = lazily(() => import('../ledger-commands.ts'));
const masterKey = lazily(() => import('../master-key-commands.ts'));
const orders = lazily(() => import('../order-commands.ts'));
const refunds = lazily(() => import('../refund-command.ts'));

export const RECORDS_COMMANDS: readonly Command[] = [
  {
    words: ['order', 'list'],
    summary: 'lists orders, newest first; --q finds by id, reference, deposit address or transaction hash',
    operands: [],
    options: {
      account: { value: 'ID' },
      status: { value: 'PENDING' },
      chain: { value: 'ETH' },
      currency: { value: 'ETH' },
      from: { value: 'TIME' },
      to: { value: 'TIME' },
      q: { value: 'TEXT' },
      limit: { value: '20' },
      cursor: {},
    },
    run: orders((module) => module.orderList),
  },
  {
    words: ['order', 'show'],
    summary: 'shows an order and each of its changes',
    operands: ['ID'],
    options: {},
    run: orders((module) => module.orderShow),
  },
  {
    words: ['order', 'refund'],
    summary: 'refunds all that is left of an order, or an amount of it, less the network fee',
    operands: ['ID'],
    options: {
      amount: { value: 'COINS' },
      'fiat-amount': { value: 'AMOUNT' },
      rate: { value: 'order' },
      surplus: flag,
      to: { value: 'payer' },
    },
    run: refunds((module) => module.orderRefund),
  },
  {
    words: ['ledger', 'check'],
    summary:
      'checks the ledger since the last check, or all of it; fails when an invariant is broken; `wallet reconcile` compares it with the chains',
    operands: [],
    options: { full: flag },
    run: orders((module) => module.ledgerCheck),
  },
  {
    words: ['ledger', 'close'],
    summary: 'closes the months before the given one: moves their postings to tables of their own (PostgreSQL)',
    operands: [],
    options: { before: { value: '2026-01', required: true } },
    run: ledger((module) => module.ledgerClose),
  },
  {
    words: ['ledger', 'reopen'],
    summary: 'attaches the table of the newest closed month again',
    operands: [],
    options: { month: { value: '2025-12', required: true } },
    run: ledger((module) => module.ledgerReopen),
  },
  {
    words: ['master-key', 'status'],
    summary: 'counts the secrets sealed with the master key, and with the former one',
    operands: [],
    options: {},
    run: masterKey((module) => module.masterKeyStatus),
  },
  {
    words: ['master-key', 'rotate'],
    summary: 'seals again with the master key what TILLGATE_MASTER_KEY_FORMER sealed; can be interrupted and repeated',
    operands: [],
    options: {},
    run: masterKey((module) => module.masterKeyRotate),
  },
  {
    words: ['alert', 'list'],
    summary: 'lists alerts, newest first; an admin closes them in the management API',
    operands: [],
    options: { status: { value: 'OPEN' } },
    run: alerts((module) => module.alertList),
  },
  {
    words: ['audit', 'verify'],
    summary: 'checks the hash chain of the audit log, and that it contains a head recorded earlier',
    operands: [],
    options: { head: { value: 'SEQ:HASH' } },
    run: audit((module) => module.auditVerify),
  },
  {
    words: ['audit', 'export'],
    summary: 'prints the audit log as JSON lines, with the hashes',
    operands: [],
    options: { from: { value: 'TIME' }, to: { value: 'TIME' } },
    run: audit((module) => module.auditExport),
  },
];
