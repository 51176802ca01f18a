import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { tronAddress } from '../../../adapters/chains/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import type { ObservedTransfer } from '../../../core/index.ts';
import { transferLog, keyNamed } from '../../support/tron/tron-state.ts';
import { CONTRACTS, USDC, USDT, openFixture, watching } from '../../support/tron/tron-fixture.ts';
import type { TronFixture } from '../../support/tron/tron-fixture.ts';

const brief = ({ txid, index, currency, units, toKey, block }: ObservedTransfer) => ({
  txid,
  index,
  currency,
  units,
  toKey,
  height: block.height,
});
const nodeFailed = (pattern: RegExp) => (error: unknown) =>
  isTillgateError(error, 'NODE_FAILED') && pattern.test(error.message);

describe('Tron sees tokens', () => {
  let fixture: TronFixture;
  let next = 0;

  before(async () => {
    fixture = await openFixture();
  });
  after(async () => {
    await fixture.stop();
  });

  /** Reads the one block that `work` fills for a new deposit address. */
  async function oneBlock(work: (address: string, key: string) => Promise<unknown>) {
    const { address, key } = await fixture.deposit(next++);
    await work(address, key);
    const height = fixture.network.produce().header.number;
    const range = await fixture.chain.scan(height, height, watching(key));
    return { address, key, height, ...range };
  }

  test('a payment that tronweb made is found with its transaction, place, sender and block, of a token that answers false when it has paid', async () => {
    let txid = '';
    const { key, height, blocks, transfers } = await oneBlock(
      async (address) => (txid = await fixture.pay(address, 12_345_678n)),
    );
    assert.deepEqual(transfers.map(brief), [
      { txid, index: '0', currency: USDT, units: 12_345_678n, toKey: key, height },
    ]);
    assert.equal(transfers[0]?.from, tronAddress(fixture.payerKey));
    assert.deepEqual(transfers[0].block, blocks[0]);
    assert.deepEqual(await fixture.chain.blockAt(height), blocks[0]);
    assert.deepEqual(await fixture.chain.head(), blocks[0]);
    assert.equal(blocks[0]?.time, fixture.clock.now());
  });

  test('fault 54: a payment in parts is one transfer for each transaction and each log', async () => {
    const { key, height, transfers } = await oneBlock(async (address, own) => {
      await fixture.pay(address, 100n);
      await fixture.pay(address, 200n, CONTRACTS.usdc);
      fixture.network.include({
        txid: 'ab'.repeat(32),
        logs: [
          transferLog(CONTRACTS.usdt, fixture.payerKey, own, 1n),
          transferLog(CONTRACTS.usdt, fixture.payerKey, keyNamed('other'), 2n),
          transferLog(CONTRACTS.usdt, fixture.payerKey, own, 3n),
        ],
      });
    });
    assert.deepEqual(
      transfers.map(brief).map(({ txid, ...rest }) => ({ ...rest, made: txid === 'ab'.repeat(32) })),
      [
        { index: '0', currency: USDT, units: 1n, toKey: key, height, made: true },
        { index: '2', currency: USDT, units: 3n, toKey: key, height, made: true },
        { index: '0', currency: USDT, units: 100n, toKey: key, height, made: false },
        { index: '0', currency: USDC, units: 200n, toKey: key, height, made: false },
      ],
    );
  });

  test('fault 46: an amount beyond 2^53 is exact', async () => {
    const units = 2n ** 255n + 1n;
    const { transfers } = await oneBlock(async (_address, key) =>
      fixture.network.include({ logs: [transferLog(CONTRACTS.usdt, fixture.payerKey, key, units)] }),
    );
    assert.equal(transfers[0]?.units, units);
  });

  test('fault 48: a token of the same symbol at another contract is none', async () => {
    const { transfers } = await oneBlock((address) => fixture.pay(address, 5_000_000n, CONTRACTS.twin));
    assert.deepEqual(transfers, []);
  });

  test("fault 48: whatever a stranger's contract logs does not stop the chain", async () => {
    const { transfers } = await oneBlock(async (_address, key) => {
      const log = transferLog(CONTRACTS.twin, fixture.payerKey, key, 1n);
      fixture.network.include({
        logs: [
          { ...log, data: '' },
          { ...log, data: 'ff'.repeat(100) },
          { ...log, topics: log.topics.slice(0, 2) },
          { ...log, topics: [] },
        ],
      });
    });
    assert.deepEqual(transfers, []);
  });

  for (const contractRet of ['REVERT', 'OUT_OF_ENERGY', 'OUT_OF_TIME', 'UNKNOWN']) {
    test(`fault 49: a transaction that ended with ${contractRet} paid nothing, whatever it logged`, async () => {
      const { transfers } = await oneBlock(async (_address, key) => {
        fixture.network.include({ contractRet, logs: [transferLog(CONTRACTS.usdt, fixture.payerKey, key, 1_000n)] });
      });
      assert.deepEqual(transfers, []);
    });
  }

  test('fault 49: a transfer that the token refuses is none: it ran, answered false and logged nothing', async () => {
    const refusing = keyNamed('refusing');
    fixture.network.deploy(refusing, 'false');
    fixture.network.mint(refusing, fixture.payerKey, 5_000n);
    const chain = await fixture.open({ tokens: { [USDT]: { address: tronAddress(refusing), decimals: 6 } } });
    const { address, key } = await fixture.deposit(next++);
    await fixture.pay(address, 1_000n, refusing);
    const height = fixture.network.produce().header.number;
    assert.equal(fixture.network.head.mined[0]?.contractRet, 'SUCCESS');
    assert.deepEqual((await chain.scan(height, height, watching(key))).transfers, []);
  });

  test('fault 49: a payment that an exchange makes through a contract of its own counts by its log, and names no sender (fault 87)', async () => {
    const { transfers } = await oneBlock(async (_address, key) => {
      fixture.network.include({
        contractAddress: keyNamed('multisender'),
        logs: [transferLog(CONTRACTS.usdt, keyNamed('exchange'), key, 7n)],
      });
    });
    assert.deepEqual(
      transfers.map(({ units, from }) => ({ units, from })),
      [{ units: 7n, from: null }],
    );
  });

  test('a transfer of nothing and one to oneself bring nothing', async () => {
    const { transfers } = await oneBlock(async (_address, key) => {
      fixture.network.include({
        logs: [transferLog(CONTRACTS.usdt, fixture.payerKey, key, 0n), transferLog(CONTRACTS.usdt, key, key, 5n)],
      });
    });
    assert.deepEqual(transfers, []);
  });

  test('TRX that arrives is no order payment', async () => {
    const { transfers } = await oneBlock((_address, key) =>
      fixture.payer.trx.sendTransaction(tronAddress(key), 5_000_000),
    );
    assert.deepEqual(transfers, []);
    assert.equal(fixture.network.head.mined.length, 1);
  });

  test('fault 51: after a reorganisation the payment is where it was mined again, in a linked range', async () => {
    const { key, height, transfers } = await oneBlock((address) => fixture.pay(address, 9n));
    fixture.network.produce(2);
    const before = await fixture.chain.head();
    fixture.network.reorganise(3, 'again');
    const head = await fixture.chain.head();
    assert.equal(head.height, before.height + 1);
    assert.notDeepEqual(await fixture.chain.blockAt(height), transfers[0]?.block);
    const again = await fixture.chain.scan(height, head.height, watching(key));
    assert.deepEqual(
      again.transfers.map(({ txid, units }) => ({ txid, units })),
      [{ txid: transfers[0]?.txid, units: 9n }],
    );
    assert.equal(again.blocks.length, 4);
    assert.notEqual(again.transfers[0]?.block.hash, transfers[0]?.block.hash);
  });

  test('fault 51: a payment that the other branch does not have is gone', async () => {
    const { key, height } = await oneBlock((address) => fixture.pay(address, 9n));
    fixture.network.reorganise(1, 'gone');
    assert.deepEqual((await fixture.chain.scan(height, height + 1, watching(key))).transfers, []);
  });

  test('fault 51: a block that changes while its transactions are read is read again', async () => {
    const { address, key } = await fixture.deposit(next++);
    await fixture.pay(address, 9n);
    const height = fixture.network.produce().header.number;
    fixture.node.intercept = (path) => {
      if (path === '/wallet/gettransactioninfobyblocknum' && fixture.network.head.header.number === height)
        fixture.network.reorganise(1, 'again');
      return null;
    };
    await assert.rejects(fixture.chain.scan(height, height, watching(key)), nodeFailed(/changed while/));
    fixture.node.intercept = () => null;
    assert.equal((await fixture.chain.scan(height, height, watching(key))).transfers.length, 1);
  });

  test('fault 77: an outcome that is listed twice does not stand for one that is left out', async () => {
    const { address, key } = await fixture.deposit(next++);
    await fixture.pay(address, 9n);
    await fixture.pay(address, 11n);
    const height = fixture.network.produce().header.number;
    const path = '/wallet/gettransactioninfobyblocknum';
    const reply = await fetch(fixture.node.url + path, { method: 'POST', body: JSON.stringify({ num: height }) });
    const [first] = (await reply.json()) as unknown[];
    const text = JSON.stringify([first, first]);
    fixture.node.intercept = (asked) => (asked === path ? { status: 200, text } : null);
    await assert.rejects(fixture.chain.scan(height, height, watching(key)), nodeFailed(/listed twice/));
    fixture.node.intercept = () => null;
    assert.equal((await fixture.chain.scan(height, height, watching(key))).transfers.length, 2);
  });

  test('fault 56: a node that has the block and not its outcomes yet is asked again, not believed', async () => {
    const { address, key } = await fixture.deposit(next++);
    await fixture.pay(address, 9n);
    const height = fixture.network.produce().header.number;
    fixture.node.intercept = (path) =>
      path === '/wallet/gettransactioninfobyblocknum' ? { status: 200, text: '[]' } : null;
    await assert.rejects(
      fixture.chain.scan(height, height, watching(key)),
      nodeFailed(/1 transactions, but 0 outcomes/),
    );
    fixture.node.intercept = () => null;
  });

  test('many blocks are read in parts and come back linked', async () => {
    const { address, key } = await fixture.deposit(next++);
    const first = fixture.network.head.header.number + 1;
    for (let made = 0; made < 4; made++) {
      await fixture.pay(address, BigInt(made + 1));
      fixture.network.produce(3);
    }
    const { blocks, transfers } = await fixture.chain.scan(first, first + 11, watching(key));
    assert.deepEqual(
      blocks.map(({ height }) => height),
      Array.from({ length: 12 }, (_, at) => first + at),
    );
    assert.deepEqual(
      transfers.map(({ units }) => units),
      [1n, 2n, 3n, 4n],
    );
  });

  test('addresses, contracts and payment links are those of Tron', async () => {
    const { address, key } = await fixture.deposit(0);
    assert.match(address, /^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    assert.equal(fixture.chain.normaliseAddress(address), address);
    assert.equal(fixture.chain.keyOf(address), key);
    for (const wrong of [
      '',
      'T',
      `${address}1`,
      address.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      `41${key}`,
      `0x${key}`,
    ]) {
      assert.equal(fixture.chain.normaliseAddress(wrong), null, wrong);
    }
    assert.equal(fixture.chain.contractAddress(USDT), tronAddress(CONTRACTS.usdt));
    assert.equal(fixture.chain.paymentUri({ address, currency: USDT, units: 1n }), address);
    await assert.rejects(fixture.chain.deriveAddresses(0x7fffffff, 2), /no more addresses/);
  });
});
