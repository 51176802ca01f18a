import type { Command } from '../command.ts';
import { flag, lazily } from './lazily.ts';

const backup = lazily(() => import('../backup-commands.ts'));
const restore = lazily(() => import('../restore-commands.ts'));

export const BACKUP_COMMANDS: readonly Command[] = [
  {
    words: ['backup'],
    summary: 'writes a consistent copy of the database into a new file, while the server runs',
    operands: [],
    options: { out: { value: 'FILE', about: 'the file, or a folder in which the file gets a name with the time' } },
    run: backup((module) => module.backup),
  },
  {
    words: ['restore', 'status'],
    summary: 'shows whether the database is a restored backup, and the state on chain of each waiting payment',
    operands: [],
    options: {},
    run: restore((module) => module.restoreStatus),
  },
  {
    words: ['restore', 'confirm'],
    summary: 'confirms that the database is a restored backup: begins a new epoch and holds the waiting payments',
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
    summary: 'confirms that the till was only switched off: payments resume',
    operands: [],
    options: {},
    run: restore((module) => module.restoreDismiss),
  },
  {
    words: ['restore'],
    summary: 'restores a backup into an empty database of a stopped server; payments wait for your decision',
    operands: ['FILE'],
    options: { replace: { ...flag, about: 'keeps the SQLite database that is there under another name' } },
    run: backup((module) => module.restoreBackup),
  },
];
