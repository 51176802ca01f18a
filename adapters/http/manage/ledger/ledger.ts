import { formatInstant, formatUnits } from '../../../../core/index.ts';
import type { AccountId, BookedPosting } from '../../../../core/index.ts';
import { z } from 'zod';
import type { ManageDeps } from '../deps.ts';
import { manageExport } from '../export.ts';
import { filterOf, instantField, recordId } from '../fields.ts';
import { manageList } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord, signedAmount, whole } from '../reply-fields.ts';

export const postingSchema = z
  .object({
    booked_at: instant('Time of the booking'),
    entry: id('ID of the entry, whose postings sum to zero for each currency'),
    line: whole('Line of the posting in the entry'),
    kind: z.string().meta({ description: 'Kind of booking' }),
    reference: z.string().meta({ description: 'Reference to the deposit or payout that was booked' }),
    account: id('ID of the account whose balance it changes')
      .nullable()
      .meta({ description: "null for the till's own ledger accounts" }),
    balance: z.string().meta({
      description:
        "available, pending or reserved for the balance of an account; otherwise the name of the till's own ledger account",
    }),
    coin: z.string(),
    amount: signedAmount('Amount added; negative if it was taken'),
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
    entry: position.id,
    line: position.line,
    kind,
    reference,
    account: owner,
    balance: part,
    coin: currency,
    // The amount of a currency whose plugin was removed is shown in its smallest unit.
    amount: formatUnits(units, assets.find(currency)?.decimals ?? 0),
  };
}

const filter = {
  from: instantField('Only postings at or after this time').optional(),
  to: instantField('Only postings before this time').optional(),
  account: recordId<AccountId>('Only this account; admins see all accounts by default').optional(),
};

const WHAT =
  "Returns the postings of the account, newest first. Their sum is the balance; the sum of postings before a given time is the balance at that time. Without `account`, admins also see the till's own ledger accounts, and all postings sum to zero. Months that an operator has closed are omitted (`tillgate ledger close`).";

/** The operations of the ledger. */
export const ledgerOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'ledger.list', scope: 'read' },
    id: 'listLedger',
    path: '/ledger',
    summary: 'List postings',
    description: WHAT,
    errors: ['NOT_FOUND'],
    filter,
    name: 'PostingList',
    item: postingSchema,
    handler: async ({ actor, query }, deps) =>
      pageRecord(await deps.manage.ledger.list(actor, filterOf(query)), (posting) => postingRecord(posting, deps)),
  }),
  manageExport({
    id: 'exportLedger',
    path: '/ledger',
    summary: 'Export postings as CSV',
    description: `${WHAT} Entries of the last minutes may still be added, because an entry gets its time before it is committed.`,
    errors: ['NOT_FOUND'],
    query: z.object(filter),
    schema: postingSchema,
    record: postingRecord,
    pages: ({ actor, query }, { manage }) => manage.ledger.export(actor, filterOf(query)),
  }),
];
