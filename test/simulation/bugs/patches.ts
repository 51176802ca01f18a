import { Connection } from '../../../adapters/storage/knex/connections.ts';
import type { Storage, Transaction } from '../../../core/index.ts';
import { Gate } from '../world/gate.ts';

/** Rewrites statements on their way to the database. */
export function rewriteSql(rewrite: (sql: string) => string): void {
  const { run } = Connection.prototype;
  Connection.prototype.run = function (this: Connection, sql, ...rest) {
    return run.call(this, rewrite(sql), ...rest);
  };
}

/** Wraps the storage of one process of the till; between two of its calls the process may crash. */
export function wrapStorage(wrap: (storage: Storage) => Storage): void {
  const { storage } = Gate.prototype;
  Gate.prototype.storage = function (this: Gate, real) {
    return wrap(storage.call(this, real));
  };
}

/** The object with some of its members replaced; methods keep their own `this`. */
export function replaced<T extends object>(original: T, members: Partial<T>): T {
  return new Proxy(original, {
    get: (target, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name) as unknown;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Moves some writes of a transaction into another one after its commit. */
export function writeAfterCommit(
  defer: (tx: Transaction, later: (write: (tx: Transaction) => Promise<unknown>) => void) => Transaction,
): void {
  wrapStorage((storage) =>
    replaced(storage, {
      transaction: async (work) => {
        const late: ((tx: Transaction) => Promise<unknown>)[] = [];
        const result = await storage.transaction((tx) => {
          late.length = 0;
          return work(defer(tx, (write) => void late.push(write)));
        });
        for (const write of late) await storage.transaction(write);
        return result;
      },
    }),
  );
}
