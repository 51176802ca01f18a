import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chainDeposits } from '../../../adapters/testing/chain-deposits.ts';
import { chainFacts } from '../../../adapters/testing/chain-facts.ts';
import type { ChainWorld } from '../../../adapters/testing/chain-harness.ts';
import { chainNodes } from '../../../adapters/testing/chain-nodes.ts';
import { chainPaymentTroubles } from '../../../adapters/testing/chain-payment-troubles.ts';
import { chainPayments } from '../../../adapters/testing/chain-payments.ts';
import { present } from '../../../core/index.ts';
import type { BlockRef, ChainAdapter, ChainPayments } from '../../../core/index.ts';
import { abacusHarness } from '../../../examples/write-a-chain/abacus-harness.ts';

const CASES = [...chainFacts, ...chainDeposits, ...chainNodes, ...chainPayments, ...chainPaymentTroubles];

/** An object with some of its members replaced; private fields stay within reach of the others. */
function spoilt<T extends object>(whole: T, members: Partial<T>): T {
  return new Proxy(whole, {
    get(target, name) {
      const own = Reflect.get(name in members ? members : target, name) as unknown;
      return typeof own === 'function' && !(name in members) ? (own.bind(target) as unknown) : own;
    },
  });
}

const chainWith =
  (make: (chain: ChainAdapter) => Partial<ChainAdapter>) =>
  (chain: ChainAdapter): ChainAdapter =>
    spoilt(chain, make(chain));
const payingWith = (make: (payments: ChainPayments) => Partial<ChainPayments>) =>
  chainWith((chain) => {
    const payments = present(chain.payments, 'the paying side');
    return { payments: spoilt(payments, make(payments)) };
  });
const unlinked = (block: BlockRef): BlockRef => ({ ...block, parentHash: block.hash });
let used = 1_000;

/** Adapters that are wrong in one way each, and the case that must say so. */
const SPOILT: readonly (readonly [what: string, caught: RegExp, spoil: (chain: ChainAdapter) => ChainAdapter])[] = [
  [
    'changes its identity',
    /identity is the same/,
    chainWith(() => ({ identify: async () => `network ${(used += 1)}` })),
  ],
  [
    'gives out an address twice',
    /all different/,
    chainWith((chain) => ({
      deriveAddresses: async (first, count) =>
        (await chain.deriveAddresses(0, count)).map((one) => ({ ...one, index: first + (one.index % 7) })),
    })),
  ],
  ['takes any text for an address', /junk is none/, chainWith(() => ({ normaliseAddress: (text) => text }))],
  [
    'writes amounts by way of a double',
    /exact amount/,
    chainWith(() => ({ paymentUri: ({ address, units }) => `abacus:${address}?amount=${Number(units) / 1e8}` })),
  ],
  [
    'says nothing of parents',
    /linked by its hashes/,
    chainWith((chain) => ({
      scan: async (...range) => {
        const { blocks, transfers } = await chain.scan(...range);
        return { blocks: blocks.map(unlinked), transfers };
      },
    })),
  ],
  [
    'reports a deposit twice',
    /exact payment/,
    chainWith((chain) => ({
      scan: async (...range) => {
        const { blocks, transfers } = await chain.scan(...range);
        return { blocks, transfers: [...transfers, ...transfers] };
      },
    })),
  ],
  [
    'merges the parts of a payment',
    /payment in parts/,
    chainWith((chain) => ({
      scan: async (...range) => {
        const { blocks, transfers } = await chain.scan(...range);
        return { blocks, transfers: transfers.slice(0, 1) };
      },
    })),
  ],
  [
    'takes a lagging node for the end of the chain',
    /lags/,
    chainWith((chain) => ({ blockAt: (height) => chain.blockAt(height).catch(() => null) })),
  ],
  [
    'keeps telling of an old head while no node answers',
    /no node answers every question fails/,
    chainWith((chain) => ({
      head: async () => chain.head().catch(() => ({ height: 0, hash: '', parentHash: '', time: 0 })),
    })),
  ],
  ['is watch-only in secret', /says who it is/, chainWith(() => ({ payments: null }))],
  [
    'sends what it signs',
    /send nothing/,
    payingWith((payments) => ({
      sign: async (request) => {
        const signed = await payments.sign(request);
        await payments.broadcast(signed);
        return signed;
      },
    })),
  ],
  [
    'pays one unit more than was asked for',
    /exactly what was signed/,
    payingWith((payments) => ({
      sign: ({ lines, ...rest }) =>
        payments.sign({ ...rest, lines: lines.map((line) => ({ ...line, units: line.units + 1n })) }),
    })),
  ],
  [
    'chooses another nonce each time',
    /never pay both/,
    payingWith((payments) => {
      let more = 0;
      return { sign: (request) => payments.sign({ ...request, nonce: (request.nonce ?? 0) + more++ }) };
    }),
  ],
  [
    'counts an address twice',
    /custody/,
    payingWith((payments) => ({
      custody: async (expected) =>
        new Map([
          [
            'ABC',
            (await Promise.all(expected.map(({ address }) => payments.balance(address, 'ABC')))).reduce(
              (sum, units) => sum + units,
              0n,
            ),
          ],
        ]),
    })),
  ],
  [
    'takes silence for success',
    /neither sent nor missing/,
    payingWith((payments) => ({
      broadcast: async (transaction) => payments.broadcast(transaction).catch(() => undefined),
    })),
  ],
  [
    'takes silence for absence',
    /neither sent nor missing/,
    payingWith((payments) => ({
      outcome: async (payout) => payments.outcome(payout).catch(() => ({ kind: 'missing' as const })),
    })),
  ],
  [
    'bumps without outbidding',
    /dearer/,
    payingWith((payments) => ({ price: (request) => payments.price({ ...request, replaces: null }) })),
  ],
  [
    'never sees a conflict',
    /conflict/,
    payingWith((payments) => ({
      outcome: async (payout) => {
        const outcome = await payments.outcome(payout);
        return outcome.kind === 'conflicted' ? { kind: 'missing' } : outcome;
      },
    })),
  ],
  [
    'remembers what a reorganisation took away',
    /not mined any more/,
    payingWith((payments) => {
      const seen = new Map<string, Awaited<ReturnType<ChainPayments['outcome']>>>();
      return {
        outcome: async (payout) => {
          const outcome = await payments.outcome(payout);
          const [{ txid } = { txid: '' }] = payout.attempts;
          if (outcome.kind === 'mined') seen.set(txid, outcome);
          return seen.get(txid) ?? outcome;
        },
      };
    }),
  ],
];

describe('the conformance kit of a chain', () => {
  for (const [what, caught, spoil] of SPOILT) {
    test(`catches a chain that ${what}`, async (t) => {
      const world = await abacusHarness.open();
      t.after(() => world.close());
      const wrong: ChainWorld = {
        ...world,
        chain: spoil(world.chain),
        reopen: async () => spoil(await world.reopen()),
      };
      const meant = CASES.filter(({ title }) => caught.test(title));
      assert.equal(meant.length, 1, `${meant.length} cases match ${caught}`);
      await assert.rejects(async () => meant[0]?.run(wrong));
      await meant[0]?.run(world);
    });
  }

  test('a trick that is neither offered nor excused fails its case', async (t) => {
    const world = await abacusHarness.open();
    t.after(() => world.close());
    const reorganisations = CASES.filter(({ needs }) => needs === 'reorganisation');
    assert.equal(reorganisations.length, 3);
    const { reorganisation: _, ...tricks } = world.tricks;
    for (const { run } of reorganisations)
      await assert.rejects(run({ ...world, tricks }), /neither offers the trick "reorganisation" nor says/);
  });
});
