import { APPLICATION, merchantActor } from '../../../core/index.ts';
import type { AccountId, Actor, ManageAction, Scope } from '../../../core/index.ts';
import { z } from 'zod';
import { ANYBODY, described, merchant, schemasOf, validate } from '../operation.ts';
import type {
  Call,
  Described,
  MerchantAuth,
  NoAuth,
  Operation,
  OperationAuth,
  RawCall,
  SessionAuth,
} from '../operation.ts';
import { CSV_TYPE } from '../csv.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { header } from '../messages.ts';
import type { HttpRequest, HttpResponse } from '../messages.ts';
import { BASE_PATHS, singular, successReply, textReply } from '../replies.ts';
import type { ManageDeps, ManageHttpSettings } from './deps.ts';
import { cursorFields, inputOf, ownerField } from './fields.ts';
import { cursorPage } from './reply-fields.ts';

/** An operation before it is bound to the use cases of one installation. */
export interface ManageOperation {
  /** The operation of the management API, for a session. */
  managed(deps: ManageDeps, session: SessionAuth): Operation;
  /** The same operation for programs; `null` where only a session may call it. */
  named(deps: ManageDeps): NamedOperation | null;
}

/** An operation that programs call by its name: in process for the operator, over `/v1` for a merchant. */
export interface NamedOperation {
  /** Its row of `/v1`, for a merchant's key or signature. */
  readonly row: Operation;
  /** Whether `/v1` has it; otherwise it is called in process only. */
  readonly offered: boolean;
  /**
   * Runs it for the operator of the till.
   *
   * @returns the data of a reply, with the names of the wire
   * @throws InvalidRequest, TillgateError
   */
  run(call: OperatorCall): Promise<unknown>;
}

/** The parts of a request that an application makes in process, with the names of the wire. */
export interface OperatorCall extends Pick<RawCall, 'params' | 'query' | 'body' | 'idempotency'> {
  /** Carries `If-Match` for a record with a version. */
  readonly request: HttpRequest;
}

/** A validated request with the account that makes it. */
export type ActorCall<P, Q, B> = Call<OperationAuth, P, Q, B> & { readonly actor: Actor };

/** A validated request of a logged-in account. */
export type ManageCall<P, Q, B> = Call<SessionAuth, P, Q, B> & { readonly actor: Actor };

/** How programs call an operation. */
interface Offer {
  /** Its name: the resource in the plural and the verb. */
  readonly name: `${string}.${string}`;
  /** The scope that a credential needs to call it over `/v1`; `null` where it is called in process only. */
  readonly scope: Scope | null;
}

/** Description of an operation; its path is relative to `/manage/v1`. */
interface ManageSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
> extends Omit<Described, 'auth' | 'tag' | 'api' | 'id'> {
  /** The operation's row in the table of the protection that each action needs. */
  readonly id: ManageAction;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly data: D;
  /** Writes the same data as CSV, for `format=csv` in the query and for `Accept: text/csv`. */
  readonly csv?: { readonly fileName: string; readonly write: (data: z.input<D>) => string };
  /** The account that owns the record, when no `account` of the request names it; `null` for no account. */
  readonly owner?: (
    call: ActorCall<z.output<P>, z.output<Q>, z.output<B>>,
    deps: ManageDeps,
  ) => Promise<AccountId | null>;
}

/** A reply's data, with headers of its own. */
interface DataReply<D> {
  readonly data: D;
  readonly headers?: Readonly<Record<string, string>>;
}

interface DataSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
> extends ManageSpec<P, Q, B, D> {
  readonly handler: (call: ManageCall<z.output<P>, z.output<Q>, z.output<B>>, deps: ManageDeps) => Promise<z.input<D>>;
}

/** An operation that only a session may call. */
export function manageOperation<
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>({ handler, ...spec }: DataSpec<P, Q, B, D>): ManageOperation {
  return sessionOnly((deps, session) =>
    replyOperation(spec, deps, session, async (call) => ({ data: await handler(call, deps) })),
  );
}

interface OfferedSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
> extends ManageSpec<P, Q, B, D> {
  readonly offer: Offer;
  readonly handler: (call: ActorCall<z.output<P>, z.output<Q>, z.output<B>>, deps: ManageDeps) => Promise<z.input<D>>;
}

/** An operation that a session and a merchant's credential may call. */
export function apiOperation<
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>({ handler, offer, ...spec }: OfferedSpec<P, Q, B, D>): ManageOperation {
  return {
    managed: (deps, session) =>
      replyOperation(spec, deps, session, async (call) => ({ data: await handler(call, deps) })),
    named: (deps) => namedOperation(spec, offer, (call) => handler(call, deps)),
  };
}

/** An operation for programs. A credential acts for its own account alone, also where that is an admin's. */
function namedOperation<D extends z.ZodType, P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject>(
  spec: ManageSpec<P, Q, B, D>,
  { name, scope }: Offer,
  handler: (call: ActorCall<z.output<P>, z.output<Q>, z.output<B>>) => Promise<z.input<D>>,
): NamedOperation {
  const [resources = ''] = name.split('.');
  // A row without a scope is documented only, and never mounted.
  const bound = strict({ ...spec, auth: merchant(scope ?? 'move', ['bearer']) });
  const resource = singular(resources);
  const row = described({ ...bound, id: name, path: BASE_PATHS.v1 + spec.path, api: 'v1', tag: resources, resource });
  return {
    row: {
      ...row,
      schemas: schemasOf(bound),
      reply: replyKind(spec),
      run: async (raw) => {
        const call = validate(raw, bound);
        return dataReply(spec, row, call, { data: await handler({ ...call, actor: credentialActor(call) }) });
      },
    },
    offered: scope !== null,
    run: async (parts) => {
      const call = validate({ ...IN_PROCESS, ...parts }, bound);
      requireOwner(bound, parts);
      return await handler({ ...call, actor: APPLICATION });
    },
  };
}

/** The account of a credential, which acts for itself alone. */
function credentialActor({ client: ip, traceId, principal: { accountId, ...program } }: RawCall<MerchantAuth>): Actor {
  return { ...merchantActor(accountId), ip, traceId, program };
}

type Inputs = Pick<ManageSpec<z.ZodObject, z.ZodObject, z.ZodObject, z.ZodType>, 'query' | 'body'>;
type Sent = Pick<RawCall, 'query' | 'body'>;

/**
 * The same inputs, of which a field that the operation does not have is refused by its name, such as a misspelt one.
 */
export function strict<
  S extends { readonly query?: Q; readonly body?: B },
  Q extends z.ZodObject,
  B extends z.ZodObject,
>(spec: S): S {
  const { query, body } = spec;
  return {
    ...spec,
    ...(query === undefined ? {} : { query: query.strict() }),
    ...(body === undefined ? {} : { body: body.strict() }),
  };
}

/** @throws InvalidRequest where a call must name the account of a record: the operator has none of its own */
function requireOwner({ query, body }: Inputs, sent: Sent): void {
  const field = [query, body].some((schema) => schema?.shape['account'] === ownerField);
  const named = { ...(sent.query as object), ...(sent.body as object) };
  if (field && !Object.hasOwn(named, 'account'))
    throw new InvalidRequest([{ path: 'account', message: 'is required' }]);
}

/** The facts that a call in process does not have. */
const IN_PROCESS = { traceId: '', client: '', principal: null, session: null } as const;

interface ListSpec<F extends z.ZodRawShape, D extends z.ZodType> extends Pick<
  Described,
  'path' | 'summary' | 'description' | 'errors'
> {
  readonly id: ManageAction;
  readonly offer: Offer;
  /** Fields of the query besides those of paging. */
  readonly filter?: F;
  /** The name of the page's schema. */
  readonly name: string;
  readonly item: D;
  readonly example?: z.input<D>;
  readonly handler: (
    call: ActorCall<unknown, z.output<z.ZodObject<F & typeof cursorFields>>, unknown>,
    deps: ManageDeps,
  ) => Promise<z.input<ReturnType<typeof cursorPage<D>>>>;
}

/** A list that is paged by cursors. */
export function manageList<D extends z.ZodType, F extends z.ZodRawShape = typeof cursorFields>({
  filter,
  name,
  item,
  example,
  description,
  handler,
  ...spec
}: ListSpec<F, D>): ManageOperation {
  return apiOperation({
    ...spec,
    method: 'GET',
    description: `${description} To read the next page, send \`next_cursor\` with the same filters.`,
    query: z.object({ ...filter, ...cursorFields }),
    data: cursorPage(name, item),
    examples: example === undefined ? {} : { data: { items: [example], next_cursor: null } },
    handler: (call, deps) => handler(call as unknown as Parameters<typeof handler>[0], deps),
  });
}

/** An operation whose definition depends on the settings. */
export function bySettings(define: (settings: ManageHttpSettings) => ManageOperation): ManageOperation {
  return {
    managed: (deps, session) => define(deps.settings).managed(deps, session),
    named: (deps) => define(deps.settings).named(deps),
  };
}

/** An operation that only a session may call. */
export function sessionOnly(managed: ManageOperation['managed']): ManageOperation {
  return { managed, named: () => null };
}

/** An operation that needs a session, and whose reply has headers of its own. */
export function replyOperation<
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>(
  spec: ManageSpec<P, Q, B, D>,
  deps: ManageDeps,
  session: SessionAuth,
  reply: (call: ManageCall<z.output<P>, z.output<Q>, z.output<B>>) => Promise<DataReply<z.input<D>>>,
): Operation {
  return envelopeOperation(spec, session, async (call, raw) => {
    await charge(spec, call, raw, deps);
    const noted = withActor({ ...call, foreign: new Set<AccountId | null>() });
    const answer = await reply(noted);
    if (spec.method === 'GET') await noteReads(spec, noted, deps);
    return answer;
  });
}

/** An operation without credentials: a login. */
export function publicOperation<
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>(
  spec: ManageSpec<P, Q, B, D>,
  reply: (call: Call<NoAuth, z.output<P>, z.output<Q>, z.output<B>>) => Promise<DataReply<z.input<D>>>,
): Operation {
  return envelopeOperation(spec, ANYBODY, reply);
}

/** An operation that answers in the envelope of the management API, or as CSV. */
function envelopeOperation<
  Auth extends OperationAuth,
  D extends z.ZodType,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
>(
  spec: ManageSpec<P, Q, B, D>,
  auth: Auth,
  answer: (call: Call<Auth, z.output<P>, z.output<Q>, z.output<B>>, raw: RawCall) => Promise<DataReply<z.input<D>>>,
): Operation {
  const row = described({ ...spec, path: BASE_PATHS.manage + spec.path, auth, api: 'manage', tag: 'Management' });
  const inputs = strict({ ...spec, auth });
  return {
    ...row,
    schemas: schemasOf(spec),
    reply: replyKind(spec),
    run: async (raw) => {
      const call = validate(raw, inputs);
      return dataReply(spec, row, call, await answer(call, raw));
    },
  };
}

type Written<D extends z.ZodType> = Pick<ManageSpec<z.ZodObject, z.ZodObject, z.ZodObject, D>, 'data' | 'csv'>;

function replyKind<D extends z.ZodType>({ data, csv }: Written<D>): Operation['reply'] {
  return { kind: 'data', schema: data, ...(csv === undefined ? {} : { also: CSV_TYPE }) };
}

/** A reply in the envelope of its API, or as CSV where that is asked for. */
function dataReply<D extends z.ZodType>(
  { csv }: Written<D>,
  { api, status }: Pick<Operation, 'api' | 'status'>,
  call: Pick<RawCall, 'request' | 'query' | 'traceId'>,
  { data, headers }: DataReply<z.input<D>>,
): HttpResponse {
  if (csv !== undefined && wantsCsv(call))
    return textReply(CSV_TYPE, csv.write(data), call.traceId, {
      'Content-Disposition': `attachment; filename="${csv.fileName}"`,
    });
  return successReply(api, status, JSON.stringify(data), call.traceId, headers);
}

/** Whether CSV is asked for: by `format` in the query or, without it, by the `Accept` header. */
function wantsCsv({ request, query }: Pick<RawCall, 'request' | 'query'>): boolean {
  const { format } = query as { readonly format?: string };
  if (format !== undefined) return format === 'csv';
  return (header(request.headers, 'accept') ?? '').split(',').some((type) => /^\s*text\/csv\s*(?:;|$)/i.test(type));
}

/**
 * Checks that the session has the protection that the action needs; no other place checks it. @param raw - the request
 * before it was validated
 */
export function charge<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, D extends z.ZodType>(
  { id, owner }: Pick<ManageSpec<P, Q, B, D>, 'id' | 'owner'>,
  call: Call<SessionAuth, z.output<P>, z.output<Q>, z.output<B>>,
  raw: RawCall,
  deps: ManageDeps,
): Promise<void> {
  const { session: open, client: ip } = call;
  const fields: Readonly<Record<string, unknown>> = inputOf({
    ...sent(call.query, raw.query),
    ...sent(call.body, raw.body),
  });
  const named = fields['accountId'] as AccountId | undefined;
  return deps.manage.guard.check(id, {
    open,
    ip,
    fields,
    owner: async () => (owner === undefined ? (named ?? open.account.id) : owner(withActor(call), deps)),
  });
}

/**
 * The validated fields that the request itself contains. A field that was filled with its default needs no protection.
 */
function sent(validated: unknown, raw: unknown): object {
  if (typeof validated !== 'object' || validated === null || typeof raw !== 'object' || raw === null) return {};
  return Object.fromEntries(Object.entries(validated).filter(([name]) => Object.hasOwn(raw, name)));
}

/** Records in the audit log whose records an admin has read. */
export async function noteReads(
  { path }: { readonly path: string },
  { actor }: { readonly actor: Actor },
  deps: ManageDeps,
): Promise<void> {
  if (actor.foreign === undefined || actor.foreign.size === 0) return;
  await deps.manage.adminReads.note(actor, path.split('/')[1] ?? path);
}

/** Adds the actor of a request, with the client's address, for the audit log. */
export function withActor<P, Q, B>(call: Call<SessionAuth, P, Q, B>): ManageCall<P, Q, B> {
  const { session, client: ip, traceId, foreign } = call;
  const { id: accountId, role } = session.account;
  return { ...call, actor: { accountId, role, ip, traceId, ...(foreign && { foreign }) } };
}
