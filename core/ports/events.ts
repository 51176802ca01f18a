import type { AccountId, OrderId, TransferId } from '../kernel/ids.ts';
import type { OrderStatus } from '../orders/order-status.ts';
import type { TransferStatus } from '../transfers/transfer.ts';
import { token } from './token.ts';

/** What happens inside, by name. Told after the transaction committed; for screens and metrics, never for money. */
export interface DomainEvents {
  'order.created': { readonly orderId: OrderId; readonly accountId: AccountId };
  'order.status': { readonly orderId: OrderId; readonly from: OrderStatus; readonly to: OrderStatus; readonly rule: string };
  'order.payment': { readonly orderId: OrderId };
  'chain.halted': { readonly chain: string; readonly reason: string };
  'transfer.status': { readonly transferId: TransferId; readonly from: TransferStatus; readonly to: TransferStatus };
  /** There is something new to sign or to send on a chain. */
  'transfer.queued': { readonly chain: string };
  /** Something that a person must look at; logged as an error too. */
  'alert': { readonly subject: string; readonly reason: string };
  'callback.queued': { readonly accountId: AccountId };
}

/** Typed in-process events. A listener that throws is logged and harms nobody else. */
export interface EventBus {
  emit<Name extends keyof DomainEvents>(name: Name, event: DomainEvents[Name]): void;
  /** Returns the function that ends the subscription. */
  on<Name extends keyof DomainEvents>(name: Name, listener: (event: DomainEvents[Name]) => void): () => void;
}

export const EVENT_BUS = token<EventBus>('EventBus');
