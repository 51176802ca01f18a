import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LightningWorld } from '../../../adapters/testing/index.ts';
import { lightningIncoming } from '../../../adapters/testing/lightning-incoming.ts';
import { lightningOutgoing } from '../../../adapters/testing/lightning-outgoing.ts';
import type { LightningNode } from '../../../core/index.ts';
import { fakeHarness } from '../../support/lightning/harness.ts';

const CASES = [...lightningIncoming, ...lightningOutgoing];

/** A node with some of its methods replaced. */
function spoilt(node: LightningNode, methods: Partial<LightningNode>): LightningNode {
  return new Proxy(node, {
    get(target, name) {
      const own = Reflect.get(name in methods ? methods : target, name) as unknown;
      return typeof own === 'function' && !(name in methods) ? (own.bind(target) as unknown) : own;
    },
  });
}

let asked = 0;

/** Nodes that are wrong in one way each, and the case that must say so. */
const SPOILT: readonly (readonly [
  what: string,
  caught: RegExp,
  methods: (node: LightningNode) => Partial<LightningNode>,
])[] = [
  [
    'changes its identity',
    /^its identity is/,
    (node) => ({ identify: async () => `${(await node.identify()).slice(0, -2)}${(asked += 1) + 10}` }),
  ],
  [
    'rounds invoices to whole satoshis',
    /asks for exactly that/,
    (node) => ({ createInvoice: (terms) => node.createInvoice({ ...terms, msat: (terms.msat / 1000n) * 1000n }) }),
  ],
  [
    'makes invoices that never expire',
    /says what was asked/,
    (node) => ({ createInvoice: (terms) => node.createInvoice({ ...terms, expirySeconds: 31_536_000 }) }),
  ],
  [
    'takes an accepted payment for a settled one',
    /is accepted, which is not settled/,
    (node) => ({
      invoice: async (hash) => {
        const view = await node.invoice(hash);
        return view?.state === 'accepted' ? { ...view, state: 'settled' } : view;
      },
    }),
  ],
  [
    'tells a settlement twice',
    /each once/,
    (node) => ({
      settledAfter: async (cursor, limit) => (await node.settledAfter(cursor, limit)).flatMap((one) => [one, one]),
    }),
  ],
  [
    'gives more settlements than were asked for',
    /however few/,
    (node) => ({ settledAfter: (cursor) => node.settledAfter(cursor, 100) }),
  ],
  [
    'reads payment requests of other networks',
    /of another network is refused$/,
    (node) => ({ decode: (text) => node.decode(text).catch(() => ({ ...READ })) }),
  ],
  [
    'goes on calling whoever left',
    /no more after they left/,
    (node) => ({ watch: (listener) => node.watch(listener) && (() => undefined) }),
  ],
  [
    'takes a lost reply for a failure',
    /a lost reply is no failure/,
    (node) => ({ pay: (request) => node.pay(request).catch(() => ({ state: 'failed', reason: 'no answer' })) }),
  ],
  [
    'takes what is held for failed',
    /in flight for as long as/,
    (node) => ({
      payment: async (hash) => {
        const view = await node.payment(hash);
        return view?.state === 'in-flight' ? { state: 'failed', reason: 'too slow' } : view;
      },
    }),
  ],
  [
    'passes over the fee limit',
    /costs as much as it carries/,
    (node) => ({ pay: (request) => node.pay({ ...request, maxFeeMsat: 10n ** 12n }) }),
  ],
  [
    'begins a payment again that has failed',
    /not begun again/,
    (node) => ({
      pay: async (request) =>
        (await node.payment(request.paymentHash)) === null ? node.pay(request) : { state: 'in-flight' },
    }),
  ],
];
const READ = { paymentHash: '', paymentAddr: '', msat: null, expiresAt: 0, payee: '', description: '' };

describe('the kit for Lightning nodes', () => {
  test('says of each wrong node what is wrong', async () => {
    const world = await fakeHarness('lnd', {}).open();
    try {
      for (const [what, caught, methods] of SPOILT) {
        const [found, ...more] = CASES.filter(({ title }) => caught.test(title));
        assert.ok(found !== undefined && more.length === 0, `one case for: ${what}`);
        const wrong: LightningWorld = {
          ...world,
          node: spoilt(world.node, methods(world.node)),
          reopen: async () => spoilt(await world.reopen(), methods(world.node)),
        };
        await assert.rejects(found.run(wrong), Error, `a node that ${what} passed: ${found.title}`);
        await world.tricks.losses?.(null);
        await world.tricks.routeFee?.(0n);
        await found.run(world);
      }
    } finally {
      await world.close();
    }
  });
});
