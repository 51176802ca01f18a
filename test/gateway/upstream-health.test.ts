import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '../support/wait.ts';
import { answerRpc, ask, routeOf, startGateway, startNode } from './support.ts';

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['0x00', '0x10'] });

test('tells of each upstream of a route its state, head, lag, latency and errors, and of no other one anything', async (t) => {
  const node = async (head: number, status: number) => {
    const made = await startNode((_req, res, body) => {
      if (body.includes('eth_blockNumber')) res.end(`{"jsonrpc":"2.0","id":1,"result":${head}}`);
      else if (status === 200) answerRpc(res, body);
      else res.writeHead(status).end();
    });
    t.after(() => made.close());
    return made;
  };
  const [ahead, behind, gone] = [await node(0x42, 200), await node(0x40, 503), await node(1, 200)];
  const secret = 'a-key-of-the-provider';
  const route = routeOf([`${ahead.url}/${secret}`, behind.url, gone.url]);
  await gone.close();
  const gate = await startGateway([route], { healthIntervalMs: 50 });
  t.after(() => gate.close());
  const health = () => gate.gateway.upstreamHealth(route);
  await waitFor(() => health()[1]?.head === 0x40 && health()[2]?.state !== 'up', { describe: 'the health checks' });
  assert.deepEqual(
    health().map((one) => [one?.head, one?.lagBlocks]),
    [
      [0x42, 0],
      [0x40, 2],
      [null, null],
    ],
  );
  assert.deepEqual([health()[0]?.latencyMs, health()[0]?.errorRate], [null, null], 'nothing was asked yet');
  await waitFor(
    async () => {
      await ask(gate.port, { body: CALL });
      return (health()[1]?.errorRate ?? 0) > 0 && health()[0]?.latencyMs !== null;
    },
    { describe: () => JSON.stringify(health()) },
  );
  assert.equal(health()[0]?.errorRate, 0);
  assert.ok((health()[0]?.latencyMs ?? 0) > 0);
  assert.ok(!JSON.stringify(health()).includes(secret));
  const other = routeOf([ahead.url]);
  assert.deepEqual(gate.gateway.upstreamHealth({ ...other, id: 'another' as typeof other.id }), [null]);
});

test('fault 421: a check reads the status and the error: a node that refuses the gateway’s key is down, with the reason in the log', async (t) => {
  const error = (code: number, message: string): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } });
  for (const [status, text, reason] of [
    [401, error(-32600, 'Must be authenticated!'), 'unauthorised'],
    [429, '', 'rate_limited'],
    [200, error(-32005, 'daily request count exceeded, request rate limited'), 'rate_limited'],
    [200, error(-32601, 'the method eth_blockNumber does not exist/is not available'), null],
  ] as const) {
    const node = await startNode((_req, res) => void res.writeHead(status).end(text));
    const route = routeOf([node.url]);
    const gate = await startGateway([route], { healthIntervalMs: 50 });
    t.after(async () => {
      await gate.close();
      await node.close();
    });
    if (reason === null) await waitFor(() => node.seen.length > 1);
    else await waitFor(() => gate.log().includes(`"reason":"${reason}"`));
    assert.equal(gate.gateway.upstreamHealth(route)[0]?.state === 'up', reason === null);
  }
});
