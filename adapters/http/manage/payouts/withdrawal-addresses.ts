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

export const withdrawalAddressSchema = z
  .object({
    account_id: id('ID of the account'),
    chain: z.string(),
    address: z.string().meta({ description: 'Address that was registered last' }),
    active_from: instant('Time at which it becomes active'),
    former_address: z
      .string()
      .nullable()
      .meta({ description: 'Address that is active until then; null if there is none' }),
    in_force: z.string().nullable().meta({
      description: 'Address to which a withdrawal would be paid now; null while the first address is not active yet',
    }),
    modified_at: instant('Time of the last change'),
  })
  .meta({ id: 'WithdrawalAddress' });

type WithdrawalAddressRecord = z.input<typeof withdrawalAddressSchema>;

function withdrawalAddressRecord({ record, inForce }: RegisteredAddress): WithdrawalAddressRecord {
  return {
    account_id: record.accountId,
    chain: record.chain,
    address: record.address,
    active_from: formatInstant(record.activeFrom),
    former_address: record.formerAddress,
    in_force: inForce,
    modified_at: formatInstant(record.updatedAt),
  };
}

export const withdrawalAddressExample = {
  account_id: accountExample.id,
  chain: 'ETH',
  address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  active_from: '2026-05-05T12:00:00.000Z',
  former_address: null,
  in_force: null,
  modified_at: accountExample.modified_at,
} as const satisfies WithdrawalAddressRecord;

/** The operations of the addresses that withdrawals are paid to. */
export const withdrawalAddressOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listWithdrawalAddresses',
    path: '/withdrawal-addresses',
    summary: 'List withdrawal addresses',
    description: 'Returns, for each chain, the registered address and the address that is active now.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'WithdrawalAddressList',
    item: withdrawalAddressSchema,
    example: withdrawalAddressExample,
    handler: async ({ actor, query: { account_id: accountId, ...page } }, { manage }) =>
      pageRecord(await manage.addresses.list(actor, accountId, page), withdrawalAddressRecord),
  }),
  manageOperation({
    id: 'setWithdrawalAddress',
    method: 'POST',
    path: '/withdrawal-addresses',
    status: 201,
    summary: 'Set a withdrawal address',
    description:
      'Registers a withdrawal address. It becomes active after a hold, during which the previous address stays active. Registering the same address again changes nothing. Only admins can register one for another account.',
    errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT'],
    body: z.object({
      chain: code('Chain code, such as ETH, BTC or TRX'),
      address: text(MAX_ADDRESS, 'An address on the chain'),
      account_id: ownerField,
    }),
    data: withdrawalAddressSchema,
    examples: { body: { chain: 'ETH', address: withdrawalAddressExample.address }, data: withdrawalAddressExample },
    handler: async ({ actor, body }, { manage }) =>
      withdrawalAddressRecord(await manage.addresses.register(actor, inputOf(body))),
  }),
];
