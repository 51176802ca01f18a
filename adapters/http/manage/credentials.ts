import { formatInstant, SCOPES } from '../../../core/index.ts';
import type {
  Credential,
  CredentialId,
  MaskedCredential,
  RevealedCredential,
  RotatedCallbackSecrets,
} from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { accountFilter, accountQuery, idParams, inputOf, instantField, ownerField, words } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant, pageRecord, time } from './reply-fields.ts';

const credentialFields = {
  id: id('The credential'),
  account_id: id('Its account'),
  name: z.string(),
  status: z.enum(['active', 'revoked']),
  scopes: z.array(z.enum(SCOPES)).readonly().meta({ description: 'read, create orders, move money' }),
  expires_at: instant('When it ends').nullable(),
  created_at: instant('Creation'),
  revoked_at: instant('When it was revoked').nullable(),
  api_key: z.string(),
  api_token: z.string(),
};

/** A credential whose key and token are masked. */
export const credentialSchema = z.object(credentialFields).meta({ id: 'CredentialItem' });

const revealedSchema = z
  .object({
    ...credentialFields,
    signing_secret: z.string(),
    callback_key: z.string(),
    callback_token: z.string(),
    callback_secret: z.string(),
  })
  .meta({ id: 'RevealedCredential' });

/** An admin who makes a credential for another account gets it masked: its owner reveals it. */
export const createdSchema = revealedSchema
  .partial({ signing_secret: true, callback_key: true, callback_token: true, callback_secret: true })
  .meta({ id: 'CreatedCredential' });

export const callbackSecretsSchema = z
  .object({
    account_id: id('The account'),
    callback_key: z.string().optional(),
    callback_token: z.string().optional(),
    callback_secret: z.string().optional(),
    former_until: instant('Until when the former ones sign too'),
  })
  .meta({ id: 'CallbackSecrets' });

type CredentialRecord = z.input<typeof credentialSchema>;

function recordOf(credential: Credential, apiKey: string, apiToken: string): CredentialRecord {
  return {
    id: credential.id,
    account_id: credential.accountId,
    name: credential.name,
    status: credential.status,
    scopes: credential.scopes,
    expires_at: time(credential.expiresAt),
    created_at: formatInstant(credential.createdAt),
    revoked_at: time(credential.revokedAt),
    api_key: apiKey,
    api_token: apiToken,
  };
}

function maskedRecord({ credential, apiKey, apiToken }: MaskedCredential): CredentialRecord {
  return recordOf(credential, apiKey, apiToken);
}

function revealedRecord(revealed: RevealedCredential): z.input<typeof revealedSchema> {
  return {
    ...recordOf(revealed.credential, revealed.apiKey, revealed.apiToken),
    signing_secret: revealed.signingSecret,
    callback_key: revealed.callbackKey,
    callback_token: revealed.callbackToken,
    callback_secret: revealed.callbackSecret,
  };
}

function callbackSecretsRecord({
  accountId,
  formerUntil,
  secrets,
}: RotatedCallbackSecrets): z.input<typeof callbackSecretsSchema> {
  return {
    account_id: accountId,
    ...(secrets === null
      ? {}
      : {
          callback_key: secrets.callbackKey,
          callback_token: secrets.callbackToken,
          callback_secret: secrets.callbackSecret,
        }),
    former_until: formatInstant(formerUntil),
  };
}

const params = idParams<CredentialId>('The credential');

/** API keys and signing tokens of the payment API. */
export const credentialOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listCredentials',
    path: '/credentials',
    summary: 'Credentials of the payment API',
    description: 'Newest first; keys and tokens are masked.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'CredentialList',
    item: credentialSchema,
    handler: async ({ actor, query: { account_id: accountId, ...page } }, { manage }) =>
      pageRecord(await manage.credentials.list(actor, accountId, page), maskedRecord),
  }),
  manageOperation({
    id: 'createCredential',
    method: 'POST',
    path: '/credentials',
    status: 201,
    summary: 'Make a credential',
    description:
      'An API key and a signing pair, with the secrets of callbacks. Only an admin names another account, and gets no secrets of it: its owner reveals the credential.',
    bodyOptional: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    body: z.object({
      account_id: ownerField,
      name: text(255, 'Shown name').optional(),
      scopes: words(SCOPES, 'What it may do: read, create orders, move money; everything by default').optional(),
      expires_at: instantField('When it ends; never by default').optional(),
    }),
    data: createdSchema,
    handler: async ({ actor, body }, { manage }) => {
      const made = await manage.credentials.create(actor, inputOf(body));
      return 'signingSecret' in made ? revealedRecord(made) : maskedRecord(made);
    },
  }),
  manageOperation({
    id: 'revealCredential',
    method: 'POST',
    path: '/credentials/{id}/reveal',
    summary: 'Show a credential',
    description: 'In the clear, to its owner only; the audit trail records that it was shown.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: revealedSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      revealedRecord(await manage.credentials.reveal(actor, id)),
  }),
  manageOperation({
    id: 'revokeCredential',
    method: 'POST',
    path: '/credentials/{id}/revoke',
    summary: 'Revoke a credential',
    description: 'At once and for good. Again is no error.',
    errors: ['NOT_FOUND'],
    params,
    data: credentialSchema,
    owner: ({ actor, params: { id } }, { manage }) => manage.credentials.ownerOf(actor, id),
    handler: async ({ actor, params: { id } }, { manage }) => maskedRecord(await manage.credentials.revoke(actor, id)),
  }),
  manageOperation({
    id: 'rotateCallbackSecrets',
    method: 'POST',
    path: '/credentials/callback/rotate',
    summary: 'Make new callback secrets',
    description:
      'Key, token and secret of the callbacks of an account. For 24 hours callbacks are signed with the former secret as well. An admin does not get those of another account.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    data: callbackSecretsSchema,
    handler: async ({ actor, query }, { manage }) =>
      callbackSecretsRecord(await manage.credentials.rotateCallbackSecrets(actor, query.account_id)),
  }),
];
