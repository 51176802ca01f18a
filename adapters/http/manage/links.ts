import {
  findFiat,
  formatInstant,
  formatUnits,
  LINK_FACES,
  LINK_TEXTS,
  MAX_LINK_SALES,
  MAX_LINKS,
} from '../../../core/index.ts';
import type { LinkId, ManagedLink, PairingCode } from '../../../core/index.ts';
import { z } from 'zod';
import { code, count, metadata, price, text } from '../fields.ts';
import { accountExample } from './accounts.ts';
import {
  accountFilter,
  cursorFields,
  expectedVersion,
  idParams,
  inputOf,
  instantField,
  ownerField,
  texts,
  word,
  yesNo,
} from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { amount, cursorPage, id, instant, time, whole } from './reply-fields.ts';

const MAX_URL = 2048;
const MAX_COINS = 64;
const MAX_CODE = 64;
const STATES = ['open', 'reserved', 'sold-out', 'ended'] as const;

export const linkSchema = z
  .object({
    id: id('The link'),
    account_id: id('Its account'),
    url: z.string().meta({ description: 'Its page' }),
    face: z.enum(LINK_FACES).meta({ description: 'COUNTER: used by paired devices of the merchant' }),
    state: z
      .enum(STATES)
      .meta({ description: 'Whether it makes an order now; reserved: open orders have what is left' }),
    title: z.string(),
    description: z.string(),
    vs_currency: z.string(),
    vs_price: amount('null where the payer chooses the amount').nullable(),
    min_price: amount('The least that may be chosen').nullable(),
    max_price: amount('The most that may be chosen').nullable(),
    coins: z.array(z.string()).readonly().nullable().meta({ description: 'null offers all' }),
    max_sales: z
      .number()
      .nullable()
      .meta({ type: ['integer', 'null'], minimum: 1, description: 'How many sales it makes' }),
    sold: whole('Its orders that are paid'),
    open: whole('Its orders that wait to be paid; each reserves a sale'),
    expires_at: instant('Its end').nullable(),
    active: z.boolean(),
    return_url: z.string().nullable(),
    callback_url: z.string().nullable(),
    timeout_callback: z.string().nullable(),
    enable_post_callback: z.boolean(),
    fixed_encrypt_price: z.boolean(),
    reference_prefix: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    devices: z
      .array(z.object({ id: id('The device'), paired_at: instant('When') }))
      .readonly()
      .meta({ description: 'Of a counter' }),
    version: z.number().meta({ type: 'integer', minimum: 1, description: 'A change wants it in If-Match' }),
    created_at: instant('Creation'),
    updated_at: instant('The last change'),
  })
  .meta({ id: 'PaymentLink' });

type LinkRecord = z.input<typeof linkSchema>;

/** A link in the management API. */
export function linkRecord({ link, open, sold, state, url }: ManagedLink): LinkRecord {
  const decimals = findFiat(link.vsCurrency)?.decimals ?? 0;
  const money = (units: bigint | null): string | null => (units === null ? null : formatUnits(units, decimals));
  return {
    id: link.id,
    account_id: link.accountId,
    url,
    face: link.face,
    state,
    title: link.title,
    description: link.description,
    vs_currency: link.vsCurrency,
    vs_price: money(link.price),
    min_price: money(link.minPrice),
    max_price: money(link.maxPrice),
    coins: link.coins,
    max_sales: link.maxSales,
    sold,
    open,
    expires_at: time(link.expiresAt),
    active: link.active,
    return_url: link.returnUrl,
    callback_url: link.callbackUrl,
    timeout_callback: link.timeoutCallback,
    enable_post_callback: link.enablePostCallback,
    fixed_encrypt_price: link.fixedEncryptPrice,
    reference_prefix: link.referencePrefix,
    metadata: link.metadata,
    devices: link.devices.map((device) => ({ id: device.id, paired_at: formatInstant(device.pairedAt) })),
    version: link.version,
    created_at: formatInstant(link.createdAt),
    updated_at: formatInstant(link.updatedAt),
  };
}

export const pairingSchema = z
  .object({
    link_id: id('The counter'),
    pairing_url: z.string().meta({ description: 'Opened once, on the device that is to be paired' }),
    until: instant('The end of the code'),
  })
  .meta({ id: 'LinkPairing' });

const pairingRecord = ({ link, url, code: secret, until }: PairingCode): z.input<typeof pairingSchema> => ({
  link_id: link.id,
  pairing_url: `${url}#${secret}`,
  until: formatInstant(until),
});

const example = {
  id: '1530219001148092419',
  account_id: accountExample.id,
  url: 'https://pay.example/l/6f1c0d2e8b4a49d7a0c35e1f9b27d864',
  face: 'LINK',
  state: 'open',
  title: 'Summer concert',
  description: 'One seat, doors open at seven.',
  vs_currency: 'USD',
  vs_price: '25',
  min_price: null,
  max_price: null,
  coins: null,
  max_sales: 100,
  sold: 12,
  open: 1,
  expires_at: null,
  active: true,
  return_url: 'https://shop.example/thanks',
  callback_url: 'https://shop.example/paid',
  timeout_callback: null,
  enable_post_callback: true,
  fixed_encrypt_price: false,
  reference_prefix: 'concert-',
  metadata: {},
  devices: [],
  version: 1,
  created_at: accountExample.created_at,
  updated_at: accountExample.created_at,
} as const satisfies LinkRecord;

const url = (description: string) => text(MAX_URL, description).nullable().optional();
const chosen = (description: string) => price(description).nullable().optional();

const title = text(LINK_TEXTS.title, 'The heading of its page');
const fields = {
  description: z
    .string({ error: 'must be a string' })
    .max(LINK_TEXTS.description, { error: `must have at most ${LINK_TEXTS.description} characters` })
    .optional()
    .meta({ description: 'What its page says below' }),
  vs_price: chosen('The amount of each order; without it, or null, the payer chooses it'),
  min_price: chosen('The least that the payer may choose'),
  max_price: chosen('The most that the payer may choose'),
  coins: texts(MAX_COINS, MAX_CODE, 'The codes of the coins that are offered; null for all').nullable().optional(),
  max_sales: count(1, MAX_LINK_SALES, 'How many sales it makes; null for no limit').nullable().optional(),
  expires_at: instantField('Its end; null for none').nullable().optional(),
  active: yesNo('Whether it makes orders').optional(),
  return_url: url('Where the payer goes after the payment'),
  callback_url: url('Called when an order of it is paid'),
  timeout_callback: url('Called when an order of it was not paid in time'),
  enable_post_callback: yesNo('Callbacks are POST requests with the order in the body').optional(),
  fixed_encrypt_price: yesNo('Prices stable coins at exactly 1 USD').optional(),
  reference_prefix: text(LINK_TEXTS.prefix, 'Begins the merchant_reference of each order, before its id')
    .nullable()
    .optional(),
  metadata: metadata(),
};

const params = idParams<LinkId>('The link');
const ERRORS = ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT'] as const;
const listSchema = cursorPage('PaymentLinkList', linkSchema);

/** Payment links and counters (decision 0050). Their orders are in `orders?link_id=…`. */
export const linkOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listLinks',
    method: 'GET',
    path: '/links',
    summary: 'Payment links',
    description: 'Newest first. The orders of one of them are in `orders?link_id=…`.',
    errors: ['NOT_FOUND'],
    query: z.object({ ...accountFilter, ...cursorFields }),
    data: listSchema,
    examples: { data: { items: [example], next_cursor: null } },
    handler: async ({ actor, query: { account_id: accountId, limit, cursor } }, { manage }) => {
      const { items, nextCursor } = await manage.links.list(actor, { accountId, limit, cursor });
      return { items: items.map(linkRecord), next_cursor: nextCursor };
    },
  }),
  manageOperation({
    id: 'createLink',
    method: 'POST',
    path: '/links',
    status: 201,
    summary: 'Make a payment link',
    description: `A page that makes an order at each visit, for a fixed or a chosen amount, so many times or until a day; with the face COUNTER an amount pad for paired devices. At most ${MAX_LINKS} for an account.`,
    errors: ERRORS,
    body: z.object({
      account_id: ownerField,
      face: word(LINK_FACES, 'LINK by default').optional(),
      title,
      vs_currency: code('Fiat code'),
      ...fields,
    }),
    data: linkSchema,
    examples: { body: { title: 'Summer concert', vs_currency: 'USD', vs_price: '25', max_sales: 100 }, data: example },
    owner: ({ actor, body }) => Promise.resolve(body.account_id ?? actor.accountId),
    handler: async ({ actor, body }, { manage }) => linkRecord(await manage.links.create(actor, inputOf(body))),
  }),
  manageOperation({
    id: 'getLink',
    method: 'GET',
    path: '/links/{id}',
    summary: 'A payment link',
    description: 'With how often it was sold.',
    errors: ['NOT_FOUND'],
    params,
    data: linkSchema,
    examples: { data: example },
    handler: async ({ actor, params: { id } }, { manage }) => linkRecord(await manage.links.find(actor, id)),
  }),
  manageOperation({
    id: 'updateLink',
    method: 'PATCH',
    path: '/links/{id}',
    summary: 'Change a payment link',
    description:
      'Wants the version of the record in If-Match: without it 428, a stale one 412. Its orders stay as they are; coins that are taken away cannot be chosen any more. Fiat currency and face stay.',
    versioned: true,
    errors: [...ERRORS, 'VERSION_MISMATCH', 'PRECONDITION_REQUIRED'],
    params,
    body: z.object({ ...fields, title: title.optional(), metadata: fields.metadata.optional() }),
    data: linkSchema,
    examples: { body: { max_sales: 200 }, data: { ...example, max_sales: 200, version: 2 } },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.links.find(actor, id)).link.accountId,
    handler: async ({ actor, params: { id }, request, body }, { manage }) =>
      linkRecord(await manage.links.update(actor, id, expectedVersion(request), inputOf(body))),
  }),
  manageOperation({
    id: 'deactivateLink',
    method: 'POST',
    path: '/links/{id}/deactivate',
    summary: 'Switch a payment link off',
    description: 'Whatever its version. Its open orders can still be paid.',
    errors: ['NOT_FOUND'],
    params,
    data: linkSchema,
    examples: { data: { ...example, active: false, state: 'ended', version: 2 } },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.links.find(actor, id)).link.accountId,
    handler: async ({ actor, params: { id } }, { manage }) => linkRecord(await manage.links.deactivate(actor, id)),
  }),
  manageOperation({
    id: 'pairLinkDevice',
    method: 'POST',
    path: '/links/{id}/pairing',
    summary: 'Pair a device with a counter',
    description: 'The address pairs the device that opens it first, within ten minutes. A new one replaces the former.',
    errors: ['NOT_FOUND'],
    params,
    data: pairingSchema,
    examples: {
      data: {
        link_id: example.id,
        pairing_url: `${example.url}#0f9d3a61c27be84850de1f7a93b6c402`,
        until: accountExample.created_at,
      },
    },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.links.find(actor, id)).link.accountId,
    handler: async ({ actor, params: { id } }, { manage }) => pairingRecord(await manage.links.pair(actor, id)),
  }),
  manageOperation({
    id: 'unpairLinkDevices',
    method: 'POST',
    path: '/links/{id}/unpair',
    summary: 'Shut all devices out of a counter',
    description: 'Each has to be paired anew.',
    errors: ['NOT_FOUND'],
    params,
    data: linkSchema,
    examples: { data: { ...example, face: 'COUNTER' } },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.links.find(actor, id)).link.accountId,
    handler: async ({ actor, params: { id } }, { manage }) => linkRecord(await manage.links.unpair(actor, id)),
  }),
];
