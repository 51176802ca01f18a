import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { present } from '../../core/index.ts';
import { chainDeposits } from './chain-deposits.ts';
import { chainFacts } from './chain-facts.ts';
import type { ChainHarness, ChainTricks, ChainWorld } from './chain-harness.ts';
import { chainMempool } from './chain-mempool.ts';
import { chainNodes } from './chain-nodes.ts';
import { chainPayments } from './chain-payments.ts';
import { chainPaymentTroubles } from './chain-payment-troubles.ts';

const FACTS = [...chainFacts, ...chainDeposits, ...chainMempool, ...chainNodes];
const MONEY_OUT = [...chainPayments, ...chainPaymentTroubles];

/**
 * Registers the conformance suite of `ChainAdapter` with node:test, under a name.
 *
 * A case that needs an ability the harness lacks is skipped, and the report names it.
 */
export function describeChain(name: string, harness: ChainHarness): void {
  const { lacks } = harness;
  describe(`${name}: the promises of a chain`, { concurrency: 1 }, () => {
    let world: ChainWorld | null = null;
    const opened = (): ChainWorld => present(world, 'the chain to be tested');
    before(async () => {
      world = await harness.open();
    });
    after(() => world?.close());

    for (const [ability, reason] of Object.entries(lacks)) {
      test(`lacks ${ability}: ${reason}`, () => {
        assert.ok(reason.trim().length > 0, 'say why');
        assert.equal(opened().tricks[ability as keyof ChainTricks], undefined, 'what is lacking cannot be offered');
      });
    }
    const watchOnly = lacks.fund !== undefined;
    test(watchOnly ? 'is watch-only' : 'can pay', () => assert.equal(opened().chain.payments === null, watchOnly));
    for (const { needs, title, run } of [...FACTS, ...(watchOnly ? [] : MONEY_OUT)]) {
      if (needs === null || lacks[needs] === undefined) test(title, () => run(opened()));
    }
  });
}
