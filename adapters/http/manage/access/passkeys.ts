import { formatInstant } from '../../../../core/index.ts';
import type { Passkey, PasskeyId } from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { accountExample } from './accounts.ts';
import { accountQuery, idParams } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { creationOptionsSchema, registrationField } from './passkey-fields.ts';
import { id, instant, time } from '../reply-fields.ts';

const passkeySchema = z
  .object({
    id: id('ID of the passkey'),
    account: id('ID of the account'),
    name: z.string(),
    created_at: instant('Time of creation'),
    last_used_at: instant('Time of the last use').nullable(),
  })
  .meta({ id: 'Passkey' });

export const passkeyListSchema = z.object({ items: z.array(passkeySchema).readonly() }).meta({ id: 'PasskeyList' });

type PasskeyRecord = z.input<typeof passkeySchema>;

function passkeyRecord({ id, accountId, name, createdAt, lastUsedAt }: Passkey): PasskeyRecord {
  return {
    id,
    account: accountId,
    name,
    created_at: formatInstant(createdAt),
    last_used_at: time(lastUsedAt),
  };
}

const example = {
  id: '1530219001148092417',
  account: accountExample.id,
  name: 'Laptop',
  created_at: accountExample.created_at,
  last_used_at: null,
} as const satisfies PasskeyRecord;

const name = text(64, 'Display name');

/** The operations of passkeys, which are a second factor. */
export const passkeyOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listPasskeys',
    method: 'GET',
    path: '/security/passkeys',
    summary: 'List passkeys',
    description:
      'Returns the passkeys of an account, oldest first; there are at most ten. Defaults to your own account; admins can name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: passkeyListSchema,
    examples: { data: { items: [example] } },
    handler: async ({ actor, query }, { manage }) => ({
      items: (await manage.passkeys.list(actor, query.account)).map(passkeyRecord),
    }),
  }),
  manageOperation({
    id: 'passkeyToAdd',
    method: 'POST',
    path: '/security/passkeys/options',
    summary: 'Start adding a passkey',
    description:
      'Returns the options for `startRegistration({ optionsJSON })` of @simplewebauthn/browser. They are valid once, in this session, for five minutes. Requires a step-up.',
    errors: ['STATE_CONFLICT'],
    data: creationOptionsSchema,
    handler: ({ session }, { manage }) => manage.passkeys.options(session),
  }),
  manageOperation({
    id: 'addPasskey',
    method: 'POST',
    path: '/security/passkeys',
    status: 201,
    summary: 'Add a passkey',
    description:
      'Adds a passkey from the result of `startRegistration`. If it is the first second factor of the account, all other sessions end and an unconfirmed authenticator app is removed. Requires a step-up.',
    errors: ['STATE_CONFLICT'],
    body: z.object({ name, passkey: registrationField }),
    data: passkeySchema,
    examples: { data: example },
    handler: async ({ actor, session, body }, { manage }) =>
      passkeyRecord(await manage.passkeys.add(actor, session, body)),
  }),
  manageOperation({
    id: 'renamePasskey',
    method: 'PATCH',
    path: '/security/passkeys/{id}',
    summary: 'Rename a passkey',
    description: 'Renames one of your passkeys. A passkey of another account is reported as not found.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<PasskeyId>('ID of the passkey'),
    body: z.object({ name }),
    data: passkeySchema,
    examples: { body: { name: example.name }, data: example },
    handler: async ({ actor, params, body }, { manage }) =>
      passkeyRecord(await manage.passkeys.rename(actor, params.id, body.name)),
  }),
  manageOperation({
    id: 'removePasskey',
    method: 'DELETE',
    path: '/security/passkeys/{id}',
    summary: 'Remove a passkey',
    description:
      'Removes a passkey; the last second factor of an account cannot be removed (409). A passkey of another account is reported as not found, unless you are an admin. Requires a step-up.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<PasskeyId>('ID of the passkey'),
    data: z.object({ id: id('ID of the passkey'), removed: z.literal(true) }).meta({ id: 'RemovedPasskey' }),
    handler: async ({ actor, params }, { manage }) => {
      const { id } = await manage.passkeys.remove(actor, params.id);
      return { id, removed: true as const };
    },
  }),
];
