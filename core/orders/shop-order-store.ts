import type { Millis, OrderId } from '../kernel/index.ts';
import type { ShopOrder } from './shop-order.ts';

/** Reads of what shops keep with their orders. A new order is stored together with it by `OrderStore.create`. */
export interface ShopOrderStore {
  /** `null` for an order that no shop made or changed. */
  find(id: OrderId): Promise<ShopOrder | null>;
  findAll(ids: readonly OrderId[]): Promise<readonly ShopOrder[]>;
}

/** Writes of what shops keep with their orders, inside a transaction. Lock the order before. */
export interface ShopOrderWrites {
  find(id: OrderId): Promise<ShopOrder | null>;
  /** Stores it, in place of an earlier one of the same order. */
  save(shop: ShopOrder, at: Millis): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly shopOrders: ShopOrderStore;
  }
  interface Transaction {
    readonly shopOrders: ShopOrderWrites;
  }
}
