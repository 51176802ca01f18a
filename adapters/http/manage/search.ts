import { formatInstant, FOUND_KINDS, MAX_FOUND, PAGE_MAX } from '../../../core/index.ts';
import type { FoundRecord } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant } from './reply-fields.ts';

/** As in the lists of orders and transactions. */
const MAX_SEARCHED = 2_048;

export const foundSchema = z
  .object({
    kind: z.enum(FOUND_KINDS),
    id: id('ID of the record'),
    account: id('ID of the account').nullable().meta({ description: 'null for the till’s own moves' }),
    label: z.string().nullable().meta({ description: 'Reference, name, receiving address or event' }),
    created_at: instant('Time of the record'),
  })
  .meta({ id: 'FoundRecord' });

const foundRecord = ({ kind, id: found, accountId, label, createdAt }: FoundRecord): z.input<typeof foundSchema> => ({
  kind,
  id: found,
  account: accountId,
  label: label === '' ? null : label,
  created_at: formatInstant(createdAt),
});

/** The search over all kinds of records. */
export const searchOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'search',
    method: 'GET',
    path: '/search',
    summary: 'Search',
    description: `Returns the orders, payouts, claims, pull payments, payout batches, links and callbacks with this exact text, newest first: at most ${MAX_FOUND}. Of the newest ${PAGE_MAX} links and pull payments also those with this text in their name, with claims of the latter. Finds only records that you could open; admins search all accounts.`,
    query: z.object({
      q: text(
        MAX_SEARCHED,
        'Full ID of a record, merchant reference, deposit or recipient address, transaction hash, or part of a name',
      ).refine((value) => value.trim() !== '', { error: 'must not be empty' }),
    }),
    data: z.object({ items: z.array(foundSchema).readonly() }).meta({ id: 'FoundRecordList' }),
    examples: {
      data: {
        items: [
          {
            kind: 'order',
            id: '1530217733410816001',
            account: '1530217733410816000',
            label: 'invoice 7',
            created_at: '2026-05-04T12:00:00.000Z',
          },
        ],
      },
    },
    handler: async ({ actor, query }, { manage }) => ({
      items: (await manage.search.run(actor, query.q.trim())).map(foundRecord),
    }),
  }),
];
