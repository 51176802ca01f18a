import { isLosslessNumber, stringify } from 'lossless-json';
import { findFiat, isTillgateError, ORDER_STATUSES } from '../../../core/index.ts';
import type { Decimal, FieldError, Fiat, OrderStatus, ShopOrderView } from '../../../core/index.ts';
import { z } from 'zod';
import { InvalidRequest } from '../invalid-request.ts';
import { checkoutFields, checkoutTerms, receiptField } from './checkout-options.ts';
import type { CheckoutTerms } from './checkout-options.ts';
import type { GreenfieldDeps } from './deps.ts';
import {
  maybeDecimal,
  maybeObject,
  maybeText,
  maybeTexts,
  maybeWord,
  queryCount,
  queryFlag,
  queryTexts,
} from './fields.ts';
import { invoiceMethods, invoiceMethodSchema, invoiceRecord, invoiceSchema, factsOf } from './invoice-record.ts';
import type { InvoiceRecord } from './invoice-record.ts';
import { availableMarks, INVOICE_STATUSES, invoiceState, MARKS } from './invoice-state.ts';
import type { InvoiceStatus, Mark } from './invoice-state.ts';
import { greenfieldOperation } from './operation.ts';
import type { GreenfieldOperation } from './operation.ts';
import { paymentMethodId } from './payment-method-ids.ts';

/** The currency of an invoice that names none, as the store says it. */
export const DEFAULT_CURRENCY = 'USD';
const MAX_LIST = 100;
const MAX_SKIP = 2_000;
/** The orders that one request may look through, so that a filter with no match ends. */
const MAX_LOOKED_THROUGH = 5_000;
const MAX_REFERENCE = 255;

const createBody = z.object({
  amount: maybeDecimal('Amount in the fiat currency, rounded to its decimals; required: there are no top-up invoices'),
  currency: maybeText(16, `Fiat currency code; ${DEFAULT_CURRENCY} by default`),
  metadata: maybeObject('Your own data, kept and given back; `orderId` is your number of the order'),
  checkout: checkoutFields.nullish(),
  receipt: receiptField,
  additionalSearchTerms: maybeTexts(100, 255, 'Ignored: invoices are found by their order, address or transaction'),
});

const params = z.object({ invoiceId: z.string() });
const paths = (rest: string): [string, string] => [
  `/stores/{storeId}/invoices/{invoiceId}${rest}`,
  `/invoices/{invoiceId}${rest}`,
];

/** The ids of the payment methods of the store. */
const methodIds = ({ assets }: GreenfieldDeps): readonly string[] => assets.enabled().map(paymentMethodId);

const recordOf = (view: ShopOrderView, deps: GreenfieldDeps): InvoiceRecord => invoiceRecord(view, methodIds(deps));

async function methodsOf(view: ShopOrderView, deps: GreenfieldDeps) {
  const { choosePayment, chains, clock } = deps;
  const now = clock.now();
  const { order } = view;
  const isOpen = order.payment === null && order.status === 'PENDING' && now < order.expiresAt;
  return invoiceMethods(view, isOpen ? await choosePayment.options(order) : [], chains, now);
}

async function wholeRecord(view: ShopOrderView, withMethods: boolean, deps: GreenfieldDeps): Promise<InvoiceRecord> {
  const record = recordOf(view, deps);
  return withMethods ? { ...record, paymentMethods: await methodsOf(view, deps) } : record;
}

/** The statuses of orders that an invoice with one of these statuses may have. */
const ORDERS_OF: Readonly<Record<InvoiceStatus, readonly OrderStatus[]>> = {
  New: ['PENDING'],
  Processing: ['PENDING'],
  Expired: ['OVERDUE', 'PARTIAL', 'REFUNDED'],
  Invalid: ['TERMINATED'],
  Settled: ['SUCCESS', 'RESOLVED', 'REFUNDED'],
};

const listQuery = z.object({
  orderId: queryTexts(20, MAX_REFERENCE, 'Only invoices of these orders of the shop; may be repeated'),
  'orderId[]': queryTexts(20, MAX_REFERENCE, 'The same'),
  status: queryTexts(INVOICE_STATUSES.length, 16, `Only invoices in these statuses: ${INVOICE_STATUSES.join(', ')}`),
  'status[]': queryTexts(INVOICE_STATUSES.length, 16, 'The same'),
  textSearch: queryTexts(1, MAX_REFERENCE, 'Your number of the order, a deposit address, or the hash of a transaction'),
  startDate: queryCount(null, 1e11, 'Only invoices created at or after this time, in seconds'),
  endDate: queryCount(null, 1e11, 'Only invoices created before this time, in seconds'),
  skip: queryCount(0, MAX_SKIP, 'Number of invoices that are left out at the beginning'),
  take: queryCount(MAX_LIST, MAX_LIST, 'Most invoices of the reply'),
  includeArchived: queryFlag('Also archived invoices'),
  includePaymentMethods: queryFlag('With the payment methods of each invoice'),
});

type ListQuery = z.output<typeof listQuery>;

/** @throws InvalidRequest for an unknown status */
function statusesOf(query: ListQuery): readonly InvoiceStatus[] {
  const named = [...query.status, ...query['status[]']];
  const found = named.map((name) => INVOICE_STATUSES.find((each) => each.toLowerCase() === name.toLowerCase()));
  if (found.includes(undefined))
    throw new InvalidRequest([{ path: 'status', message: `must be one of ${INVOICE_STATUSES.join(', ')}` }]);
  return found.filter((status) => status !== undefined);
}

async function list(accountId: ShopOrderView['order']['accountId'], query: ListQuery, deps: GreenfieldDeps) {
  const statuses = statusesOf(query);
  const wanted = new Set(statuses);
  const searched = [...new Set(statuses.flatMap((status) => ORDERS_OF[status]))];
  const filter = {
    statuses: statuses.length === 0 ? ORDER_STATUSES : searched,
    q: query.textSearch[0] === '' ? undefined : query.textSearch[0],
    from: query.startDate === null ? undefined : query.startDate * 1000,
    to: query.endDate === null ? undefined : query.endDate * 1000,
  };
  const [skip, take] = [query.skip ?? 0, query.take ?? MAX_LIST];
  const references = [...new Set([...query.orderId, ...query['orderId[]']])];
  const found: ShopOrderView[] = [];
  let looked = 0;
  for (const reference of references.length === 0 ? [undefined] : references) {
    const before = found.length;
    for await (const view of deps.shopOrders.each(accountId, { ...filter, reference })) {
      if (++looked > MAX_LOOKED_THROUGH) break;
      const isKept = query.includeArchived || (view.shop?.archivedAt ?? null) === null;
      if (isKept && (wanted.size === 0 || wanted.has(invoiceState(factsOf(view)).status))) found.push(view);
      if (found.length - before >= skip + take) break;
    }
  }
  const newest = found.sort((a, b) => b.order.createdAt - a.order.createdAt).slice(skip, skip + take);
  return Promise.all(newest.map((view) => wholeRecord(view, query.includePaymentMethods, deps)));
}

/** The shop's number of an order, in its metadata. @throws InvalidRequest */
function referenceIn(metadata: object | null): string | null {
  const { orderId } = (metadata ?? {}) as { readonly orderId?: unknown };
  if (orderId === undefined || orderId === null || orderId === '') return null;
  const text = isLosslessNumber(orderId) ? orderId.value : orderId;
  if (typeof text === 'string' && text.length <= MAX_REFERENCE) return text;
  throw new InvalidRequest([
    { path: 'metadata.orderId', message: `must be a text of at most ${MAX_REFERENCE} characters` },
  ]);
}

const metadataText = (metadata: object | null): string => stringify(metadata ?? {}) ?? '{}';

/** The amount in the fiat's decimals, the last one rounded half up. */
function rounded({ digits, scale }: Decimal, { decimals }: Fiat): Decimal {
  if (scale <= decimals) return { digits, scale };
  const step = 10n ** BigInt(scale - decimals);
  return { digits: (digits + step / 2n) / step, scale: decimals };
}

/** @throws InvalidRequest naming every option that the till cannot keep */
function readTerms(
  body: z.output<typeof createBody>,
  reference: string | null,
  deps: GreenfieldDeps,
): CheckoutTerms & { fiat: Fiat; vsPrice: Decimal } {
  const { orders, assets, chains } = deps;
  const problems: FieldError[] = [];
  const fiat = findFiat((body.currency ?? DEFAULT_CURRENCY).toUpperCase());
  if (fiat === null)
    problems.push({ path: 'currency', message: 'must be the code of a fiat currency that this till has' });
  const { amount } = body;
  if (amount === null) problems.push({ path: 'amount', message: 'is required: this till has no top-up invoices' });
  else if (amount.digits === 0n) problems.push({ path: 'amount', message: 'must be more than 0' });
  const terms = checkoutTerms(body.checkout ?? null, reference, { orders: orders(), assets, chains });
  if ('problems' in terms) problems.push(...terms.problems);
  if (fiat === null || amount === null || 'problems' in terms || problems.length > 0)
    throw new InvalidRequest(problems);
  return { ...terms, fiat, vsPrice: rounded(amount, fiat) };
}

const create = greenfieldOperation({
  id: 'createInvoice',
  method: 'POST',
  paths: ['/stores/{storeId}/invoices'],
  permission: 'btcpay.store.cancreateinvoice',
  resource: 'store',
  summary: 'Create an invoice',
  description:
    'Creates an order. The payer chooses the coin on the page at `checkoutLink`, unless the shop names only one.',
  idempotent: true,
  errors: [
    'UNSUPPORTED',
    'AMOUNT_OUT_OF_RANGE',
    'STATE_CONFLICT',
    'IDEMPOTENCY_MISMATCH',
    'IDEMPOTENCY_RUNNING',
    'NODE_FAILED',
  ],
  body: createBody,
  data: invoiceSchema,
  handler: async ({ principal, body, idempotency }, deps) => {
    const reference = referenceIn(body.metadata);
    const { terms, coins, kept, returnTo, fiat, vsPrice } = readTerms(body, reference, deps);
    const input = {
      ...terms,
      vsCurrency: fiat.code,
      vsPrice,
      shop: { reference, metadata: metadataText(body.metadata), checkout: JSON.stringify(kept), coins },
      ...(returnTo !== null && {
        linksOf: (token: string) => ({ succeedUrl: returnTo(token), timeoutUrl: returnTo(token) }),
      }),
    };
    return recordOf(await deps.shopOrders.create(principal, input, idempotency), deps);
  },
});

/** The move of the till by which a shop's mark is kept. */
const MOVES = { Settled: 'resolve', Invalid: 'terminate' } as const satisfies Record<Mark, string>;

const mark = greenfieldOperation({
  id: 'markInvoice',
  method: 'POST',
  paths: paths('/status'),
  permission: 'btcpay.store.canmodifyinvoices',
  resource: 'invoice',
  summary: 'Mark an invoice as settled or invalid',
  description:
    'Accepts an invoice that has expired, or cancels one for which no payment was seen. See `availableStatusesForManualMarking`; an invoice that has the status already stays as it is.',
  errors: ['NOT_FOUND', 'STATE_CONFLICT'],
  params,
  body: z.object({ status: maybeWord(MARKS, 'New status') }),
  data: invoiceSchema,
  handler: async ({ accountId, actor, params: { invoiceId }, body: { status } }, deps) => {
    if (status === null) throw new InvalidRequest([{ path: 'status', message: 'is required' }]);
    const view = await deps.shopOrders.find(accountId, invoiceId);
    const facts = factsOf(view);
    if (invoiceState(facts).status === status) return recordOf(view, deps);
    if (!availableMarks(facts).includes(status)) throw cannotMark(status);
    try {
      await deps.manage.orders[MOVES[status]](actor, view.order.id);
    } catch (error) {
      // A payment arrived meanwhile.
      if (isTillgateError(error, 'STATE_CONFLICT')) throw cannotMark(status);
      throw error;
    }
    return recordOf(await deps.shopOrders.find(accountId, invoiceId), deps);
  },
});

function cannotMark(status: Mark): InvalidRequest {
  return new InvalidRequest([
    { path: 'status', message: `the invoice cannot be marked as ${status} in its present state` },
  ]);
}

const archive = (id: string, method: 'DELETE' | 'POST', rest: string, archived: boolean): GreenfieldOperation =>
  greenfieldOperation({
    id,
    method,
    paths: paths(rest),
    permission: 'btcpay.store.canmodifyinvoices',
    resource: 'invoice',
    summary: archived ? 'Archive an invoice' : 'Unarchive an invoice',
    description: archived
      ? 'Lists leave the invoice out from now on. It can still be paid.'
      : 'Lists contain the invoice again.',
    errors: ['NOT_FOUND'],
    params,
    data: invoiceSchema,
    handler: async ({ accountId, params: { invoiceId } }, deps) =>
      recordOf(await deps.shopOrders.change(accountId, invoiceId, { archived }), deps),
  });

/** The operations of invoices. */
export const invoiceOperations: readonly GreenfieldOperation[] = [
  create,
  greenfieldOperation({
    id: 'listInvoices',
    method: 'GET',
    paths: ['/stores/{storeId}/invoices'],
    permission: 'btcpay.store.canviewinvoices',
    resource: 'store',
    summary: 'List invoices',
    description: `Returns invoices, newest first. A request looks through at most ${MAX_LOOKED_THROUGH} of them.`,
    query: listQuery,
    data: z.array(invoiceSchema),
    handler: ({ accountId, query }, deps) => list(accountId, query, deps),
  }),
  greenfieldOperation({
    id: 'getInvoice',
    method: 'GET',
    paths: paths(''),
    permission: 'btcpay.store.canviewinvoices',
    resource: 'invoice',
    summary: 'Retrieve an invoice',
    description: 'Returns an invoice.',
    errors: ['NOT_FOUND'],
    params,
    query: z.object({ includePaymentMethods: queryFlag('With its payment methods') }),
    data: invoiceSchema,
    handler: async ({ accountId, params: { invoiceId }, query }, deps) =>
      wholeRecord(await deps.shopOrders.find(accountId, invoiceId), query.includePaymentMethods, deps),
  }),
  greenfieldOperation({
    id: 'updateInvoice',
    method: 'PUT',
    paths: paths(''),
    permission: 'btcpay.store.canmodifyinvoices',
    resource: 'invoice',
    summary: 'Replace the metadata of an invoice',
    description: 'Replaces what the shop keeps with the invoice; nothing else can be changed.',
    errors: ['NOT_FOUND'],
    params,
    body: z.object({ metadata: maybeObject('Your own data, in place of the former') }),
    data: invoiceSchema,
    handler: async ({ accountId, params: { invoiceId }, body: { metadata } }, deps) => {
      if (metadata === null) return recordOf(await deps.shopOrders.find(accountId, invoiceId), deps);
      const changes = { reference: referenceIn(metadata), metadata: metadataText(metadata) };
      return recordOf(await deps.shopOrders.change(accountId, invoiceId, changes), deps);
    },
  }),
  greenfieldOperation({
    id: 'getInvoicePaymentMethods',
    method: 'GET',
    paths: paths('/payment-methods'),
    permission: 'btcpay.store.canviewinvoices',
    resource: 'invoice',
    summary: 'List the payment methods of an invoice',
    description: 'Returns the coin that the payer has chosen with its payments, until then the coins of the store.',
    errors: ['NOT_FOUND'],
    params,
    data: z.array(invoiceMethodSchema).readonly(),
    handler: async ({ accountId, params: { invoiceId } }, deps) =>
      methodsOf(await deps.shopOrders.find(accountId, invoiceId), deps),
  }),
  mark,
  archive('archiveInvoice', 'DELETE', '', true),
  archive('unarchiveInvoice', 'POST', '/unarchive', false),
];
