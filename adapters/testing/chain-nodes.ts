import assert from 'node:assert/strict';
import { assertFails, freshAddress, scanFrom, trick, under, watching } from './chain-sight.ts';
import type { ChainCase } from './chain-harness.ts';

/** Test cases for nodes that fail, lag or return wrong data. */
export const chainNodes: readonly ChainCase[] = [
  {
    needs: 'outage',
    title:
      'while no node answers every question fails, addresses are still given out, and afterwards nothing was missed',
    run: async (world) => {
      const { chain } = world;
      const to = await freshAddress(world);
      const { height } = await chain.head();
      for (const _round of [1, 2]) {
        await under(trick(world, 'outage'), async () => {
          await assertFails(chain.head());
          await assertFails(chain.blockAt(height));
          await assertFails(chain.scan(height, height, watching()));
          assert.equal((await chain.deriveAddresses(0, 1)).length, 1);
        });
      }
      await world.pay(to.address, world.units);
      await world.mine(1);
      assert.deepEqual(
        (await scanFrom(chain, height + 1, to.key)).transfers.map(({ units }) => units),
        [world.units],
      );
    },
  },
  {
    needs: 'lag',
    title: 'fault 56: a node that lags is not believed to have lost the newest blocks',
    run: async (world) => {
      const { chain } = world;
      await world.mine(3);
      const head = await chain.head();
      await chain.scan(head.height - 2, head.height, watching());
      await under(
        (on) => trick(world, 'lag')(on ? 2 : 0),
        async () => {
          const height = await chain.head().then(
            (head) => head.height,
            () => head.height,
          );
          assert.ok(height >= head.height, `a head at ${height} after one at ${head.height}`);
          const block = await chain.blockAt(head.height).catch(() => head);
          assert.deepEqual(block, head, 'a block that was there is not taken for one above the head');
        },
      );
      assert.deepEqual(await chain.head(), head);
    },
  },
  {
    needs: 'lies',
    title: 'fault 56: blocks that do not follow each other are refused',
    run: async (world) => {
      await world.mine(3);
      const { height } = await world.chain.head();
      await under(trick(world, 'lies'), () => assertFails(world.chain.scan(height - 2, height, watching())));
      assert.equal((await world.chain.scan(height - 2, height, watching())).blocks.length, 3);
    },
  },
];
