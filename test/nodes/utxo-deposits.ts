import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../core/index.ts';
import type { ObservedTransfer, PendingTransfer } from '../../core/index.ts';
import type { DaemonKind } from './daemons.ts';
import { receivingOf, tpubOf } from './foreign-keys.ts';
import { COIN, UtxoYard, toUnits, watching } from './utxo-yard.ts';

/** Deposits as a real node shows them. */
export function describeDeposits(kind: DaemonKind): void {
  describe(`deposits on ${kind}`, () => {
    let yard: UtxoYard;
    before(async () => {
      yard = await UtxoYard.start(kind);
    });
    after(() => yard.stop());

    const scanLast = async (blocks: number, ...keys: readonly string[]): Promise<readonly ObservedTransfer[]> => {
      const { height } = await yard.chain.head();
      return (await yard.chain.scan(height - blocks + 1, height, watching(...keys))).transfers;
    };
    const brief = ({ txid, index, units, currency, toKey, from }: ObservedTransfer): unknown => ({ txid, index, units, currency, toKey, from });

    test('the identity holds the hash of the first block', async () => {
      assert.equal(await yard.chain.identify(), `bip122:${await yard.daemon.rpc<string>('getblockhash', 0)}`);
    });

    test('an address is what the node itself makes of the key’s script', async () => {
      for (const { address, key } of await yard.chain.deriveAddresses(0, 20)) {
        const told = await yard.daemon.rpc<{ isvalid: boolean; scriptPubKey: string }>('validateaddress', address);
        assert.deepEqual([told.isvalid, told.scriptPubKey], [true, key]);
        assert.equal(yard.chain.normaliseAddress(address.toUpperCase()), address);
        assert.equal(yard.chain.keyOf(address), key);
      }
    });

    test('an exact deposit is reported with its output’s number', async () => {
      const { address, key } = await yard.address();
      const txid = await yard.daemon.pay(address, '1.23456789');
      await yard.daemon.mine();
      const coin = await yard.coin(txid, address, 0);
      const [block] = (await yard.chain.scan(await yard.daemon.height(), await yard.daemon.height(), watching())).blocks;
      const [transfer, ...others] = await scanLast(1, key);
      assert.ok(transfer !== undefined && others.length === 0);
      assert.deepEqual(brief(transfer), { txid, index: coin.ref.split(':')[1], units: 123_456_789n, currency: yard.currency, toKey: key, from: null });
      assert.deepEqual(transfer.block, block);
    });

    test('fault 54: a payment in parts is reported part by part', async () => {
      const { address, key } = await yard.address();
      const first = await yard.daemon.pay(address, '0.1');
      await yard.daemon.mine();
      const second = await yard.daemon.pay(address, '0.2');
      await yard.daemon.mine();
      assert.deepEqual((await scanLast(2, key)).map(({ txid, units }) => [txid, units]), [
        [first, 10_000_000n],
        [second, 20_000_000n],
      ]);
    });

    test('fault 52: several outputs of one transaction are told apart by their numbers', async () => {
      const [one, two] = [await yard.address(), await yard.address()];
      const { rpc } = yard.daemon;
      const outputs = [{ [one.address]: '0.5' }, { [two.address]: '0.25' }];
      const funded = await rpc<{ hex: string }>('fundrawtransaction', await rpc('createrawtransaction', [], outputs));
      const { hex } = await rpc<{ hex: string }>('signrawtransactionwithwallet', funded.hex);
      const txid = await rpc<string>('sendrawtransaction', hex);
      await yard.daemon.mine();
      const transfers = await scanLast(1, one.key, two.key);
      assert.deepEqual(new Set(transfers.map(({ toKey, units }) => `${toKey} ${units}`)), new Set([`${one.key} 50000000`, `${two.key} 25000000`]));
      assert.equal(new Set(transfers.map((transfer) => `${transfer.txid}:${transfer.index}`)).size, 2);
      for (const transfer of transfers) assert.equal(transfer.txid, txid);
    });

    test('fault 53: a payment that is replaced before it is mined is never reported, its replacement once', async () => {
      const { address, key } = await yard.address();
      const coin = await yard.purseCoin();
      const paid = await yard.spend(coin, address, 10_000n);
      assert.deepEqual(await scanLast(3, key), []);
      const replacement = await yard.spend(coin, await yard.foreign(), 100_000n);
      await yard.daemon.mine();
      assert.notEqual(replacement, paid);
      assert.deepEqual(await scanLast(3, key), []);
    });

    test('fault 53: what waits is shown with its output and the node’s time, and what replaced it in its place', async () => {
      const [one, two] = [await yard.address(), await yard.address()];
      const pending = async (): Promise<readonly PendingTransfer[]> => (await yard.chain.mempool.pending(async () => watching(one.key, two.key))).transfers;
      const coin = await yard.purseCoin();
      const began = Date.now() - 1_000;
      const paid = await yard.spend(coin, one.address, 10_000n);
      const [shown, ...others] = await pending();
      assert.ok(shown !== undefined && shown.seenAt !== null && others.length === 0);
      assert.deepEqual([shown.txid, shown.index, shown.units, shown.toKey], [paid, '0', toUnits(coin.amount) - 10_000n, one.key]);
      assert.ok(shown.seenAt >= began && shown.seenAt <= Date.now() + 1_000);
      assert.deepEqual(await pending(), [shown], 'the same again, though nothing is new');
      const replacement = await yard.spend(coin, two.address, 100_000n);
      assert.deepEqual((await pending()).map(({ txid, toKey }) => [txid, toKey]), [[replacement, two.key]]);
      await yard.daemon.mine();
      assert.deepEqual(await pending(), []);
      assert.deepEqual((await scanLast(1, one.key, two.key)).map(({ txid, index }) => [txid, index]), [[replacement, '0']]);
    });

    test('a coinbase to a deposit address is logged and not reported', async () => {
      const { address, key } = await yard.address();
      await yard.daemon.rpc('generatetoaddress', 1, address);
      assert.deepEqual(await scanLast(1, key), []);
      assert.ok(yard.logger.lines.some(({ message }) => message.includes('newly made coins')));
    });

    test('fault 51: after a reorganisation the chain shows the other branch', async () => {
      const { address, key } = await yard.address();
      const txid = await yard.daemon.pay(address, '0.7');
      await yard.daemon.mine(2);
      const before = await yard.chain.head();
      assert.deepEqual((await scanLast(2, key)).map((transfer) => transfer.txid), [txid]);
      await yard.forkEmpty(2);
      const head = await yard.chain.head();
      assert.equal(head.height, before.height + 1);
      assert.notEqual((await yard.chain.blockAt(before.height))?.hash, before.hash);
      assert.deepEqual(await scanLast(3, key), []);
      await yard.daemon.mine();
      const [again] = await scanLast(1, key);
      assert.deepEqual([again?.txid, again?.units], [txid, 70_000_000n]);
    });

    test('fault 56: a head that went back on the same chain is a node that lags', async () => {
      const head = await yard.chain.head();
      await yard.daemon.rpc('invalidateblock', head.hash);
      await assert.rejects(yard.chain.head(), (error: unknown) => isTillgateError(error, 'NODE_FAILED') && /went back/.test(error.message));
      await yard.daemon.rpc('reconsiderblock', head.hash);
      assert.deepEqual(await yard.chain.head(), head);
    });

    test('above the head there is no block; a scan past it fails', async () => {
      const { height } = await yard.chain.head();
      assert.equal(await yard.chain.blockAt(height + 1), null);
      await assert.rejects(yard.chain.scan(height, height + 1, watching()), (error: unknown) => isTillgateError(error, 'NODE_FAILED'));
    });

    test('many blocks in one scan are linked from first to last', async () => {
      const { height } = await yard.chain.head();
      const { blocks } = await yard.chain.scan(1, height, watching());
      assert.equal(blocks.length, height);
      for (const [at, block] of blocks.entries()) if (at > 0) assert.equal(block.parentHash, blocks[at - 1]?.hash);
      assert.deepEqual(blocks.at(-1), await yard.chain.head());
    });

    test('balances come from the node’s set of unspent outputs, for addresses and for keys in each spelling', async () => {
      const { address } = await yard.address();
      await yard.daemon.pay(address, '0.11');
      await yard.daemon.mine();
      const { balances } = yard.chain;
      assert.deepEqual(await balances.ofAddress(address), new Map([[yard.currency, 11_000_000n]]));
      const xpub = await yard.wallet.extendedPublicKey(kind === 'bitcoind' ? "m/84'/1'/7'" : "m/84'/1'/8'");
      assert.equal(balances.readExtendedKey(xpub), null, 'a key of the main network');
      const [tpub, first, gap] = [tpubOf(xpub), receivingOf(xpub, 0, yard.chain), receivingOf(xpub, 19, yard.chain)];
      await yard.daemon.pay(first, '1');
      await yard.daemon.pay(gap, '2');
      await yard.daemon.mine();
      for (const spelling of [tpub, tpubOf(xpub, 'vpub')]) {
        assert.equal(balances.readExtendedKey(spelling), spelling);
        // Two at once: they queue, for a node scans once at a time.
        const sheets = await Promise.all([balances.ofExtendedKey(spelling), balances.ofExtendedKey(spelling)]);
        for (const sheet of sheets) assert.deepEqual(sheet, new Map([[yard.currency, COIN * 3n]]));
      }
      assert.deepEqual(await balances.ofExtendedKey(tpubOf(xpub, 'upub')), new Map([[yard.currency, 0n]]));
    });
  });
}
