import { invalidField, isTillgateError, TillgateError } from '../../core/index.ts';
import type { Clock, Digest } from '../../core/index.ts';
import { camelCase, eachItem, fromWire, readArguments } from '../client/names.ts';
import { failureOf } from './error-table.ts';
import { idempotencyClaim } from './idempotency.ts';
import { InvalidRequest } from './invalid-request.ts';
import type { HttpRequest } from './messages.ts';
import type { NamedOperation, OperatorCall } from './manage/operation.ts';
import { isPaged } from './operation.ts';
import { readJson } from './read-json.ts';

/** Options of a call that creates or moves something. */
export interface InProcessOptions {
  /** Your own key: a call that is repeated with it returns the first result and has no second effect. */
  readonly idempotencyKey?: string;
}

/** A function of a till: the values of the path, then the fields, then the options. */
export type InProcessCall = (...args: readonly unknown[]) => unknown;

/** What a call in process needs. */
export interface InProcessDeps {
  readonly clock: Clock;
  readonly digest: Pick<Digest, 'sha256Hex'>;
  /** Runs before each call. */
  readonly before: () => Promise<void>;
}

/** The operations as functions, by resource and verb: `resources.orders.create`. */
export function inProcessCalls(
  operations: readonly NamedOperation[],
  deps: InProcessDeps,
): Readonly<Record<string, Readonly<Record<string, InProcessCall>>>> {
  const resources: Record<string, Record<string, InProcessCall>> = {};
  for (const operation of operations) {
    const [resource = '', verb = ''] = operation.row.id.split('.').map(camelCase);
    const call = inProcessCall(operation, deps);
    const calls = (resources[resource] ??= {});
    calls[verb] = call;
    if (isPaged(operation.row)) calls['all'] = (fields = {}) => eachItem(call, fields as object);
  }
  return resources;
}

function inProcessCall(
  operation: NamedOperation,
  deps: InProcessDeps,
): (...args: readonly unknown[]) => Promise<unknown> {
  const { row } = operation;
  return async (...args) => {
    try {
      const { params: given, fields, version, options } = readArguments(row.path, row.versioned, args);
      const params = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, pathValue(name, value)]));
      const bytes = bytesOf(fields);
      const sent = readJson(bytes) as Readonly<Record<string, unknown>>;
      const headers = new Map<string, readonly string[]>();
      if (version !== undefined) headers.set('if-match', [String(version)]);
      const { idempotencyKey } = options as InProcessOptions;
      if (idempotencyKey !== undefined) headers.set('idempotency-key', [idempotencyKey]);
      await deps.before();
      const data = await operation.run({
        params,
        ...partsOf(sent, row.schemas),
        idempotency: row.idempotent ? idempotencyClaim(headers, row.path, params, bytes, deps) : null,
        request: { ...NO_REQUEST, method: row.method, headers },
      });
      return fromWire(data);
    } catch (error) {
      throw inWordsOfCaller(error);
    }
  };
}

const NO_REQUEST: Omit<HttpRequest, 'method' | 'headers'> = {
  target: '',
  mount: '',
  body: { present: false, read: () => Promise.resolve(null) },
  peer: '',
  onGone: () => () => undefined,
};

/** @throws TillgateError `INVALID_FIELDS` for anything but text */
function pathValue(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidField(name, `must be the id of a record, as a string`);
}

/** The fields as the JSON of a request. */
function bytesOf(fields: object): Uint8Array {
  const text = JSON.stringify(fields, (name, value: unknown) => {
    if (typeof value === 'bigint') throw invalidField(name, 'must not be a bigint: amounts are decimal strings');
    return value;
  });
  return new TextEncoder().encode(text);
}

/** The fields of a call as those of a request: of an operation that has a query and a body, the query has its own. */
function partsOf(
  sent: Readonly<Record<string, unknown>>,
  { query, body }: NamedOperation['row']['schemas'],
): Pick<OperatorCall, 'query' | 'body'> {
  const isOfQuery = (name: string): boolean => query !== null && (body === null || Object.hasOwn(query.shape, name));
  const some = (ofQuery: boolean): Readonly<Record<string, unknown>> =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => isOfQuery(name) === ofQuery));
  return { query: query === null ? undefined : texts(some(true)), body: body === null ? undefined : some(false) };
}

/** The values of a query, which are texts. */
function texts(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

/** The error with the names that fields have in TypeScript. */
function inWordsOfCaller(error: unknown): unknown {
  if (!isTillgateError(error) || error.details.fields === undefined) return error;
  const { message, details } = failureOf(error, 'till');
  const fields = (details.fields ?? []).map(({ path, message: problem }) => ({
    path: camelCase(path),
    message: problem,
  }));
  const said = fields.length === 0 ? message : new InvalidRequest(fields).message;
  return new TillgateError(error.code, said, { ...details, fields }, error);
}
