import type { MerchantTransfer } from './reserve-transfer.ts';
import type { RequestByHand } from './store-transfer.ts';
import type { Actor, AuditAction, AuditDeps } from '../access/index.ts';
import { addAuditRow, createdWith } from '../access/index.ts';

/**
 * A request of this actor, with an audit row in the transaction that reserves; `null` for a request by a credential, as
 * in the payment API.
 *
 * @param subject - the id of the record that the row is about
 */
export function requestedByHand(
  deps: AuditDeps,
  actor: Actor,
  action: AuditAction,
  subject: (transfer: MerchantTransfer) => string,
): RequestByHand | null {
  if (actor.program !== undefined && actor.accountId !== null) return null;
  return {
    actor,
    note: (tx, transfer) => {
      const { id, accountId, chain, currency, units, toAddress, status } = transfer;
      const changes = createdWith({ transferId: id, chain, currency, units: units.toString(), toAddress, status });
      addAuditRow(deps, tx, actor, { action, accountId, subjectId: subject(transfer), changes });
    },
  };
}
