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
  { words: ['serve'], summary: 'runs the till', operands: [], options: {}, run: serve },
  { words: ['migrate'], summary: 'brings the database up to date', operands: [], options: {}, run: migrate },
  { words: ['doctor'], summary: 'checks configuration, database, chains and rates', operands: [], options: {}, run: doctor },
  {
    words: ['account', 'create'],
    summary: 'makes an account',
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
  { words: ['account', 'unfreeze'], summary: 'lets an account withdraw again', operands: ['ID'], options: {}, run: accountUnfreeze },
  {
    words: ['credential', 'create'],
    summary: 'makes an API key and a signing pair, shown once',
    operands: [],
    options: { account: { required: true, value: 'ID' }, name: {} },
    run: credentialCreate,
  },
  {
    words: ['credential', 'rotate-callback'],
    summary: 'makes new secrets for an account’s callbacks; the former ones sign too for a day',
    operands: [],
    options: { account: { required: true, value: 'ID' } },
    run: credentialRotateCallback,
  },
  {
    words: ['security', 'data-security'],
    summary: 'says whether an account must sign every request',
    operands: [],
    options: { account: { required: true, value: 'ID' }, on: flag, off: flag },
    run: dataSecurity,
  },
  {
    words: ['security', 'totp'],
    summary: 'makes a second factor, shown once',
    operands: [],
    options: { account: { required: true, value: 'ID' }, 'for-withdrawals': flag },
    run: securityTotp,
  },
  {
    words: ['withdrawal-address', 'set'],
    summary: 'says where an account’s withdrawals go; --now without the hold',
    operands: [],
    options: { account: { required: true, value: 'ID' }, chain: { required: true, value: 'ETH' }, address: { required: true, value: 'A' }, now: flag },
    run: withdrawalAddressSet,
  },
  { words: ['withdrawal', 'list'], summary: 'shows money on its way out, newest first', operands: [], options: { status: { value: 'HELD' } }, run: withdrawalList },
  { words: ['withdrawal', 'approve'], summary: 'lets a held withdrawal go on', operands: ['ID'], options: {}, run: withdrawalApprove },
  { words: ['withdrawal', 'reject'], summary: 'gives up a withdrawal that is not signed', operands: ['ID'], options: { reason: required }, run: withdrawalReject },
  { words: ['transfer', 'show'], summary: 'shows a transfer and what was signed for it', operands: ['ID'], options: {}, run: transferShow },
  {
    words: ['app', 'create'],
    summary: 'makes an App with its first key',
    operands: [],
    options: { account: { required: true, value: 'ID' }, name: required, chains: { required: true, value: 'ETH,TRX' } },
    run: appCreate,
  },
  {
    words: ['key', 'rotate'],
    summary: 'makes a new key; the former one stays for its grace',
    operands: [],
    options: { app: { required: true, value: 'ID' }, grace: { value: 'SECONDS' } },
    run: keyRotate,
  },
  {
    words: ['key', 'revoke'],
    summary: 'ends a key everywhere, at once',
    operands: [],
    options: { app: { required: true, value: 'ID' }, key: { required: true, value: 'ID' } },
    run: keyRevoke,
  },
  { words: ['gateway', 'list'], summary: 'shows the gateways', operands: [], options: {}, run: gatewayList },
  { words: ['wallet', 'init'], summary: 'makes the seed, stores it encrypted and shows it once', operands: [], options: {}, run: walletInit },
  { words: ['wallet', 'show'], summary: 'shows the addresses that money is paid out from', operands: [], options: {}, run: walletShow },
  { words: ['wallet', 'sweeps'], summary: 'lists what is not worth its fee to bring together', operands: [], options: {}, run: walletSweeps },
  { words: ['wallet', 'reconcile'], summary: 'compares the chains with the books; fails when something is missing', operands: [], options: {}, run: walletReconcile },
  { words: ['chain', 'resume'], summary: 'goes on with a chain that was stopped', operands: ['CODE'], options: { from: { value: 'HEIGHT' } }, run: chainResume },
  { words: ['chain', 'resume-payouts'], summary: 'lets the payments of a chain go on', operands: ['CODE'], options: {}, run: chainResumePayouts },
  { words: ['order', 'show'], summary: 'shows an order and why it is as it is', operands: ['ID'], options: {}, run: orderShow },
  { words: ['ledger', 'check'], summary: 'checks the books; fails when an invariant is broken', operands: [], options: {}, run: ledgerCheck },
];
