import type { Command } from '../command.ts';
import { flag, lazily } from './lazily.ts';

const beginning = lazily(() => import('../init-command.ts'));
const diagnosis = lazily(() => import('../doctor.ts'));
const support = lazily(() => import('../support-command.ts'));
const reloading = lazily(() => import('../reload-command.ts'));
const till = lazily(() => import('../till-commands.ts'));

const serve: Command['run'] = async ({ json, terminal }) => {
  const { limitMemory } = await import('../../boot/memory.ts');
  // This saves memory in a long-running server but slows loading, so other commands skip it.
  limitMemory();
  const { serve: run } = await import('../../main.ts');
  return run(json, terminal.out);
};

export const STARTING_COMMANDS: readonly Command[] = [
  { words: ['serve'], summary: 'runs the server and its workers', operands: [], options: {}, run: serve },
  {
    words: ['reload'],
    summary: 'lets the running server read its settings again; names what needs a restart',
    operands: [],
    options: {},
    run: reloading((module) => module.reload),
  },
  {
    words: ['init'],
    summary: 'sets up a till: settings, key, database, wallet and the first admin; asks for missing options',
    operands: [],
    options: {
      mode: { value: 'production|sandbox', about: 'real coins or simulated ones' },
      'base-url': { value: 'URL', about: 'where payers and merchants reach the server; by default localhost' },
      port: { about: 'where the server listens; 8080 by default' },
      database: { value: 'sqlite|URL', about: 'a file, or the address of a PostgreSQL database' },
      nodes: { value: 'ethereum=URL,…', about: 'your nodes; production asks for them' },
      plugins: { value: 'JSON', about: 'the setting plugins, in place of --nodes' },
      rates: { value: 'coingecko,kraken', about: 'sources of exchange rates' },
      email: { about: 'of the first admin' },
      'password-stdin': { ...flag, about: 'reads the password of the first admin from standard input' },
      password: { about: 'as above, but other users of the machine can read it' },
      'without-wallet': { ...flag, about: 'makes no seed: the till pays nothing out' },
      'totp-code': { value: 'CODE', about: 'the first code of the second factor, which confirms it' },
    },
    run: beginning((module) => module.init),
  },
  {
    words: ['migrate'],
    summary: 'migrates the database',
    operands: [],
    options: {},
    run: till((module) => module.migrate),
  },
  {
    words: ['doctor'],
    summary: 'checks configuration, database, chains and rates',
    operands: [],
    options: {},
    run: diagnosis((module) => module.doctor),
  },
  {
    words: ['support-bundle'],
    summary: 'writes a file for a support request: versions, settings, states and counts, without secrets',
    operands: [],
    options: { out: { value: 'FILE', about: 'the file to write' } },
    run: support((module) => module.supportBundle),
  },
];
