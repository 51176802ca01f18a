import { formatInstant, SCOPES } from '../../../../core/index.ts';
import type {
  Credential,
  CredentialId,
  MaskedCredential,
  RevealedCredential,
  RotatedCallbackSecrets,
} from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { PERMISSIONS } from '../../greenfield/permission-table.ts';
import type { Permission } from '../../greenfield/permission-table.ts';
import { scopesOf } from '../../greenfield/permissions.ts';
import { InvalidRequest } from '../../invalid-request.ts';
import { accountFilter, accountQuery, idParams, inputOf, instantField, ownerField, words } from '../fields.ts';
import { manageList, apiOperation, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord, time } from '../reply-fields.ts';

const credentialFields = {
  id: id('ID of the credential'),
  account: id('ID of the account'),
  name: z.string(),
  status: z.enum(['active', 'revoked']),
  scopes: z.array(z.enum(SCOPES)).readonly().meta({ description: 'Permissions: read, create orders, move money' }),
  permissions: z.array(z.string()).readonly().nullable().meta({
    description: "Permissions of a shop plugin's key, by the names that plugins know; null for any other key",
  }),
  expires_at: instant('Time of expiry').nullable(),
  created_at: instant('Time of creation'),
  revoked_at: instant('Time of revocation').nullable(),
  api_key: z.string(),
  api_token: z.string(),
};

/** A credential whose key and token are masked. */
export const credentialSchema = z.object(credentialFields).meta({ id: 'Credential' });

const revealedSchema = z
  .object({
    ...credentialFields,
    signing_secret: z.string(),
    callback_key: z.string(),
    callback_token: z.string(),
    callback_secret: z.string(),
  })
  .meta({ id: 'RevealedCredential' });

/** An admin who creates a credential for another account gets it masked; its owner can reveal it. */
export const createdSchema = revealedSchema
  .partial({ signing_secret: true, callback_key: true, callback_token: true, callback_secret: true })
  .meta({ id: 'CreatedCredential' });

export const callbackSecretsSchema = z
  .object({
    account: id('ID of the account'),
    callback_key: z.string().optional(),
    callback_token: z.string().optional(),
    callback_secret: z.string().optional(),
    previous_secret_expires_at: instant('Time until which callbacks are also signed with the previous secret'),
  })
  .meta({ id: 'CallbackSecrets' });

type CredentialRecord = z.input<typeof credentialSchema>;

function recordOf(credential: Credential, apiKey: string, apiToken: string): CredentialRecord {
  return {
    id: credential.id,
    account: credential.accountId,
    name: credential.name,
    status: credential.status,
    scopes: credential.scopes,
    permissions: credential.permissions,
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
    account: accountId,
    ...(secrets === null
      ? {}
      : {
          callback_key: secrets.callbackKey,
          callback_token: secrets.callbackToken,
          callback_secret: secrets.callbackSecret,
        }),
    previous_secret_expires_at: formatInstant(formerUntil),
  };
}

const PERMISSION_NAMES = Object.keys(PERMISSIONS) as [Permission, ...Permission[]];

/** The scopes that follow from the permissions of a shop plugin's key. @throws InvalidRequest where both are given */
function granted({
  scopes,
  permissions,
}: {
  readonly scopes?: unknown;
  readonly permissions?: readonly string[] | undefined;
}) {
  if (permissions === undefined) return {};
  if (scopes !== undefined)
    throw new InvalidRequest([{ path: 'scopes', message: 'follow from the permissions; leave them out' }]);
  return { scopes: scopesOf(permissions) };
}

const params = idParams<CredentialId>('ID of the credential');

/** The operations of the payment API's credentials: API keys and signing tokens. */
export const credentialOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'credentials.list', scope: null },
    id: 'listCredentials',
    path: '/credentials',
    summary: 'List credentials',
    description: 'Returns the credentials of the payment API, newest first. Keys and tokens are masked.',
    errors: ['NOT_FOUND'],
    filter: accountFilter,
    name: 'CredentialList',
    item: credentialSchema,
    handler: async ({ actor, query }, { manage }) =>
      pageRecord(await manage.credentials.list(actor, inputOf(query)), maskedRecord),
  }),
  apiOperation({
    offer: { name: 'credentials.create', scope: null },
    id: 'createCredential',
    method: 'POST',
    path: '/credentials',
    status: 201,
    summary: 'Create a credential',
    description:
      'Creates an API key and a signing pair, and returns them with the callback secrets. Only admins can create one for another account; they receive no secrets, which the owner of the account can reveal.',
    bodyOptional: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    body: z.object({
      account: ownerField,
      name: text(255, 'Display name').optional(),
      scopes: words(SCOPES, 'Permissions: read, create orders, move money; defaults to all').optional(),
      permissions: words(
        PERMISSION_NAMES,
        "Permissions of a shop plugin's key, in place of `scopes`, which follow from them",
      ).optional(),
      expires_at: instantField('Time of expiry; defaults to never').optional(),
    }),
    data: createdSchema,
    handler: async ({ actor, body }, { manage }) => {
      const made = await manage.credentials.create(actor, { ...inputOf(body), ...granted(body) });
      return 'signingSecret' in made ? revealedRecord(made) : maskedRecord(made);
    },
  }),
  manageOperation({
    id: 'revealCredential',
    method: 'POST',
    path: '/credentials/{id}/reveal',
    summary: 'Reveal a credential',
    description: 'Returns the credential in plain text, to its owner only. The audit log records it.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    data: revealedSchema,
    handler: async ({ actor, params: { id } }, { manage }) =>
      revealedRecord(await manage.credentials.reveal(actor, id)),
  }),
  apiOperation({
    offer: { name: 'credentials.revoke', scope: null },
    id: 'revokeCredential',
    method: 'POST',
    path: '/credentials/{id}/revoke',
    summary: 'Revoke a credential',
    description: 'Revokes a credential at once and permanently. Revoking a revoked credential changes nothing.',
    errors: ['NOT_FOUND'],
    params,
    data: credentialSchema,
    owner: ({ actor, params: { id } }, { manage }) => manage.credentials.ownerOf(actor, id),
    handler: async ({ actor, params: { id } }, { manage }) => maskedRecord(await manage.credentials.revoke(actor, id)),
  }),
  apiOperation({
    offer: { name: 'credentials.rotate_callback_secrets', scope: null },
    id: 'rotateCallbackSecrets',
    method: 'POST',
    path: '/credentials/callback/rotate',
    summary: 'Rotate the callback secrets',
    description:
      'Creates a new key, token and secret for the callbacks of an account. For 24 hours callbacks are also signed with the previous secret. Admins do not receive the secrets of other accounts.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    data: callbackSecretsSchema,
    handler: async ({ actor, query }, { manage }) =>
      callbackSecretsRecord(await manage.credentials.rotateCallbackSecrets(actor, query.account)),
  }),
];
