import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BUILT_IN_ASSETS, isTillgateError } from '../../../core/index.ts';
import type { WatchList } from '../../../core/index.ts';
import { sandbox } from '../../../plugins/sandbox/index.ts';
import { FakeClock } from '../../support/fakes.ts';
import { SlowDocuments, sandboxChains } from './sandbox-support.ts';

const everything: WatchList = { has: () => true, nativeKeys: () => [] };

describe('the sandbox plugin', () => {
  test('simulates every built-in pair but Lightning’s, and is for the sandbox only', async () => {
    const found = await sandboxChains(new SlowDocuments());
    const pairs = [...found.values()].flatMap(({ assets }) => assets);
    assert.deepEqual(new Set(pairs), new Set(BUILT_IN_ASSETS.filter(({ chain }) => chain !== 'BLN')));
    assert.deepEqual(
      [...found.values()].map(({ name }) => name),
      ['Ethereum', 'Bitcoin', 'Litecoin', 'BNB Smart Chain', 'Tron'],
    );
    assert.equal(sandbox.plugin.sandboxOnly, true);
  });

  test('refuses unknown options by name', () => {
    assert.throws(
      () => sandbox.plugin.options({ speed: 1, confirmations: 0 }),
      (error: unknown) => isTillgateError(error, 'CONFIG_INVALID') && /speed.*|confirmations.*/.test(error.message),
    );
    assert.throws(
      () => sandbox.plugin.options({ confirmations: 3, spendableConfirmations: 2 }),
      (error: unknown) => isTillgateError(error, 'CONFIG_INVALID'),
    );
    assert.deepEqual(sandbox.plugin.options(undefined), {
      confirmations: 1,
      spendableConfirmations: 2,
      pollIntervalMs: 5_000,
    });
    assert.deepEqual(sandbox.plugin.options({ confirmations: 4 }), {
      confirmations: 4,
      spendableConfirmations: 4,
      pollIntervalMs: 5_000,
    });
  });

  test('addresses look like each chain’s own, come from the till’s seed, and serve one chain only', async () => {
    const found = await sandboxChains(new SlowDocuments());
    const forms: Record<string, RegExp> = {
      ETH: /^0x[0-9a-fA-F]{40}$/,
      BSC: /^0x[0-9a-fA-F]{40}$/,
      BTC: /^bcrt1q[0-9a-z]{38}$/,
      LTC: /^rltc1q[0-9a-z]{38}$/,
      TRX: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
    };
    const keys = new Set<string>();
    for (const [code, chain] of found) {
      for (const { address, key } of await chain.deriveAddresses(0, 3)) {
        assert.match(address, forms[code]!);
        assert.equal(chain.normaliseAddress(address), address);
        keys.add(key.slice(-40));
      }
      assert.equal(chain.normaliseAddress('nonsense'), null);
    }
    assert.equal(keys.size, 15);
    assert.equal(new Set([...found.values()].map(({ walletId }) => walletId)).size, 5);
  });

  test('payment URIs are those of each chain, and of no public network', async () => {
    const found = await sandboxChains(new SlowDocuments());
    const uri = async (code: string, currency: string, units: bigint): Promise<string> => {
      const [{ address } = { address: '' }] = await found.get(code)!.deriveAddresses(0, 1);
      return found.get(code)!.paymentUri({ address, currency, units }).replace(address, 'A');
    };
    assert.equal(await uri('BTC', 'BTC', 150_000n), 'bitcoin:A?amount=0.0015');
    assert.equal(await uri('LTC', 'LTC', 100_000_000n), 'litecoin:A?amount=1');
    assert.equal(await uri('BSC', 'BNB', 5n), 'ethereum:A@1337?value=5');
    assert.equal(await uri('TRX', 'USDT-TRC20', 5n), 'A');
    const contract = found.get('ETH')!.contractAddress('USDT-ERC20');
    assert.equal(await uri('ETH', 'USDT-ERC20', 5n), `ethereum:${contract}@1337/transfer?address=A&uint256=5`);
    assert.match(found.get('TRX')!.contractAddress('USDT-TRC20'), /^T/);
    assert.equal(found.get('ETH')!.contractAddress('ETH'), '');
  });
});

describe('a simulated chain', () => {
  test('a payment is mined in a block of its own and scanned from there', async () => {
    const clock = new FakeClock();
    const chain = (await sandboxChains(new SlowDocuments(), { clock })).get('ETH')!;
    const [to] = await chain.deriveAddresses(0, 1);
    const start = await chain.head();
    assert.equal(await chain.blockAt(start.height + 1), null);
    clock.advance(5_000);
    const txid = await chain.simulator.pay(to!.address.toLowerCase(), 'USDT-ERC20', 2n ** 70n);
    const head = await chain.head();
    assert.deepEqual([head.height, head.parentHash, head.time], [start.height + 1, start.hash, clock.now()]);
    const { blocks, transfers } = await chain.scan(head.height, head.height, {
      has: (key) => key === to!.key,
      nativeKeys: () => [],
    });
    assert.deepEqual(blocks, [head]);
    assert.equal(transfers.length, 1);
    const [transfer] = transfers;
    assert.deepEqual(
      [transfer!.txid, transfer!.currency, transfer!.units, transfer!.toKey, transfer!.block],
      [txid, 'USDT-ERC20', 2n ** 70n, to!.key, head],
    );
    assert.match(txid, /^0x[0-9a-f]{64}$/);
    assert.equal(chain.normaliseAddress(transfer!.from!), transfer!.from);
    assert.deepEqual(
      (await chain.scan(head.height, head.height, { has: () => false, nativeKeys: () => [] })).transfers,
      [],
    );
  });

  test('refuses to pay junk', async () => {
    const chain = (await sandboxChains(new SlowDocuments())).get('BTC')!;
    const [to] = await chain.deriveAddresses(0, 1);
    await assert.rejects(chain.simulator.pay('junk', 'BTC', 1n), (error: unknown) =>
      isTillgateError(error, 'INVALID_FIELDS'),
    );
    await assert.rejects(chain.simulator.pay(to!.address, 'BTC', 0n), (error: unknown) =>
      isTillgateError(error, 'INVALID_FIELDS'),
    );
    await assert.rejects(chain.simulator.pay(to!.address, 'LTC', 1n), (error: unknown) =>
      isTillgateError(error, 'UNSUPPORTED'),
    );
    for (const count of [0, -1, 1.5, 10_001, NaN])
      await assert.rejects(chain.simulator.mine(count), (error: unknown) => isTillgateError(error, 'INVALID_FIELDS'));
    assert.equal((await chain.head()).height, 0);
  });

  test('a restart finds the chain as it was', async () => {
    const documents = new SlowDocuments();
    const first = (await sandboxChains(documents)).get('TRX')!;
    const [to] = await first.deriveAddresses(3, 1);
    await first.simulator.mine(5);
    await first.simulator.pay(to!.address, 'USDT-TRC20', 9n);
    await first.close();
    const second = (await sandboxChains(documents)).get('TRX')!;
    assert.equal(await second.identify(), await first.identify());
    assert.deepEqual(await second.head(), await first.head());
    assert.deepEqual(await second.scan(1, 6, everything), await first.scan(1, 6, everything));
    assert.equal((await second.scan(1, 6, everything)).transfers.length, 1);
  });

  test('two instances on one database share one chain, and no payment is lost between them', async () => {
    const documents = new SlowDocuments();
    const pair = [(await sandboxChains(documents)).get('ETH')!, (await sandboxChains(documents)).get('ETH')!];
    const [to] = await pair[0]!.deriveAddresses(0, 1);
    const paid = await Promise.all(
      Array.from({ length: 40 }, (_, at) => pair[at % 2]!.simulator.pay(to!.address, 'ETH', BigInt(at + 1))),
    );
    assert.ok(documents.refused > 0, 'the instances never met');
    const head = await pair[0]!.head();
    assert.deepEqual(await pair[1]!.head(), head);
    const { blocks, transfers } = await pair[1]!.scan(1, head.height, everything);
    assert.deepEqual(new Set(transfers.map(({ txid }) => txid)), new Set(paid));
    assert.equal(new Set(paid).size, 40);
    assert.ok(blocks.every((block, at) => at === 0 || block.parentHash === blocks[at - 1]!.hash));
  });

  test('many blocks are linked, cheap to keep, and forgotten only after they were scanned', async () => {
    const documents = new SlowDocuments();
    const chain = (await sandboxChains(documents)).get('BSC')!;
    const [to] = await chain.deriveAddresses(0, 1);
    await chain.simulator.mine(5_000);
    for (let at = 0; at < 450; at++) await chain.simulator.pay(to!.address, 'BNB', 1n);
    assert.equal((await chain.scan(5_001, 5_450, everything)).transfers.length, 450);
    const [before] = (await chain.scan(5_200, 5_200, everything)).blocks;
    await chain.scan(5_450, 5_450, everything);
    for (let at = 0; at < 20; at++) await chain.simulator.pay(to!.address, 'BNB', 1n);
    assert.deepEqual((await chain.scan(5_200, 5_200, everything)).blocks, [before]);
    await assert.rejects(chain.blockAt(100), (error: unknown) => isTillgateError(error, 'NODE_FAILED'));
    await assert.rejects(chain.scan(100, 101, everything), (error: unknown) => isTillgateError(error, 'NODE_FAILED'));
    await assert.rejects(chain.scan(5_400, 9_999, everything), (error: unknown) =>
      isTillgateError(error, 'NODE_FAILED'),
    );
    assert.ok(documents.size('chain:BSC') < 120_000, `${documents.size('chain:BSC')} bytes`);
  });

  test('fault 51: a reorganisation takes payments away, or mines them again under the same name', async () => {
    const chain = (await sandboxChains(new SlowDocuments())).get('ETH')!;
    const [to] = await chain.deriveAddresses(0, 1);
    await chain.simulator.mine(3);
    const kept = await chain.simulator.pay(to!.address, 'ETH', 1n);
    const moved = await chain.simulator.pay(to!.address, 'ETH', 2n);
    await chain.simulator.mine(2);
    const before = await chain.scan(4, 7, everything);
    await chain.reorganise(3, { remine: true });
    const now = await chain.scan(4, 8, everything);
    assert.deepEqual(
      now.transfers.map(({ txid }) => txid),
      [kept, moved],
    );
    assert.equal(now.blocks[0]!.hash, before.blocks[0]!.hash);
    assert.notEqual(now.blocks[1]!.hash, before.blocks[1]!.hash);
    await chain.reorganise(4);
    assert.deepEqual(
      (await chain.scan(4, 9, everything)).transfers.map(({ txid }) => txid),
      [kept],
    );
    const again = await chain.simulator.pay(to!.address, 'ETH', 2n);
    assert.notEqual(again, moved);
  });
});
