import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { present } from '../../core/index.ts';
import type { LightningHarness, LightningTricks, LightningWorld } from './lightning-harness.ts';
import { lightningIncoming } from './lightning-incoming.ts';
import { lightningOutgoing } from './lightning-outgoing.ts';

/**
 * Registers the conformance suite of `LightningNode` with node:test, under a name.
 *
 * A case that needs an ability the harness lacks is skipped, and the report names it.
 */
export function describeLightning(name: string, harness: LightningHarness): void {
  const { lacks } = harness;
  describe(`${name}: the promises of a Lightning node`, { concurrency: 1 }, () => {
    let world: LightningWorld | null = null;
    const opened = (): LightningWorld => present(world, 'the node to be tested');
    before(async () => {
      world = await harness.open();
    });
    after(() => world?.close());

    for (const [ability, reason] of Object.entries(lacks)) {
      test(`lacks ${ability}: ${reason}`, () => {
        assert.ok(reason.trim().length > 0, 'say why');
        assert.equal(opened().tricks[ability as keyof LightningTricks], undefined, 'what is lacking cannot be offered');
      });
    }
    for (const { needs, title, run } of [...lightningIncoming, ...lightningOutgoing]) {
      if (needs.every((ability) => lacks[ability] === undefined)) test(title, () => run(opened()));
    }
  });
}
