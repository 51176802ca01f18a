import { isLosslessNumber } from 'lossless-json';
import { TillgateError } from '../../core/index.ts';
import type {
  AccountId,
  ErrorCode,
  FieldError,
  IdempotencyClaim,
  OpenSession,
  Principal,
  Scope,
} from '../../core/index.ts';
import type { z } from 'zod';
import type { HttpDeps } from './deps.ts';
import { exactNumbersOf, writeRecord } from './exact-json.ts';
import { prefersHtml } from './media-type.ts';
import type { BodyKind } from './media-type.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';
import { seeOther, successReply } from './replies.ts';

/** Who may call: a merchant with a key or signature, a session of the management API, or anyone. */
export type OperationAuth =
  | { readonly kind: 'merchant'; readonly xToken: boolean; readonly scope: Scope }
  | { readonly kind: 'session'; admit(request: HttpRequest): Promise<OpenSession> }
  | { readonly kind: 'none' };

/**
 * An API key, access token or signature with the scope that the operation needs. An operation that moves money accepts
 * each signature once.
 */
export const merchant = (scope: Scope, xToken = false): OperationAuth => ({ kind: 'merchant', xToken, scope });
/** No credentials. */
export const ANYBODY: OperationAuth = { kind: 'none' };

/** A request before validation. */
export interface RawCall {
  readonly request: HttpRequest;
  readonly traceId: string;
  /** The client's address, also behind trusted proxies. */
  readonly client: string;
  readonly principal: Principal | null;
  readonly session: OpenSession | null;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotency: IdempotencyClaim | null;
  /** The accounts whose records an admin reads in an operation of the management API: see `Actor`. */
  readonly foreign?: Set<AccountId | null>;
}

/** A validated request. */
export interface Call<Params, Query, Body> extends RawCall {
  readonly params: Params & Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

export type OperationMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';
/** The payment API's envelope `{code, message, data, result}`, or the management API's `{data, msg}`. */
export type Envelope = 'payment' | 'manage';

/** One row of the operations table, from which routing, validation, OpenAPI and the client's types are derived. */
export interface Operation {
  readonly id: string;
  readonly method: OperationMethod;
  /** Path template, such as `/api/v2/order/detail/{order_id}`. */
  readonly path: string;
  /** Further paths of the same operation. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly auth: OperationAuth;
  readonly envelope: Envelope;
  /** The HTTP status of a success. */
  readonly status: 200 | 201;
  readonly bodyKinds: readonly BodyKind[];
  /** A request without a body is treated as one with an empty object. */
  readonly bodyOptional: boolean;
  /** Requires the record's version in `If-Match`. */
  readonly versioned: boolean;
  /** Accepts an `Idempotency-Key`. */
  readonly idempotent: boolean;
  /** For a login: the body field that names the account, by which failures are counted. */
  readonly login: string | null;
  /**
   * The relative page to which a browser is redirected with 303 after posting its form, whether it was accepted or
   * refused.
   */
  readonly page: ((params: Readonly<Record<string, string>>) => string) | null;
  /** Pages are left out of the OpenAPI document. */
  readonly hidden: boolean;
  readonly schemas: {
    readonly params: z.ZodObject | null;
    readonly query: z.ZodObject | null;
    readonly body: z.ZodObject | null;
  };
  readonly reply: OperationReply;
  readonly examples: { readonly body?: unknown; readonly data?: unknown };
  /** Errors besides those that every operation with such inputs can answer. */
  readonly errors: readonly ErrorCode[];
  run(call: RawCall, deps: HttpDeps): Promise<HttpResponse>;
}

/** The form of a reply: data in the envelope, or a text of its own. */
export type OperationReply =
  /** `also` is another content type in which the data is available as text. */
  | { readonly kind: 'data'; readonly schema: z.ZodType; readonly also?: string }
  | { readonly kind: 'text'; readonly type: string };

export type Described = Pick<Operation, 'id' | 'method' | 'path' | 'summary' | 'description' | 'tag' | 'auth'> &
  Partial<
    Pick<
      Operation,
      | 'aliases'
      | 'envelope'
      | 'status'
      | 'bodyOptional'
      | 'versioned'
      | 'bodyKinds'
      | 'idempotent'
      | 'login'
      | 'page'
      | 'hidden'
      | 'examples'
      | 'errors'
    >
  >;

/** An operation that answers with data in the envelope. */
export interface DataOperationSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
> extends Described {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly data: D;
  /** The relative page to which a browser is redirected after an accepted form; {@link Described.page} by default. */
  readonly goTo?: (data: z.input<D>) => string;
  /** @param headers - the reply's further headers; a handler may add to them */
  handler(
    call: Call<z.output<P>, z.output<Q>, z.output<B>>,
    deps: HttpDeps,
    headers: Record<string, string>,
  ): Promise<z.input<D>>;
}

type FlatRecord = Readonly<Record<string, unknown>>;

/** Makes a row of the table whose reply is data in the envelope. */
export function dataOperation<
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>(spec: DataOperationSpec<P, Q, B, D>): Operation {
  const schemas = { params: spec.params ?? null, query: spec.query ?? null, body: spec.body ?? null };
  const numbers = exactNumbersOf(spec.data);
  const write = (data: unknown): string => {
    if (numbers.length === 0) return JSON.stringify(data);
    if (Array.isArray(data)) return `[${data.map((item: FlatRecord) => writeRecord(item, numbers)).join(',')}]`;
    return writeRecord(data as FlatRecord, numbers);
  };
  return {
    ...described(spec),
    schemas,
    reply: { kind: 'data', schema: spec.data },
    run: async (raw, deps) => {
      const call = validate(raw, schemas) as Call<z.output<P>, z.output<Q>, z.output<B>>;
      const headers: Record<string, string> = {};
      const data = await spec.handler(call, deps, headers);
      if (spec.goTo !== undefined && prefersHtml(raw.request.headers)) return seeOther(spec.goTo(data), raw.traceId);
      const reply = successReply(write(data), raw.traceId);
      return { ...reply, headers: { ...reply.headers, ...headers } };
    },
  };
}

/** An operation that writes its own reply: a page, a document. */
export interface TextOperationSpec extends Described {
  readonly type: string;
  handler(call: RawCall, deps: HttpDeps): Promise<HttpResponse>;
}

/** Makes a row of the table that writes its own reply. */
export function textOperation(spec: TextOperationSpec): Operation {
  return {
    ...described(spec),
    schemas: { params: null, query: null, body: null },
    reply: { kind: 'text', type: spec.type },
    run: (call, deps) => spec.handler(call, deps),
  };
}

/** The fields of a row that come from its description, with their defaults. */
export function described(spec: Described): Omit<Operation, 'schemas' | 'reply' | 'run'> {
  return {
    id: spec.id,
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    description: spec.description,
    tag: spec.tag,
    auth: spec.auth,
    aliases: spec.aliases ?? [],
    envelope: spec.envelope ?? 'payment',
    status: spec.status ?? 200,
    bodyKinds: spec.bodyKinds ?? ['json'],
    bodyOptional: spec.bodyOptional ?? false,
    versioned: spec.versioned ?? false,
    idempotent: spec.idempotent ?? false,
    login: spec.login ?? null,
    page: spec.page ?? null,
    hidden: spec.hidden ?? false,
    examples: spec.examples ?? {},
    errors: spec.errors ?? [],
  };
}

/** Validates every part of a request and reports all invalid fields, not only the first. */
export function validate(raw: RawCall, schemas: Operation['schemas']): RawCall {
  const fields: FieldError[] = [];
  const query = schemas.query === null ? raw.query : read(schemas.query, raw.query, fields);
  const body = schemas.body === null ? raw.body : readBody(schemas.body, raw.body, fields);
  if (fields.length === 0) return { ...raw, query, body };
  throw new TillgateError('INVALID_FIELDS', fields.map(({ path, message }) => `${path}: ${message}`).join('; '), {
    fields,
  });
}

/** Zod would read the object that holds a number as an object without fields. */
function readBody(schema: z.ZodObject, value: unknown, fields: FieldError[]): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
  if (isObject) return read(schema, value, fields);
  fields.push({ path: 'body', message: 'must be a JSON object' });
  return undefined;
}

function read(schema: z.ZodObject, value: unknown, fields: FieldError[]): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) fields.push({ path: path.map(String).join('.'), message });
  return undefined;
}
