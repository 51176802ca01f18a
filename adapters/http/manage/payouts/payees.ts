import { formatInstant, MAX_PAYEE_LABEL } from '../../../../core/index.ts';
import type { Payee, PayeeId } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../../fields.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, idParams, inputOf, ownerField } from '../fields.ts';
import { apiOperation, manageList } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord } from '../reply-fields.ts';
import { payoutAddressExample } from './payout-addresses.ts';

const MAX_ADDRESS = 256;

export const payeeSchema = z
  .object({
    id: id('ID of the payee'),
    account: id('ID of the account'),
    chain: z.string(),
    address: z.string(),
    label: z.string(),
    effective_at: instant('Time from which it counts as listed'),
    created_at: instant('Time of creation'),
  })
  .meta({ id: 'Payee' });

export function payeeRecord(payee: Payee): z.input<typeof payeeSchema> {
  return {
    id: payee.id,
    account: payee.accountId,
    chain: payee.chain,
    address: payee.address,
    label: payee.label,
    effective_at: formatInstant(payee.activeFrom),
    created_at: formatInstant(payee.createdAt),
  };
}

const example = {
  id: '1530219844911046750',
  account: accountExample.id,
  chain: 'ETH',
  address: payoutAddressExample.address,
  label: 'Bookkeeping',
  effective_at: payoutAddressExample.effective_at,
  created_at: accountExample.created_at,
} as const satisfies z.input<typeof payeeSchema>;

/** The operations of the receivers that an account lists. */
export const payeeOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'payees.list', scope: 'read' },
    id: 'listPayees',
    path: '/payees',
    summary: 'List payees',
    description:
      'Returns the addresses that the account lists, newest first. The owner of the account may approve a payout batch whose rows all go to listed addresses.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'PayeeList',
    item: payeeSchema,
    example,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.payees.list(actor, inputOf(query)), payeeRecord),
  }),
  apiOperation({
    offer: { name: 'payees.create', scope: null },
    id: 'createPayee',
    method: 'POST',
    path: '/payees',
    status: 201,
    summary: 'Create a payee',
    description:
      'Lists an address, which counts after the hold of a payout address. Only admins can list one for another account.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT', 'DESTINATION_UNPAYABLE'],
    body: z.object({
      chain: code('Chain code, such as ETH, BTC or TRX'),
      address: text(MAX_ADDRESS, 'An address on the chain'),
      label: text(MAX_PAYEE_LABEL, 'Name of the receiver').optional(),
      account: ownerField,
    }),
    data: payeeSchema,
    examples: { body: { chain: 'ETH', address: example.address, label: example.label }, data: example },
    handler: async ({ actor, body }, { manage }) => payeeRecord(await manage.payees.create(actor, inputOf(body))),
  }),
  apiOperation({
    offer: { name: 'payees.remove', scope: null },
    id: 'removePayee',
    method: 'DELETE',
    path: '/payees/{id}',
    summary: 'Remove a payee',
    description:
      'Removes an address from the list. Payouts to it that were approved because it was listed, and are not signed yet, are held.',
    errors: ['NOT_FOUND'],
    params: idParams<PayeeId>('ID of the payee'),
    data: payeeSchema,
    examples: { data: example },
    handler: async ({ actor, params: { id } }, { manage }) => payeeRecord(await manage.payees.remove(actor, id)),
  }),
];
