import {
  CART,
  findFiat,
  formatInstant,
  formatUnits,
  LINK_FACES,
  LINK_TEXTS,
  MAX_LINK_SALES,
  MAX_LINKS,
} from '../../../../core/index.ts';
import type { LinkId, ManagedLink, PairingCode } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, count, decimalText, metadata, text } from '../../fields.ts';
import { accountExample } from '../access/accounts.ts';
import {
  accountFilter,
  expectedVersion,
  idParams,
  inputOf,
  instantField,
  ownerField,
  texts,
  word,
  yesNo,
} from '../fields.ts';
import { apiOperation, manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, pageRecord, time, whole } from '../reply-fields.ts';

const MAX_URL = 2048;
const MAX_COINS = 64;
const MAX_CODE = 64;
const STATES = ['open', 'reserved', 'sold-out', 'ended'] as const;

export const linkSchema = z
  .object({
    id: id('ID of the payment link'),
    account: id('ID of the account'),
    url: z.string().meta({ description: 'URL of its page' }),
    face: z
      .enum(LINK_FACES)
      .meta({ description: 'POINT_OF_SALE: a point of sale, used on paired devices of the merchant' }),
    state: z
      .enum(STATES)
      .meta({ description: 'Whether it can create an order now; reserved: open orders hold the remaining sales' }),
    title: z.string(),
    description: z.string(),
    currency: z.string().meta({ description: 'Fiat currency code, such as EUR' }),
    price: amount('Price of each order; null if the payer chooses the amount or items').nullable(),
    min_price: amount('Minimum amount that the payer can choose').nullable(),
    max_price: amount('Maximum amount that the payer can choose').nullable(),
    items: z
      .array(
        z.object({ id: id('ID of the item, unique on its page'), name: z.string(), price: amount('Price of one') }),
      )
      .readonly()
      .meta({ description: 'What is sold; empty if each order has the price of the link or an amount of the payer' }),
    tips: z
      .array(z.number().meta({ type: 'integer' }))
      .readonly()
      .meta({ description: 'Tips that are offered, in percent; empty if no tip is asked for' }),
    coins: z
      .array(z.string())
      .readonly()
      .nullable()
      .meta({ description: 'Codes of the coins that are offered; null for all' }),
    max_sales: z
      .number()
      .nullable()
      .meta({ type: ['integer', 'null'], minimum: 1, description: 'Maximum number of sales; null for no limit' }),
    sold: whole('Number of paid orders'),
    open: whole('Number of open orders; each reserves a sale'),
    expires_at: instant('Time of expiry').nullable(),
    active: z.boolean(),
    return_url: z.string().nullable(),
    callback_url: z.string().nullable(),
    timeout_callback: z.string().nullable(),
    enable_post_callback: z.boolean(),
    fixed_encrypt_price: z.boolean(),
    reference_prefix: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    devices: z
      .array(z.object({ id: id('ID of the device'), paired_at: instant('Time of pairing') }))
      .readonly()
      .meta({ description: 'Paired devices of a point of sale' }),
    version: z.number().meta({
      type: 'integer',
      minimum: 1,
      description: 'Version of the record; send it in If-Match to change the record',
    }),
    created_at: instant('Time of creation'),
    updated_at: instant('Time of the last change'),
  })
  .meta({ id: 'PaymentLink' });

type LinkRecord = z.input<typeof linkSchema>;

/** Writes the record of a payment link. */
export function linkRecord({ link, open, sold, state, url }: ManagedLink): LinkRecord {
  const decimals = findFiat(link.vsCurrency)?.decimals ?? 0;
  const money = (units: bigint | null): string | null => (units === null ? null : formatUnits(units, decimals));
  return {
    id: link.id,
    account: link.accountId,
    url,
    face: link.face,
    state,
    title: link.title,
    description: link.description,
    currency: link.vsCurrency,
    price: money(link.price),
    min_price: money(link.minPrice),
    max_price: money(link.maxPrice),
    items: link.items.map(({ id, name, price }) => ({ id, name, price: formatUnits(price, decimals) })),
    tips: link.tips,
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
    link: id('ID of the point of sale'),
    pairing_url: z.string().meta({ description: 'URL that pairs the device on which it is opened; valid once' }),
    expires_at: instant('Time at which the URL expires'),
  })
  .meta({ id: 'LinkPairing' });

const pairingRecord = ({ link, url, code: secret, until }: PairingCode): z.input<typeof pairingSchema> => ({
  link: link.id,
  pairing_url: `${url}#${secret}`,
  expires_at: formatInstant(until),
});

const example = {
  id: '1530219001148092419',
  account: accountExample.id,
  url: 'https://pay.example/l/6f1c0d2e8b4a49d7a0c35e1f9b27d864',
  face: 'LINK',
  state: 'open',
  title: 'Summer concert',
  description: 'One seat, doors open at seven.',
  currency: 'USD',
  price: '25',
  min_price: null,
  max_price: null,
  items: [],
  tips: [],
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
const chosen = (description: string) => decimalText(description).nullable().optional();

const title = text(LINK_TEXTS.title, 'Title of its page');
const fields = {
  description: z
    .string({ error: 'must be a string' })
    .max(LINK_TEXTS.description, { error: `must have at most ${LINK_TEXTS.description} characters` })
    .optional()
    .meta({ description: 'Text below the title of its page' }),
  price: chosen('Price of each order; if omitted or null, the payer chooses the amount'),
  min_price: chosen('Minimum amount that the payer can choose'),
  max_price: chosen('Maximum amount that the payer can choose'),
  items: z
    .array(
      z.object({
        id: text(CART.idLength, 'ID of the item; a new one by default').optional(),
        name: text(CART.nameLength, 'Name of the item'),
        price: decimalText('Price of one'),
      }),
      { error: 'must be an array of items' },
    )
    .max(CART.items, { error: `must have at most ${CART.items} items` })
    .optional()
    .meta({ description: 'What is sold, in place of a price; replaces all items' }),
  tips: z
    .array(count(1, CART.percent, 'Percentage'), { error: 'must be an array of percentages' })
    .max(CART.tips, { error: `must have at most ${CART.tips} percentages` })
    .optional()
    .meta({
      description: 'Tips that are offered, in percent, ascending; the payer may also give none, or an own amount',
    }),
  coins: texts(MAX_COINS, MAX_CODE, 'Codes of the coins that are offered; null for all').nullable().optional(),
  max_sales: count(1, MAX_LINK_SALES, 'Maximum number of sales; null for no limit').nullable().optional(),
  expires_at: instantField('Time of expiry; null for none').nullable().optional(),
  active: yesNo('Whether it creates orders').optional(),
  return_url: url('URL to which the payer is redirected after the payment'),
  callback_url: url('URL called when one of its orders is paid'),
  timeout_callback: url('URL called when one of its orders expires'),
  enable_post_callback: yesNo('Sends callbacks as POST requests with the order in the body').optional(),
  fixed_encrypt_price: yesNo('Values stablecoins at exactly 1 USD').optional(),
  reference_prefix: text(LINK_TEXTS.prefix, 'Prefix of the merchant_reference of each order, followed by the order ID')
    .nullable()
    .optional(),
  metadata: metadata(),
};

const params = idParams<LinkId>('ID of the link');
const ERRORS = ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT'] as const;

/**
 * The operations of payment links and points of sale (core/decisions/pages.md). Their orders are listed by `orders?link=…`.
 */
export const linkOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'links.list', scope: 'read' },
    id: 'listLinks',
    path: '/links',
    summary: 'List payment links',
    description: 'Returns payment links, newest first. List their orders with `orders?link=…`.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'PaymentLinkList',
    item: linkSchema,
    example,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.links.list(actor, inputOf(query)), linkRecord),
  }),
  apiOperation({
    offer: { name: 'links.create', scope: 'create' },
    id: 'createLink',
    method: 'POST',
    path: '/links',
    status: 201,
    summary: 'Create a payment link',
    description: `Creates a page that creates an order for each visitor, at a fixed price or for an amount that the payer chooses, optionally limited in sales or time. With the face POINT_OF_SALE it is a point of sale: an amount pad for paired devices. An account can have at most ${MAX_LINKS}.`,
    errors: ERRORS,
    body: z.object({
      account: ownerField,
      face: word(LINK_FACES, 'Kind of page; defaults to LINK').optional(),
      title,
      currency: code('Fiat currency code, such as EUR'),
      ...fields,
    }),
    data: linkSchema,
    examples: { body: { title: 'Summer concert', currency: 'USD', price: '25', max_sales: 100 }, data: example },
    owner: ({ actor, body }) => Promise.resolve(body.account ?? actor.accountId),
    handler: async ({ actor, body }, { manage }) => linkRecord(await manage.links.create(actor, inputOf(body))),
  }),
  apiOperation({
    offer: { name: 'links.get', scope: 'read' },
    id: 'getLink',
    method: 'GET',
    path: '/links/{id}',
    summary: 'Retrieve a payment link',
    description: 'Returns a payment link with its number of sales.',
    errors: ['NOT_FOUND'],
    params,
    data: linkSchema,
    examples: { data: example },
    handler: async ({ actor, params: { id } }, { manage }) => linkRecord(await manage.links.find(actor, id)),
  }),
  apiOperation({
    offer: { name: 'links.update', scope: null },
    id: 'updateLink',
    method: 'PATCH',
    path: '/links/{id}',
    summary: 'Update a payment link',
    description:
      'Requires the version of the record in If-Match: 428 if it is missing, 412 if it is out of date. Existing orders stay unchanged, but removed coins can no longer be chosen for them. The fiat currency and the face cannot be changed.',
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
  apiOperation({
    offer: { name: 'links.deactivate', scope: 'create' },
    id: 'deactivateLink',
    method: 'POST',
    path: '/links/{id}/deactivate',
    summary: 'Deactivate a payment link',
    description: 'Stops the link from creating orders, whatever its version. Open orders can still be paid.',
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
    summary: 'Pair a device with a point of sale',
    description:
      'Returns a URL that pairs the first device that opens it within ten minutes. It replaces an earlier URL.',
    errors: ['NOT_FOUND'],
    params,
    data: pairingSchema,
    examples: {
      data: {
        link: example.id,
        pairing_url: `${example.url}#0f9d3a61c27be84850de1f7a93b6c402`,
        expires_at: accountExample.created_at,
      },
    },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.links.find(actor, id)).link.accountId,
    handler: async ({ actor, params: { id } }, { manage }) => pairingRecord(await manage.links.pair(actor, id)),
  }),
  manageOperation({
    id: 'unpairLinkDevices',
    method: 'POST',
    path: '/links/{id}/unpair',
    summary: 'Unpair all devices of a point of sale',
    description: 'Revokes the access of all devices. Each must be paired again.',
    errors: ['NOT_FOUND'],
    params,
    data: linkSchema,
    examples: { data: { ...example, face: 'POINT_OF_SALE' } },
    owner: async ({ actor, params: { id } }, { manage }) => (await manage.links.find(actor, id)).link.accountId,
    handler: async ({ actor, params: { id } }, { manage }) => linkRecord(await manage.links.unpair(actor, id)),
  }),
];
