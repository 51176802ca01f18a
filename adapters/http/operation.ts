import { isLosslessNumber } from 'lossless-json';
import type {
  AccountId,
  ErrorCode,
  FieldError,
  IdempotencyClaim,
  KeyPlace,
  OpenSession,
  Principal,
  Scope,
} from '../../core/index.ts';
import { z } from 'zod';
import type { HttpDeps } from './deps.ts';
import { exactNumbersOf, writeRecord } from './exact-json.ts';
import { InvalidRequest } from './invalid-request.ts';
import { prefersHtml } from './media-type.ts';
import type { BodyKind } from './media-type.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';
import { seeOther, successReply } from './replies.ts';
import type { Api } from './replies.ts';

/** A merchant with a key, token or signature may call. */
export interface MerchantAuth {
  readonly kind: 'merchant';
  /** The headers that may carry the key or token. */
  readonly places: readonly KeyPlace[];
  /** `null` where any credential may call. */
  readonly scope: Scope | null;
  /** A request without credentials is answered too, with no principal. */
  readonly guests?: true;
}

/** A session of the management API may call. */
export interface SessionAuth {
  readonly kind: 'session';
  admit(request: HttpRequest): Promise<OpenSession>;
}

/** Anyone may call. */
export interface NoAuth {
  readonly kind: 'none';
}

/** Who may call an operation. */
export type OperationAuth = MerchantAuth | SessionAuth | NoAuth;

/**
 * An API key, access token or signature with the scope that the operation needs. An operation that moves money accepts
 * each signature once.
 */
export const merchant = (scope: Scope | null, places: readonly KeyPlace[] = ['api-key']): MerchantAuth => ({
  kind: 'merchant',
  places,
  scope,
});
/** No credentials. */
export const ANYBODY: NoAuth = { kind: 'none' };

/** A request before validation, of a caller that was authenticated in this way. */
export interface RawCall<Auth extends OperationAuth = OperationAuth> {
  readonly request: HttpRequest;
  readonly traceId: string;
  /** The client's address, also behind trusted proxies. */
  readonly client: string;
  /** The merchant of an operation for merchants. */
  readonly principal: Auth extends MerchantAuth ? Principal : null;
  /** The session of an operation of the management API. */
  readonly session: Auth extends SessionAuth ? OpenSession : null;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotency: IdempotencyClaim | null;
  /** The accounts whose records an admin reads in an operation of the management API: see `Actor`. */
  readonly foreign?: Set<AccountId | null>;
}

/** A validated request. */
export interface Call<Auth extends OperationAuth, Params, Query, Body> extends RawCall<Auth> {
  readonly params: Params & Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

export type OperationMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

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
  /** Determines the form of the replies. */
  readonly api: Api;
  /** The kind of record that the operation is about, as error codes of `/v1` name it; `null` for none. */
  readonly resource: string | null;
  /** The HTTP status of a success. */
  readonly status: 200 | 201;
  /** Of a body as CSV, the records are its field `rows`. */
  readonly bodyKinds: readonly BodyKind[];
  /** The most bytes of a body. */
  readonly bodyLimit: number;
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
  /** A cookie for the page of a form whose fields were refused, from those fields; `null` for none. */
  readonly refusalCookie: ((body: unknown, deps: HttpDeps) => string | null) | null;
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
      | 'api'
      | 'resource'
      | 'status'
      | 'bodyOptional'
      | 'versioned'
      | 'bodyKinds'
      | 'bodyLimit'
      | 'idempotent'
      | 'login'
      | 'page'
      | 'refusalCookie'
      | 'hidden'
      | 'examples'
      | 'errors'
    >
  >;

/** The part of an operation's definition that determines what its handler receives. */
export interface CallSpec<
  Auth extends OperationAuth,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
> {
  readonly auth: Auth;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
}

/** An operation that answers with data in the envelope. */
export interface DataOperationSpec<
  Auth extends OperationAuth,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
>
  extends Omit<Described, 'auth'>, CallSpec<Auth, P, Q, B> {
  readonly data: D;
  /** The relative page to which a browser is redirected after an accepted form; {@link Described.page} by default. */
  readonly goTo?: (data: z.input<D>) => string;
  /** @param headers - the reply's further headers; a handler may add to them */
  handler(
    call: Call<Auth, z.output<P>, z.output<Q>, z.output<B>>,
    deps: HttpDeps,
    headers: Record<string, string>,
  ): Promise<z.input<D>>;
}

/** The most bytes of a request body, unless the operation has a limit of its own. */
export const BODY_LIMIT = 64 * 1024;
/** The most invalid fields that one answer lists. */
const MAX_FIELDS = 100;

type FlatRecord = Readonly<Record<string, unknown>>;

/** Makes a row of the table whose reply is data in the envelope. */
export function dataOperation<
  Auth extends OperationAuth,
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>(spec: DataOperationSpec<Auth, P, Q, B, D>): Operation {
  const numbers = exactNumbersOf(spec.data);
  const write = (data: unknown): string => {
    if (numbers.length === 0) return JSON.stringify(data);
    if (Array.isArray(data)) return `[${data.map((item: FlatRecord) => writeRecord(item, numbers)).join(',')}]`;
    return writeRecord(data as FlatRecord, numbers);
  };
  return {
    ...described(spec),
    schemas: schemasOf(spec),
    reply: { kind: 'data', schema: spec.data },
    run: async (raw, deps) => {
      const call = validate(raw, spec);
      const headers: Record<string, string> = {};
      const data = await spec.handler(call, deps, headers);
      if (spec.goTo !== undefined && prefersHtml(raw.request.headers)) return seeOther(spec.goTo(data), raw.traceId);
      return successReply('payment', 200, write(data), raw.traceId, headers);
    },
  };
}

/** An operation for anyone that writes its own reply: a page, a document. */
export interface TextOperationSpec extends Described {
  readonly auth: NoAuth;
  readonly type: string;
  handler(call: RawCall<NoAuth>, deps: HttpDeps): Promise<HttpResponse>;
}

/** Makes a row of the table that writes its own reply. */
export function textOperation(spec: TextOperationSpec): Operation {
  return {
    ...described(spec),
    schemas: { params: null, query: null, body: null },
    reply: { kind: 'text', type: spec.type },
    run: (call, deps) => spec.handler({ ...call, principal: null, session: null }, deps),
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
    api: spec.api ?? 'payment',
    resource: spec.resource ?? null,
    status: spec.status ?? 200,
    bodyKinds: spec.bodyKinds ?? ['json'],
    bodyLimit: spec.bodyLimit ?? BODY_LIMIT,
    bodyOptional: spec.bodyOptional ?? false,
    versioned: spec.versioned ?? false,
    idempotent: spec.idempotent ?? false,
    login: spec.login ?? null,
    page: spec.page ?? null,
    refusalCookie: spec.refusalCookie ?? null,
    hidden: spec.hidden ?? false,
    examples: spec.examples ?? {},
    errors: spec.errors ?? [],
  };
}

/** The schemas of a definition; `null` where it has none. */
export function schemasOf(spec: Partial<Operation['schemas']>): Operation['schemas'] {
  return { params: spec.params ?? null, query: spec.query ?? null, body: spec.body ?? null };
}

/**
 * Validates every part of a request and reports all invalid fields, not only the first.
 *
 * @param raw - of the caller that the pipeline authenticated by the `auth` of the same definition
 */
export function validate<
  Auth extends OperationAuth,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
>(raw: RawCall, spec: CallSpec<Auth, P, Q, B>): Call<Auth, z.output<P>, z.output<Q>, z.output<B>> {
  const fields: FieldError[] = [];
  const query = spec.query === undefined ? raw.query : read(spec.query, raw.query, fields);
  const body = spec.body === undefined ? raw.body : readBody(spec.body, raw.body, fields);
  // The table holds operations of all kinds, so the type of a call is lost on its way here: the pipeline has
  // authenticated the caller by this `auth`, and the schemas have just read the fields.
  if (fields.length === 0) return { ...raw, query, body } as Call<Auth, z.output<P>, z.output<Q>, z.output<B>>;
  throw new InvalidRequest(fields.slice(0, MAX_FIELDS));
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
  fields.push(...parsed.error.issues.flatMap(problemsOf));
  return undefined;
}

/** A problem for each field: Zod reports all fields that an object does not have together. */
function problemsOf(issue: z.core.$ZodIssue): readonly FieldError[] {
  const place = (path: readonly PropertyKey[]): string => path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path: place(issue.path), message: issue.message }];
  return issue.keys.map((name) => ({
    path: place([...issue.path, name]),
    message: 'is not a field of this operation',
  }));
}

/** The fields that name a record, which must be there. */
const RECORD_FIELDS = ['account', 'order', 'webhook'] as const;

/**
 * The kinds of records that an error of an operation may be about, as its codes in `/v1` name them: for one that is not
 * found that of the operation where its path names a record, or those that its fields name.
 */
export function recordsOf(word: ErrorCode, operation: Operation): readonly (string | null)[] {
  if (word !== 'NOT_FOUND') return [null];
  const { path, resource } = operation;
  const { query, body } = operation.schemas;
  const isNamed = (name: string): boolean =>
    [query, body].some((schema) => schema !== null && Object.hasOwn(schema.shape, name));
  const named = path.includes('{') ? [] : RECORD_FIELDS.filter(isNamed);
  return named.length === 0 ? [resource] : named;
}

/** Whether an operation is a list that is read page by page with a cursor. */
export function isPaged({ id, reply }: Operation): boolean {
  return (
    id.endsWith('.list') &&
    reply.kind === 'data' &&
    reply.schema instanceof z.ZodObject &&
    'next_cursor' in reply.schema.shape
  );
}
