import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { assertError, dataOf } from '../support/http.ts';
import { ORDER, startFakeEdge } from './fake-edge.ts';

const LOGIN = '/api/plugin/key/service';
const login = (username: string, password = 'wrong') => ({ username, password });

describe('rate limits', () => {
  test('fault 120: changes of an order by its payers are limited for the order and for each network, reading is not', async () => {
    const edge = await startFakeEdge({ settings: { payerWritesPerMinute: 20, trustedHops: 1 } });
    try {
      const choose = (token: string, from: string) =>
        edge.client.post(
          `/checkout/${token}/choice`,
          { chain: 'ETH', currency: 'ETH' },
          { headers: { 'X-Forwarded-For': from } },
        );
      for (let n = 0; n < 12; n++) assert.notEqual((await choose('one', `2001:db8::${n}`)).status, 429);
      assertError(await choose('one', '198.51.100.9'), 42900);
      for (let n = 0; n < 8; n++) assert.notEqual((await choose(`other${n}`, '2001:db8::1')).status, 429);
      assertError(await choose('another', '2001:db8::2'), 42900);
      assert.notEqual((await choose('another', '198.51.100.9')).status, 429);
      assert.notEqual((await edge.client.get('/checkout/one/state')).status, 429);
    } finally {
      await edge.close();
    }
  });

  test('fault 72: an account has so many requests a minute, orders and their addresses among them, then 42900 with Retry-After; another account has its own', async () => {
    const edge = await startFakeEdge({ settings: { requestsPerMinute: 3 } });
    try {
      for (let n = 0; n < 3; n++) dataOf(await edge.client.get('/api/v2/order/'));
      const reply = await edge.client.get('/api/v2/tx');
      assertError(reply, 42900);
      assert.match(reply.headers['retry-after'] ?? '', /^([1-9]|[1-5]\d|60)$/);
      dataOf(await edge.client.with({ 'API-Key': 'other' }).get('/api/v2/order/'));
      dataOf(await edge.client.get('/livez'));
    } finally {
      await edge.close();
    }
  });

  test('fault 13: logins are throttled by address, whatever the username', async () => {
    const edge = await startFakeEdge({ settings: { loginsPerMinute: 3 } });
    try {
      for (const name of ['a', 'b', 'c']) assertError(await edge.client.post(LOGIN, login(`${name}@x.example`)), 40105);
      const reply = await edge.client.post(LOGIN, login('d@x.example', 'right'));
      assertError(reply, 42900);
      assert(Number(reply.headers['retry-after']) > 0);
    } finally {
      await edge.close();
    }
  });

  test('fault 13: logins are throttled by username in any case, whatever the address', async () => {
    const edge = await startFakeEdge({ settings: { loginsPerMinute: 2, trustedHops: 1 } });
    try {
      const from = (address: string, username: string) =>
        edge.client.post(LOGIN, login(username), { headers: { 'X-Forwarded-For': address } });
      assertError(await from('198.51.100.1', 'shop@x.example'), 40105);
      assertError(await from('198.51.100.2', 'SHOP@x.example'), 40105);
      assertError(await from('198.51.100.3', 'Shop@x.example'), 42900);
      assertError(await from('198.51.100.3', 'else@x.example'), 40105);
    } finally {
      await edge.close();
    }
  });

  test('fault 71: X-Forwarded-For counts only for as many hops as are trusted', async () => {
    const cases: [number, (n: number) => string | string[], boolean][] = [
      // No proxy: whatever the client writes is the client's invention.
      [0, (n) => `203.0.113.${n}`, true],
      // One proxy, which appends what it saw: only the last entry counts.
      [1, (n) => `203.0.113.${n}, 198.51.100.7`, true],
      [1, (n) => [`203.0.113.${n}`, '198.51.100.7'], true],
      [1, (n) => `198.51.100.7, 203.0.113.${n}`, false],
      [2, (n) => `192.0.2.${n}, 198.51.100.7, 10.0.0.1`, true],
      [2, (n) => `192.0.2.1, 198.51.100.${n}, 10.0.0.1`, false],
    ];
    for (const [trustedHops, forwarded, throttled] of cases) {
      const edge = await startFakeEdge({ settings: { loginsPerMinute: 2, trustedHops } });
      try {
        const replies = [];
        for (let n = 1; n <= 3; n++) {
          replies.push(
            await edge.client.post(LOGIN, login(`u${n}@x.example`), { headers: { 'X-Forwarded-For': forwarded(n) } }),
          );
        }
        assertError(replies[2]!, throttled ? 42900 : 40105);
      } finally {
        await edge.close();
      }
    }
  });
});

describe('the login of the payment API', () => {
  test('answers a token under both of its names, without credentials', async () => {
    const edge = await startFakeEdge();
    try {
      const anonymous = edge.client.with({ 'API-Key': 'nobody' });
      for (const path of [LOGIN, '/api/plugin/key/till']) {
        assert.deepEqual(dataOf(await anonymous.post(path, login('a@x.example', 'right'))), {
          access_token: 'a.b.c',
          expire: 3600,
        });
      }
      assertError(await anonymous.post('/api/plugin/key/other', login('a@x.example', 'right')), 40400);
      assertError(await anonymous.post(LOGIN, login('a@x.example')), 40105);
      const { errors } = assertError(await anonymous.post(LOGIN, {}), 40001);
      assert.deepEqual(
        errors?.map(({ path }) => path),
        ['username', 'password'],
      );
      assertError(await anonymous.post(LOGIN, login('a@x.example', 'x'.repeat(2000))), 40001);
    } finally {
      await edge.close();
    }
  });

  test('neither password nor username is logged', async () => {
    const edge = await startFakeEdge();
    try {
      await edge.client.post(LOGIN, login('canary-user@x.example', 'canary-password'));
      assert.doesNotMatch(JSON.stringify(edge.logger.lines), /canary/);
      assert.equal(ORDER.status, 'PENDING');
    } finally {
      await edge.close();
    }
  });
});
