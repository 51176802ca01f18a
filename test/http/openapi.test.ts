import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createOperations, openApiDocument } from '../../adapters/http/index.ts';
import { OpenApiChecker } from '../support/openapi.ts';
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
interface Described {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>>;
    readonly securitySchemes: object;
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
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema(document, 'document', false, false);
    for (const { path, method, row } of described) {
      const bodies = Object.entries(row.requestBody?.content ?? {}).map(([type, media]) => ({
        at: ['requestBody', 'content', type],
        media,
      }));
      const replies = Object.entries(row.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, media]) => ({ at: ['responses', status, 'content', type], media })),
      );
      for (const { at, media } of [...bodies, ...replies]) {
        const examples = [
          ...('example' in media ? [media.example] : []),
          ...Object.values(media.examples ?? {}).map(({ value }) => value),
        ];
        if (examples.length === 0) continue;
        const pointer = ['paths', path, method, ...at, 'schema']
          .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
          .join('/');
        const validate = ajv.compile({ $ref: `document#/${pointer}` });
        for (const example of examples) assert(validate(example), `${pointer}: ${ajv.errorsText(validate.errors)}`);
      }
    }
  });

  test('shows an example of each refusal that is an operation’s own', () => {
    const responses = document.paths['/api/withdraw']?.['post']?.responses ?? {};
    const codes = Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.['application/json']?.examples ?? {}),
    );
    assert.deepEqual(codes, [
      '40002',
      '40003',
      '40004',
      '40005',
      '40006',
      '40007',
      '40008',
      '40900',
      '40901',
      '40902',
      '42200',
      '50200',
      '50300',
    ]);
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
});
