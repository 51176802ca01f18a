import type { Actor, OpenSession } from '../../../core/index.ts';
import { present } from '../../../core/index.ts';
import type { z } from 'zod';
import { ANYBODY, described, validate } from '../operation.ts';
import type { Call, Described, Operation, OperationAuth, RawCall } from '../operation.ts';
import { manageReply } from '../replies.ts';
import { MANAGE_BASE } from './base.ts';

/** A validated request of somebody who logged in. */
export type ManageCall<P, Q, B> = Call<P, Q, B> & { readonly actor: Actor; readonly session: OpenSession };

/** How a row of the management API is described; its path stands below `/manage/v1`. */
interface ManageSpec<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, D extends z.ZodType> extends Omit<Described, 'auth' | 'tag' | 'envelope'> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly data: D;
}

/** Data of a reply with headers of its own. */
export interface Answer<D> {
  readonly data: D;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SessionOperationSpec<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, D extends z.ZodType> extends ManageSpec<P, Q, B, D> {
  handler(call: ManageCall<z.output<P>, z.output<Q>, z.output<B>>): Promise<z.input<D>>;
}

/** Makes rows of the management API for whoever this gate lets in. */
export type ManageRow = <D extends z.ZodType, P extends z.ZodObject = z.ZodObject, Q extends z.ZodObject = z.ZodObject, B extends z.ZodObject = z.ZodObject>(
  spec: SessionOperationSpec<P, Q, B, D>,
) => Operation;

/** @param gate - who is let in */
export function manageRows(gate: OperationAuth): ManageRow {
  return (spec) => answering(spec, gate, async (call) => ({ data: await spec.handler(withActor(call)) }));
}

/** A row whose reply has headers of its own: where sessions begin and end. */
export function manageOperation<D extends z.ZodType, P extends z.ZodObject = z.ZodObject, Q extends z.ZodObject = z.ZodObject, B extends z.ZodObject = z.ZodObject>(
  spec: ManageSpec<P, Q, B, D>,
  gate: OperationAuth | null,
  answer: (call: Call<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Answer<z.input<D>>>,
): Operation {
  return answering(spec, gate ?? ANYBODY, answer);
}

function answering<D extends z.ZodType, P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject>(
  spec: ManageSpec<P, Q, B, D>,
  auth: OperationAuth,
  answer: (call: Call<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Answer<z.input<D>>>,
): Operation {
  const schemas = { params: spec.params ?? null, query: spec.query ?? null, body: spec.body ?? null };
  const row = described({ ...spec, path: MANAGE_BASE + spec.path, auth, envelope: 'manage', tag: 'Management' });
  return {
    ...row,
    schemas,
    reply: { kind: 'data', schema: spec.data },
    run: async (raw) => {
      const { data, headers } = await answer(validate(raw, schemas) as Call<z.output<P>, z.output<Q>, z.output<B>>);
      return manageReply(row.status, JSON.stringify(data), raw.traceId, headers);
    },
  };
}

/** The actor of a request, with whence it came for the audit trail. */
export function actorOf({ session, client, traceId }: RawCall): Actor {
  const { account } = present(session, 'the session');
  return { accountId: account.id, role: account.role, ip: client, traceId };
}

function withActor<P, Q, B>(call: Call<P, Q, B>): ManageCall<P, Q, B> {
  return { ...call, actor: actorOf(call), session: present(call.session, 'the session') };
}
