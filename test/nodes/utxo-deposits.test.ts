// @parts: bitcoind litecoind
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../core/index.ts';
import type { ObservedTransfer, PendingTransfer } from '../../core/index.ts';
import { chosenParts } from '../support/parts.ts';
import type { DaemonKind } from './daemons.ts';
import { receivingOf, tpubOf } from './foreign-keys.ts';
import { COIN, UtxoFixture, toUnits, watching } from './utxo-fixture.ts';

/** Deposits as a real node shows them. */
function describeDeposits(kind: DaemonKind): void {
  describe(`deposits on ${kind}`, () => {
    let fixture: UtxoFixture;
    before(async () => {
      fixture = await UtxoFixture.start(kind);
    });
    after(() => fixture.stop());

    const scanLast = async (blocks: number, ...keys: readonly string[]): Promise<readonly ObservedTransfer[]> => {
      const { height } = await fixture.chain.head();
      return (await fixture.chain.scan(height - blocks + 1, height, watching(...keys))).transfers;
    };
    const brief = ({ txid, index, units, currency, toKey, from }: ObservedTransfer): unknown => ({
      txid,
      index,
      units,
      currency,
      toKey,
      from,
    });

    test('the identity holds the hash of the first block', async () => {
      assert.equal(await fixture.chain.identify(), `bip122:${await fixture.daemon.rpc<string>('getblockhash', 0)}`);
    });

    test('an address is what the node itself makes of the key’s script', async () => {
      for (const { address, key } of await fixture.chain.deriveAddresses(0, 20)) {
        const told = await fixture.daemon.rpc<{ isvalid: boolean; scriptPubKey: string }>('validateaddress', address);
        assert.deepEqual([told.isvalid, told.scriptPubKey], [true, key]);
        assert.equal(fixture.chain.normaliseAddress(address.toUpperCase()), address);
        assert.equal(fixture.chain.keyOf(address), key);
      }
    });

    test('an exact deposit is reported with its output’s number', async () => {
      const { address, key } = await fixture.address();
      const txid = await fixture.daemon.pay(address, '1.23456789');
      await fixture.daemon.mine();
      const coin = await fixture.coin(txid, address, 0);
      const [block] = (
        await fixture.chain.scan(await fixture.daemon.height(), await fixture.daemon.height(), watching())
      ).blocks;
      const [transfer, ...others] = await scanLast(1, key);
      assert.ok(transfer !== undefined && others.length === 0);
      assert.deepEqual(brief(transfer), {
        txid,
        index: coin.ref.split(':')[1],
        units: 123_456_789n,
        currency: fixture.currency,
        toKey: key,
        from: null,
      });
      assert.deepEqual(transfer.block, block);
    });

    test('fault 54: a payment in parts is reported part by part', async () => {
      const { address, key } = await fixture.address();
      const first = await fixture.daemon.pay(address, '0.1');
      await fixture.daemon.mine();
      const second = await fixture.daemon.pay(address, '0.2');
      await fixture.daemon.mine();
      assert.deepEqual(
        (await scanLast(2, key)).map(({ txid, units }) => [txid, units]),
        [
          [first, 10_000_000n],
          [second, 20_000_000n],
        ],
      );
    });

    test('fault 52: several outputs of one transaction are told apart by their numbers', async () => {
      const [one, two] = [await fixture.address(), await fixture.address()];
      const { rpc } = fixture.daemon;
      const outputs = [{ [one.address]: '0.5' }, { [two.address]: '0.25' }];
      const funded = await rpc<{ hex: string }>('fundrawtransaction', await rpc('createrawtransaction', [], outputs));
      const { hex } = await rpc<{ hex: string }>('signrawtransactionwithwallet', funded.hex);
      const txid = await rpc<string>('sendrawtransaction', hex);
      await fixture.daemon.mine();
      const transfers = await scanLast(1, one.key, two.key);
      assert.deepEqual(
        new Set(transfers.map(({ toKey, units }) => `${toKey} ${units}`)),
        new Set([`${one.key} 50000000`, `${two.key} 25000000`]),
      );
      assert.equal(new Set(transfers.map((transfer) => `${transfer.txid}:${transfer.index}`)).size, 2);
      for (const transfer of transfers) assert.equal(transfer.txid, txid);
    });

    test('fault 53: a payment that is replaced before it is mined is never reported, its replacement once', async () => {
      const { address, key } = await fixture.address();
      const coin = await fixture.purseCoin();
      const paid = await fixture.spend(coin, address, 10_000n);
      assert.deepEqual(await scanLast(3, key), []);
      const replacement = await fixture.spend(coin, await fixture.foreign(), 100_000n);
      await fixture.daemon.mine();
      assert.notEqual(replacement, paid);
      assert.deepEqual(await scanLast(3, key), []);
    });

    test('fault 53: what waits is shown with its output and the node’s time, and what replaced it in its place', async () => {
      const [one, two] = [await fixture.address(), await fixture.address()];
      const pending = async (): Promise<readonly PendingTransfer[]> =>
        (await fixture.chain.mempool.pending(async () => watching(one.key, two.key))).transfers;
      const coin = await fixture.purseCoin();
      const began = Date.now() - 1_000;
      const paid = await fixture.spend(coin, one.address, 10_000n);
      const [shown, ...others] = await pending();
      assert.ok(shown !== undefined && shown.seenAt !== null && others.length === 0);
      assert.deepEqual(
        [shown.txid, shown.index, shown.units, shown.toKey],
        [paid, '0', toUnits(coin.amount) - 10_000n, one.key],
      );
      assert.ok(shown.seenAt >= began && shown.seenAt <= Date.now() + 1_000);
      assert.deepEqual(await pending(), [shown], 'the same again, though nothing is new');
      const replacement = await fixture.spend(coin, two.address, 100_000n);
      assert.deepEqual(
        (await pending()).map(({ txid, toKey }) => [txid, toKey]),
        [[replacement, two.key]],
      );
      await fixture.daemon.mine();
      assert.deepEqual(await pending(), []);
      assert.deepEqual(
        (await scanLast(1, one.key, two.key)).map(({ txid, index }) => [txid, index]),
        [[replacement, '0']],
      );
    });

    test('fault 364: newly mined coins to a deposit address are reported, with the confirmations that they need', async () => {
      const { address, key } = await fixture.address();
      await fixture.daemon.rpc('generatetoaddress', 1, address);
      const [mined, ...others] = await scanLast(1, key);
      assert.deepEqual([mined?.index, mined?.leastConfirmations, others], ['0', 100, []]);
      const own = mined?.txid ?? '';
      const { confirmations } = await fixture.daemon.rpc<{ confirmations: number }>('gettxout', own, 0);
      assert.equal(confirmations, 1);
      await fixture.daemon.mine(98);
      const spend = async (): Promise<string> => {
        const raw = await fixture.daemon.rpc<string>(
          'createrawtransaction',
          [{ txid: own, vout: 0 }],
          [{ [await fixture.foreign()]: 1 }],
        );
        const [verdict] = await fixture.daemon.rpc<readonly { 'reject-reason'?: string }[]>(
          'testmempoolaccept',
          [raw],
          0,
        );
        return verdict?.['reject-reason'] ?? '';
      };
      assert.match(await spend(), /premature-spend-of-coinbase/, 'with 99 confirmations nobody can spend them');
      await fixture.daemon.mine();
      assert.doesNotMatch(await spend(), /premature/, 'with 100 the node asks for the signature');
    });

    test('fault 51: after a reorganisation the chain shows the other branch', async () => {
      const { address, key } = await fixture.address();
      const txid = await fixture.daemon.pay(address, '0.7');
      await fixture.daemon.mine(2);
      const before = await fixture.chain.head();
      assert.deepEqual(
        (await scanLast(2, key)).map((transfer) => transfer.txid),
        [txid],
      );
      await fixture.forkEmpty(2);
      const head = await fixture.chain.head();
      assert.equal(head.height, before.height + 1);
      assert.notEqual((await fixture.chain.blockAt(before.height))?.hash, before.hash);
      assert.deepEqual(await scanLast(3, key), []);
      await fixture.daemon.mine();
      const [again] = await scanLast(1, key);
      assert.deepEqual([again?.txid, again?.units], [txid, 70_000_000n]);
    });

    test('fault 56: a head that went back on the same chain is a node that lags', async () => {
      const head = await fixture.chain.head();
      await fixture.daemon.rpc('invalidateblock', head.hash);
      await assert.rejects(
        fixture.chain.head(),
        (error: unknown) => isTillgateError(error, 'NODE_FAILED') && /went back/.test(error.message),
      );
      await fixture.daemon.rpc('reconsiderblock', head.hash);
      assert.deepEqual(await fixture.chain.head(), head);
    });

    test('fault 85: a node that is cut off says so', async () => {
      const fine = { behind: null, initialDownload: false, firstBlock: 0 };
      assert.deepEqual(await fixture.chain.status(), fine);
      await fixture.daemon.rpc('setnetworkactive', false);
      assert.equal((await fixture.chain.status()).behind, 'has its network switched off');
      await fixture.daemon.rpc('setnetworkactive', true);
      assert.deepEqual(await fixture.chain.status(), fine);
    });

    test('above the head there is no block; a scan past it fails', async () => {
      const { height } = await fixture.chain.head();
      assert.equal(await fixture.chain.blockAt(height + 1), null);
      await assert.rejects(fixture.chain.scan(height, height + 1, watching()), (error: unknown) =>
        isTillgateError(error, 'NODE_FAILED'),
      );
    });

    test('many blocks in one scan are linked from first to last', async () => {
      const { height } = await fixture.chain.head();
      const { blocks } = await fixture.chain.scan(1, height, watching());
      assert.equal(blocks.length, height);
      for (const [at, block] of blocks.entries()) if (at > 0) assert.equal(block.parentHash, blocks[at - 1]?.hash);
      assert.deepEqual(blocks.at(-1), await fixture.chain.head());
    });

    test('balances come from the node’s set of unspent outputs, for addresses and for keys in each spelling', async () => {
      const { address } = await fixture.address();
      await fixture.daemon.pay(address, '0.11');
      await fixture.daemon.mine();
      const { balances } = fixture.chain;
      assert.deepEqual(await balances.ofAddress(address), new Map([[fixture.currency, 11_000_000n]]));
      const xpub = await fixture.wallet.extendedPublicKey(kind === 'bitcoind' ? "m/84'/1'/7'" : "m/84'/1'/8'");
      assert.equal(balances.readExtendedKey(xpub), null, 'a key of the main network');
      const [tpub, first, gap] = [
        tpubOf(xpub),
        receivingOf(xpub, 0, fixture.chain),
        receivingOf(xpub, 19, fixture.chain),
      ];
      await fixture.daemon.pay(first, '1');
      await fixture.daemon.pay(gap, '2');
      await fixture.daemon.mine();
      for (const spelling of [tpub, tpubOf(xpub, 'vpub')]) {
        assert.equal(balances.readExtendedKey(spelling), spelling);
        // Two at once: they queue, for a node scans once at a time.
        const sheets = await Promise.all([balances.ofExtendedKey(spelling), balances.ofExtendedKey(spelling)]);
        for (const sheet of sheets) assert.deepEqual(sheet, new Map([[fixture.currency, COIN * 3n]]));
      }
      assert.deepEqual(await balances.ofExtendedKey(tpubOf(xpub, 'upub')), new Map([[fixture.currency, 0n]]));
    });
  });
}

for (const kind of chosenParts(['bitcoind', 'litecoind'])) describeDeposits(kind);
