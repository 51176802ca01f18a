import type { Storage } from '../kernel/index.ts';
import type { Actor } from './actor.ts';
import { addAuditRow } from './audit.ts';
import type { AuditDeps, AuditEntry } from './audit.ts';

/** A storage that adds this audit row to every transaction. */
export function storageWithAudit(
  storage: Pick<Storage, 'transaction'>,
  deps: AuditDeps,
  actor: Actor,
  entry: AuditEntry,
): Pick<Storage, 'transaction'> {
  return {
    transaction: (work) =>
      storage.transaction(async (tx) => {
        const result = await work(tx);
        await addAuditRow(deps, tx, actor, entry);
        return result;
      }),
  };
}
