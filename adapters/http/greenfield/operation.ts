import { stringify } from 'lossless-json';
import { merchantActor } from '../../../core/index.ts';
import type { AccountId, Actor, Principal } from '../../../core/index.ts';
import type { z } from 'zod';
import { described, merchant, schemasOf, validate } from '../operation.ts';
import type { Call, Described, MerchantAuth, Operation, RawCall } from '../operation.ts';
import { BASE_PATHS, successReply } from '../replies.ts';
import type { GreenfieldDeps } from './deps.ts';
import { withSchemaNames } from './field-names.ts';
import { forbidden, requirePermission } from './permissions.ts';
import type { Permission } from './permission-table.ts';

/** A validated call of a store's key, for the account that the store is. */
export type GreenfieldCall<P, Q, B> = Call<MerchantAuth, P, Q, B> & {
  readonly principal: Principal;
  readonly accountId: AccountId;
  readonly actor: Actor;
};

/** A validated call of anyone, or of a store's key. */
export type GuestCall<P, Q, B> = Call<MerchantAuth, P, Q, B> & {
  /** `null` for a call without a key. */
  readonly holder: Pick<GreenfieldCall<P, Q, B>, 'principal' | 'actor'> | null;
};

/** An operation before it is bound to the use cases of one installation. */
export type GreenfieldOperation = (deps: GreenfieldDeps) => Operation;

interface OpenSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
> extends Pick<
  Described,
  'method' | 'summary' | 'description' | 'resource' | 'errors' | 'bodyOptional' | 'idempotent'
> {
  readonly id: string;
  /** Its paths below `/api/v1`, the first one the main one. `{storeId}` in one must be the key's own store. */
  readonly paths: readonly [string, ...string[]];
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly data: D;
}

interface GuestSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
> extends OpenSpec<P, Q, B, D> {
  readonly handler: (
    call: GuestCall<z.output<P>, z.output<Q>, z.output<B>>,
    deps: GreenfieldDeps,
  ) => Promise<z.input<D>>;
}

interface Spec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  D extends z.ZodType,
> extends OpenSpec<P, Q, B, D> {
  /** What the key must have been granted; `null` where any key will do. */
  readonly permission: Permission | null;
  readonly handler: (
    call: GreenfieldCall<z.output<P>, z.output<Q>, z.output<B>>,
    deps: GreenfieldDeps,
  ) => Promise<z.input<D>>;
}

/** Makes an operation for shop plugins: a key with the permission, its own store alone, success with status 200. */
export function greenfieldOperation<
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>({ permission, handler, ...spec }: Spec<P, Q, B, D>): GreenfieldOperation {
  // The permission says more than the scope, which `requirePermission` checks too.
  const auth = merchant(null, ['token']);
  const needs = permission === null ? '' : ` Requires the permission \`${permission}\`.`;
  return bound({ ...spec, description: spec.description + needs }, auth, (raw) => {
    const principal = raw.principal as Principal;
    const { accountId } = principal;
    if (permission !== null) requirePermission(principal, permission);
    const { storeId = accountId } = raw.params;
    if (storeId !== accountId) throw forbidden(permission ?? 'btcpay.store.canviewstoresettings');
    return (call, deps) => handler({ ...call, principal, accountId, actor: actorOf(raw, principal) }, deps);
  });
}

/** Makes an operation that anyone may call, with a key or without one. */
export function guestOperation<
  D extends z.ZodType,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
>({ handler, ...spec }: GuestSpec<P, Q, B, D>): GreenfieldOperation {
  return bound(spec, { ...merchant(null, ['token']), guests: true }, (raw) => {
    const { principal } = raw;
    const holder = principal === null ? null : { principal, actor: actorOf(raw, principal) };
    return (call, deps) => handler({ ...call, holder }, deps);
  });
}

/** @param admit - checks who calls before anything of the request is read, and returns what handles it */
function bound<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, D extends z.ZodType>(
  { id, paths, ...spec }: OpenSpec<P, Q, B, D>,
  auth: MerchantAuth,
  admit: (
    raw: RawCall,
  ) => (call: Call<MerchantAuth, z.output<P>, z.output<Q>, z.output<B>>, deps: GreenfieldDeps) => Promise<z.input<D>>,
): GreenfieldOperation {
  const [path, ...aliases] = paths.map((each) => BASE_PATHS.greenfield + each) as [string, ...string[]];
  const row = described({
    ...spec,
    id: `greenfield.${id}`,
    path,
    aliases,
    auth,
    api: 'greenfield',
    tag: 'Shop plugins',
  });
  return (deps) => ({
    ...row,
    schemas: schemasOf(spec),
    reply: { kind: 'data', schema: spec.data },
    run: async (raw: RawCall) => {
      const handle = admit(raw);
      const body = spec.body === undefined ? raw.body : withSchemaNames(raw.body, spec.body);
      const data = await handle(validate({ ...raw, body }, { ...spec, auth }), deps);
      return successReply('greenfield', 200, stringify(data) ?? 'null', raw.traceId);
    },
  });
}

function actorOf({ client: ip, traceId }: RawCall, { accountId, ...program }: Principal): Actor {
  return { ...merchantActor(accountId), ip, traceId, program };
}
