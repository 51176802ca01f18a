import type { AccountId, CredentialId } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import type { Operation } from '../operation.ts';
import type { ManageDeps } from './deps.ts';
import { accountPageQuery, accountQuery, given, idParams, recordId, word, yesNo } from './fields.ts';
import type { ManageRow } from './operation.ts';
import { callbackSecretsSchema, credentialSchema, listOf, manageListSchema, revealedCredentialSchema, securitySchema, totpSchema } from './records.ts';
import { callbackSecretsRecord, credentialRecord, revealedRecord, securityRecord } from './write-records.ts';

const code = text(16, 'A code of the second factor');

/** API keys and signing tokens of the payment API. */
export function credentialOperations({ settings, manage: { credentials } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const list = row({
    id: 'listCredentials',
    method: 'GET',
    path: '/credentials',
    summary: 'Credentials of the payment API',
    description: 'Newest first; keys and tokens are masked.',
    errors: ['NOT_FOUND'],
    query: accountPageQuery(settings.pageMax),
    data: manageListSchema('CredentialList', credentialSchema),
    handler: async ({ actor, query: { account_id, ...page } }) =>
      listOf(await credentials.list(actor, account_id as AccountId | undefined, page), credentialRecord),
  });
  const create = row({
    id: 'createCredential',
    method: 'POST',
    path: '/credentials',
    status: 201,
    summary: 'Make a credential',
    description: 'An API key and a signing pair, with the secrets of callbacks. Only an admin names another account.',
    bodyOptional: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    body: z.object({ account_id: recordId('The account; your own unless told').optional(), name: text(255, 'Shown name').optional() }),
    data: revealedCredentialSchema,
    handler: async ({ actor, body: { account_id: accountId, name } }) =>
      revealedRecord(await credentials.create(actor, given({ accountId: accountId as AccountId | undefined, name }))),
  });
  const reveal = row({
    id: 'revealCredential',
    method: 'POST',
    path: '/credentials/{id}/reveal',
    summary: 'Show a credential',
    description: 'In the clear; that it was shown stands in the audit trail.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams('The credential'),
    data: revealedCredentialSchema,
    handler: async ({ actor, params }) => revealedRecord(await credentials.reveal(actor, params.id as CredentialId)),
  });
  const revoke = row({
    id: 'revokeCredential',
    method: 'POST',
    path: '/credentials/{id}/revoke',
    summary: 'Revoke a credential',
    description: 'At once and for good. Again is no error.',
    errors: ['NOT_FOUND'],
    params: idParams('The credential'),
    data: credentialSchema,
    handler: async ({ actor, params }) => credentialRecord(await credentials.revoke(actor, params.id as CredentialId)),
  });
  const rotate = row({
    id: 'rotateCallbackSecrets',
    method: 'POST',
    path: '/credentials/callback/rotate',
    summary: 'Make new callback secrets',
    description: 'Key, token and secret of the callbacks of an account. For 24 hours callbacks are signed with the former secret as well.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    data: callbackSecretsSchema,
    handler: async ({ actor, query: { account_id: accountId } }) => callbackSecretsRecord(await credentials.rotateCallbackSecrets(actor, accountId as AccountId | undefined)),
  });
  return [list, create, reveal, revoke, rotate];
}

/** Data Security and the second factor. */
export function securityOperations({ manage: { security } }: ManageDeps, row: ManageRow): readonly Operation[] {
  const account = ({ account_id: id }: { readonly account_id?: string | undefined }) => id as AccountId | undefined;
  const shared = { query: accountQuery, errors: ['NOT_FOUND'] } as const;
  const find = row({
    ...shared,
    id: 'getSecurity',
    method: 'GET',
    path: '/security',
    summary: 'What an account demands',
    description: 'Your own account; an admin may name another.',
    data: securitySchema,
    handler: async ({ actor, query }) => securityRecord(await security.find(actor, account(query))),
  });
  const update = row({
    ...shared,
    id: 'updateSecurity',
    method: 'PATCH',
    path: '/security',
    summary: 'Change what an account demands',
    description: 'Holds from the next request on. Codes can be demanded once a second factor is enrolled.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    body: z.object({
      data_security: yesNo('Every request of the payment API must be signed').optional(),
      totp_for_withdrawals: yesNo('Every withdrawal wants a code').optional(),
      callback_api_key: word(['order', 'callback'], 'Which key goes along with callbacks').optional(),
    }),
    data: securitySchema,
    examples: { body: { data_security: true } },
    handler: async ({ actor, query, body }) => {
      const { data_security: dataSecurity, totp_for_withdrawals: totpForWithdrawals, callback_api_key: callbackApiKey } = body;
      return securityRecord(await security.update(actor, account(query), given({ dataSecurity, totpForWithdrawals, callbackApiKey })));
    },
  });
  const enrol = row({
    ...shared,
    id: 'enrolTotp',
    method: 'POST',
    path: '/security/totp',
    summary: 'Enrol a second factor',
    description: 'Tells a new secret, once. Its first right code confirms it; from then on codes are demanded at logins. A confirmed one is replaced with a code of its own.',
    bodyOptional: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'VERIFY_CODE_INVALID'],
    body: z.object({ verify_code: code.optional() }),
    data: totpSchema,
    handler: async ({ actor, query, body }) => security.enrol(actor, account(query), body.verify_code ?? null),
  });
  const confirm = row({
    ...shared,
    id: 'confirmTotp',
    method: 'POST',
    path: '/security/totp/confirm',
    summary: 'Confirm a second factor',
    description: 'With a code of it.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'VERIFY_CODE_INVALID'],
    body: z.object({ verify_code: code }),
    data: securitySchema,
    examples: { body: { verify_code: '123456' } },
    handler: async ({ actor, query, body }) => securityRecord(await security.confirm(actor, account(query), body.verify_code)),
  });
  return [find, update, enrol, confirm];
}
