import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Express } from 'express';
import { startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

/** Node's client keeps no connection that has a second or less. */
const KEEP_MS = 2_000;
const LIST = '/api/order/pay/crypto-currency';

describe('connections that a server keeps for a while', () => {
  let edge: FakeEdge;
  let resets = 0;
  before(async () => {
    const app = (express: Express): void => {
      express.get('/reset', (request) => {
        resets += 1;
        request.socket.resetAndDestroy();
      });
    };
    edge = await startFakeEdge({ app, timeouts: { headersMs: 10_000, requestMs: 10_000, keepAliveMs: KEEP_MS } });
  });
  after(() => edge.close());

  /** Leaves connections that the next requests are sent over. */
  async function warm(): Promise<void> {
    await Promise.all([edge.client.get(LIST), edge.client.get(LIST)]);
    await turn();
  }

  test('a process that stood still for longer has its requests answered', async () => {
    await warm();
    // The server's timers are due at its end, and run before the server reads the requests.
    for (const until = Date.now() + KEEP_MS + 1_500; Date.now() < until;);
    for (const { status } of await Promise.all([edge.client.get(LIST), edge.client.get(LIST)]))
      assert.equal(status, 200);
  });

  test('a request that the server resets on every connection fails', async () => {
    await warm();
    await assert.rejects(edge.client.get('/reset'), { code: 'ECONNRESET' });
    assert.equal(resets, 2);
  });
});
