import type { AccountId, OrderId } from '../kernel/ids.ts';
import type { OrderStatus } from '../orders/order-status.ts';
import { token } from './token.ts';

/** What happens inside, by name. Told after the transaction committed; for screens and metrics, never for money. */
export interface DomainEvents {
  'order.created': { readonly orderId: OrderId; readonly accountId: AccountId };
  'order.status': { readonly orderId: OrderId; readonly from: OrderStatus; readonly to: OrderStatus; readonly rule: string };
  'order.payment': { readonly orderId: OrderId };
  'chain.halted': { readonly chain: string; readonly reason: string };
  'callback.queued': { readonly accountId: AccountId };
}

/** Typed in-process events. A listener that throws is logged and harms nobody else. */
export interface EventBus {
  emit<Name extends keyof DomainEvents>(name: Name, event: DomainEvents[Name]): void;
  /** Returns the function that ends the subscription. */
  on<Name extends keyof DomainEvents>(name: Name, listener: (event: DomainEvents[Name]) => void): () => void;
}

export const EVENT_BUS = token<EventBus>('EventBus');
