import type { OrderQueries, RequestRefund } from '../../core/index.ts';
import { presentOrder, presentOrderDetail } from '../../adapters/http/operations/order-record.ts';
import { presentPayInfo } from '../../adapters/http/operations/orders.ts';
import { presentRefund } from '../../adapters/http/operations/refunds.ts';
import { presentTransaction } from '../../adapters/http/operations/transactions.ts';

/** The order queries with the merchants' HTTP records in place of the core's views. */
export type PresentedQueries = ReturnType<typeof presentedQueries>;

export function presentedQueries(queries: OrderQueries) {
  return {
    list: async (...args: Parameters<OrderQueries['list']>) => {
      const page = await queries.list(...args);
      return { ...page, items: page.items.map(presentOrder) };
    },
    transactions: async (...args: Parameters<OrderQueries['transactions']>) => {
      const page = await queries.transactions(...args);
      return { ...page, items: page.items.map(presentTransaction) };
    },
    detail: async (...args: Parameters<OrderQueries['detail']>) => presentOrderDetail(await queries.detail(...args)),
    payInfo: (...args: Parameters<OrderQueries['payInfo']>) => presentPayInfo(queries.payInfo(...args)),
    payUrl: (...args: Parameters<OrderQueries['payUrl']>) => queries.payUrl(...args),
    history: (...args: Parameters<OrderQueries['history']>) => queries.history(...args),
    checkout: (...args: Parameters<OrderQueries['checkout']>) => queries.checkout(...args),
  };
}

/** Refunds with the merchants' HTTP record in place of the core's view. */
export type PresentedRefunds = ReturnType<typeof presentedRefunds>;

export function presentedRefunds(refunds: RequestRefund) {
  return {
    run: async (...args: Parameters<RequestRefund['run']>) => presentRefund(await refunds.run(...args)),
    info: async (...args: Parameters<RequestRefund['info']>) => presentRefund(await refunds.info(...args)),
  };
}
