import type { Command } from '../command.ts';
import { flag, lazily } from './lazily.ts';

const batches = lazily(() => import('../batch-commands.ts'));

export const BATCH_COMMANDS: readonly Command[] = [
  {
    words: ['payout-batch', 'create'],
    summary: 'checks a CSV file of payments, and stores it as a draft that waits for approval',
    operands: ['FILE.csv'],
    options: { account: { required: true, value: 'ID' }, name: {} },
    run: batches((module) => module.payoutBatchCreate),
  },
  {
    words: ['payout-batch', 'list'],
    summary: 'lists payout batches, newest first',
    operands: [],
    options: { status: { value: 'DRAFT' } },
    run: batches((module) => module.payoutBatchList),
  },
  {
    words: ['payout-batch', 'show'],
    summary: 'shows a payout batch; --rows with each row',
    operands: ['ID'],
    options: { rows: flag },
    run: batches((module) => module.payoutBatchShow),
  },
  {
    words: ['payout-batch', 'approve'],
    summary: 'approves a payout batch, as one person',
    operands: ['ID'],
    options: {},
    run: batches((module) => module.payoutBatchApprove),
  },
  {
    words: ['payout-batch', 'cancel'],
    summary: 'cancels a draft, or the rows of a payout batch that are no payouts yet',
    operands: ['ID'],
    options: {},
    run: batches((module) => module.payoutBatchCancel),
  },
  {
    words: ['payee', 'add'],
    summary: 'lists an address to which an account’s owner may approve payout batches; --now skips the waiting time',
    operands: [],
    options: {
      account: { required: true, value: 'ID' },
      chain: { required: true, value: 'ETH' },
      address: { required: true, value: 'A' },
      label: {},
      now: flag,
    },
    run: batches((module) => module.payeeAdd),
  },
  {
    words: ['payee', 'list'],
    summary: 'lists the payees of an account, newest first',
    operands: [],
    options: { account: { required: true, value: 'ID' } },
    run: batches((module) => module.payeeList),
  },
  {
    words: ['payee', 'remove'],
    summary: 'removes a payee',
    operands: ['ID'],
    options: {},
    run: batches((module) => module.payeeRemove),
  },
];
