import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TillgateError } from '../../core/index.ts';
import type { Lease, LeaseStore, Logger, Metrics } from '../../core/index.ts';
import { Loop } from '../../host/workers/loop.ts';
import type { LoopTools, LoopWork } from '../../host/workers/loop.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';

class MemoryLeases implements LeaseStore {
  readonly held = new Map<string, Lease>();
  fence = 0;

  async acquire(name: string, owner: string): Promise<Lease | null> {
    const present = this.held.get(name);
    if (present !== undefined) return present.owner === owner ? present : null;
    const lease = { name, owner, fence: ++this.fence };
    this.held.set(name, lease);
    return lease;
  }

  async release(lease: Lease): Promise<void> {
    if (this.held.get(lease.name)?.fence === lease.fence) this.held.delete(lease.name);
  }

  async now(): Promise<null> {
    return null;
  }

  async acquireNode(): Promise<null> {
    return null;
  }

  async nodeOwners(): Promise<readonly string[]> {
    return [];
  }
}

function loopOf(work: Partial<LoopWork> & Pick<LoopWork, 'pass'>, leases = new MemoryLeases(), owner = 'me') {
  const errors: string[] = [];
  /** What the loop said of its last success. */
  const successes: number[] = [];
  const metrics: Metrics = {
    count: () => undefined,
    gauge: (_name, value) => void successes.push(value),
    observe: () => undefined,
  };
  const time = new FakeClock(1_000_000);
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (message) => void errors.push(message),
    child: () => logger,
  };
  const clock = { right: true };
  const clockWatch = { agrees: () => clock.right, measure: async () => undefined };
  const tools: LoopTools = { leases, owner, leaseTtlMs: 30, clockWatch, clock: time, logger, metrics };
  return { loop: new Loop({ name: 'test', lease: null, ...work }, tools), leases, errors, clock, time, successes };
}

describe('a loop', () => {
  test('makes the next pass at once while there is work, and ends its wait when woken', async () => {
    let passes = 0;
    const { loop } = loopOf({ pass: async () => (++passes < 5 ? 0 : 3_600_000) });
    loop.start();
    await waitFor(() => passes === 5);
    loop.wake();
    await waitFor(() => passes === 6);
    await loop.stop();
  });

  test('fault 86: without the time of the database it holds no lease, and takes it again with it', async (t) => {
    let passes = 0;
    const work = { lease: 'work', pass: async () => ((passes += 1), 1) };
    const { loop, leases, clock } = loopOf(work);
    const other = loopOf(work, leases, 'other');
    t.after(() => Promise.all([loop.stop(), other.loop.stop()]));
    clock.right = false;
    loop.start();
    other.loop.start();
    await waitFor(() => passes > 3);
    assert.equal(leases.held.get('work')?.owner, 'other');
    other.clock.right = false;
    await waitFor(() => leases.held.size === 0);
    const until = passes;
    clock.right = true;
    await waitFor(() => passes > until);
    assert.equal(leases.held.get('work')?.owner, 'me');
  });

  test('does not lose a wake that comes during a pass', async () => {
    let passes = 0;
    const { loop } = loopOf({
      pass: async () => {
        if (++passes === 1) loop.wake();
        return 3_600_000;
      },
    });
    loop.start();
    await waitFor(() => passes === 2);
    await loop.stop();
  });

  test('logs an error and goes on', async () => {
    let passes = 0;
    const { loop, errors } = loopOf({
      pass: async () => {
        if (++passes === 1) throw new Error('the node is away');
        return 3_600_000;
      },
    });
    loop.start();
    await waitFor(() => errors.length === 1);
    loop.wake();
    await waitFor(() => passes === 2);
    await loop.stop();
    assert.equal(errors.length, 1);
  });

  test('lets the pass that runs come to its end before it stops, and gives its lease back', async () => {
    let finish = (): void => undefined;
    let ended = false;
    const leases = new MemoryLeases();
    const { loop } = loopOf(
      {
        lease: 'work',
        pass: async () => {
          await new Promise<void>((resolve) => (finish = resolve));
          ended = true;
          return 0;
        },
      },
      leases,
    );
    loop.start();
    await waitFor(() => leases.held.has('work'));
    const stopped = loop.stop();
    finish();
    await stopped;
    assert.ok(ended);
    assert.equal(leases.held.size, 0);
  });

  test('fault 391: says when a pass last succeeded, and when it began for one that never does', async () => {
    let passes = 0;
    const { loop, time, successes, errors } = loopOf({
      pass: async () => {
        passes += 1;
        time.advance(5_000);
        if (passes === 2) throw new Error('the node is away');
        return passes < 3 ? 0 : 3_600_000;
      },
    });
    loop.start();
    await waitFor(() => successes.length === 3, { timeoutMs: 10_000 });
    await loop.stop();
    assert.deepEqual(successes, [1_000, 1_005, 1_015]);
    assert.equal(errors.length, 1);
  });

  test('fault 41: works only under its lease, and stands back quietly when the fence says it was lost', async () => {
    const leases = new MemoryLeases();
    const other = await leases.acquire('work', 'other');
    let passes = 0;
    const { loop, errors } = loopOf(
      {
        lease: 'work',
        pass: async (lease) => {
          passes += 1;
          if (passes > 1) return 3_600_000;
          leases.held.set('work', { name: 'work', owner: 'other', fence: (lease?.fence ?? 0) + 1 });
          throw new TillgateError('LEASE_LOST', 'another instance has it');
        },
      },
      leases,
    );
    loop.start();
    assert.equal(passes, 0);
    assert.ok(other !== null);
    await leases.release(other);
    await waitFor(() => passes === 1);
    leases.held.delete('work');
    await waitFor(() => passes === 2, { describe: 'the loop to take the lease again' });
    await loop.stop();
    assert.deepEqual(errors, []);
  });
});
