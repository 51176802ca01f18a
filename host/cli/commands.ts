import type { Command } from './command.ts';
import { accountCreate, accountUnfreeze, credentialCreate, credentialRotateCallback, dataSecurity, securityTotp } from './account-commands.ts';
import { doctor } from './doctor.ts';
import { appCreate, gatewayList, keyRevoke, keyRotate } from './gateway-commands.ts';
import { chainResumePayouts, transferShow, walletReconcile, walletSweeps, withdrawalAddressSet, withdrawalApprove, withdrawalList, withdrawalReject } from './money-commands.ts';
import { ledgerCheck, orderShow } from './order-commands.ts';
import { chainResume, migrate, walletInit, walletShow } from './till-commands.ts';

const required = { required: true } as const;
const flag = { flag: true } as const;

const serve: Command['run'] = async ({ json, terminal }) => {
  // Imported here, so that a short command does not load a server.
  const { serve: run } = await import('../main.ts');
  return run(json, terminal.out);
};

/** Every command (decisions, section 10). */
export const COMMANDS: readonly Command[] = [
  { words: ['serve'], summary: 'runs the server and its workers', operands: [], options: {}, run: serve },
  { words: ['migrate'], summary: 'migrates the database', operands: [], options: {}, run: migrate },
  { words: ['doctor'], summary: 'checks configuration, database, chains and rates', operands: [], options: {}, run: doctor },
  {
    words: ['account', 'create'],
    summary: 'creates an account',
    operands: [],
    options: {
      email: required,
      password: required,
      name: {},
      role: { value: 'admin|user' },
      verified: { value: "'*'" },
    },
    run: accountCreate,
  },
  { words: ['account', 'unfreeze'], summary: 'allows an account to withdraw again', operands: ['ID'], options: {}, run: accountUnfreeze },
  {
    words: ['credential', 'create'],
    summary: 'creates an API key and a signing pair, shown once',
    operands: [],
    options: { account: { required: true, value: 'ID' }, name: {} },
    run: credentialCreate,
  },
  {
    words: ['credential', 'rotate-callback'],
    summary: 'creates new callback secrets; callbacks are also signed with the former ones for a day',
    operands: [],
    options: { account: { required: true, value: 'ID' } },
    run: credentialRotateCallback,
  },
  {
    words: ['security', 'data-security'],
    summary: 'sets whether an account must sign every request',
    operands: [],
    options: { account: { required: true, value: 'ID' }, on: flag, off: flag },
    run: dataSecurity,
  },
  {
    words: ['security', 'totp'],
    summary: 'creates a second factor (TOTP), shown once',
    operands: [],
    options: { account: { required: true, value: 'ID' }, 'for-withdrawals': flag },
    run: securityTotp,
  },
  {
    words: ['withdrawal-address', 'set'],
    summary: 'sets an account’s withdrawal address; --now skips the waiting time',
    operands: [],
    options: { account: { required: true, value: 'ID' }, chain: { required: true, value: 'ETH' }, address: { required: true, value: 'A' }, now: flag },
    run: withdrawalAddressSet,
  },
  { words: ['withdrawal', 'list'], summary: 'lists withdrawals, newest first', operands: [], options: { status: { value: 'HELD' } }, run: withdrawalList },
  { words: ['withdrawal', 'approve'], summary: 'approves a held withdrawal', operands: ['ID'], options: {}, run: withdrawalApprove },
  { words: ['withdrawal', 'reject'], summary: 'rejects a withdrawal that is not signed yet', operands: ['ID'], options: { reason: required }, run: withdrawalReject },
  { words: ['transfer', 'show'], summary: 'shows an outgoing payment and the transactions signed for it', operands: ['ID'], options: {}, run: transferShow },
  {
    words: ['app', 'create'],
    summary: 'creates an App with its first key',
    operands: [],
    options: { account: { required: true, value: 'ID' }, name: required, chains: { required: true, value: 'ETH,TRX' } },
    run: appCreate,
  },
  {
    words: ['key', 'rotate'],
    summary: 'creates a new key; the former one stays valid for its grace period',
    operands: [],
    options: { app: { required: true, value: 'ID' }, grace: { value: 'SECONDS' } },
    run: keyRotate,
  },
  {
    words: ['key', 'revoke'],
    summary: 'revokes a key on every server at once',
    operands: [],
    options: { app: { required: true, value: 'ID' }, key: { required: true, value: 'ID' } },
    run: keyRevoke,
  },
  { words: ['gateway', 'list'], summary: 'lists the gateways', operands: [], options: {}, run: gatewayList },
  { words: ['wallet', 'init'], summary: 'creates the seed, stores it encrypted and shows it once', operands: [], options: {}, run: walletInit },
  { words: ['wallet', 'show'], summary: 'shows the hot wallet’s addresses', operands: [], options: {}, run: walletShow },
  { words: ['wallet', 'sweeps'], summary: 'lists unswept balances below the fee threshold', operands: [], options: {}, run: walletSweeps },
  { words: ['wallet', 'reconcile'], summary: 'compares the chains with the ledger; fails when something is missing', operands: [], options: {}, run: walletReconcile },
  { words: ['chain', 'resume'], summary: 'resumes a stopped chain; --from discards what was read after that block', operands: ['CODE'], options: { from: { value: 'HEIGHT' } }, run: chainResume },
  { words: ['chain', 'resume-payouts'], summary: 'resumes the payouts of a chain', operands: ['CODE'], options: {}, run: chainResumePayouts },
  { words: ['order', 'show'], summary: 'shows an order and each of its changes', operands: ['ID'], options: {}, run: orderShow },
  { words: ['ledger', 'check'], summary: 'checks the ledger; fails when an invariant is broken', operands: [], options: {}, run: ledgerCheck },
];
