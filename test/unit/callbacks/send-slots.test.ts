import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SendSlots } from '../../../core/notify/send-slots.ts';
import type { SlotUser } from '../../../core/notify/send-slots.ts';
import type { AccountId } from '../../../core/index.ts';

const LIMITS = { total: 4, perHost: 2, perAccount: 4, waitingPerHost: 2, held: 8, heldPerAccount: 8 };
const at = (host: string, accountId = '1'): SlotUser => ({ accountId: accountId as AccountId, host });

/** Jobs that end when they are told. */
class Jobs {
  readonly started: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();

  job(name: string): () => Promise<void> {
    return async () => {
      this.started.push(name);
      await new Promise<void>((resolve, reject) => {
        this.#ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      });
    };
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('send slots', () => {
  test('bound what runs for one host, and let a few wait', () => {
    const [slots, jobs] = [new SendSlots(LIMITS), new Jobs()];
    assert.deepEqual(
      ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => slots.offer(at('a'), jobs.job(name))),
      [true, true, true, true, false],
    );
    assert.deepEqual(jobs.started, ['a1', 'a2']);
    assert.equal(slots.room(), 4);
  });

  test('fault 34: a host that never answers leaves room for the others', () => {
    const [slots, jobs] = [new SendSlots(LIMITS), new Jobs()];
    for (let n = 0; n < 10; n++) slots.offer(at('tarpit'), jobs.job(`t${n}`));
    slots.offer(at('b'), jobs.job('b1'));
    slots.offer(at('c'), jobs.job('c1'));
    assert.deepEqual(jobs.started, ['t0', 't1', 'b1', 'c1']);
  });

  test('bound what runs in total; hosts take turns as slots come free', async () => {
    const [slots, jobs] = [new SendSlots(LIMITS), new Jobs()];
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) slots.offer(at(name.charAt(0)), jobs.job(name));
    assert.deepEqual(jobs.started, ['a1', 'a2', 'b1', 'b2']);
    await jobs.end('b1');
    assert.deepEqual(jobs.started.slice(4), ['c1']);
    await jobs.end('a1');
    assert.deepEqual(jobs.started.slice(4), ['c1', 'a3']);
  });

  test('bound what runs and waits for one account, whatever hosts it names', () => {
    const [slots, jobs] = [new SendSlots({ ...LIMITS, perAccount: 2, heldPerAccount: 3 }), new Jobs()];
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((host) => slots.offer(at(host), jobs.job(host))),
      [true, true, true, false],
    );
    slots.offer(at('a', '2'), jobs.job('other'));
    assert.deepEqual(jobs.started, ['a', 'b', 'other']);
  });

  test('refuse more than they may hold', () => {
    const [slots, jobs] = [new SendSlots({ ...LIMITS, held: 3 }), new Jobs()];
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((host) => slots.offer(at(host), jobs.job(host))),
      [true, true, true, false],
    );
    assert.equal(slots.room(), 0);
  });

  test('are idle when all has ended, well or badly', async () => {
    const [slots, jobs] = [new SendSlots(LIMITS), new Jobs()];
    await slots.idle();
    slots.offer(at('a'), jobs.job('a1'));
    slots.offer(at('a'), jobs.job('a2'));
    let idle = 0;
    const both = [slots.idle(), slots.idle()].map((done) => done.then(() => (idle += 1)));
    await jobs.end('a1', new Error('broken'));
    assert.equal(idle, 0);
    await jobs.end('a2');
    await Promise.all(both);
    assert.equal(slots.room(), 8);
  });
});
