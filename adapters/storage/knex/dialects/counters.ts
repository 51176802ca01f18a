/** The counters of `account_counters`: what is numbered densely for each account. */
export const ORDERS_COUNTER = 'orders';
export const TRANSACTIONS_COUNTER = 'transactions';
