import type { Command } from '../command.ts';
import { flag, lazily, required } from './lazily.ts';

const accounts = lazily(() => import('../account-commands.ts'));

export const ACCOUNTS_COMMANDS: readonly Command[] = [
  {
    words: ['account', 'create'],
    summary: 'creates an account',
    operands: [],
    options: {
      email: required,
      'password-stdin': { ...flag, about: 'reads the password from standard input' },
      password: { about: 'as above, but other users of the machine can read it' },
      'temporary-password': { ...flag, about: 'the account has to change it at its first login' },
      name: {},
      role: { value: 'admin|user', about: 'an admin operates the till, a user is a merchant; user by default' },
      verified: { value: "'*'", about: "the currencies that the account may take; '*' for all" },
    },
    run: accounts((module) => module.accountCreate),
  },
  {
    words: ['account', 'reset-password'],
    summary: 'sets a temporary password and ends the sessions and access tokens of an account',
    operands: [],
    options: { account: { required: true, value: 'ID' }, 'password-stdin': flag, password: {} },
    run: accounts((module) => module.accountResetPassword),
  },
  {
    words: ['account', 'freeze'],
    summary: 'blocks an account’s withdrawals',
    operands: ['ID'],
    options: { reason: required },
    run: accounts((module) => module.accountFreeze),
  },
  {
    words: ['account', 'unfreeze'],
    summary: 'allows an account to withdraw again',
    operands: ['ID'],
    options: {},
    run: accounts((module) => module.accountUnfreeze),
  },
  {
    words: ['credential', 'create'],
    summary: 'creates an API key and a signing pair, shown once',
    operands: [],
    options: {
      account: { required: true, value: 'ID' },
      name: {},
      scopes: { value: 'read,create,move', about: 'what the key may do; everything by default' },
      'expires-at': { value: 'TIME', about: 'such as 2027-01-31T00:00:00Z' },
    },
    run: accounts((module) => module.credentialCreate),
  },
  {
    words: ['credential', 'rotate-callback'],
    summary: 'creates new callback secrets; callbacks are also signed with the old ones for a day',
    operands: [],
    options: { account: { required: true, value: 'ID' } },
    run: accounts((module) => module.credentialRotateCallback),
  },
  {
    words: ['security', 'data-security'],
    summary: 'sets whether an account must sign every request',
    operands: [],
    options: { account: { required: true, value: 'ID' }, on: flag, off: flag },
    run: accounts((module) => module.dataSecurity),
  },
  {
    words: ['security', 'totp'],
    summary: 'creates a second factor (TOTP), shown once',
    operands: [],
    options: { account: { required: true, value: 'ID' }, 'for-withdrawals': flag },
    run: accounts((module) => module.securityTotp),
  },
  {
    words: ['security', 'passkeys'],
    summary: 'lists an account’s passkeys; --remove removes one, the last second factor too',
    operands: [],
    options: { account: { required: true, value: 'ID' }, remove: { value: 'ID' } },
    run: accounts((module) => module.securityPasskeys),
  },
];
