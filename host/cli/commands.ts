import type { Command } from './command.ts';
import { ACCOUNTS_COMMANDS } from './lists/accounts.ts';
import { BACKUP_COMMANDS } from './lists/backups.ts';
import { BATCH_COMMANDS } from './lists/batches.ts';
import { CHAINS_COMMANDS } from './lists/chains.ts';
import { GATEWAY_COMMANDS } from './lists/gateway.ts';
import { MONEY_COMMANDS } from './lists/money.ts';
import { RECORDS_COMMANDS } from './lists/records.ts';
import { SIGNER_COMMANDS } from './lists/signer.ts';
import { STARTING_COMMANDS } from './lists/starting.ts';

/** Commands under a title of the help. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Every command, in the order of the help. If one command's name is a prefix of another's, the longer comes first. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'Set up and run', commands: STARTING_COMMANDS },
  { title: 'Backup and restore', commands: BACKUP_COMMANDS },
  { title: 'Signer', commands: SIGNER_COMMANDS },
  { title: 'Accounts and credentials', commands: ACCOUNTS_COMMANDS },
  { title: 'Withdrawals, deposits and claims', commands: MONEY_COMMANDS },
  { title: 'Payout batches and payees', commands: BATCH_COMMANDS },
  { title: 'Gateway', commands: GATEWAY_COMMANDS },
  { title: 'Wallet and chains', commands: CHAINS_COMMANDS },
  { title: 'Orders, ledger and audit', commands: RECORDS_COMMANDS },
];

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
