import type { AlertKind } from '../alerts/alert.ts';
import type { AccountId, OrderId, TransferId } from '../kernel/ids.ts';
import type { OrderStatus } from '../orders/order-status.ts';
import type { TransferStatus } from '../transfers/transfer.ts';
import { token } from './token.ts';

/** Events by name. They are emitted after the transaction committed, and serve pages and metrics, never money. */
export interface DomainEvents {
  'order.created': { readonly orderId: OrderId; readonly accountId: AccountId };
  'order.status': {
    readonly orderId: OrderId;
    readonly from: OrderStatus;
    readonly to: OrderStatus;
    readonly rule: string;
  };
  'order.payment': { readonly orderId: OrderId };
  'chain.halted': { readonly chain: string; readonly reason: string };
  'transfer.status': { readonly transferId: TransferId; readonly from: TransferStatus; readonly to: TransferStatus };
  /** A chain has a new transfer to sign or to send. */
  'transfer.queued': { readonly chain: string };
  /** Something that an operator must look at; also logged as an error. */
  alert: { readonly kind: AlertKind; readonly subject: string; readonly reason: string };
  'callback.queued': { readonly accountId: AccountId };
  /** A notifier has a new notice to send. */
  'notice.queued': { readonly notifier: string };
}

/** Typed in-process events. An error of a listener is logged and does not affect others. */
export interface EventBus {
  emit<Name extends keyof DomainEvents>(name: Name, event: DomainEvents[Name]): void;
  /** Returns a function that unsubscribes. */
  on<Name extends keyof DomainEvents>(name: Name, listener: (event: DomainEvents[Name]) => void): () => void;
}

export const EVENT_BUS = token<EventBus>('EventBus');
