import type { AssetCatalogue } from '../kernel/asset.ts';
import type { OrderStateMachine } from '../orders/order-state-machine.ts';
import type { ChainAdapter } from '../ports/chain-adapter.ts';
import type { ChainPayments } from '../ports/chain-payments.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage } from '../ports/storage.ts';
import type { RateBook } from '../rates/rate-book.ts';
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
