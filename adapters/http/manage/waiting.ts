import { MOST_WAITING } from '../../../core/index.ts';
import { z } from 'zod';
import { accountFilter, inputOf } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, whole } from './reply-fields.ts';

export const waitingSchema = z
  .object({
    account: id('ID of the account').nullable().meta({ description: 'null for all accounts' }),
    most: whole('Counts stop here: this number stands for it and any larger one'),
    claims: whole('Claims of pull payments that await approval'),
    payout_batches: whole('Payout batches that await approval'),
    payouts: whole('Withdrawals and refunds that are held for approval'),
    operator: z
      .object({
        alerts: whole('Open alerts'),
        deposits: whole('Deposits that belong to no order'),
      })
      .nullable()
      .meta({ description: 'null for a single account' }),
  })
  .meta({ id: 'Waiting' });

/** The operation that counts what waits for a person. */
export const waitingOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getWaiting',
    method: 'GET',
    path: '/waiting',
    summary: 'Count what awaits a decision',
    description:
      'Returns how many claims, payout batches and payouts await a decision. Without `account`, admins see those of all accounts, and the open alerts and unassigned deposits.',
    errors: ['NOT_FOUND'],
    query: z.object(accountFilter),
    data: waitingSchema,
    examples: {
      data: {
        account: null,
        most: MOST_WAITING,
        claims: 2,
        payout_batches: 0,
        payouts: 1,
        operator: { alerts: 1, deposits: 0 },
      },
    },
    handler: async ({ actor, query }, { manage }) => {
      const { accountId, claims, batches, payouts, operator } = await manage.waiting.read(
        actor,
        inputOf(query).accountId,
      );
      return { account: accountId, most: MOST_WAITING, claims, payout_batches: batches, payouts, operator };
    },
  }),
];
