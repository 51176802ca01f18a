import type {
  CallbackTransport,
  ChainAdapter,
  ChainPayments,
  LightningNode,
  Storage,
  Transaction,
} from '../../core/index.ts';
import type { TillEvent } from '../../host/embed/index.ts';

/** The ports at whose calls a test can kill the till. */
export interface KillablePorts {
  readonly storage: Storage;
  /** The writes of one transaction of the storage. */
  readonly tx: Transaction;
  readonly chain: ChainAdapter;
  readonly payments: ChainPayments;
  readonly lightning: LightningNode;
  readonly callbackTransport: CallbackTransport;
  /** An application in whose process the till runs. */
  readonly application: { handle(event: TillEvent): void };
}

/** `committed`: after the commit of the call's transaction; `statement`: after one of its SQL statements. */
export type Moment = 'before' | 'after' | 'committed' | 'statement';

/** A moment at which a till of the debug build can be killed. */
export interface CrashPoint {
  readonly moment: Moment;
  /** The port and the method, as in `tx.orders.move`. */
  readonly call: string;
  /** Selects the calls that count, by their arguments. */
  readonly matches: (args: readonly unknown[]) => boolean;
  /** The ordinal of the SQL statement, 1 for the first; BEGIN counts. */
  readonly statement?: number;
}

/** Selects a method of a port by reading it, so that the compiler checks the name and an editor renames it. */
type SelectCall<Args extends readonly unknown[]> = (ports: KillablePorts) => (...args: Args) => unknown;

const PATH = Symbol('path');

function recorder(path: readonly string[]): object {
  return new Proxy({}, { get: (_target, name) => (name === PATH ? path : recorder([...path, String(name)])) });
}

/** The paths that a selection reads, as in `tx.orders.move`. */
export function pathsOf(select: (ports: KillablePorts) => readonly unknown[]): readonly string[] {
  const selected = select(recorder([]) as KillablePorts) as readonly { readonly [PATH]: readonly string[] }[];
  return selected.map((each) => each[PATH].join('.'));
}

/** The path that a selection reads. */
export function pathOf(select: (ports: KillablePorts) => unknown): string {
  return pathsOf((ports) => [select(ports)]).join();
}

function point<Args extends readonly unknown[]>(
  moment: Moment,
  select: SelectCall<Args>,
  where?: (...args: Args) => boolean,
): CrashPoint {
  return { moment, call: pathOf(select), matches: (args) => where === undefined || where(...(args as Args)) };
}

type DefinePoint = <Args extends readonly unknown[]>(
  select: SelectCall<Args>,
  where?: (...args: Args) => boolean,
) => CrashPoint;

export const before: DefinePoint = (select, where) => point('before', select, where);
export const after: DefinePoint = (select, where) => point('after', select, where);
export const committed: DefinePoint = (select, where) => point('committed', select, where);
export const afterStatement = <Args extends readonly unknown[]>(
  statement: number,
  select: SelectCall<Args>,
): CrashPoint => ({ ...point('statement', select), statement });
