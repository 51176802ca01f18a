import { isLosslessNumber } from 'lossless-json';
import {
  BATCH_STATUSES,
  formatInstant,
  formatUnits,
  MAX_BATCH_NAME,
  MAX_BATCH_ROWS,
  TRANSFER_STATUSES,
} from '../../../../core/index.ts';
import type {
  AccountId,
  AssetCatalogue,
  BatchDetail,
  BatchRowInput,
  PayoutBatch,
  PayoutBatchId,
  ShownBatchRow,
} from '../../../../core/index.ts';
import { z } from 'zod';
import { optionalCode, text } from '../../fields.ts';
import { CSV_TYPE, csvTable } from '../../csv.ts';
import { header } from '../../messages.ts';
import type { HeaderMap } from '../../messages.ts';
import { described, schemasOf, validate } from '../../operation.ts';
import { CODE_DIGITS } from '../../operations/withdrawal-record.ts';
import { BASE_PATHS, textReply } from '../../replies.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, cursorFields, group, idParams, inputOf, ownerField, word } from '../fields.ts';
import { apiOperation, charge, manageList, noteReads, sessionOnly, withActor } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, cursorPage, id, instant, pageRecord, time, whole } from '../reply-fields.ts';

/** Enough for the most rows with long Lightning invoices. */
const BODY_LIMIT = 8 * 1024 * 1024;
/** A CSV has a header line. */
export const FIRST_CSV_LINE = 2;

const sumSchema = z.object({
  chain: z.string(),
  coin: z.string(),
  rows: whole('Number of rows'),
  amount: amount('Amount taken from the balance'),
  fee: amount('Estimated fees, which are deducted from the amount'),
  received: amount('Amount that the recipients receive, by the estimate'),
});

const batchFields = {
  id: id('ID of the payout batch'),
  account: id('ID of the account whose balance pays'),
  name: z.string(),
  status: z.enum(BATCH_STATUSES).meta({
    description:
      'DRAFT: waits for approval; APPROVED: its rows become payouts; DONE: all of these have ended; CANCELLED: no further row becomes one',
  }),
  created_by: id('ID of the account that created it in a session; null for a credential').nullable(),
  sums: z.array(sumSchema).readonly(),
  approvals: z
    .array(z.object({ account: id('ID of the admin; null for the command line').nullable(), at: instant('Time') }))
    .readonly(),
  listed: z
    .boolean()
    .meta({ description: 'True if it was approved because the account lists every recipient as a payee' }),
  created_at: instant('Time of creation'),
  updated_at: instant('Time of the last change'),
  approved_at: instant('Time at which it was approved').nullable(),
  finished_at: instant('Time at which it was done or cancelled').nullable(),
};
export const payoutBatchSchema = z.object(batchFields).meta({ id: 'PayoutBatch' });

export const payoutBatchDetailSchema = z
  .object({
    ...batchFields,
    approvals_needed: whole('Number of different people who must approve it, unless every recipient is listed'),
    progress: z.object({
      waiting: whole('Rows that are not payouts yet'),
      dropped: whole('Rows that never become payouts'),
      held: whole('Payouts that wait for approval'),
      underway: whole('Payouts that are not final'),
      paid: whole('Payouts that were paid'),
      failed: whole('Payouts that failed; their references can be used again'),
    }),
  })
  .meta({ id: 'PayoutBatchDetail' });

export const payoutBatchRowSchema = z
  .object({
    line: whole('Line of the file; in a JSON list the position, from 1'),
    reference: z.string(),
    chain: z.string(),
    coin: z.string(),
    address: z.string().meta({ description: 'Address or Lightning invoice' }),
    amount: amount('Amount taken from the balance'),
    fee: amount('Fee, which is deducted from the amount; an estimate until the payment is signed'),
    received: amount('Amount that the recipient receives'),
    fiat_amount: amount('Amount in the fiat currency, from which the amount was converted').nullable(),
    fiat_currency: z.string().nullable(),
    rate: amount('Price of one coin in the fiat currency at the conversion').nullable(),
    payout: id('ID of the payout; null until there is one').nullable(),
    status: z
      .enum(['WAITING', 'DROPPED', ...TRANSFER_STATUSES])
      .meta({ description: 'WAITING: not a payout yet; DROPPED: it never becomes one; otherwise that of the payout' }),
    reason: z.string().nullable().meta({ description: 'Reason why it failed, waits or was dropped' }),
    tx_hash: z.string().nullable(),
  })
  .meta({ id: 'PayoutBatchRow' });

type Decimals = Pick<AssetCatalogue, 'find'>;
const decimalsOf = (assets: Decimals, currency: string): number => assets.find(currency)?.decimals ?? 0;

export function batchRecord(batch: PayoutBatch, assets: Decimals): z.input<typeof payoutBatchSchema> {
  return {
    id: batch.id,
    account: batch.accountId,
    name: batch.name,
    status: batch.status,
    created_by: batch.createdBy,
    sums: batch.sums.map(({ chain, currency, rows, units, feeUnits }) => {
      const written = (value: bigint): string => formatUnits(value, decimalsOf(assets, currency));
      const received = written(units - feeUnits);
      return { chain, coin: currency, rows, amount: written(units), fee: written(feeUnits), received };
    }),
    approvals: batch.approvals.map(({ approverId, at }) => ({ account: approverId, at: formatInstant(at) })),
    listed: batch.listed,
    created_at: formatInstant(batch.createdAt),
    updated_at: formatInstant(batch.updatedAt),
    approved_at: time(batch.approvedAt),
    finished_at: time(batch.finishedAt),
  };
}

export function payoutBatchRecord(
  { batch, progress, approvalsNeeded }: BatchDetail,
  assets: Decimals,
): z.input<typeof payoutBatchDetailSchema> {
  return { ...batchRecord(batch, assets), approvals_needed: approvalsNeeded, progress: { ...progress } };
}

export function payoutBatchRowRecord(row: ShownBatchRow, assets: Decimals): z.input<typeof payoutBatchRowSchema> {
  const { transfer, fiat } = row;
  const feeUnits = transfer?.feeUnits ?? row.feeUnits;
  const written = (value: bigint): string => formatUnits(value, decimalsOf(assets, row.currency));
  return {
    line: row.line,
    reference: row.reference,
    chain: row.chain,
    coin: row.currency,
    address: row.toAddress,
    amount: written(row.units),
    fee: written(feeUnits),
    received: written(row.units - feeUnits),
    fiat_amount: fiat?.amount ?? null,
    fiat_currency: fiat?.currency ?? null,
    rate: fiat?.rate ?? null,
    payout: row.transferId,
    status: transfer?.status ?? (row.problem === null ? 'WAITING' : 'DROPPED'),
    reason: transfer?.reason ?? row.problem,
    tx_hash: transfer?.txHash ?? null,
  };
}

/** The text of a cell, or the digits of a JSON number. The use case checks it, and names the line of a bad one. */
function cell(description: string) {
  return z
    .custom<string | number>()
    .optional()
    .transform((value: unknown, context): string => {
      if (value === undefined || value === null) return '';
      if (isLosslessNumber(value)) return value.value;
      if (typeof value === 'string') return value;
      context.issues.push({ code: 'custom', input: value, message: 'must be a string' });
      return z.NEVER;
    })
    .meta({ type: 'string', description });
}

const rowInput = group({
  reference: cell('Your own reference, 1 to 64 characters; each is paid once, for ever'),
  address: cell('Address, or Lightning invoice (BOLT11)'),
  coin: cell('Currency code of the coin, such as ETH or USDT-ERC20'),
  amount: cell('Amount in the coin that is taken from the balance; a plain decimal'),
  fiat_amount: cell('Amount in `fiat_currency` instead, converted at the present rate and rounded down'),
  fiat_currency: cell('Fiat currency code, such as EUR'),
});

/** A row with the names of core. */
export function batchRowInput(row: z.output<typeof rowInput>): BatchRowInput {
  const { fiat_amount: fiatAmount, fiat_currency: fiatCurrency, ...fields } = row;
  return { ...fields, fiatAmount, fiatCurrency };
}

/** Reads the records of a CSV file. */
export const batchRowsSchema = z.array(rowInput);

const about = {
  name: text(MAX_BATCH_NAME, 'Name, for people').optional(),
  account: ownerField,
};

const example = {
  id: '1530219844911046800',
  account: accountExample.id,
  name: 'Salaries of May',
  status: 'DRAFT',
  created_by: accountExample.id,
  sums: [{ chain: 'ETH', coin: 'USDT-ERC20', rows: 2, amount: '2500', fee: '0.84', received: '2499.16' }],
  approvals: [],
  listed: false,
  created_at: accountExample.created_at,
  updated_at: accountExample.updated_at,
  approved_at: null,
  finished_at: null,
} as const satisfies z.input<typeof payoutBatchSchema>;
const detailExample = {
  ...example,
  approvals_needed: 1,
  progress: { waiting: 2, dropped: 0, held: 0, underway: 0, paid: 0, failed: 0 },
};
const ADDRESS = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const rowExample = {
  ...{ line: 1, reference: 'may-1', chain: 'ETH', coin: 'USDT-ERC20', address: ADDRESS },
  ...{ amount: '1250', fee: '0.42', received: '1249.58', fiat_amount: null, fiat_currency: null, rate: null },
  ...{ payout: null, status: 'WAITING', reason: null, tx_hash: null },
} as const satisfies z.input<typeof payoutBatchRowSchema>;

const params = idParams<PayoutBatchId>('ID of the payout batch');

const isCsv = (headers: HeaderMap): boolean => /^\s*text\/csv\b/i.test(header(headers, 'content-type') ?? '');

const exportTable = csvTable(payoutBatchRowSchema);

/** Streams the rows of a batch as CSV. */
const exportRows: ManageOperation = sessionOnly((deps, session) => {
  const spec = { id: 'exportPayoutBatchRows', path: '/payout-batches/{id}/rows.csv' } as const;
  return {
    ...described({
      ...{
        ...spec,
        method: 'GET',
        path: BASE_PATHS.manage + spec.path,
        auth: session,
        api: 'manage',
        tag: 'Management',
      },
      summary: 'Export the rows of a payout batch',
      description:
        'Returns every row with its state and the hash of its transaction as CSV (RFC 4180). Text that a spreadsheet would run as a formula is prefixed with an apostrophe. The reply is streamed with chunked encoding: if it ends without the last chunk, it is incomplete.',
      errors: ['NOT_FOUND'],
    }),
    schemas: schemasOf({ params }),
    reply: { kind: 'text', type: CSV_TYPE },
    run: async (raw) => {
      const call = validate(raw, { auth: session, params });
      await charge(spec, call, raw, deps);
      const noted = withActor({ ...call, foreign: new Set<AccountId | null>() });
      const pages = await deps.manage.batches.exportRows(noted.actor, noted.params.id);
      await noteReads(spec, noted, deps);
      const disposition = { 'Content-Disposition': 'attachment; filename="payout-batch.csv"' };
      return { ...textReply(CSV_TYPE, '', raw.traceId, disposition), parts: lines(pages, deps.assets) };
    },
  };
});

async function* lines(
  pages: AsyncIterable<readonly ShownBatchRow[]>,
  assets: Decimals,
): AsyncGenerator<string, void, undefined> {
  let former = exportTable.header;
  for await (const rows of pages) {
    yield former + exportTable.lines(rows.map((row) => payoutBatchRowRecord(row, assets)));
    former = '';
  }
}

/** The operations of payments to many receivers. */
export const payoutBatchOperations: readonly ManageOperation[] = [
  apiOperation({
    offer: { name: 'payout_batches.create', scope: 'move' },
    id: 'createPayoutBatch',
    method: 'POST',
    path: '/payout-batches',
    status: 201,
    idempotent: true,
    bodyKinds: ['json', 'csv'],
    bodyLimit: BODY_LIMIT,
    summary: 'Create a payout batch',
    description: `Checks at most ${MAX_BATCH_ROWS} rows and stores them as a draft, for which nothing is set aside. If any row is invalid, nothing is stored, and \`errors\` lists the problems with their lines. The rows can be sent as CSV with a header line of the row's field names; \`name\` and \`account\` are then in the query. The network fee is deducted from each amount; the fees of the draft are estimates.`,
    errors: [
      'NOT_FOUND',
      'STATE_CONFLICT',
      'IDEMPOTENCY_MISMATCH',
      'IDEMPOTENCY_RUNNING',
      'INSUFFICIENT_BALANCE',
      'NODE_FAILED',
      'NOT_READY',
    ],
    query: z.object(about),
    body: z.object({ ...about, rows: batchRowsSchema.min(1, { error: 'must not be empty' }).readonly() }),
    data: payoutBatchDetailSchema,
    examples: {
      body: {
        name: example.name,
        rows: [
          { reference: 'may-1', address: ADDRESS, coin: 'USDT-ERC20', amount: '1250' },
          { reference: 'may-2', address: ADDRESS, coin: 'USDT-ERC20', fiat_amount: '1250', fiat_currency: 'USD' },
        ],
      },
      data: detailExample,
    },
    handler: async ({ actor, query, body, idempotency, request }, { manage, assets }) => {
      const { rows, ...fields } = body;
      const input = { ...inputOf(query), ...inputOf(fields), rows: rows.map(batchRowInput) };
      const firstLine = isCsv(request.headers) ? FIRST_CSV_LINE : 1;
      return payoutBatchRecord(await manage.batches.create(actor, input, { firstLine, idempotency }), assets);
    },
  }),
  manageList({
    offer: { name: 'payout_batches.list', scope: 'read' },
    id: 'listPayoutBatches',
    path: '/payout-batches',
    summary: 'List payout batches',
    description: 'Returns payout batches, newest first.',
    errors: ['NOT_FOUND'],
    filter: { status: word(BATCH_STATUSES, 'Only records with this status').optional(), ...accountFilter },
    name: 'PayoutBatchList',
    item: payoutBatchSchema,
    example,
    handler: async ({ actor, query }, { manage, assets }) =>
      pageRecord(await manage.batches.list(actor, inputOf(query)), (batch) => batchRecord(batch, assets)),
  }),
  apiOperation({
    offer: { name: 'payout_batches.get', scope: 'read' },
    id: 'getPayoutBatch',
    method: 'GET',
    path: '/payout-batches/{id}',
    summary: 'Retrieve a payout batch',
    description: 'Returns a payout batch with the number of its rows in each state.',
    errors: ['NOT_FOUND'],
    params,
    data: payoutBatchDetailSchema,
    examples: { data: detailExample },
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      payoutBatchRecord(await manage.batches.find(actor, id), assets),
  }),
  apiOperation({
    offer: { name: 'payout_batches.rows', scope: 'read' },
    id: 'listPayoutBatchRows',
    method: 'GET',
    path: '/payout-batches/{id}/rows',
    summary: 'List the rows of a payout batch',
    description:
      'Returns the rows in the order of their lines, each with its state. To read the next page, send `next_cursor`.',
    errors: ['NOT_FOUND'],
    params,
    query: z.object(cursorFields),
    data: cursorPage('PayoutBatchRowList', payoutBatchRowSchema),
    examples: { data: { items: [rowExample], next_cursor: null } },
    handler: async ({ actor, params: { id }, query }, { manage, assets }) =>
      pageRecord(await manage.batches.rows(actor, id, inputOf(query)), (row) => payoutBatchRowRecord(row, assets)),
  }),
  exportRows,
  apiOperation({
    offer: { name: 'payout_batches.approve', scope: 'move' },
    id: 'approvePayoutBatch',
    method: 'POST',
    path: '/payout-batches/{id}/approve',
    summary: 'Approve a payout batch',
    description:
      'Sets the amounts aside and pays the rows. If a recipient is not listed as a payee of the account, another person must approve: as many admins as `withdrawals.approvals` demands, neither the owner of the account nor who created it. Otherwise the owner can; a credential then needs a code. Rows above `withdrawals.approveAbove` or beyond a limit become payouts that are held.',
    errors: ['NOT_FOUND', 'VERIFY_CODE_INVALID', 'STATE_CONFLICT', 'INSUFFICIENT_BALANCE'],
    params,
    bodyOptional: true,
    body: z.object({ verify_code: optionalCode(CODE_DIGITS, 'Code of the second factor; required of a credential') }),
    data: payoutBatchDetailSchema,
    examples: { body: {}, data: { ...detailExample, status: 'APPROVED', approved_at: example.updated_at } },
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      payoutBatchRecord(await manage.batches.approve(actor, id, body.verify_code), assets),
  }),
  apiOperation({
    offer: { name: 'payout_batches.cancel', scope: 'move' },
    id: 'cancelPayoutBatch',
    method: 'POST',
    path: '/payout-batches/{id}/cancel',
    summary: 'Cancel a payout batch',
    description:
      'Cancels a draft, or the rows of an approved batch that are not payouts yet; what was set aside for them is released. Rows that are payouts continue.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: payoutBatchDetailSchema,
    examples: { data: { ...detailExample, status: 'CANCELLED', finished_at: example.updated_at } },
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      payoutBatchRecord(await manage.batches.cancel(actor, id), assets),
  }),
];
