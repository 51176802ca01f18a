import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { TillgateError, isTillgateError } from '../../../core/index.ts';
import type { BlockRef, Order } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const USDT = 1_000_000n;

/** The marks of a test's chain, by height; `null` for no block yet. */
interface Marks {
  credit: number | null;
  spend: number | null;
}

/** Makes the chain mark the blocks of its present branch at these heights. */
function marking(domain: Domain): Marks & { asked: number } {
  const marks = { credit: null as number | null, spend: null as number | null, asked: 0 };
  domain.eth.settled = async () => {
    marks.asked += 1;
    const at = async (height: number | null): Promise<BlockRef | null> =>
      height === null ? null : domain.eth.blockAt(height);
    return { credit: await at(marks.credit), spend: await at(marks.spend) };
  };
  return marks;
}

const pay = (domain: Domain, { id, payment }: Order, units = 10n * USDT): number => {
  domain.eth.mine({ to: payment!.address, currency: 'USDT-ERC20', units, txid: `paid ${id}` });
  return domain.eth.height;
};
const held = async (domain: Domain): Promise<readonly bigint[]> => [
  await domain.balance('pending', 'USDT-ERC20'),
  await domain.balance('available', 'USDT-ERC20'),
];

eachStorage((engine, open) => {
  const till = testsOf(open, buildDomain);

  describe(`deposits on a chain that marks its blocks, on ${engine}`, () => {
    till('are credited by one mark and spendable by the other, and never by confirmations alone', async (domain) => {
      const marks = marking(domain);
      const order = await domain.newOrder();
      const height = pay(domain, order);
      domain.eth.mineEmpty(12);
      await domain.follow();
      assert.deepEqual(await held(domain), [0n, 0n]);
      marks.credit = height - 1;
      domain.eth.mine();
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'PENDING');
      marks.credit = height;
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      assert.deepEqual(await held(domain), [10n * USDT, 0n]);
      marks.spend = height;
      await domain.follow();
      assert.deepEqual(await held(domain), [0n, 10n * USDT]);
    });

    till('need their confirmations beside the mark', async (domain) => {
      const marks = marking(domain);
      const order = await domain.newOrder();
      marks.credit = marks.spend = pay(domain, order);
      await domain.follow();
      assert.deepEqual(await held(domain), [0n, 0n]);
      domain.eth.mineEmpty(2);
      await domain.follow();
      assert.deepEqual(await held(domain), [10n * USDT, 0n]);
    });

    till('fault 240: what a sequencer takes back above its safe block was credited to nobody', async (domain) => {
      const marks = marking(domain);
      const order = await domain.newOrder();
      const height = pay(domain, order);
      marks.credit = height - 1;
      domain.eth.mineEmpty(8);
      await domain.follow();
      domain.eth.drop(9);
      domain.eth.mineEmpty(10);
      marks.credit = domain.eth.height;
      await domain.follow();
      assert.equal((await domain.order(order.id)).status, 'PENDING');
      assert.deepEqual(await held(domain), [0n, 0n]);
    });

    till('fault 241: a mark on another branch than the followed one settles nothing', async (domain) => {
      const marks = marking(domain);
      const order = await domain.newOrder();
      const height = pay(domain, order);
      domain.eth.mineEmpty(4);
      domain.eth.settled = async () => {
        const block = (await domain.eth.blockAt(height)) as BlockRef;
        return { credit: { ...block, hash: `not ${block.hash}` }, spend: null };
      };
      await assert.rejects(domain.follow(), (error: unknown) => isTillgateError(error, 'NODE_FAILED'));
      assert.deepEqual(await held(domain), [0n, 0n]);
      assert.equal(marks.asked, 0);
    });

    till(
      'fault 360: marks above the cursor, by a node on another branch than the followed one, settle nothing',
      async (domain) => {
        const order = await domain.newOrder();
        const height = pay(domain, order);
        domain.eth.mineEmpty(8);
        const cursor = domain.eth.top;
        const mark = (above: number): BlockRef => ({
          ...cursor,
          height: cursor.height + above,
          hash: `dead branch ${above}`,
        });
        for (const shown of [{ ...cursor, hash: 'dead branch' }, null, undefined]) {
          domain.eth.settled = async () => ({
            credit: mark(5),
            spend: mark(3),
            ...(shown === undefined ? {} : { shown }),
          });
          await assert.rejects(domain.follow(), /marks block \d+ as settled, and its block \d+ is not/);
          assert.deepEqual(await held(domain), [0n, 0n]);
        }
        assert.equal((await domain.order(order.id)).status, 'PENDING');
        assert.ok(height < cursor.height);
        domain.eth.settled = async () => ({ credit: mark(5), spend: mark(3), shown: cursor });
        await domain.follow();
        assert.deepEqual(await held(domain), [0n, 10n * USDT]);
        await domain.checkBooks();
      },
    );

    till(
      'fault 242: a node that does not know the mark credits nothing, and the order does not expire',
      async (domain) => {
        const marks = marking(domain);
        const order = await domain.newOrder();
        const settled = domain.eth.settled;
        marks.credit = pay(domain, order);
        domain.eth.mineEmpty(4);
        domain.eth.settled = async () => {
          throw new TillgateError('NODE_FAILED', 'safe block not found');
        };
        await assert.rejects(domain.follow(), /safe block not found/);
        domain.clock.advance(3_600_000);
        await assert.rejects(domain.expire(), /safe block not found/);
        assert.equal((await domain.order(order.id)).status, 'PENDING');
        domain.eth.settled = settled!;
        await domain.follow();
        assert.equal((await domain.order(order.id)).status, 'SUCCESS');
      },
    );

    till('the marks are asked for only while a deposit waits', async (domain) => {
      const marks = marking(domain);
      await domain.newOrder();
      domain.eth.mineEmpty(5);
      await domain.follow();
      assert.equal(marks.asked, 0);
    });
  });
});
