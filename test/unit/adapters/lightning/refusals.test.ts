import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isTillgateError } from '../../../../core/index.ts';
import type { LightningNode } from '../../../../core/index.ts';
import { FakeLightningNode } from '../../../support/lightning/fake-node.ts';
import type { FakeServer } from '../../../support/lightning/fake-server.ts';
import { openNode, serveKind } from '../../../support/lightning/harness.ts';
import type { FakeKind } from '../../../support/lightning/harness.ts';

interface Opened {
  readonly node: LightningNode;
  readonly till: FakeLightningNode;
  readonly customer: FakeLightningNode;
  readonly server: FakeServer;
}

/** A node of a kind, as the plugin opens it. */
async function withNode(kind: FakeKind, work: (opened: Opened) => Promise<void>): Promise<void> {
  const graph = new Map<string, FakeLightningNode>();
  const [till, customer] = [new FakeLightningNode(graph), new FakeLightningNode(graph)];
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-lightning-'));
  const { server, options } = await serveKind(kind, till, folder);
  const node = await openNode({ ...options, network: 'regtest' });
  try {
    await work({ node, till, customer, server });
  } finally {
    await node.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

for (const kind of ['lnd', 'cln', 'phoenixd'] as const) {
  describe(`what ${kind} refuses before it registers a payment`, () => {
    test('fault 341: an error, and no payment of that hash, is a refusal with the words of the node', async () => {
      await withNode(kind, async ({ node, till, customer }) => {
        const { paymentHash, paymentRequest } = customer.addInvoice({ msat: 250_000n });
        till.refusesWith = 'cltv limit 2016 should be greater than 3003';
        const request = { paymentHash, paymentRequest, msat: null, maxFeeMsat: 100_000n };
        const outcome = await node.pay(request);
        assert.equal(outcome.state, 'refused');
        assert.ok(outcome.state === 'refused' && outcome.reason.includes('cltv limit 2016'));
        assert.equal(await node.payment(paymentHash), null);
        till.refusesWith = null;
        assert.notEqual((await node.pay(request)).state, 'refused');
      });
    });

    test('fault 341: a lost reply, and an error of what stands before the node, is no refusal', async () => {
      await withNode(kind, async ({ node, customer, server }) => {
        for (const loses of ['request', 'gateway'] as const) {
          const { paymentHash, paymentRequest } = customer.addInvoice({ msat: 250_000n });
          server.manners.loses = loses;
          await assert.rejects(
            node.pay({ paymentHash, paymentRequest, msat: null, maxFeeMsat: 100_000n }),
            (error: unknown) => isTillgateError(error, 'NODE_FAILED'),
            loses,
          );
          server.manners.loses = null;
        }
      });
    });
  });

  describe(`${kind} that begins anew under the same key`, () => {
    test('fault 343: it does not have the last settlement; one that goes on has it', async () => {
      await withNode(kind, async ({ node, till, customer }) => {
        const settled = async (): Promise<string> => {
          const { paymentRequest } = await node.createInvoice({ msat: 50_000n, memo: 'an order', expirySeconds: 600 });
          customer.pay(paymentRequest, null, 0n);
          for (;;) {
            const last = (await node.settledAfter(null, 10)).at(-1)?.cursor;
            if (last !== undefined) return last;
            await new Promise((resolve) => setImmediate(resolve));
          }
        };
        const cursor = await settled();
        assert.equal(await node.remembers(cursor), true);
        till.beginAnew();
        assert.equal(await node.remembers(cursor), false);
        await settled();
        assert.equal(await node.remembers(cursor), false, 'another one at the same place');
      });
    });
  });
}
