import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf } from '../../../../adapters/http/error-table.ts';
import { InvalidRequest } from '../../../../adapters/http/invalid-request.ts';
import { invalidField, TillgateError } from '../../../../core/index.ts';
import { coreName, wireName } from '../../../../adapters/http/wire-names.ts';
import { failureText } from '../../../../host/cli/failure.ts';

const NAMES = [
  ['vsPrice', 'vs_price'],
  ['expiresInMs', 'expires_in'],
  ['limits.requestsPerSecond', 'limits.requests_per_second'],
  ['upstreams.0.url', 'upstreams.0.url'],
  ['Idempotency-Key', 'Idempotency-Key'],
] as const;
const OF_THE_CALLER = [
  'units.eth_getLogs',
  'units.bb.getBlock',
  'upstreams.0.headers.xApiKey',
  'units.getLogs',
  'limits.methods.getLogs',
];

/** Fields of requests of the till with their names in core. */
const OF_THE_TILL = [
  ['account', 'accountId'],
  ['order', 'orderId'],
  ['link', 'linkId'],
  ['webhook', 'webhookId'],
  ['price', 'vsPrice'],
  ['currency', 'vsCurrency'],
  ['coin', 'currency'],
  ['invoice', 'lnInvoices'],
  ['payouts', 'withdrawals'],
  ['totp_for_payouts', 'totpForWithdrawals'],
  ['verified_coins', 'verifiedCurrencies'],
  ['merchant_reference', 'merchantReference'],
] as const;
/** Names in errors and audit rows of the till, which no request has. */
const TOLD_BY_THE_TILL = [
  ['userId', 'account'],
  ['transferId', 'payout'],
  ['toAddr', 'to_address'],
  ['txid', 'tx_hash'],
  ['withdrawalsFrozen', 'payouts_frozen'],
] as const;

describe('the names of fields at the edge', () => {
  test('the till has words of its own: a field of a request is read and named in errors by the same one', () => {
    for (const [word, name] of OF_THE_TILL) {
      assert.equal(coreName(word), name);
      assert.equal(wireName(name, 'till'), word);
    }
    for (const [name, word] of TOLD_BY_THE_TILL) assert.equal(wireName(name, 'till'), word);
  });

  test('a field of core has its name of the APIs, in the message too; a name of the caller stays', () => {
    for (const [path, name] of [...NAMES, ...OF_THE_CALLER.map((same) => [same, same] as const)]) {
      const { message, details } = failureOf(invalidField(path, 'must be $& a vsPrice: 1'));
      assert.equal(message, `${name}: must be $& a vsPrice: 1`);
      assert.deepEqual(details.fields, [{ path: name, message: 'must be $& a vsPrice: 1' }]);
    }
  });

  test('every field of an error of core is named, and its other details and its message stay', () => {
    const fields = NAMES.map(([path]) => ({ path, message: 'is wrong' }));
    const failure = failureOf(new TillgateError('INVALID_FIELDS', 'The App has vsPrice: no.', { fields, reason: 'r' }));
    assert.equal(failure.message, 'The App has vsPrice: no.');
    assert.deepEqual(failure.details, {
      fields: NAMES.map(([, path]) => ({ path, message: 'is wrong' })),
      reason: 'r',
    });
  });

  test('the paths of a schema of the edge stay as they are: a caller may have named them', () => {
    const fields = [
      { path: 'metadata.cartId', message: 'must be a text' },
      { path: 'vsPrice', message: 'is unknown' },
    ];
    const { message, details } = failureOf(new InvalidRequest(fields));
    assert.equal(message, 'metadata.cartId: must be a text; vsPrice: is unknown');
    assert.deepEqual(details.fields, fields);
  });

  test('commands name fields as the management API does, and settings and options as they are', () => {
    assert.equal(failureText(invalidField('graceSeconds', 'is wrong'), 'key rotate', false), 'grace_seconds: is wrong');
    assert.equal(failureText(invalidField('--expires-at', 'is wrong'), 'x', false), '--expires-at: is wrong');
    const fields = [{ path: 'keys.graceSeconds', message: 'write a number' }];
    const settings = new TillgateError('CONFIG_INVALID', 'The settings are not valid.', { fields });
    assert.match(failureText(settings, 'serve', false), /keys\.graceSeconds: write a number/);
    const { error } = JSON.parse(failureText(invalidField('vsPrice', 'is wrong'), 'x', true)) as {
      error: { fields: unknown };
    };
    assert.deepEqual(error.fields, [{ path: 'price', message: 'is wrong' }]);
  });
});
