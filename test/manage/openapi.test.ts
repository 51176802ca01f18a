import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { assertExamplesFit } from '../support/openapi.ts';
import { createOperations, manageOperations, openApiDocument } from '../../adapters/http/index.ts';
import type { ManageDeps } from '../../adapters/http/index.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

const settings = {
  serviceName: 'service',
  sandbox: true,
  pageMax: 100,
  requestsPerMinute: 1,
  payerWritesPerMinute: 10_000,
  loginsPerMinute: 1,
  trustedHops: 0,
  allowPrivateNetworks: false,
};

/** Without a session: the login, and what begins it. */
const LOGINS = ['/manage/v1/session', '/manage/v1/session/passkey'];

describe('the management API in the OpenAPI document', () => {
  // Only described here, never called.
  const deps = {
    settings: { secureCookies: true, allowPrivateNetworks: false },
    manage: {},
    assets: {},
  } as unknown as ManageDeps;
  const table = createOperations(settings, manageOperations(deps));
  const document = JSON.parse(JSON.stringify(openApiDocument(table))) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    readonly webhooks: Readonly<Record<string, Readonly<Record<string, { readonly security?: unknown }>>>>;
    readonly components: {
      readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>>;
      readonly securitySchemes: object;
    };
  };
  const rows = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/manage/v1/'))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, row]) => ({ path, method, row })));

  test('bodies and headers that the server refuses are refused by the document too', () => {
    const order = rows.find(({ path, method }) => path === '/manage/v1/orders' && method === 'post')?.row;
    const gateway = rows.find(({ path, method }) => path === '/manage/v1/gateways' && method === 'post')?.row;
    const accepts = (row: unknown, name: string, value: unknown): boolean => {
      const { requestBody } = row as {
        readonly requestBody: {
          readonly content: Record<string, { readonly schema: { readonly properties: Record<string, object> } }>;
        };
      };
      const property = requestBody.content['application/json']?.schema.properties[name];
      assert(property !== undefined, name);
      return new Ajv2020({ strict: false, validateFormats: false }).validate(property, value);
    };
    for (const price of ['25', '0.5']) assert.ok(accepts(order, 'price', price), price);
    for (const price of [25, 0.5, 0, -1, '0', '0.00', '-1', '1e3', ' 1', ''])
      assert.ok(!accepts(order, 'price', price), String(price));
    assert.ok(accepts(order, 'chain', 'ETH'));
    assert.ok(!accepts(order, 'chain', 'E\u0000TH'));
    assert.ok(accepts(gateway, 'max_batch', 1));
    assert.ok(!accepts(gateway, 'max_batch', 0));
    const versioned = rows.flatMap(({ row }) =>
      (
        (row as { readonly parameters?: readonly { readonly name: string; readonly required?: boolean }[] })
          .parameters ?? []
      ).filter(({ name }) => name === 'If-Match'),
    );
    assert.ok(versioned.length >= 3);
    assert.ok(versioned.every(({ required }) => required === true));
  });

  test('a whole number that may be missing is documented as one that can be null', () => {
    const { UpstreamHealth } = document.components.schemas as Readonly<
      Record<string, { readonly properties?: Readonly<Record<string, object>> }>
    >;
    const accepts = (value: unknown): boolean =>
      new Ajv2020({ strict: false }).validate(UpstreamHealth?.properties?.['head'] ?? false, value);
    assert.deepEqual([null, 5, 0.5, -1, '5'].map(accepts), [true, true, false, false, false]);
  });

  test('has every operation', () => {
    const found = rows.map(({ path, method }) => `${method.toUpperCase()} ${path.slice('/manage/v1/'.length)}`).sort();
    assert.deepEqual(
      found,
      [
        'POST session',
        'GET session',
        'POST session/step-up',
        'POST session/passkey',
        'POST session/step-up/passkey',
        'GET security/passkeys',
        'POST security/passkeys',
        'POST security/passkeys/options',
        'PATCH security/passkeys/{id}',
        'DELETE security/passkeys/{id}',
        'GET service',
        'GET sessions',
        'DELETE sessions',
        'DELETE sessions/{id}',
        'POST password',
        'DELETE session',
        'GET accounts',
        'POST accounts',
        'GET accounts/{id}',
        'PATCH accounts/{id}',
        'POST accounts/archive',
        'GET apps',
        'POST apps',
        'GET apps/{id}',
        'PATCH apps/{id}',
        'GET apps/{id}/admission',
        'GET apps/{id}/usage',
        'GET apps/{id}/prepaid',
        'POST apps/{id}/top-up',
        'GET apps/{id}/keys',
        'POST apps/{id}/keys',
        'POST apps/{id}/keys/rotate',
        'PATCH apps/{id}/keys/{key}',
        'POST apps/{id}/keys/{key}/reveal',
        'POST apps/{id}/keys/{key}/revoke',
        'GET gateways',
        'POST gateways',
        'GET gateways/{id}',
        'PATCH gateways/{id}',
        'POST gateways/{id}/upstreams/{upstream}/cordon',
        'POST gateways/{id}/upstreams/{upstream}/uncordon',
        'GET credentials',
        'POST credentials',
        'POST credentials/{id}/reveal',
        'POST credentials/{id}/revoke',
        'POST credentials/callback/rotate',
        'GET security',
        'PATCH security',
        'DELETE security/pending/{field}',
        'POST security/totp',
        'POST security/totp/confirm',
        'GET notifications',
        'PATCH notifications',
        'GET notices',
        'GET branding',
        'PATCH branding',
        'GET alerts',
        'POST alerts/{id}/acknowledge',
        'GET webhooks',
        'POST webhooks',
        'GET webhooks/{id}',
        'PATCH webhooks/{id}',
        'DELETE webhooks/{id}',
        'POST webhooks/{id}/rotate',
        'POST webhooks/{id}/test',
        'GET lightning/node',
        'POST lightning/node/confirm',
        'POST lightning/node/dismiss',
        'GET links',
        'POST links',
        'GET links/{id}',
        'PATCH links/{id}',
        'POST links/{id}/deactivate',
        'POST links/{id}/pairing',
        'POST links/{id}/unpair',
        'GET callbacks',
        'GET callbacks/{id}',
        'POST callbacks/{id}/redeliver',
        'GET orders',
        'GET orders.csv',
        'GET ledger',
        'GET ledger.csv',
        'POST orders',
        'GET orders/{id}',
        'POST orders/{id}/cancel',
        'POST orders/{id}/resolve',
        'DELETE orders/{id}/refund-address',
        'GET orders/{id}/history',
        'GET rates',
        'GET payout-addresses',
        'POST payout-addresses',
        'GET watch-addresses',
        'POST watch-addresses',
        'DELETE watch-addresses/{id}',
        'GET overview',
        'GET waiting',
        'GET search',
        'GET transactions',
        'GET transactions.csv',
        'GET wallets',
        'POST refunds',
        'POST payouts',
        'GET payout-quotes',
        'GET refund-quotes',
        'GET payouts',
        'GET payouts/{id}',
        'POST payouts/{id}/approve',
        'POST payouts/{id}/reject',
        'POST payouts/{id}/cancel',
        'GET pull-payments',
        'POST pull-payments',
        'GET pull-payments/{id}',
        'POST pull-payments/{id}/reveal',
        'POST pull-payments/{id}/archive',
        'GET claims',
        'GET claims/{id}',
        'POST claims/{id}/approve',
        'POST claims/{id}/reject',
        'POST payout-batches',
        'GET payout-batches',
        'GET payout-batches/{id}',
        'GET payout-batches/{id}/rows',
        'GET payout-batches/{id}/rows.csv',
        'POST payout-batches/{id}/approve',
        'POST payout-batches/{id}/cancel',
        'GET payees',
        'POST payees',
        'DELETE payees/{id}',
        'POST accounts/{id}/freeze',
        'POST accounts/{id}/unfreeze',
        'GET chains',
        'GET chains/{code}/wallet',
        'POST chains/{code}/payouts/stop',
        'POST chains/{code}/payouts/resume',
        'GET deposits',
        'POST deposits/rescan',
        'POST deposits/{id}/assign',
        'POST deposits/{id}/refund',
        'GET audit',
        'GET audit/chain',
      ].sort(),
    );
    assert.equal(new Set(rows.map(({ row }) => row.operationId)).size, rows.length);
    assert(rows.every(({ row }) => row.tags[0] === 'Management'));
  });

  test('every operation but the login wants a session; a browser proves unsafe requests', () => {
    for (const { path, method, row } of rows) {
      if (LOGINS.includes(path) && method === 'post') assert.deepEqual(row.security, []);
      else
        assert.deepEqual(
          row.security,
          [{ 'Session-Token': [] }, { 'Session-Cookie': [], ...(method === 'get' ? {} : { 'X-CSRF-Token': [] }) }],
          path,
        );
    }
  });

  test('records require their documented fields', () => {
    const required = (name: string): readonly string[] => document.components.schemas[name]?.required ?? [];
    const has = (name: string, fields: readonly string[]): void =>
      assert.deepEqual(
        fields.filter((field) => !required(name).includes(field)),
        [],
        name,
      );
    has('AccountBase', ['id', 'email', 'role', 'status', 'activated', 'role_label', 'status_label']);
    has('AccountDetail', [
      'app_count',
      'gateway_count',
      'first_login_at',
      'last_login_at',
      'last_login_ip',
      'last_login_user_agent',
    ]);
    has('AccountArchiveResult', ['total', 'items']);
    has('App', ['id', 'name', 'enabled', 'version', 'created_at', 'updated_at']);
    has('AppKey', ['id', 'api_key', 'state', 'expires_at', 'revoked_at', 'created_at']);
    has('AppKeyList', ['total', 'items']);
    for (const list of ['AccountList', 'AppList']) has(list, ['items', 'next_cursor']);
    has('Chain', ['code', 'name', 'network', 'protocol', 'host', 'enabled']);
    assert.equal(required('ListedApp').includes('provider_id'), false);
    has('AuditRow', ['id', 'created_at', 'actor', 'action', 'subject_type', 'subject', 'changes', 'ip', 'trace_id']);
  });

  test('no record is described as another: each reply has the fields of its own schema', () => {
    type Node = { readonly $ref?: string; readonly properties?: Readonly<Record<string, Node>> };
    const resolved = (node: Node | undefined): Node | undefined =>
      node?.$ref === undefined
        ? node
        : (document.components.schemas[node.$ref.slice('#/components/schemas/'.length)] as Node | undefined);
    const byId = new Map(table.map((operation) => [operation.id, operation]));
    let compared = 0;
    for (const methods of Object.values(document.paths))
      for (const { operationId, responses } of Object.values(methods)) {
        const operation = byId.get(operationId);
        if (operation?.reply.kind !== 'data') continue;
        const shape = (operation.reply.schema as { readonly shape?: object }).shape;
        if (shape === undefined) continue;
        const media = responses[String(operation.status)]?.content?.['application/json'];
        const described = resolved(resolved(media?.schema)?.properties?.['data']);
        assert.deepEqual(Object.keys(described?.properties ?? {}), Object.keys(shape), operationId);
        compared += 1;
      }
    assert.ok(compared > 80, `only ${compared} replies have fields`);
  });

  test('the examples fit their own schemas', () => {
    assert.ok(assertExamplesFit(document) > 20);
  });

  test('every event is described as a request that a receiver checks by its signature, not by a login', () => {
    assert.ok(Object.keys(document.webhooks).length > 20);
    for (const [type, { post }] of Object.entries(document.webhooks)) assert.deepEqual(post?.security, [], type);
  });

  test('a body whose fields may all be absent may be absent itself', () => {
    assert.equal(document.paths['/manage/v1/apps/{id}/keys/rotate']?.['post']?.requestBody?.required, false);
    assert.equal(document.paths['/manage/v1/apps']?.['post']?.requestBody?.required, true);
  });
});
