import { formatInstant, formatUnits } from '../../../core/index.ts';
import type { AccountId, BookedPosting } from '../../../core/index.ts';
import { z } from 'zod';
import type { ManageDeps } from './deps.ts';
import { manageExport } from './export.ts';
import { cursorFields, inputOf, instantField, recordId } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { cursorPage, id, instant, signedAmount, whole } from './reply-fields.ts';

export const postingSchema = z
  .object({
    booked_at: instant('When it was booked'),
    entry_id: id('The entry; its postings sum to zero for each currency'),
    line: whole('The place in the entry'),
    kind: z.string().meta({ description: 'What was booked' }),
    reference: z.string().meta({ description: 'The deposit or transfer that it was booked for, and what of it' }),
    user_id: id('Whose balance it is').nullable().meta({ description: "null for the till's own accounts" }),
    account: z.string().meta({
      description: "available, pending or reserved of a balance; otherwise the name of the till's own account",
    }),
    currency: z.string(),
    amount: signedAmount('What was added, below zero where it was taken'),
  })
  .meta({ id: 'Posting' });

const OWNED = /^merchant:(\d+):(.+)$/;

function postingRecord(
  { position, kind, reference, account, currency, units }: BookedPosting,
  { assets }: Pick<ManageDeps, 'assets'>,
): z.input<typeof postingSchema> {
  const [, owner = null, part = account] = OWNED.exec(account) ?? [];
  return {
    booked_at: formatInstant(position.createdAt),
    entry_id: position.id,
    line: position.line,
    kind,
    reference,
    user_id: owner,
    account: part,
    currency,
    // A currency whose plugin was removed is shown in units.
    amount: formatUnits(units, assets.find(currency)?.decimals ?? 0),
  };
}

const filter = {
  from: instantField('Only what was booked then or later').optional(),
  to: instantField('Only what was booked before').optional(),
  user_id: recordId<AccountId>("Only this account's; an admin sees all books by default").optional(),
};
const WHAT =
  "Every posting of the account, newest first: the sum of all is the balance, of those before a time the balance at that time. An admin without `user_id` sees the till's own accounts too, and all of it sums to zero. Months that an operator has closed are not listed (`tillgate ledger close`).";

/** The ledger (decisions, section 14). */
export const ledgerOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listLedger',
    method: 'GET',
    path: '/ledger',
    summary: 'Postings',
    description: `${WHAT} \`next_cursor\` asks for the next page of the same list.`,
    errors: ['NOT_FOUND'],
    query: z.object({ ...filter, ...cursorFields }),
    data: cursorPage('PostingList', postingSchema),
    handler: async ({ actor, query: { limit, ...query } }, deps) => {
      const { items, nextCursor } = await deps.manage.ledger.list(actor, { ...inputOf(query), limit });
      return { items: items.map((posting) => postingRecord(posting, deps)), next_cursor: nextCursor };
    },
  }),
  manageExport({
    id: 'exportLedger',
    path: '/ledger',
    summary: 'Postings as CSV',
    description: `${WHAT} A time is taken before its entry is committed: entries of the last minutes may still appear.`,
    errors: ['NOT_FOUND'],
    query: z.object(filter),
    schema: postingSchema,
    record: postingRecord,
    pages: ({ actor, query }, { manage }) => manage.ledger.export(actor, inputOf(query)),
  }),
];
