import type { Command } from '../command.ts';
import { lazily, required } from './lazily.ts';

const lightning = lazily(() => import('../lightning-commands.ts'));
const money = lazily(() => import('../money-commands.ts'));
const till = lazily(() => import('../till-commands.ts'));

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
    summary: 'removes the stored seed once the signer has the same one',
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
    summary: 'shows the derivation paths, descriptors and indexes for recovering the money with another wallet',
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
    summary:
      'compares the chains with the ledger, and lists coins that the ledger lacks; fails when something is missing',
    operands: [],
    options: {},
    run: money((module) => module.walletReconcile),
  },
  {
    words: ['wallet', 'write-off'],
    summary:
      'removes coins from the ledger: frozen ones at an address (--address); or on Bitcoin and Litecoin, while payouts are stopped, those spent outside the till',
    operands: ['CHAIN'],
    options: { reason: required, address: { value: 'ADDRESS' } },
    run: money((module) => module.walletWriteOff),
  },
  {
    words: ['chain', 'resume'],
    summary: 'resumes a stopped chain; --from reads it again after that block',
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
    summary: 'resumes the payouts of a chain, like chain resume-payouts',
    operands: ['CHAIN'],
    options: {},
    run: money((module) => module.payoutsResume),
  },
  {
    words: ['lightning', 'status'],
    summary: 'shows whether the Lightning node began anew, without its record of payments',
    operands: [],
    options: {},
    run: lightning((module) => module.lightningStatus),
  },
  {
    words: ['lightning', 'confirm'],
    summary:
      'confirms that the Lightning node began anew: payments resume, and earlier ones that it does not know are held',
    operands: [],
    options: {},
    run: lightning((module) => module.lightningConfirm),
  },
  {
    words: ['lightning', 'dismiss'],
    summary: 'confirms that the Lightning node has lost nothing: payments resume',
    operands: [],
    options: {},
    run: lightning((module) => module.lightningDismiss),
  },
];
