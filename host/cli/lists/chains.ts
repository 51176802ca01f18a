import type { Command } from '../command.ts';
import { lazily, required } from './lazily.ts';

const money = lazily(() => import('../money-commands.ts'));
const restore = lazily(() => import('../restore-commands.ts'));
const till = lazily(() => import('../till-commands.ts'));

/** The wallet, the chains and a restored backup. */
export const CHAINS_COMMANDS: readonly Command[] = [
  {
    words: ['wallet', 'init'],
    summary: 'creates the seed, stores it encrypted and shows it once',
    operands: [],
    options: {},
    run: till((module) => module.walletInit),
  },
  {
    words: ['wallet', 'forget'],
    summary: 'removes the stored seed, once the signer has the same',
    operands: [],
    options: {},
    run: till((module) => module.walletForget),
  },
  {
    words: ['wallet', 'show'],
    summary: 'shows the hot wallet’s addresses',
    operands: [],
    options: {},
    run: till((module) => module.walletShow),
  },
  {
    words: ['wallet', 'recovery'],
    summary: 'shows the paths, descriptors and indexes with which another program finds the money',
    operands: [],
    options: {},
    run: till((module) => module.walletRecovery),
  },
  {
    words: ['wallet', 'sweeps'],
    summary: 'lists unswept balances below the fee threshold',
    operands: [],
    options: {},
    run: money((module) => module.walletSweeps),
  },
  {
    words: ['wallet', 'reconcile'],
    summary: 'compares the chains with the ledger; fails when something is missing',
    operands: [],
    options: {},
    run: money((module) => module.walletReconcile),
  },
  {
    words: ['wallet', 'write-off'],
    summary:
      'Bitcoin, Litecoin: takes coins that were spent without the till from the operator’s float; payouts are stopped',
    operands: ['CHAIN'],
    options: { reason: required },
    run: money((module) => module.walletWriteOff),
  },
  {
    words: ['chain', 'resume'],
    summary: 'resumes a stopped chain; --from discards what was read after that block',
    operands: ['CODE'],
    options: { from: { value: 'HEIGHT' } },
    run: till((module) => module.chainResume),
  },
  {
    words: ['chain', 'resume-payouts'],
    summary: 'resumes the payouts of a chain',
    operands: ['CODE'],
    options: {},
    run: money((module) => module.payoutsResume),
  },
  {
    words: ['payouts', 'stop'],
    summary: 'stops the payouts of a chain, or of all, until they are resumed',
    operands: ['[CHAIN]'],
    options: { reason: required },
    run: money((module) => module.payoutsStop),
  },
  {
    words: ['payouts', 'resume'],
    summary: 'resumes the payouts of a chain, as chain resume-payouts',
    operands: ['CHAIN'],
    options: {},
    run: money((module) => module.payoutsResume),
  },
  {
    words: ['restore', 'status'],
    summary: 'shows whether the database is a restored backup, and what the chain says of each payment that waits',
    operands: [],
    options: {},
    run: restore((module) => module.restoreStatus),
  },
  {
    words: ['restore', 'confirm'],
    summary: 'the database is a restored backup: begins a new epoch and holds what waits to be paid',
    operands: [],
    options: {},
    run: restore((module) => module.restoreConfirm),
  },
  {
    words: ['restore', 'coins'],
    summary: 'after a restore on Bitcoin or Litecoin: drops spent coins and adds the hot wallet’s unknown ones',
    operands: ['CODE'],
    options: {},
    run: restore((module) => module.restoreCoins),
  },
  {
    words: ['restore', 'dismiss'],
    summary: 'the till was only switched off: payments go on',
    operands: [],
    options: {},
    run: restore((module) => module.restoreDismiss),
  },
];
