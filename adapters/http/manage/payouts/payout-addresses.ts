import { formatInstant } from '../../../../core/index.ts';
import type { RegisteredAddress } from '../../../../core/index.ts';
import { z } from 'zod';
import { code, text } from '../../fields.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, inputOf, ownerField } from '../fields.ts';
import { manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord } from '../reply-fields.ts';

const MAX_ADDRESS = 256;

export const payoutAddressSchema = z
  .object({
    account: id('ID of the account'),
    chain: z.string(),
    address: z.string().meta({ description: 'Address that was registered last' }),
    effective_at: instant('Time at which it takes effect'),
    former_address: z
      .string()
      .nullable()
      .meta({ description: 'Address that is active until then; null if there is none' }),
    in_force: z.string().nullable().meta({
      description: 'Address to which a payout would be paid now; null while the first address is not active yet',
    }),
    updated_at: instant('Time of the last change'),
  })
  .meta({ id: 'PayoutAddress' });

type PayoutAddressRecord = z.input<typeof payoutAddressSchema>;

function payoutAddressRecord({ record, inForce }: RegisteredAddress): PayoutAddressRecord {
  return {
    account: record.accountId,
    chain: record.chain,
    address: record.address,
    effective_at: formatInstant(record.activeFrom),
    former_address: record.formerAddress,
    in_force: inForce,
    updated_at: formatInstant(record.updatedAt),
  };
}

export const payoutAddressExample = {
  account: accountExample.id,
  chain: 'ETH',
  address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  effective_at: '2026-05-05T12:00:00.000Z',
  former_address: null,
  in_force: null,
  updated_at: accountExample.updated_at,
} as const satisfies PayoutAddressRecord;

/** The operations of the addresses that payouts are paid to. */
export const payoutAddressOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'payout_addresses.list', scope: 'read' },
    id: 'listWithdrawalAddresses',
    path: '/payout-addresses',
    summary: 'List payout addresses',
    description:
      'Returns, for each chain, the registered address and the address that is active now, by chain and then by account.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'PayoutAddressList',
    item: payoutAddressSchema,
    example: payoutAddressExample,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.addresses.list(actor, inputOf(query)), payoutAddressRecord),
  }),
  manageOperation({
    id: 'setWithdrawalAddress',
    method: 'POST',
    path: '/payout-addresses',
    status: 201,
    summary: 'Set a payout address',
    description:
      'Registers a payout address. It becomes active after a hold, during which the previous address stays active. Registering the same address again changes nothing. Only admins can register one for another account.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT'],
    body: z.object({
      chain: code('Chain code, such as ETH, BTC or TRX'),
      address: text(MAX_ADDRESS, 'An address on the chain'),
      account: ownerField,
    }),
    data: payoutAddressSchema,
    examples: { body: { chain: 'ETH', address: payoutAddressExample.address }, data: payoutAddressExample },
    handler: async ({ actor, body }, { manage }) =>
      payoutAddressRecord(await manage.addresses.register(actor, inputOf(body))),
  }),
];
