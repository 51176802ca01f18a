import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import type { ErrorCode, KeyPlace } from '../../core/index.ts';
import { z } from 'zod';
import { EVENT_BODIES } from './event-data.ts';
import { ERROR_TABLE, statusOf } from './error-table.ts';
import type { WireError } from './error-table.ts';
import type { BodyKind } from './media-type.ts';
import { manageErrorSchema, registerSessions, sessionSecurity } from './manage/openapi.ts';
import { recordsOf } from './operation.ts';
import type { Operation } from './operation.ts';
import { greenfieldCode, greenfieldErrorSchema } from './greenfield/errors.ts';
import { failureBody, statusIn, v1Code } from './replies.ts';
import type { Api } from './replies.ts';

type RouteConfig = Parameters<OpenAPIRegistry['registerPath']>[0];
type ResponseConfig = RouteConfig['responses'][string];
type RequestConfig = NonNullable<RouteConfig['request']>;
type Security = Record<string, string[]>[];

const MEDIA: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  csv: 'text/csv',
};
const CSV_BODY = {
  schema: z.string().meta({ description: 'CSV (RFC 4180) with a header line and one line for each row' }),
};
const METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;
const PAYMENT_ERRORS = Object.values<WireError>(ERROR_TABLE).filter(({ manageOnly }) => manageOnly !== true);
const CODES = [...new Map(PAYMENT_ERRORS.map(({ code, meaning }) => [code, meaning])).entries()].sort(
  ([a], [b]) => a - b,
);

const signingSchema = z
  .object({
    algorithm: z.string(),
    date: z.string(),
    request_info: z.string(),
    body_md5: z.string(),
    signature_origin: z.string(),
  })
  .optional()
  .meta({
    description: 'The values that the server verified the signature against; only when a signature does not verify',
  });

const errorSchema = z
  .object({
    code: z.number().meta({ type: 'integer', enum: CODES.map(([code]) => code), description: codeTable() }),
    message: z.string(),
    result: z.literal(false),
    trace_id: z.string().meta({ description: "ID of the request in the server's logs; also sent in X-Trace-Id" }),
    errors: z
      .array(z.object({ path: z.string().meta({ description: 'Dotted path of the field' }), message: z.string() }))
      .optional()
      .meta({ description: 'All missing or invalid fields (code 40001)' }),
    signing: signingSchema,
  })
  .meta({ id: 'Error' });

const v1ErrorSchema = z
  .object({
    error: z.object({
      code: z.string().meta({ description: 'Code of the error, such as order_not_found' }),
      message: z.string(),
      field: z.string().optional().meta({ description: 'First missing or invalid field' }),
      fields: z
        .array(z.object({ field: z.string().meta({ description: 'Dotted path of the field' }), message: z.string() }))
        .optional()
        .meta({ description: 'All missing or invalid fields, or the one that names a record that is not there' }),
      trace_id: z.string().meta({ description: "ID of the request in the server's logs; also sent in X-Trace-Id" }),
      signing: signingSchema,
    }),
  })
  .meta({ id: 'V1Error' });

/** Errors of every operation; further ones are derived from its inputs. */
const COMMON: readonly ErrorCode[] = ['MALFORMED_REQUEST', 'METHOD_NOT_ALLOWED', 'INTERNAL', 'NOT_READY'];
const WITH_BODY: readonly ErrorCode[] = ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_FIELDS'];
const WITH_CREDENTIALS: readonly ErrorCode[] = [
  'NO_CREDENTIALS',
  'CREDENTIAL_INVALID',
  'SIGNATURE_INVALID',
  'DATE_INVALID',
  'SIGNATURE_REQUIRED',
  'ACCOUNT_INACTIVE',
  'FORBIDDEN',
  'RATE_LIMITED',
];

const WITH_SESSION: readonly ErrorCode[] = ['NO_CREDENTIALS', 'SESSION_INVALID', 'FORBIDDEN', 'RATE_LIMITED'];

/**
 * The OpenAPI 3.1 description of a table of operations.
 *
 * @param serverUrl - the base URL of its paths
 */
export function openApiDocument(operations: readonly Operation[], serverUrl = '/'): object {
  const registry = new OpenAPIRegistry();
  const signed = registerSecurity(registry, operations);
  if (operations.some(({ auth }) => auth.kind === 'session')) registerSessions(registry);
  for (const operation of operations) {
    if (operation.hidden) continue;
    for (const path of [operation.path, ...operation.aliases]) registry.registerPath(routeOf(operation, path, signed));
  }
  if (operations.some(({ id }) => SUBSCRIBING.has(id))) registerEvents(registry);
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tillgate payment API',
      version: '1.0.0',
      description:
        'Accept crypto payments for orders. Every JSON response is an envelope; the schema Error lists all error codes.',
    },
    servers: [{ url: serverUrl }],
  });
}

/** The operations by which a program or a person subscribes to events. */
const SUBSCRIBING: ReadonlySet<string> = new Set(['createWebhook', 'webhooks.create']);

/** Registers the events that webhook endpoints receive. */
function registerEvents(registry: OpenAPIRegistry): void {
  for (const { type, schema } of EVENT_BODIES)
    registry.registerWebhook({
      method: 'post',
      path: type,
      summary: `Event ${type}`,
      description:
        'Sent to the webhook endpoints that subscribe to it, signed with the secret of the endpoint as Standard Webhooks specifies.',
      request: { body: { required: true, content: { [MEDIA.json]: { schema } } } },
      responses: { '2XX': { description: 'Received. The event is sent again after any other status.' } },
    });
}

const KEY_SCHEMES: Readonly<Record<KeyPlace, string>> = {
  'api-key': 'API-Key',
  'x-token': 'X-Token',
  bearer: 'Key',
  token: 'Store-Key',
};

/** Registers the security schemes; returns the security requirement of a signature. */
function registerSecurity(registry: OpenAPIRegistry, operations: readonly Operation[]): Record<string, string[]> {
  const header = (name: string, description: string): string =>
    registry.registerComponent('securitySchemes', name, { type: 'apiKey', in: 'header', name, description }).name;
  header(KEY_SCHEMES['api-key'], 'An API key, or the access token that the login returns.');
  header(KEY_SCHEMES['x-token'], 'An API key or access token, on the Lightning operations only.');
  registry.registerComponent('securitySchemes', KEY_SCHEMES.bearer, {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key',
  });
  if (operations.some(({ auth }) => auth.kind === 'merchant' && auth.places.includes('token')))
    registry.registerComponent('securitySchemes', KEY_SCHEMES.token, {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'The word "token", a space and an API key',
    });
  const names = [
    header('API-Token', 'The public key of a signing pair.'),
    header('Algorithm', 'HMAC-SHA256 or HMAC-SHA3_256.'),
    header('Date', 'YYYY-MM-DDTHH:MM:SSZ, within the accepted skew.'),
    header('Body-MD5', 'MD5 of the body in hexadecimal; empty or absent without a body.'),
    header('Signature', 'Base64 of the keyed hash of "algorithm | date | METHOD target | body_md5".'),
  ];
  return Object.fromEntries(names.map((name) => [name, []]));
}

function routeOf(operation: Operation, path: string, signed: Record<string, string[]>): RouteConfig {
  const alias = operation.aliases.indexOf(path);
  return {
    method: METHODS[operation.method],
    path,
    operationId: alias === -1 ? operation.id : `${operation.id}_${alias + 1}`,
    tags: [operation.tag],
    summary: alias === -1 ? operation.summary : `${operation.summary} (alias)`,
    description:
      alias === -1
        ? described(operation)
        : `The same as \`${operation.method} ${operation.path}\`. ${described(operation)}`,
    security: securityOf(operation, signed),
    request: requestOf(operation),
    responses: responsesOf(operation),
  };
}

function described({ description, auth }: Operation): string {
  return auth.kind === 'merchant' && auth.scope !== null
    ? `${description} Requires a credential with the scope \`${auth.scope}\`.`
    : description;
}

function securityOf({ auth, method }: Operation, signed: Record<string, string[]>): Security {
  if (auth.kind === 'none') return [];
  if (auth.kind === 'session') return sessionSecurity(method);
  const guests = auth.guests === true ? [{}] : [];
  return [...auth.places.map((place) => ({ [KEY_SCHEMES[place]]: [] })), signed, ...guests];
}

function requestOf({ schemas, bodyKinds, examples, idempotent, bodyOptional, versioned }: Operation): RequestConfig {
  const request: RequestConfig = {};
  if (schemas.params !== null) request.params = schemas.params;
  if (schemas.query !== null) request.query = schemas.query;
  if (idempotent) {
    const description = 'Makes the request safe to retry: for 24 hours, the same key and body return the first result';
    request.headers = z.object({ 'Idempotency-Key': z.string().min(1).max(255).optional().meta({ description }) });
  }
  if (versioned) {
    const description = 'Version of the record that you change, as "3" or 3. Answers 428 if it is missing.';
    request.headers = z.object({ 'If-Match': z.string().meta({ description }) });
  }
  const { body: schema } = schemas;
  if (schema !== null) {
    const media = { schema, ...(examples.body === undefined ? {} : { example: examples.body }) };
    request.body = {
      required: !bodyOptional,
      content: Object.fromEntries(bodyKinds.map((kind) => [MEDIA[kind], kind === 'csv' ? CSV_BODY : media])),
    };
  }
  return request;
}

function responsesOf(operation: Operation): RouteConfig['responses'] {
  const responses: Record<string, ResponseConfig> = { [operation.status]: successOf(operation) };
  if (operation.page !== null)
    responses['303'] = { description: 'Redirects a browser that posted a form back to the page.' };
  for (const [status, codes] of errorsOf(operation)) {
    const { schema } = FAILURES[operation.api];
    responses[status] = {
      description: codes
        .map((error) => [namesOf(error, operation), error.meaning].filter(Boolean).join(': '))
        .join('\n\n'),
      headers: traceHeader,
      content: { 'application/json': { schema, ...errorExamples(operation, codes) } },
    };
  }
  return responses;
}

const EXAMPLE_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** An error that an operation can answer. */
interface ListedError {
  readonly word: ErrorCode;
  readonly code: number;
  readonly meaning: string;
}

/** How the failures of an API are documented: their schema, and the name of an error about a kind of record, if it has one. */
const FAILURES: Readonly<
  Record<Api, { readonly schema: z.ZodType; readonly name: (error: ListedError, record: string | null) => string }>
> = {
  payment: { schema: errorSchema, name: ({ code }) => String(code) },
  manage: { schema: manageErrorSchema, name: () => '' },
  v1: { schema: v1ErrorSchema, name: ({ word }, record) => v1Code(word, record) },
  greenfield: { schema: greenfieldErrorSchema, name: ({ word }, record) => greenfieldCode(word, record) },
};

/** What an error of an operation is called: one name for each kind of record that it may be about. */
function namesOf(error: ListedError, operation: Operation): string {
  return recordsOf(error.word, operation)
    .map((record) => FAILURES[operation.api].name(error, record))
    .join(' or ');
}

/** Examples of the errors that are specific to an operation; the table of codes documents the common ones. */
function errorExamples(
  operation: Operation,
  codes: readonly ListedError[],
): { examples?: Record<string, { value: object }> } {
  const { api, errors } = operation;
  if (api === 'manage') return {};
  const own = new Set<ErrorCode>(errors);
  const examples = codes
    .filter(({ word }) => own.has(word))
    .flatMap((error) => {
      const status = statusIn(api, error.word, statusOf(error.code));
      const failure = { ...error, message: error.meaning, status, details: {}, ours: false };
      return recordsOf(error.word, operation).map(
        (record) =>
          [FAILURES[api].name(error, record), { value: failureBody(api, failure, EXAMPLE_TRACE, record) }] as const,
      );
    });
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
}

const traceHeader = z.object({
  'X-Trace-Id': z.string().meta({ description: "ID of the request in the server's logs" }),
});

/** How the successes of an API are documented: data as it is, or in an envelope. */
const SUCCESSES: Readonly<Record<Api, (data: z.ZodType, example: unknown) => readonly [z.ZodType, unknown]>> = {
  payment: (data, example) => [
    z.object({ code: z.literal(0), message: z.literal('ok'), data, result: z.literal(true) }),
    { code: 0, message: 'ok', data: example, result: true },
  ],
  manage: (data, example) => [z.object({ data, msg: z.literal('ok') }), { data: example, msg: 'ok' }],
  v1: (data, example) => [data, example],
  greenfield: (data, example) => [data, example],
};

function successOf({ reply, examples, api, status }: Operation): ResponseConfig {
  if (reply.kind === 'text')
    return { description: 'OK', headers: traceHeader, content: { [reply.type]: { schema: z.unknown() } } };
  const { data } = examples;
  const [schema, example] = SUCCESSES[api](reply.schema, data);
  const media = { schema, ...(data === undefined ? {} : { example }) };
  return {
    description: status === 201 ? 'Created' : 'OK',
    headers: traceHeader,
    content: {
      'application/json': media,
      ...(reply.also === undefined ? {} : { [reply.also]: { schema: z.string() } }),
    },
  };
}

function errorsOf(operation: Operation): ReadonlyMap<number, readonly ListedError[]> {
  const { auth, schemas, login, errors } = operation;
  const words = new Set<ErrorCode>([
    ...COMMON,
    ...(auth.kind === 'merchant' ? WITH_CREDENTIALS : []),
    ...(auth.kind === 'session' ? WITH_SESSION : []),
    ...(auth.kind === 'merchant' && auth.scope === 'move' ? (['SIGNATURE_REPLAYED'] as const) : []),
    ...(schemas.body !== null
      ? WITH_BODY
      : operation.method === 'GET'
        ? []
        : (['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
    ...(schemas.query !== null ? (['INVALID_FIELDS'] as const) : []),
    ...(login !== null ? (['RATE_LIMITED'] as const) : []),
    ...errors,
  ]);
  const byStatus = new Map<number, ListedError[]>();
  const entries = [...words].map((word) => ({ word, ...ERROR_TABLE[word] })).sort((a, b) => a.code - b.code);
  for (const error of entries) {
    const status = statusIn(operation.api, error.word, statusOf(error.code));
    byStatus.set(status, [...(byStatus.get(status) ?? []), error]);
  }
  return byStatus;
}

function codeTable(): string {
  return ['| code | meaning |', '|---|---|', ...CODES.map(([code, meaning]) => `| ${code} | ${meaning} |`)].join('\n');
}
