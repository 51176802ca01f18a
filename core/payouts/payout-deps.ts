import type { AssetCatalogue, Clock, EventBus, IdGenerator, Logger, Metrics, Storage } from '../kernel/index.ts';
import type { OrderStateMachine } from '../orders/index.ts';
import type { ChainAdapter, ChainPayments } from '../chain/index.ts';
import type { RateBook } from '../ledger/index.ts';
import type { Transfer, TransferStatus } from './transfer.ts';

export interface PayoutDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly rates: RateBook;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A chain that can pay. */
export type PayingChain = ChainAdapter & { readonly payments: ChainPayments };

/** True for a chain that is not watch-only. */
export function canPay(chain: ChainAdapter): chain is PayingChain {
  return chain.payments !== null;
}

/** Publishes a committed change of a transfer's status: event and metric. */
export function publishTransfer(
  { events, metrics }: PayoutDeps,
  transfer: Transfer,
  from: TransferStatus,
  to: TransferStatus,
): void {
  metrics.count('tillgate_transfers_total', { chain: transfer.chain, kind: transfer.kind, status: to });
  events.emit('transfer.status', { transferId: transfer.id, from, to });
}
