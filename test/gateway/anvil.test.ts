import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { createPublicClient, createWalletClient, defineChain, http, parseEther, webSocket } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startAnvil } from '../support/anvil.ts';
import type { Anvil } from '../support/anvil.ts';
import { waitFor } from '../support/wait.ts';
import { bothPaths, KEY, keyView, routeOf, startGateway } from './support.ts';
import type { TestGateway } from './support.ts';

/** The first of anvil's well-known development accounts. */
const FUNDED = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

const chainOf = (id: number) =>
  defineChain({
    id,
    name: 'anvil',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });

bothPaths('viem talks to a real node through the gateway', (path) => {
  let anvil: Anvil;
  let gate: TestGateway;
  let chain: ReturnType<typeof chainOf>;
  before(async () => {
    anvil = await startAnvil();
    // localhost and 127.0.0.1 stand for two hosts of the gateway: viem sends what its URL says.
    gate = await startGateway(
      [
        routeOf([anvil.url], { host: '127.0.0.1' }),
        routeOf([anvil.url.replace('http', 'ws')], { host: 'localhost', protocol: 'websocket', id: '5' as never }),
      ],
      { healthIntervalMs: 200 },
      path,
    );
    chain = chainOf(anvil.chainId);
  });
  after(async () => {
    await gate.close();
    await anvil.stop();
  });

  test('over HTTP, with the key in the path and in the header: reads, a batch, a transfer', async () => {
    const inPath = http(`http://127.0.0.1:${gate.port}/${KEY}`, { batch: true });
    const inHeader = http(`http://127.0.0.1:${gate.port}`, {
      fetchOptions: { headers: { Authorization: `Bearer ${KEY}` } },
    });
    for (const transport of [inPath, inHeader]) {
      const client = createPublicClient({ chain, transport });
      const [id, block, balance] = await Promise.all([
        client.getChainId(),
        client.getBlock(),
        client.getBalance({ address: FUNDED.address }),
      ]);
      assert.equal(id, anvil.chainId);
      assert.equal(typeof block.hash, 'string');
      assert(balance > 0n);
      const to = `0x${'11'.repeat(20)}` as const;
      const before = await client.getBalance({ address: to });
      const hash = await createWalletClient({ account: FUNDED, chain, transport }).sendTransaction({
        to,
        value: parseEther('1'),
      });
      assert.equal((await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })).status, 'success');
      assert.equal((await client.getBalance({ address: to })) - before, parseEther('1'));
    }
  });

  test('over HTTP a refused method is an error that viem understands', async () => {
    const client = createPublicClient({
      chain,
      transport: http(`http://127.0.0.1:${gate.port}/${KEY}`, { retryCount: 0 }),
    });
    await assert.rejects(
      client.request({ method: 'anvil_mine' as 'eth_chainId', params: [] as never }),
      /403|not allowed/,
    );
  });

  test('over WebSocket: reads, a subscription to blocks, and the end when the key is revoked', async () => {
    const transport = webSocket(`ws://localhost:${await portOfLocalhost(gate)}/${KEY}`, {
      reconnect: false,
      retryCount: 0,
    });
    const client = createPublicClient({ chain, transport });
    assert.equal(await client.getChainId(), anvil.chainId);
    const blocks: bigint[] = [];
    const stop = client.watchBlockNumber({ onBlockNumber: (block) => blocks.push(block) });
    await waitFor(
      async () => {
        await anvil.mine();
        return blocks.length > 0;
      },
      { intervalMs: 100 },
    );
    stop();
    gate.directory.set(KEY, keyView({ state: 'revoked' }));
    await assert.rejects(client.getBlockNumber({ cacheTime: 0 }));
    gate.directory.set(KEY, keyView());
    // viem goes on pinging a socket until it is told otherwise.
    (await (client.transport as unknown as { getRpcClient(): Promise<{ close(): void }> }).getRpcClient()).close();
  });
});

/** The gateway listens on 127.0.0.1 only; a machine that prefers ::1 for localhost must not fail the test. */
async function portOfLocalhost({ port }: TestGateway): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    httpRequest({ host: 'localhost', port, agent: false, autoSelectFamily: true } as object, (response) => {
      response.resume();
      resolve();
    })
      .on('error', reject)
      .end();
  });
  return port;
}
