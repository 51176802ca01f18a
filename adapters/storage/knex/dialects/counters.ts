/** The counters of `account_counters`: dense numbers for each account. */
export const ORDERS_COUNTER = 'orders';
export const TRANSACTIONS_COUNTER = 'transactions';
