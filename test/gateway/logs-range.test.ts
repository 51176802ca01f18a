import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { DEFAULT_READS } from '../../core/index.ts';
import { startAnvil } from '../support/anvil.ts';
import type { Anvil } from '../support/anvil.ts';
import { waitFor } from '../support/wait.ts';
import { ask, bothPaths, KEY, reasonOf, routeOf, startGateway } from './support.ts';
import type { TestGateway } from './support.ts';

const WS = 'ws.gate.example';
const logs = (id: number, fromBlock: string, toBlock?: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_getLogs', params: [{ fromBlock, toBlock }] });

bothPaths('fault 153: a route that limits the range of eth_getLogs', (path) => {
  let anvil: Anvil;
  let gate: TestGateway;
  before(async () => {
    anvil = await startAnvil();
    await anvil.mine(30);
    const reads = { ...DEFAULT_READS, logs: { maxRange: 10, splitInto: 1, maxResults: 100 } };
    gate = await startGateway(
      [
        routeOf([anvil.url], { reads }),
        routeOf([anvil.url.replace('http', 'ws')], { reads, host: WS, protocol: 'websocket', id: '5' as never }),
      ],
      { healthIntervalMs: 50 },
      path,
    );
    await waitFor(async () => (await ask(gate.port, { body: logs(1, '0x17') })).status === 200);
  });
  after(async () => {
    await gate.close();
    await anvil.stop();
  });

  test('passes what is within, by numbers and by tags', async () => {
    for (const body of [logs(1, '0x1', '0xa'), logs(1, 'latest', 'latest'), logs(1, '0x15', 'latest'), logs(1, '0x15')])
      assert.deepEqual(JSON.parse((await ask(gate.port, { body })).text), { jsonrpc: '2.0', id: 1, result: [] });
  });

  test('refuses what is beyond, and a batch that has one such call, with the limit in the message', async () => {
    for (const body of [
      logs(1, '0x1', '0xb'),
      logs(1, '0x14'),
      logs(1, 'earliest', 'latest'),
      `[${logs(1, '0x1', '0x2')},${logs(2, '0x1', '0xb')}]`,
    ]) {
      const answer = await ask(gate.port, { body });
      assert.deepEqual([answer.status, reasonOf(answer)], [400, 'range_too_large'], body);
      const { error } = JSON.parse(answer.text) as { error: { code: number; message: string } };
      assert.equal(error.code, -32005);
      assert.match(error.message, /at most 10 blocks/);
    }
  });

  test('refuses a range that is written twice', async () => {
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x0","toBlock":"0xffff","toBlock":"0x1"}]}';
    assert.equal((await ask(gate.port, { body })).status, 400);
  });

  test('over a WebSocket the call is answered with its own id, and the connection goes on', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/${KEY}`, { headers: { host: WS } });
    const answers: string[] = [];
    socket.on('message', (data: Buffer) => answers.push(data.toString()));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(logs(7, '0x1', '0xb'));
    await waitFor(() => answers.length === 1);
    const { id, error } = JSON.parse(answers[0] ?? '') as { id: number; error: { code: number; message: string } };
    assert.deepEqual([id, error.code], [7, -32005]);
    socket.send(logs(8, '0x1', '0xa'));
    await waitFor(() => answers.length === 2);
    assert.deepEqual(JSON.parse(answers[1] ?? ''), { jsonrpc: '2.0', id: 8, result: [] });
    socket.close();
  });

  test('shows the refusals in the metrics', async () => {
    assert.match(await gate.metrics(), /tillgate_gateway_admission_total\{[^}]*reason="range_too_large"[^}]*\} [1-9]/);
  });
});
