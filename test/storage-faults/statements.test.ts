// @parts: refused answer-lost
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildMoney } from '../support/money.ts';
import type { MoneyDomain } from '../support/money.ts';
import { eachStorage } from '../support/each-storage.ts';
import { chosenParts } from '../support/parts.ts';
import type { EngineName } from '../support/storage.ts';
import { whileFailing } from './failing-statements.ts';
import type { FailureKind } from './failing-statements.ts';
import { FLOWS } from './flows.ts';
import type { Flow, Prepared } from './flows.ts';

/** More statements than a flow makes; the test fails when it is reached, so that none is left out. */
const MOST_STATEMENTS = 600;
const MOST_TRIES = 4;
/** A short chain, so that a payment is final soon. */
const CHAIN = { confirmations: 1, spendableConfirmations: 2, finalityBlocks: 6 };
/** `npm run test:storage-faults`: every statement of every flow, on both databases. */
const ALL = process.env['EVERY_STATEMENT'] === '1';
/** In the tests of each day: of a long flow some statements, others on each database and in each file. */
const LONG_STRIDE: Readonly<Record<EngineName, number>> = { memory: 9, sqlite: 9, pg: 17 };
const FIRST: Readonly<Record<FailureKind, number>> = { refused: 1, 'answer lost': 5 };

/** Fails the n-th statement of a flow; false when the flow has fewer. */
async function failAt(till: MoneyDomain, flow: Flow, at: number, kind: FailureKind): Promise<boolean> {
  const prepared = await flow.prepare(till);
  const failed = await whileFailing(at, kind, async (plan) => {
    await steps(till, prepared);
    return plan.failed;
  });
  await prepared.verify();
  await till.checkBooks();
  return failed !== null;
}

async function steps(till: MoneyDomain, prepared: Prepared): Promise<void> {
  for (const step of prepared.steps) {
    for (let tries = 1; ; tries++) {
      try {
        await step();
        break;
      } catch (error) {
        if (tries === MOST_TRIES) throw error;
        // Nothing may be half done while it has failed, not only once it was tried again.
        await till.checkBooks();
      }
    }
  }
}

/** Every statement of every flow fails once. */
function everyStatementFails(kind: FailureKind): void {
  eachStorage((engine, open) => {
    describe(`each statement in turn: ${kind}, on ${engine}`, { concurrency: 1 }, () => {
      for (const flow of FLOWS) {
        test(`fault 67: ${flow.name}, whichever statement fails: nothing partial, and a later try completes it`, async (t) => {
          const opened = await open();
          try {
            const till = await buildMoney(opened.storage, { chain: CHAIN });
            const stride = !ALL && flow.long ? LONG_STRIDE[engine] : 1;
            let at = stride === 1 ? 1 : FIRST[kind];
            let failures = 0;
            for (; await failAt(till, flow, at, kind); at += stride) {
              failures += 1;
              assert.ok(at < MOST_STATEMENTS, 'the flow never ends');
            }
            t.diagnostic(`${failures} of fewer than ${at} statements failed`);
            // PostgreSQL makes an order by a single one.
            assert.ok(failures > 0, 'no statement was seen');
          } finally {
            await opened.close();
          }
        });
      }
    });
  });
}

const KINDS = { refused: 'refused', 'answer-lost': 'answer lost' } as const;

for (const part of chosenParts(KINDS)) everyStatementFails(KINDS[part]);
