import { formatInstant } from '../../../core/index.ts';
import type { Passkey, PasskeyId } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { accountExample } from './accounts.ts';
import { accountQuery, idParams } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { creationOptionsSchema, registrationField } from './passkey-fields.ts';
import { id, instant, time } from './reply-fields.ts';

const passkeySchema = z
  .object({
    id: id('The record'),
    account_id: id('Its account'),
    name: z.string(),
    created_at: instant('When it was added'),
    last_used_at: instant('When it was used last').nullable(),
  })
  .meta({ id: 'Passkey' });

export const passkeyListSchema = z.object({ items: z.array(passkeySchema).readonly() }).meta({ id: 'PasskeyList' });

type PasskeyRecord = z.input<typeof passkeySchema>;

function passkeyRecord({ id, accountId, name, createdAt, lastUsedAt }: Passkey): PasskeyRecord {
  return {
    id,
    account_id: accountId,
    name,
    created_at: formatInstant(createdAt),
    last_used_at: time(lastUsedAt),
  };
}

const example = {
  id: '1530219001148092417',
  account_id: accountExample.id,
  name: 'Laptop',
  created_at: accountExample.created_at,
  last_used_at: null,
} as const satisfies PasskeyRecord;

const name = text(64, 'Your name for it');

/** Passkeys as a second factor. */
export const passkeyOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'listPasskeys',
    method: 'GET',
    path: '/security/passkeys',
    summary: 'The passkeys of an account',
    description: 'Your own account, oldest first, at most ten; an admin may name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: passkeyListSchema,
    examples: { data: { items: [example] } },
    handler: async ({ actor, query }, { manage }) => ({
      items: (await manage.passkeys.list(actor, query.account_id)).map(passkeyRecord),
    }),
  }),
  manageOperation({
    id: 'passkeyToAdd',
    method: 'POST',
    path: '/security/passkeys/options',
    summary: 'Begin to add a passkey',
    description:
      'In a raised session. Returns what `startRegistration` of @simplewebauthn/browser takes as `optionsJSON`; it is answered once, in this session, within five minutes.',
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
      'In a raised session, with what `startRegistration` returned. The first second factor of an account ends its other sessions, and a code generator that was never confirmed is forgotten.',
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
    summary: 'Name one of your passkeys',
    description: "Another account's is answered as an unknown one.",
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<PasskeyId>('The passkey'),
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
      "In a raised session. The last second factor of an account stays (409). Another account's is answered as an unknown one, unless you are an admin.",
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<PasskeyId>('The passkey'),
    data: z.object({ id: id('The passkey'), removed: z.literal(true) }).meta({ id: 'RemovedPasskey' }),
    handler: async ({ actor, params }, { manage }) => {
      const { id } = await manage.passkeys.remove(actor, params.id);
      return { id, removed: true as const };
    },
  }),
];
