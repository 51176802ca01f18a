import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MeteredRoute, PrepaidBalances, UsageMeter } from '../../../core/index.ts';
import type { AccountId, AppId, AppView } from '../../../core/index.ts';
import { FakeClock } from '../../support/fakes.ts';

const [APP, OTHER] = ['1' as AppId, '2' as AppId];
const view = (id = APP, prepaid = true): AppView => ({
  ...{ id, accountId: '9' as AccountId, enabled: true, accountActive: true, chains: new Set() },
  ...{ admissionMode: null, limits: null, quota: null, prepaid, buyer: null },
});
const route = new MeteredRoute({ host: 'a', protocol: 'jsonrpc', methods: { allow: [], deny: [] }, units: {} });

function begun(max?: number) {
  const balances = new PrepaidBalances((token) => `https://pay.example/top-up/${token}`, max);
  const meter = new UsageMeter(new FakeClock());
  const read = (bought: number, used: number, id = APP): void =>
    balances.read(balances.asked(), [{ appId: id, bought, used, token: 't' }], meter);
  /** As the gateway does it. */
  const call = (calls = 1, app = view()): boolean => {
    const methods = Array.from({ length: calls }, () => 'eth_call');
    if (balances.check(app, calls) !== null) return false;
    balances.spend(app, meter.sent(app.id, route, methods));
    return true;
  };
  return { balances, meter, read, call };
}

describe('prepaid units in memory', () => {
  test('calls pass until they are used up; the refusal says where to buy more', () => {
    const { balances, read, call } = begun();
    assert.equal(call(), false);
    read(3, 0);
    assert.deepEqual([call(2), call(2), call(1), call(1)], [true, false, true, false]);
    const refusal = balances.check(view(), 1);
    assert.deepEqual(
      [refusal?.reason, refusal?.status, refusal?.rpcCode, refusal?.topUpUrl],
      ['quota_exceeded', 402, -32005, 'https://pay.example/top-up/t'],
    );
    assert.equal(balances.check(view(), 0), null);
    assert.equal(balances.check(view(APP, false), 1_000), null);
  });

  test('what is stored is not counted twice, and what is not stored yet is counted', () => {
    const { meter, read, call } = begun();
    call();
    read(5, 0);
    call(3);
    meter.take(10);
    call(2);
    // Another instance used 4.
    read(10, 3 + 4);
    assert.deepEqual([call(), call()], [true, false]);
  });

  test('units below zero stay refused, and a payment is read although nobody asks', async () => {
    const { balances, read, call } = begun();
    call();
    read(5, 9);
    assert.equal(call(), false);
    assert.deepEqual(balances.asked(), [APP]);
    assert.deepEqual(balances.asked(), []);
    await balances.apply([
      { kind: 'account', id: APP as string as AccountId },
      { kind: 'app', id: OTHER },
    ]);
    assert.deepEqual(balances.asked(), []);
    await balances.apply([{ kind: 'app', id: APP }]);
    read(15, 9);
    assert.equal(call(), true);
    balances.asked();
    await balances.load();
    assert.deepEqual(balances.asked(), [APP]);
  });

  test('fault 376: an App without a row, or one that was not read, is refused; memory is bounded', () => {
    const { balances, meter, call } = begun(2);
    for (const id of ['1', '2', '3']) assert.equal(call(1, view(id as AppId)), false);
    assert.deepEqual([balances.isRead(view(OTHER)), balances.isRead(view(OTHER, false))], [false, true]);
    assert.deepEqual(
      [balances.check(view(OTHER), 1)?.status, balances.check(view(OTHER), 1)?.reason],
      [503, 'upstream_unavailable'],
    );
    assert.deepEqual(balances.asked(), ['2', '3']);
    balances.read(['2', '3'] as AppId[], [], meter);
    const refusal = balances.check(view(OTHER), 1);
    assert.deepEqual([refusal?.status, refusal?.topUpUrl], [402, null]);
    assert.equal(balances.isRead(view(OTHER)), true);
  });
});
