import type { Command } from './command.ts';
import { ACCOUNTS_COMMANDS } from './lists/accounts.ts';
import { BATCH_COMMANDS } from './lists/batches.ts';
import { CHAINS_COMMANDS } from './lists/chains.ts';
import { GATEWAY_COMMANDS } from './lists/gateway.ts';
import { MONEY_COMMANDS } from './lists/money.ts';
import { RECORDS_COMMANDS } from './lists/records.ts';
import { SIGNER_COMMANDS } from './lists/signer.ts';
import { STARTING_COMMANDS } from './lists/starting.ts';

/** Every command, in the order of the usage. If one command's name is a prefix of another's, the longer comes first. */
export const COMMANDS: readonly Command[] = [
  ...STARTING_COMMANDS,
  ...SIGNER_COMMANDS,
  ...ACCOUNTS_COMMANDS,
  ...MONEY_COMMANDS,
  ...BATCH_COMMANDS,
  ...GATEWAY_COMMANDS,
  ...CHAINS_COMMANDS,
  ...RECORDS_COMMANDS,
];
