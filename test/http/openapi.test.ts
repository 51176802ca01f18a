import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createOperations, ERROR_TABLE, openApiDocument } from '../../adapters/http/index.ts';
import { assertExamplesFit, checkerOf, OpenApiChecker } from '../support/openapi.ts';
import { startFakeEdge } from './fake-edge.ts';

const SETTINGS = {
  serviceName: 'service',
  sandbox: true,
  pageMax: 100,
  requestsPerMinute: 1,
  loginsPerMinute: 1,
  payerWritesPerMinute: 1,
  trustedHops: 0,
  allowPrivateNetworks: false,
};

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>>;
    readonly securitySchemes: object;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

describe('the OpenAPI document', () => {
  const operations = createOperations(SETTINGS);
  const document = JSON.parse(JSON.stringify(openApiDocument(operations))) as Document;
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => ({ path, method, row })),
  );

  test('is version 3.1 and is served as it is', async () => {
    const edge = await startFakeEdge({ settings: SETTINGS });
    try {
      const reply = await edge.client.get('/openapi.json');
      assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
      assert.deepEqual(JSON.parse(reply.text), document);
    } finally {
      await edge.close();
    }
  });

  test('describes every operation of the table under each of its paths, with names of their own', () => {
    const expected = operations.flatMap(({ method, path, aliases }) =>
      [path, ...aliases].map((each) => `${method} ${each}`),
    );
    assert.deepEqual(described.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(), expected.sort());
    const ids = described.map(({ row }) => row.operationId);
    assert.equal(new Set(ids).size, ids.length);
  });

  test('merchants’ operations take a key or a whole signature, the others nothing', () => {
    const merchant = document.paths['/api/order/pay-info']?.['post'];
    assert.deepEqual(merchant?.security, [
      { 'API-Key': [] },
      { 'API-Token': [], Algorithm: [], Date: [], 'Body-MD5': [], Signature: [] },
    ]);
    assert.deepEqual(document.paths['/livez']?.['get']?.security, []);
    assert.deepEqual(Object.keys(document.components.securitySchemes).sort(), [
      'API-Key',
      'API-Token',
      'Algorithm',
      'Body-MD5',
      'Date',
      'Key',
      'Signature',
      'X-Token',
    ]);
  });

  test('the examples fit their own schemas', () => {
    assert.ok(assertExamplesFit(document) > 20);
  });

  test('shows an example of each refusal that is an operation’s own', () => {
    const { responses } = document.components;
    const own = operations.find(({ id }) => id === 'withdraw')?.errors ?? [];
    const expected = [...new Set(own.map((word) => String(ERROR_TABLE[word].code)))].sort();
    assert.ok(expected.length > 10);
    const replies = Object.values(document.paths['/api/withdraw']?.['post']?.responses ?? {});
    const codes = replies.flatMap(({ $ref = '', description }) => {
      const shared = responses[$ref.slice('#/components/responses/'.length)];
      const listed = (description ?? shared?.description ?? '').match(/^\d+(?=:)/gm) ?? [];
      return listed.filter((code) => code in (shared?.content?.['application/json']?.examples ?? {}));
    });
    assert.deepEqual(
      expected.filter((code) => !codes.includes(code)),
      [],
    );
  });

  test('the replies of errors are components, which operations share, with the errors of one beside the reference', () => {
    const { responses } = document.components;
    const uses = described.flatMap(({ row }) => Object.entries(row.responses));
    const errors = uses.filter(([status]) => Number(status) >= 400);
    assert.ok(errors.length > 100);
    for (const [, { $ref = '', ...beside }] of errors) {
      assert.ok($ref.slice('#/components/responses/'.length) in responses, $ref);
      assert.deepEqual(
        Object.keys(beside).filter((key) => key !== 'description'),
        [],
      );
    }
    const used = new Set(errors.map(([, { $ref }]) => $ref));
    assert.equal(used.size, Object.keys(responses).length, 'no component is unused');
  });

  test('every parameter of a path is described', () => {
    for (const { path, row } of described) {
      const inPath = row.parameters?.filter((each) => each.in === 'path') ?? [];
      assert.deepEqual(
        inPath.map(({ name, required }) => [name, required]).sort(),
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]).sort(),
        path,
      );
    }
  });

  test('names the fields that must be there', () => {
    const body = document.paths['/api/order/pay-info']?.['post']?.requestBody?.content['application/json']?.schema as {
      required: string[];
    };
    assert.deepEqual(body.required, ['chain', 'currency', 'vs_currency', 'vs_price']);
    assert.deepEqual(document.components.schemas['PayInfo']?.required?.length, 9);
  });

  test('the checker of the tests refuses a reply that the document does not allow', () => {
    const checker = new OpenApiChecker(document);
    const headers = { 'x-trace-id': 'a'.repeat(32), 'content-type': 'application/json' };
    const ok = { code: 0, message: 'ok', data: { status: 'ok' }, result: true };
    checker.check('GET', '/livez', { status: 200, headers, text: JSON.stringify(ok) });
    assert.throws(() =>
      checker.check('GET', '/livez', { status: 200, headers, text: JSON.stringify({ ...ok, data: { status: 1 } }) }),
    );
    assert.throws(() => checker.check('GET', '/livez', { status: 418, headers, text: '{}' }));
    assert.throws(() => checker.check('GET', '/livez', { status: 200, headers: {}, text: JSON.stringify(ok) }));
  });

  test('the clients of the tests share the checker of a document, and another document has its own', () => {
    const served = (title: string): string => JSON.stringify({ ...document, info: { title, version: '1.0.0' } });
    assert.equal(checkerOf(served('one')), checkerOf(served('one')));
    assert.notEqual(checkerOf(served('one')), checkerOf(served('another')));
  });
});
