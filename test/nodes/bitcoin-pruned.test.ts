import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UtxoNode } from '../../adapters/chains/utxo/utxo-node.ts';
import { definition as bitcoin } from '../../plugins/bitcoin/definition.ts';
import { MemoryLogger } from '../support/fakes.ts';
import { startBitcoind } from './daemons.ts';

test('fault 85: a pruned bitcoind says from which block on it can be read', async (t) => {
  const daemon = await startBitcoind({ settings: ['prune=1', 'fastprune=1'], firstBlocks: 1_000 });
  const { genesis } = bitcoin.networks.regtest;
  const node = new UtxoNode({ code: 'BTC', urls: [daemon.url], genesis, network: 'regtest' }, new MemoryLogger());
  t.after(async () => {
    await node.close();
    await daemon.stop();
  });
  assert.equal((await node.status()).firstBlock, 0);
  await daemon.rpc('pruneblockchain', 700);
  const { firstBlock, behind } = await node.status();
  assert.ok(firstBlock > 0 && firstBlock <= 701);
  assert.equal(behind, null);
  const blockAt = async (height: number): Promise<number> =>
    (await node.rawBlock((await node.hashAt(height)) ?? '')).length;
  assert.ok((await blockAt(firstBlock)) > 80);
  await assert.rejects(blockAt(firstBlock - 1), { code: 'NODE_FAILED', message: /pruned data/ });
});
