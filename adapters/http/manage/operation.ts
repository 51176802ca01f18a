import type { AccountId, Actor, ManageAction, PageRequest } from '../../../core/index.ts';
import type { z } from 'zod';
import { pageQuery } from '../fields.ts';
import { ANYBODY, described, schemasOf, validate } from '../operation.ts';
import type { Call, Described, NoAuth, Operation, OperationAuth, RawCall, SessionAuth } from '../operation.ts';
import { CSV_TYPE } from '../csv.ts';
import { header } from '../messages.ts';
import { manageReply, textReply } from '../replies.ts';
import { MANAGE_BASE } from './base.ts';
import type { ManageDeps } from './deps.ts';
import { inputOf } from './fields.ts';
import { pageSchema } from './reply-fields.ts';

/** An operation of the management API before it is bound to the use cases of one installation. */
export type ManageOperation = (deps: ManageDeps, session: SessionAuth) => Operation;

/** A validated request of a logged-in account. */
export type ManageCall<P, Q, B> = Call<SessionAuth, P, Q, B> & { readonly actor: Actor };

/** Description of an operation; its path is relative to `/manage/v1`. */
interface ManageSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
> extends Omit<Described, 'auth' | 'tag' | 'envelope' | 'id'> {
  /** The operation's row in the table of the protection that each action needs. */
  readonly id: ManageAction;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly data: D;
  /** Writes the same data as CSV, for `format=csv` in the query and for `Accept: text/csv`. */
  readonly csv?: { readonly fileName: string; readonly write: (data: z.input<D>) => string };
  /** The account that owns the record, when no `account_id` of the request names it; `null` for no account. */
  readonly owner?: (
    call: ManageCall<z.output<P>, z.output<Q>, z.output<B>>,
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

/** An operation that needs a session. */
export function manageOperation<
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>({ handler, ...spec }: DataSpec<P, Q, B, D>): ManageOperation {
  return (deps, session) => replyOperation(spec, deps, session, async (call) => ({ data: await handler(call, deps) }));
}

interface ListSpec<F extends z.ZodRawShape, D extends z.ZodType> extends Pick<
  Described,
  'path' | 'summary' | 'description' | 'errors'
> {
  readonly id: ManageAction;
  /** Fields of the query besides those of paging. */
  readonly filter?: F;
  /** The name of the page's schema. */
  readonly name: string;
  readonly item: D;
  readonly example?: z.input<D>;
  readonly handler: (
    call: ManageCall<unknown, PageRequest & z.output<z.ZodObject<F>>, unknown>,
    deps: ManageDeps,
  ) => Promise<z.input<ReturnType<typeof pageSchema<D>>>>;
}

/** A paged list. */
export function manageList<D extends z.ZodType, F extends z.ZodRawShape = z.ZodRawShape>({
  filter,
  name,
  item,
  example,
  handler,
  ...spec
}: ListSpec<F, D>): ManageOperation {
  const data = pageSchema(name, item);
  const examples =
    example === undefined ? {} : { data: { page: 1, size: 10, total: 1, max_page: 1, items: [example] } };
  return (deps, session) => {
    const query = pageQuery(deps.settings.pageMax).extend(filter ?? {});
    return replyOperation({ ...spec, method: 'GET', query, data, examples }, deps, session, async (call) => ({
      data: await handler(call as Parameters<typeof handler>[0], deps),
    }));
  };
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
  const row = described({ ...spec, path: MANAGE_BASE + spec.path, auth, envelope: 'manage', tag: 'Management' });
  return {
    ...row,
    schemas: schemasOf(spec),
    reply: { kind: 'data', schema: spec.data, ...(spec.csv === undefined ? {} : { also: CSV_TYPE }) },
    run: async (raw) => {
      const call = validate(raw, { ...spec, auth });
      const { data, headers } = await answer(call, raw);
      if (spec.csv !== undefined && wantsCsv(call)) {
        const { fileName, write } = spec.csv;
        return textReply(CSV_TYPE, write(data), raw.traceId, {
          'Content-Disposition': `attachment; filename="${fileName}"`,
        });
      }
      return manageReply(row.status, JSON.stringify(data), raw.traceId, headers);
    },
  };
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
