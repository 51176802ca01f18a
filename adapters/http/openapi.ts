import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import type { KeyPlace } from '../../core/index.ts';
import { z } from 'zod';
import { EVENT_BODIES } from './event-data.ts';
import type { BodyKind } from './media-type.ts';
import { registerSessions, sessionSecurity } from './manage/openapi.ts';
import { ErrorResponses, TRACE_HEADER } from './openapi-errors.ts';
import type { Operation } from './operation.ts';
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

/**
 * The OpenAPI 3.1 description of a table of operations.
 *
 * @param serverUrl - the base URL of its paths
 */
export function openApiDocument(operations: readonly Operation[], serverUrl = '/'): object {
  const registry = new OpenAPIRegistry();
  const signed = registerSecurity(registry, operations);
  const shown = operations.filter(({ hidden }) => !hidden);
  const errors = new ErrorResponses(shown);
  errors.register(registry);
  if (operations.some(({ auth }) => auth.kind === 'session')) registerSessions(registry);
  for (const operation of shown)
    for (const path of [operation.path, ...operation.aliases])
      registry.registerPath(routeOf(operation, path, signed, errors));
  if (operations.some(({ id }) => SUBSCRIBING.has(id))) registerEvents(registry);
  const schemas = errors.schemas.map((schema) => ({ type: 'schema' as const, schema }));
  return new OpenApiGeneratorV31([...schemas, ...registry.definitions]).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tillgate API',
      version: '1.0.0',
      description:
        'Accept crypto payments for orders, and pay out. Programs call `/v1`; `/api` is the payment API with numeric codes, `/manage/v1` what the dashboard calls, and `/api/v1` what shop plugins call.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
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
      tags: ['Webhooks'],
      summary: `Event ${type}`,
      // Nobody logs in to a receiver: the signature is what it checks.
      security: [],
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

function routeOf(
  operation: Operation,
  path: string,
  signed: Record<string, string[]>,
  errors: ErrorResponses,
): RouteConfig {
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
    request: requestOf(operation, path),
    responses: { ...responsesOf(operation), ...errors.of(operation) },
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

function requestOf(
  { schemas, bodyKinds, examples, idempotent, bodyOptional, versioned }: Operation,
  path: string,
): RequestConfig {
  const request: RequestConfig = {};
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const others = names.filter((name) => !(name in (schemas.params?.shape ?? {})));
  if (names.length > 0)
    request.params = z.object({
      ...schemas.params?.shape,
      ...Object.fromEntries(others.map((name) => [name, z.string()])),
    });
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
  return responses;
}

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
    return { description: 'OK', headers: TRACE_HEADER, content: { [reply.type]: { schema: z.unknown() } } };
  const { data } = examples;
  const [schema, example] = SUCCESSES[api](reply.schema, data);
  const media = { schema, ...(data === undefined ? {} : { example }) };
  return {
    description: status === 201 ? 'Created' : 'OK',
    headers: TRACE_HEADER,
    content: {
      'application/json': media,
      ...(reply.also === undefined ? {} : { [reply.also]: { schema: z.string() } }),
    },
  };
}
