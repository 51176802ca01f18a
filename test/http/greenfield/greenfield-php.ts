import { has, matches } from './recorded.ts';
import type { Json, Read, RecordedRequest } from './recorded.ts';

/**
 * The PHP client that several plugins send their requests with (btcpayserver/btcpayserver-greenfield-php, read at 60e6be57f9cd, 2026-01-21).
 * It takes exactly 200 as success, for DELETE too, and throws on any other status. It declares strict types, so that a number where it returns a
 * string is a `TypeError`, as null is. Requests are by curl without following redirects. An answer with an empty body where it decodes one is an error.
 * It sends the terms of its lists of pull payments and payouts as JSON in the body of a GET.
 */
export const GREENFIELD_PHP = 'btcpayserver/btcpayserver-greenfield-php 60e6be57f9cd08dbe8f851d056358d1df9f07968';

export const PHP_HEADERS = {
  Accept: 'application/json',
  'Content-Type': 'application/json',
  Authorization: 'token {apiKey}',
};

/** The terms of payment as the client sends them: a member for every one, null where the shop says nothing. */
export const checkout = (set: { [name: string]: Json }): Json => ({
  ...{ speedPolicy: null, paymentMethods: null, expirationMinutes: null, monitoringMinutes: null },
  ...{ paymentTolerance: null, redirectURL: null, redirectAutomatically: null, defaultLanguage: null },
  ...set,
});

/** A pull payment as the client asks for it: coins under both their former and their present name, and null for what is not given. */
export const pullPayment = (set: { name: string; amount: string; currency: string; coins: Json }): Json => ({
  ...{
    name: set.name,
    description: null,
    amount: set.amount,
    currency: set.currency,
    period: null,
    BOLT11Expiration: null,
  },
  ...{ autoApproveClaims: false, startsAt: null, expiresAt: null, paymentMethods: set.coins, payoutMethods: set.coins },
});

/** The store's coins: a list of objects with `paymentMethodId`, or an object by that id as before version 2; `enabled` is returned as a boolean. */
export const storeCoins = (name: string, reads: Read[] = []): RecordedRequest => ({
  ...{ name, method: 'GET', path: '/api/v1/stores/{storeId}/payment-methods' },
  expect: {
    status: 200,
    reads: [has('', 'filled'), has('[].paymentMethodId', 'filled'), has('[].enabled', 'boolean'), ...reads],
  },
});

/** What the client returns as strings of an invoice's coin: none may be null, and none a JSON number. */
export const COIN_OF_INVOICE: Read[] = [
  ...[
    has('[].paymentMethodId', 'string'),
    has('[].rate', 'decimal'),
    has('[].amount', 'decimal'),
    has('[].due', 'decimal'),
  ],
  ...[
    has('[].paymentMethodPaid', 'decimal'),
    has('[].totalPaid', 'decimal'),
    has('[].paymentMethodFee', 'decimal'),
    has('[].payments', 'array'),
  ],
];

/** What it returns of a payment. The text before the first `-` of `id` is taken for the transaction. */
export const paymentAt = (list: string): Read[] => [
  ...[matches(`${list}.id`, '^[^-]+(-.*)?$'), has(`${list}.receivedDate`, 'whole'), has(`${list}.value`, 'decimal')],
  ...[has(`${list}.fee`, 'decimal'), has(`${list}.status`, 'string'), has(`${list}.destination`, 'string')],
];
