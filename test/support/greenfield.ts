import assert from 'node:assert/strict';
import { scopesOf } from '../../adapters/http/greenfield/permissions.ts';
import type { HttpClient, Reply } from './http.ts';
import type { TestMerchant, TestTill } from './till.ts';

/** What the plugins of most shop systems ask for. */
export const SHOP_PERMISSIONS = [
  'btcpay.store.canviewinvoices',
  'btcpay.store.cancreateinvoice',
  'btcpay.store.canviewstoresettings',
  'btcpay.store.canmodifyinvoices',
  'btcpay.store.webhooks.canmodifywebhooks',
] as const;

/** An account as a shop plugin sees it. */
export interface TestShop {
  readonly id: string;
  readonly apiKey: string;
  /** Sends its key as plugins do. */
  readonly client: HttpClient;
  readonly merchant: TestMerchant;
  /** The path of its store. */
  readonly path: string;
}

/** A merchant's shop with a key that has these permissions. */
export async function connectShop(
  till: TestTill,
  permissions: readonly string[] = SHOP_PERMISSIONS,
  merchant?: TestMerchant,
): Promise<TestShop> {
  const owner = merchant ?? (await till.newMerchant());
  const { id } = owner.account;
  const { apiKey } = await till.accounts.createCredential.run(id, 'shop', {
    permissions,
    scopes: scopesOf(permissions),
  });
  const client = till.client.with({ Authorization: `token ${apiKey}` });
  return { id, apiKey, client, merchant: owner, path: `/api/v1/stores/${id}` };
}

export type Record_ = Readonly<Record<string, unknown>>;

/** The body of a success, which is exactly 200. */
export function successOf<T = Record_>(reply: Reply): T {
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text) as T;
}

/** The paths of the fields that a reply refuses. */
export function refusedFields(reply: Reply): readonly string[] {
  assert.equal(reply.status, 422, reply.text);
  return (JSON.parse(reply.text) as { readonly path: string }[]).map(({ path }) => path);
}

/** Fails the test unless the reply is this error. */
export function refusedAs(
  reply: Reply,
  status: number,
  code: string,
): { readonly message: string; readonly missingPermission?: string } {
  const body = JSON.parse(reply.text) as { readonly code: string; readonly message: string };
  assert.deepEqual([reply.status, body.code], [status, code], reply.text);
  return body;
}
