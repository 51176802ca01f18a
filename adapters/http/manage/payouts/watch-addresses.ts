import { formatInstant } from '../../../../core/index.ts';
import type { WatchAddress, WatchAddressId } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../../fields.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, idParams, inputOf, ownerField } from '../fields.ts';
import { manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord } from '../reply-fields.ts';

const MAX_VALUE = 256;

const watchAddressSchema = z
  .object({
    id: id('ID of the record'),
    account: id('ID of the account'),
    chain: z.string(),
    kind: z.enum(['address', 'extended-key']),
    value: z.string(),
    label: z.string(),
    created_at: instant('Time of creation'),
  })
  .meta({ id: 'WatchAddress' });

type WatchAddressRecord = z.input<typeof watchAddressSchema>;

function watchAddressRecord({ id, accountId, chain, kind, value, label, createdAt }: WatchAddress): WatchAddressRecord {
  return { id, account: accountId, chain, kind, value, label, created_at: formatInstant(createdAt) };
}

const watchExample = {
  id: '1530219001148092416',
  account: accountExample.id,
  chain: 'ETH',
  kind: 'address',
  value: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  label: 'Treasury',
  created_at: accountExample.created_at,
} as const satisfies WatchAddressRecord;

/** The operations of watched addresses, the source of the self-custody balances. */
export const watchAddressOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'watch_addresses.list', scope: 'read' },
    id: 'listWatchAddresses',
    path: '/watch-addresses',
    summary: 'List watched addresses',
    description: 'Returns the addresses whose balances `GET /api/contract/balance` returns, newest first.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'WatchAddressList',
    item: watchAddressSchema,
    example: watchExample,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.addresses.watched(actor, inputOf(query)), watchAddressRecord),
  }),
  manageOperation({
    id: 'createWatchAddress',
    method: 'POST',
    path: '/watch-addresses',
    status: 201,
    summary: 'Watch an address',
    description:
      'Registers an address or extended public key of your own to read its balance. It is never spent from. Only admins can register one for another account.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT'],
    body: z.object({
      chain: code('Chain code, such as ETH, BTC or TRX'),
      value: text(MAX_VALUE, 'An address or an extended public key'),
      label: text(255, 'Display name').optional(),
      account: ownerField,
    }),
    data: watchAddressSchema,
    examples: { body: { chain: 'ETH', value: watchExample.value, label: watchExample.label }, data: watchExample },
    handler: async ({ actor, body }, { manage }) =>
      watchAddressRecord(await manage.addresses.watch(actor, inputOf(body))),
  }),
  manageOperation({
    id: 'removeWatchAddress',
    method: 'DELETE',
    path: '/watch-addresses/{id}',
    summary: 'Stop watching an address',
    description: 'Removes a watched address. An address of another account is reported as not found.',
    errors: ['NOT_FOUND'],
    params: idParams<WatchAddressId>('ID of the record'),
    data: z.object({ id: id('ID of the record'), removed: z.literal(true) }).meta({ id: 'RemovedWatchAddress' }),
    handler: async ({ actor, params }, { manage }) => {
      const { id } = await manage.addresses.unwatch(actor, params.id);
      return { id, removed: true as const };
    },
  }),
];
