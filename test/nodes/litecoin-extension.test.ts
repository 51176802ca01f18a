import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { UtxoFixture, watching } from './utxo-fixture.ts';

/** The height at which the extension begins on a regression test chain; its first block needs a coin that moves in. */
const BEFORE_EXTENSION = 431;

describe('Litecoin blocks with their extension (LIP-2, LIP-3)', () => {
  let fixture: UtxoFixture;
  before(async () => {
    fixture = await UtxoFixture.start('litecoind', {}, { extension: true, firstBlocks: BEFORE_EXTENSION });
    await fixture.daemon.pay(await fixture.daemon.rpc<string>('getnewaddress', '', 'mweb'), '10');
    await fixture.daemon.mine();
  });
  after(() => fixture.stop());

  test('an ordinary payment in such a block is reported', async () => {
    const { address, key } = await fixture.address();
    const txid = await fixture.daemon.pay(address, '0.5');
    await fixture.daemon.mine();
    const { height, hash } = await fixture.chain.head();
    const { mweb } = await fixture.daemon.rpc<{ mweb?: unknown }>('getblock', hash, 2);
    assert.ok(mweb !== undefined, 'the block has an extension');
    const { transfers, blocks } = await fixture.chain.scan(height - 2, height, watching(key));
    assert.equal(blocks.length, 3);
    assert.deepEqual(
      transfers.map((transfer) => [transfer.txid, transfer.units]),
      [[txid, 50_000_000n]],
    );
  });

  test('coins that move out of the extension to a deposit address are reported', async () => {
    const { address, key } = await fixture.address();
    const { rpc } = fixture.daemon;
    const unspent = await rpc<{ txid: string; vout?: number }[]>('listunspent');
    const open = unspent.filter(({ vout }) => vout !== undefined);
    assert.ok(open.length < unspent.length, 'some coins lie inside');
    // Without the others, those inside are left to pay with.
    await rpc(
      'lockunspent',
      false,
      open.map(({ txid, vout }) => ({ txid, vout })),
    );
    await fixture.daemon.pay(address, '0.25');
    await fixture.daemon.mine();
    const { height } = await fixture.chain.head();
    const { transfers } = await fixture.chain.scan(height, height, watching(key));
    assert.deepEqual(
      transfers.map(({ units }) => units),
      [25_000_000n],
    );
  });

  test('what waits inside of the extension is passed over, and an ordinary payment beside it is shown', async () => {
    const { address, key } = await fixture.address();
    const { rpc } = fixture.daemon;
    await rpc('lockunspent', true);
    const inside = await fixture.daemon.pay(await rpc<string>('getnewaddress', '', 'mweb'), '0.1');
    const txid = await fixture.daemon.pay(address, '0.3');
    assert.ok((await rpc<string[]>('getrawmempool')).includes(inside));
    const look = () => fixture.chain.mempool.pending(async () => watching(key));
    assert.deepEqual(
      (await look()).transfers.map((transfer) => [transfer.txid, transfer.units]),
      [[txid, 30_000_000n]],
    );
    await fixture.daemon.mine();
    assert.deepEqual((await look()).transfers, []);
  });

  test('an address inside of the extension is refused with its reason', async () => {
    const address = await fixture.daemon.rpc<string>('getnewaddress', '', 'mweb');
    assert.equal(fixture.chain.normaliseAddress(address), null);
    assert.match(fixture.chain.addressProblem(address) ?? '', /MimbleWimble extension \(MWEB\)/);
  });
});
