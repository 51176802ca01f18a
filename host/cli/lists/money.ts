import type { Command } from '../command.ts';
import { flag, lazily, required } from './lazily.ts';

const deposits = lazily(() => import('../deposit-commands.ts'));
const money = lazily(() => import('../money-commands.ts'));

export const MONEY_COMMANDS: readonly Command[] = [
  {
    words: ['withdrawal-address', 'set'],
    summary: 'sets an account’s withdrawal address; --now skips the waiting time',
    operands: [],
    options: {
      account: { required: true, value: 'ID' },
      chain: { required: true, value: 'ETH' },
      address: { required: true, value: 'A' },
      now: flag,
    },
    run: money((module) => module.withdrawalAddressSet),
  },
  {
    words: ['withdrawal', 'list'],
    summary: 'lists withdrawals, newest first',
    operands: [],
    options: { status: { value: 'HELD' } },
    run: money((module) => module.withdrawalList),
  },
  {
    words: ['withdrawal', 'approve'],
    summary: 'approves a held withdrawal',
    operands: ['ID'],
    options: {},
    run: money((module) => module.withdrawalApprove),
  },
  {
    words: ['withdrawal', 'reject'],
    summary: 'rejects a withdrawal that is not signed yet',
    operands: ['ID'],
    options: { reason: required },
    run: money((module) => module.withdrawalReject),
  },
  {
    words: ['withdrawal', 'settle'],
    summary:
      'books a withdrawal as paid: a held one by a transaction that a restored database does not know, or one whose token moved otherwise than was signed',
    operands: ['ID'],
    options: {
      tx: { required: true, value: 'HASH' },
      obtained: { required: true, value: 'AMOUNT' },
      fee: { required: true, value: 'COINS' },
    },
    run: money((module) => module.withdrawalSettle),
  },
  {
    words: ['withdrawal', 'record'],
    summary: 'books a withdrawal that was requested and paid after the backup that was restored',
    operands: [],
    options: {
      account: { required: true, value: 'ID' },
      chain: { required: true, value: 'ETH' },
      currency: { required: true, value: 'ETH' },
      amount: required,
      to: { required: true, value: 'A' },
      tx: { required: true, value: 'HASH' },
      obtained: { required: true, value: 'AMOUNT' },
      fee: { required: true, value: 'COINS' },
    },
    run: money((module) => module.withdrawalRecord),
  },
  {
    words: ['deposit', 'list'],
    summary: 'lists deposits that belong to no order, newest first',
    operands: [],
    options: { unassigned: { flag: true, required: true } },
    run: deposits((module) => module.depositList),
  },
  {
    words: ['deposit', 'assign'],
    summary: 'assigns an unassigned deposit to an order',
    operands: ['ID', 'ORDER'],
    options: {},
    run: deposits((module) => module.depositAssign),
  },
  {
    words: ['deposit', 'refund'],
    summary: 'refunds an unassigned deposit to an address, less the network fee',
    operands: ['ID', 'ADDRESS'],
    options: {},
    run: deposits((module) => module.depositRefund),
  },
  {
    words: ['deposit', 'rescan'],
    summary: 'looks for missed payments: in blocks, by a transaction, or by the balances of addresses',
    operands: [],
    options: {
      chain: { required: true, value: 'ETH' },
      from: { value: 'HEIGHT' },
      to: { value: 'HEIGHT' },
      tx: { value: 'HASH' },
      address: { value: 'ADDRESS' },
      order: { value: 'ORDER' },
      balances: { flag: true },
    },
    run: deposits((module) => module.depositRescan),
  },
  {
    words: ['transfer', 'show'],
    summary: 'shows an outgoing payment and the transactions signed for it',
    operands: ['ID'],
    options: {},
    run: money((module) => module.transferShow),
  },
  {
    words: ['transfer', 'cancel'],
    summary:
      'cancels an unmined payment by replacing it with a transaction of the till to itself; on Lightning, one that the node never received',
    operands: ['ID'],
    options: { reason: { value: 'R' } },
    run: money((module) => module.transferCancel),
  },
];
