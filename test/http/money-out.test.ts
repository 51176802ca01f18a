import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createOperations } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { assertError, dataOf, envelope } from '../support/http.ts';
import { ORDER_ID, startFakeEdge, WITHDRAWAL } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

const WITHDRAW = '/api/withdraw';
const REFUND = '/api/v2/order/refund';
const BODY = { amount: 100.5, chain: 'ETH', currency: 'USDT-ERC20' };

describe('money out, at the edge', () => {
  let edge: FakeEdge;
  let refusal: ErrorCode | null = null;
  before(async () => {
    edge = await startFakeEdge();
    const { requestWithdrawal, requestRefund } = edge.deps;
    const [withdraw, refund] = [requestWithdrawal.run.bind(requestWithdrawal), requestRefund.run.bind(requestRefund)];
    const mayRefuse = (): void => {
      if (refusal !== null) throw new TillgateError(refusal, 'refused by the test');
    };
    requestWithdrawal.run = async (...args) => {
      mayRefuse();
      return withdraw(...args);
    };
    requestRefund.run = async (...args) => {
      mayRefuse();
      return refund(...args);
    };
  });
  after(() => edge.close());

  const asked = () => edge.asked.withdrawals.at(-1);
  const withdraw = (body: unknown, headers = {}) => edge.client.post(WITHDRAW, body, { headers });

  describe('POST /api/withdraw', () => {
    test('fault 45: reads an amount exactly, as a number or as text', async () => {
      const cases: readonly (readonly [string, bigint, number])[] = [
        ['123456789.123456789', 123456789123456789n, 9],
        ['"123456789.123456789"', 123456789123456789n, 9],
        ['1e-8', 1n, 8],
        ['0.1', 1n, 1],
      ];
      for (const [amount, digits, scale] of cases) {
        dataOf(
          await withdraw(`{"amount":${amount},"chain":"ETH","currency":"ETH","unknown":1}`, {
            'Content-Type': 'application/json',
          }),
        );
        assert.deepEqual(asked()?.input, {
          chain: 'ETH',
          currency: 'ETH',
          amount: { digits, scale },
          lnInvoices: null,
          verifyCode: null,
        });
      }
    });

    test('answers with the record as it is', async () => {
      assert.deepEqual(dataOf(await withdraw(BODY)), WITHDRAWAL);
    });

    test('lists every wrong field, not only the first', async () => {
      const reply = await withdraw({ amount: 0, currency: 7, ln_invoices: 5, verify_code: 'x'.repeat(17) });
      assertError(reply, 40001);
      assert.deepEqual(
        envelope(reply)
          .errors?.map(({ path }) => path)
          .sort(),
        ['amount', 'chain', 'currency', 'ln_invoices', 'verify_code'],
      );
      for (const amount of ['-1', '1e400', '"1e3"', '"0.0"', 'true', '" 1"']) {
        assertError(
          await withdraw(`{"amount":${amount},"chain":"ETH","currency":"ETH"}`, { 'Content-Type': 'application/json' }),
          40001,
        );
      }
    });

    test('takes verify_code as text and as a number, which cannot tell its zeros in front', async () => {
      const cases: readonly (readonly [unknown, string | null])[] = [
        ['012345', '012345'],
        [12345, '012345'],
        [654321, '654321'],
        ['', null],
        ['abc', 'abc'],
      ];
      for (const [sent, read] of cases) {
        dataOf(await withdraw({ ...BODY, verify_code: sent }));
        assert.equal(asked()?.input.verifyCode, read);
      }
      for (const wrong of ['1.5', '1e5', '-1', 'true', '[1]', 'null']) {
        assertError(
          await withdraw(`{"amount":1,"chain":"ETH","currency":"ETH","verify_code":${wrong}}`, {
            'Content-Type': 'application/json',
          }),
          40001,
        );
      }
    });

    test('passes chain BLN with its invoice through', async () => {
      dataOf(
        await withdraw({
          amount: '0.00000000001',
          chain: 'BLN',
          currency: 'BTC-LN',
          ln_invoices: 'lnbc1qq',
          verify_code: '000001',
        }),
      );
      assert.deepEqual(asked()?.input, {
        chain: 'BLN',
        currency: 'BTC-LN',
        amount: { digits: 1n, scale: 11 },
        lnInvoices: 'lnbc1qq',
        verifyCode: '000001',
      });
    });

    test('tells each refusal with its code', async () => {
      const cases: readonly (readonly [ErrorCode, number])[] = [
        ['UNSUPPORTED', 40002],
        ['AMOUNT_OUT_OF_RANGE', 40003],
        ['VERIFICATION_REQUIRED', 40004],
        ['NO_WITHDRAWAL_ADDRESS', 40005],
        ['VERIFY_CODE_INVALID', 40006],
        ['INVOICE_INVALID', 40007],
        ['STATE_CONFLICT', 40900],
        ['IDEMPOTENCY_MISMATCH', 40901],
        ['IDEMPOTENCY_RUNNING', 40902],
        ['INSUFFICIENT_BALANCE', 42200],
        ['NODE_FAILED', 50200],
        ['NOT_READY', 50300],
      ];
      for (const [word, code] of cases) {
        refusal = word;
        assertError(await withdraw(BODY), code);
      }
      refusal = null;
    });

    test('looks at fields before anything is asked, and at credentials before fields', async () => {
      const { length } = edge.asked.withdrawals;
      assertError(await withdraw({}, { 'API-Key': 'secured' }), 40300);
      assertError(await withdraw({}), 40001);
      assert.equal(edge.asked.withdrawals.length, length);
    });
  });

  describe('refunds', () => {
    test('numbers are rounded down to eight decimals, digit for digit', async () => {
      const reply = await edge.client.request('POST', `${REFUND}/${ORDER_ID}`);
      assert.match(reply.text, /"amount":1\.12345678,"network_fee":0,"obtained":1\.12345678,/);
      assert.match(reply.text, /"refund_amount":1\.12345678,"refund_date":null/);
      const info = await edge.client.get(`/api/v2/order/refund-info/${ORDER_ID}`);
      assert.deepEqual(dataOf(info), dataOf(reply));
    });

    test('want no body, and take any', async () => {
      dataOf(await edge.client.request('POST', `${REFUND}/${ORDER_ID}`));
      dataOf(await edge.client.post(`${REFUND}/${ORDER_ID}`, {}));
      assertError(await edge.client.get(`${REFUND}/${ORDER_ID}`), 40500);
    });

    test('one Idempotency-Key does not serve for two orders', async () => {
      const headers = { 'Idempotency-Key': 'one' };
      dataOf(await edge.client.request('POST', `${REFUND}/${ORDER_ID}`, { headers }));
      dataOf(await edge.client.request('POST', `${REFUND}/${ORDER_ID}`, { headers }));
      dataOf(await edge.client.request('POST', `${REFUND}/1530217733414232065`, { headers }));
      const [first, again, other] = edge.asked.refunds.slice(-3).map(({ idempotency }) => idempotency);
      assert.equal(first?.route, '/api/v2/order/refund/{order_id}');
      assert.equal(again?.bodyHash, first.bodyHash);
      assert.notEqual(other?.bodyHash, first.bodyHash);
    });

    test('tell each refusal with its code', async () => {
      for (const [word, code] of [
        ['NOT_FOUND', 40400],
        ['STATE_CONFLICT', 40900],
        ['INSUFFICIENT_BALANCE', 42200],
        ['NODE_FAILED', 50200],
      ] as const) {
        refusal = word;
        assertError(await edge.client.request('POST', `${REFUND}/${ORDER_ID}`), code);
      }
      refusal = null;
      assertError(await edge.client.get('/api/v2/order/refund-info/1530217733414232065'), 40400);
    });
  });

  describe('balances', () => {
    test('of the ledger are text with every digit, of nodes numbers that are exact as a double', async () => {
      const wallets = await edge.client.get('/api/wallets');
      assert.equal(dataOf<{ total: string }[]>(wallets)[0]?.total, '1.000000000000000001');
      const balances = await edge.client.get('/api/contract/balance');
      assert.match(balances.text, /"currency":"ETH","amount":0\.99999999\}/);
      assert.match(balances.text, /"currency":"SHIB-ERC20","amount":589735030408323\}/);
      assert.equal(dataOf<{ amount: number }[]>(balances)[1]?.amount, 589735030408323);
    });
  });

  test('fault 1: what moves money takes a signature once, what only looks takes it again', () => {
    const table = createOperations(edge.deps.settings);
    const once = table
      .filter(({ auth }) => auth.kind === 'merchant' && auth.scope === 'move')
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(
      once.filter((row) => !row.includes('/bln/')),
      [`POST ${REFUND}/{order_id}`, `POST ${WITHDRAW}`],
    );
  });
});
