import { present, TillgateError } from '../../../core/index.ts';
import type { Credential } from '../../../core/index.ts';
import { z } from 'zod';
import { header } from '../messages.ts';
import type { GreenfieldDeps } from './deps.ts';
import { greenfieldOperation } from './operation.ts';
import type { GreenfieldCall, GreenfieldOperation } from './operation.ts';
import { namedPermissions, permissionsOf } from './permissions.ts';

const keySchema = z
  .object({
    apiKey: z.string().meta({ description: 'The key of the request itself' }),
    label: z.string(),
    permissions: z
      .array(z.string())
      .readonly()
      .meta({ description: 'Exactly what it was granted, each with its store' }),
  })
  .meta({ id: 'GreenfieldKey' });

type AnyCall = GreenfieldCall<unknown, unknown, unknown>;

/** The credential of the request. @throws TillgateError `CREDENTIAL_INVALID` for an access token of a login */
async function credentialOf({ principal }: AnyCall, { storage }: GreenfieldDeps): Promise<Credential> {
  const { credentialId } = principal;
  if (credentialId === null)
    throw new TillgateError('CREDENTIAL_INVALID', 'An access token of a login is no key of a store.');
  return present(await storage.accounts.findCredential(credentialId), `credential ${credentialId}`);
}

async function keyRecord(call: AnyCall, deps: GreenfieldDeps): Promise<z.input<typeof keySchema>> {
  const { name } = await credentialOf(call, deps);
  const sent = /^token +(\S+)/i.exec(header(call.request.headers, 'authorization') ?? '')?.[1] ?? '';
  const permissions = namedPermissions(permissionsOf(call.principal), call.accountId);
  return { apiKey: sent, label: name, permissions };
}

/** The operations of the key with which a request is made. */
export const keyOperations: readonly GreenfieldOperation[] = [
  greenfieldOperation({
    id: 'getCurrentKey',
    method: 'GET',
    paths: ['/api-keys/current'],
    permission: null,
    summary: 'Retrieve the key of the request',
    description:
      'Returns the permissions of the key. A key without permissions of its own has those that its scopes imply.',
    data: keySchema,
    handler: keyRecord,
  }),
  greenfieldOperation({
    id: 'revokeCurrentKey',
    method: 'DELETE',
    paths: ['/api-keys/current'],
    permission: null,
    summary: 'Revoke the key of the request',
    description: 'Revokes the key at once and permanently.',
    data: keySchema,
    handler: async (call, deps) => {
      const record = await keyRecord(call, deps);
      await deps.manage.credentials.revoke(call.actor, (await credentialOf(call, deps)).id);
      return record;
    },
  }),
];
