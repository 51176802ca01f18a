import assert from 'node:assert/strict';
import { bech32 } from '@scure/base';
import { present } from '../../core/index.ts';
import type { LightningCase } from './lightning-harness.ts';
import { newInvoice, paidInvoice, refuses, restingBalance, settlements, trick, until } from './lightning-sight.ts';

const NOBODY = 'ab'.repeat(32);
const GENESIS_OF_LIGHTNING = Date.UTC(2018, 0, 1);
const LONGEST = 7_000;
const WORDS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Test cases for the node's identity, its invoices and settlements. */
export const lightningIncoming: readonly LightningCase[] = [
  {
    needs: [],
    title: 'its identity is the network and its key, the same after a restart of the till',
    run: async ({ node, reopen }) => {
      const identity = await node.identify();
      assert.match(identity, /^lightning:[a-z0-9]+\/0[23][0-9a-f]{64}$/);
      assert.equal(await (await reopen()).identify(), identity);
      const { localMsat, remoteMsat } = await node.balance();
      assert.ok(localMsat > 0n && remoteMsat > 0n, `${localMsat} on our side, ${remoteMsat} on the other`);
    },
  },
  {
    needs: ['otherNetwork'],
    title: 'fault 56: a node of another network than the configured one is refused',
    run: async (world) => refuses((await trick(world, 'otherNetwork')()).identify(), 'CHAIN_HALTED'),
  },
  {
    needs: [],
    title: 'an invoice says what was asked: hash, amount, memo, expiry, and this node as the one that is paid',
    run: async ({ node }) => {
      const before = Date.now();
      const [one, two] = [await newInvoice(node), await newInvoice(node)];
      assert.notEqual(one.paymentHash, two.paymentHash);
      assert.match(one.paymentHash, /^[0-9a-f]{64}$/);
      const read = await node.decode(one.paymentRequest);
      assert.deepEqual([read.paymentHash, read.msat, read.description], [one.paymentHash, one.msat, 'an order']);
      assert.match(read.paymentAddr, /^[0-9a-f]{64}$/);
      assert.equal(read.payee, (await node.identify()).split('/')[1]);
      assert.ok(
        read.expiresAt >= before + 1_799_000 && read.expiresAt <= Date.now() + 1_801_000,
        `expires at ${read.expiresAt}`,
      );
      assert.deepEqual(await node.invoice(one.paymentHash), { state: 'open', settled: null });
      assert.equal(await node.invoice(NOBODY), null);
    },
  },
  {
    needs: ['millisatoshi'],
    title: 'fault 60: an invoice of a fraction of a satoshi asks for exactly that',
    run: async ({ node }) => {
      const { paymentRequest } = await node.createInvoice({
        msat: 1_234_567n,
        memo: 'to the millisatoshi',
        expirySeconds: 600,
      });
      assert.equal((await node.decode(paymentRequest)).msat, 1_234_567n);
    },
  },
  {
    needs: [],
    title: 'a payment request is read in capitals and behind lightning:, and refused where a character of it is wrong',
    run: async ({ node, invoice }) => {
      const { paymentRequest, paymentHash } = await invoice(null);
      for (const text of [paymentRequest.toUpperCase(), `lightning:${paymentRequest}`, ` ${paymentRequest}\n`]) {
        const read = await node.decode(text);
        assert.deepEqual([read.paymentHash, read.msat], [paymentHash, null]);
      }
      const at = paymentRequest.length - 20;
      const other = paymentRequest[at] === 'q' ? 'p' : 'q';
      const broken = `${paymentRequest.slice(0, at)}${other}${paymentRequest.slice(at + 1)}`;
      const mixed = `${paymentRequest.slice(0, -1)}${(paymentRequest.at(-1) ?? '').toUpperCase()}`;
      const junk = [
        '',
        'lnbc1',
        'no invoice',
        paymentRequest.slice(0, -7),
        broken,
        'lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0',
        'somebody@example.org',
        `${paymentRequest}${WORDS}`,
      ];
      for (const text of [...junk, ...(/[a-z]$/.test(paymentRequest) ? [mixed] : [])])
        await refuses(node.decode(text), 'INVOICE_INVALID');
    },
  },
  {
    needs: [],
    title: 'a payment request with a signature that no key can have made is refused, whatever its checksum says',
    run: async ({ node, invoice }) => {
      const { prefix, words } = bech32.decode(
        (await invoice(25_000n)).paymentRequest as `${string}1${string}`,
        LONGEST,
      );
      const unsigned = bech32.encode(
        prefix,
        [...words.slice(0, -104), ...Array.from({ length: 104 }, () => 0)],
        LONGEST,
      );
      await refuses(node.decode(unsigned), 'INVOICE_INVALID');
    },
  },
  {
    needs: ['foreign'],
    title: 'a payment request of another network is refused',
    run: async (world) =>
      refuses(world.node.decode((await trick(world, 'foreign')(25_000n)).paymentRequest), 'INVOICE_INVALID'),
  },
  {
    needs: [],
    title: 'a paid invoice is settled, with what arrived and when',
    run: async (world) => {
      const { node } = world;
      const { paymentHash, msat } = await paidInvoice(world);
      const view = present(
        await until('the settlement', async () => (await node.invoice(paymentHash))?.settled ?? null),
        'the settlement',
      );
      assert.deepEqual([view.paymentHash, view.msat], [paymentHash, msat]);
      assert.ok(
        Number.isInteger(view.settledAt) && view.settledAt > GENESIS_OF_LIGHTNING,
        'times are epoch milliseconds',
      );
      const settled = (await settlements(node, null, paymentHash)).find((one) => one.paymentHash === paymentHash);
      assert.deepEqual(
        settled && { paymentHash: settled.paymentHash, msat: settled.msat, settledAt: settled.settledAt },
        view,
      );
    },
  },
  {
    needs: [],
    title: 'settlements come oldest first, each once, after whichever cursor and however few at a time',
    run: async (world) => {
      const { node } = world;
      for (let count = 0; count < 4; count++) await paidInvoice(world);
      const { paymentHash: last } = await paidInvoice(world);
      const all = await settlements(node, null, last);
      assert.equal(new Set(all.map(({ paymentHash }) => paymentHash)).size, all.length, 'none twice');
      assert.deepEqual(
        all.map(({ settledAt }) => settledAt),
        all.map(({ settledAt }) => settledAt).sort((a, b) => a - b),
      );
      for (const limit of [1, 2])
        assert.deepEqual((await settlements(node, null, last, limit)).map(hashOf), all.map(hashOf));
      const other = await world.reopen();
      for (const at of [all.length - 2, 0, all.length - 5]) {
        for (const reader of [node, other])
          assert.deepEqual(await settlements(reader, all[at]?.cursor ?? null, last), all.slice(at + 1));
      }
      assert.deepEqual(await node.settledAfter(all.at(-1)?.cursor ?? null, 10), []);
    },
  },
  {
    needs: [],
    title: 'whether more was settled after a cursor is known at once, also by an adapter that was just opened',
    run: async (world) => {
      for (let count = 0; count < 3; count++) {
        const cursor = (await settlements(world.node, null, (await paidInvoice(world)).paymentHash)).at(-1)?.cursor;
        const later = await world.reopen();
        assert.equal(await later.hasSettledAfter(null), true);
        assert.equal(await later.hasSettledAfter(cursor ?? null), false);
        await newInvoice(world.node);
        await paidInvoice(world);
        assert.equal(await later.hasSettledAfter(cursor ?? null), true);
      }
    },
  },
  {
    needs: ['heldHere', 'unsettled'],
    title: 'a payment that is held here is no part of the balance, and may become one',
    run: async (world) => {
      const before = await restingBalance(world.node);
      const held = await trick(world, 'heldHere')(72_000n);
      const during = await world.node.balance();
      assert.ok(during.localMsat <= before.localMsat, 'it is not the node’s yet');
      assert.ok(during.unsettledMsat >= before.unsettledMsat + 72_000n, 'it may be');
      await held.giveBack();
    },
  },
  {
    needs: ['hints'],
    title: 'its watchers hear that something was settled, and no more after they left',
    run: async (world) => {
      let [heard, left] = [0, 0];
      const leave = world.node.watch(() => (left += 1));
      const stop = world.node.watch(() => (heard += 1));
      leave();
      const { paymentHash } = await paidInvoice(world);
      await until('a hint', async () => heard > 0 && (await settlements(world.node, null, paymentHash)));
      stop();
      assert.equal(left, 0);
    },
  },
  {
    needs: ['heldHere'],
    title: 'fault 61: a payment that is held is accepted, which is not settled; it is once it is taken',
    run: async (world) => {
      const { node } = world;
      const held = await trick(world, 'heldHere')(70_000n);
      assert.deepEqual(await node.invoice(held.paymentHash), { state: 'accepted', settled: null });
      const { paymentHash: marker } = await paidInvoice(world);
      const before = await settlements(node, null, marker);
      assert.equal(
        before.some(({ paymentHash }) => paymentHash === held.paymentHash),
        false,
      );
      await held.take();
      assert.equal((await settlements(node, before.at(-1)?.cursor ?? null, held.paymentHash))[0]?.msat, 70_000n);
      assert.equal((await node.invoice(held.paymentHash))?.state, 'settled');
    },
  },
  {
    needs: ['heldHere'],
    title: 'fault 61: a held payment that went back leaves a cancelled invoice, and no settlement',
    run: async (world) => {
      const held = await trick(world, 'heldHere')(71_000n);
      await held.giveBack();
      assert.deepEqual(await world.node.invoice(held.paymentHash), { state: 'cancelled', settled: null });
      const { paymentHash: marker } = await paidInvoice(world);
      assert.equal(
        (await settlements(world.node, null, marker)).some(({ paymentHash }) => paymentHash === held.paymentHash),
        false,
      );
    },
  },
  {
    needs: ['cancel'],
    title: 'a cancelled invoice takes no payment',
    run: async (world) => {
      const { paymentHash, paymentRequest } = await newInvoice(world.node);
      await trick(world, 'cancel')(paymentHash);
      await assert.rejects(world.pay(paymentRequest));
      assert.deepEqual(await world.node.invoice(paymentHash), { state: 'cancelled', settled: null });
    },
  },
  {
    needs: ['outage'],
    title: 'every settlement that happened while the node was unreachable is reported afterwards',
    run: async (world) => {
      const { node } = world;
      const cursor = (await settlements(node, null, (await paidInvoice(world)).paymentHash)).at(-1)?.cursor ?? null;
      const invoices = [await newInvoice(node), await newInvoice(node), await newInvoice(node)];
      for (const { paymentRequest } of invoices) {
        await trick(world, 'outage')(true);
        await refuses(node.invoice(NOBODY), 'NODE_FAILED');
        await world.pay(paymentRequest);
        await trick(world, 'outage')(false);
      }
      const settled = await settlements(node, cursor, invoices.at(-1)?.paymentHash ?? '');
      assert.deepEqual(
        settled.map(hashOf),
        invoices.map(({ paymentHash }) => paymentHash),
      );
    },
  },
  {
    needs: ['restart'],
    title: 'a node that fell and rose goes on telling of settlements where it was',
    run: async (world) => {
      const { node } = world;
      const first = await paidInvoice(world);
      const cursor = (await settlements(node, null, first.paymentHash)).at(-1)?.cursor ?? null;
      const waiting = await newInvoice(node);
      await trick(world, 'restart')();
      await world.pay(waiting.paymentRequest);
      assert.deepEqual((await settlements(node, cursor, waiting.paymentHash)).map(hashOf), [waiting.paymentHash]);
    },
  },
];

function hashOf({ paymentHash }: { readonly paymentHash: string }): string {
  return paymentHash;
}
