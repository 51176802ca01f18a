import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FeedFollower } from '../../../core/index.ts';
import type { ChangeFeed, FeedPage, FeedReader, GatewayChange, GatewaySubject } from '../../../core/index.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';

const LEASE = 1000;
const OWN = LEASE * 0.95;

/** A feed that does as told, and remembers what was confirmed. */
class ScriptedFeed implements ChangeFeed {
  readonly pollMs = 50;
  readonly changes: GatewayChange[] = [];
  head = 0;
  rows = new Map<string, number>();
  confirmations = 0;
  reaped = 0;
  failing = false;
  onConfirm: () => void = () => undefined;
  news: (() => void) | null = null;

  publish(...ids: string[]): void {
    for (const id of ids) this.changes.push({ version: ++this.head, subject: { kind: 'key', id } as GatewaySubject });
  }

  async after(version: number, limit: number): Promise<FeedPage> {
    this.#check();
    return { head: this.head, changes: this.changes.filter((change) => change.version > version).slice(0, limit) };
  }

  async confirm(instance: string, version: number): Promise<boolean> {
    this.#check();
    this.confirmations += 1;
    const known = this.rows.has(instance);
    this.rows.set(instance, version);
    this.onConfirm();
    return known;
  }

  async leave(instance: string): Promise<void> {
    this.rows.delete(instance);
  }

  async reap(): Promise<void> {
    this.reaped += 1;
  }

  async settled(): Promise<void> {}

  onNotification(listener: () => void): () => void {
    this.news = listener;
    return () => (this.news = null);
  }

  #check(): void {
    if (this.failing) throw new Error('away');
  }
}

/** Deadlines that pass when the test says so; one that is asked for meanwhile waits for the next time. */
class Deadlines {
  #open: AbortController[] = [];

  readonly after = (): AbortSignal => {
    const controller = new AbortController();
    this.#open.push(controller);
    return controller.signal;
  };

  passAll(): void {
    const open = this.#open;
    this.#open = [];
    for (const controller of open) controller.abort();
  }
}

function setting() {
  const feed = new ScriptedFeed();
  const clock = new FakeClock();
  const deadlines = new Deadlines();
  const logger = new MemoryLogger();
  const read: string[] = [];
  const reader: FeedReader = {
    load: async () => void read.push('all'),
    apply: async (subjects) => void read.push(...subjects.map(({ id }) => id)),
  };
  const follower = new FeedFollower({ feed, clock, deadline: deadlines.after, logger, instance: 'i', leaseMs: LEASE }, [
    reader,
  ]);
  return { feed, clock, deadlines, logger, read, follower };
}

describe('a follower of the change feed', () => {
  test('trusts itself only after it has loaded, confirmed, and looked once more', async () => {
    const { feed, follower, read } = setting();
    feed.publish('before');
    assert.equal(follower.isFresh, false);
    let once = true;
    // Somebody revokes after the snapshot was read, and asks who is there before this one is.
    feed.onConfirm = () => {
      if (once) feed.publish('between');
      once = false;
      assert.equal(follower.isFresh, false);
    };
    await follower.start();
    assert.deepEqual(read, ['all', 'between']);
    assert.deepEqual([follower.isFresh, feed.rows.get('i'), feed.confirmations], [true, 2, 2]);
  });

  test('its trust is measured from before the confirmation was sent, and ends to the millisecond', async () => {
    const { feed, clock, follower } = setting();
    feed.onConfirm = () => clock.advance(300);
    await follower.start();
    clock.advance(OWN - 300 - 1);
    assert.equal(follower.isFresh, true);
    clock.advance(1);
    assert.equal(follower.isFresh, false);
  });

  test('confirms what it has applied, and renews in good time without any change', async () => {
    const { feed, clock, follower, read } = setting();
    await follower.start();
    feed.publish('a', 'b');
    assert.equal(await follower.run(), 50);
    assert.deepEqual([read, feed.rows.get('i'), feed.confirmations], [['all', 'a', 'b'], 2, 2]);
    await follower.run();
    assert.equal(feed.confirmations, 2, 'nothing to say');
    clock.advance(LEASE / 2);
    await follower.run();
    assert.deepEqual([feed.confirmations, follower.isFresh], [3, true]);
    assert.ok(feed.reaped > 0);
  });

  test('fault 14: after its lease ran out it looks once more before it trusts itself again', async () => {
    const { feed, clock, follower, read } = setting();
    await follower.start();
    feed.failing = true;
    clock.advance(OWN);
    assert.equal(await follower.run(), 200);
    assert.equal(follower.isFresh, false);
    feed.failing = false;
    // A writer that has given this one up revokes while it confirms.
    let once = true;
    feed.onConfirm = () => {
      if (once) feed.publish('revoked meanwhile');
      once = false;
    };
    await follower.run();
    assert.deepEqual([follower.isFresh, read.at(-1), feed.rows.get('i')], [true, 'revoked meanwhile', 1]);
  });

  test('the same when its row is gone, although its own clock has time left', async () => {
    const { feed, clock, follower, read } = setting();
    await follower.start();
    clock.advance(LEASE / 2);
    let once = true;
    feed.rows.clear();
    feed.onConfirm = () => {
      if (once) feed.publish('revoked meanwhile');
      once = false;
    };
    await follower.run();
    assert.deepEqual([follower.isFresh, read.at(-1)], [true, 'revoked meanwhile']);
  });

  test('reads everything anew after a gap, and when the feed was set back', async () => {
    const { feed, follower, read } = setting();
    await follower.start();
    feed.publish('a', 'b', 'c');
    feed.changes.splice(0, 1);
    await follower.run();
    assert.deepEqual(read, ['all', 'all']);
    feed.publish('d');
    feed.changes.splice(0);
    await follower.run();
    assert.deepEqual([read, feed.rows.get('i')], [['all', 'all', 'all'], 4]);
    feed.head = 2;
    await follower.run();
    assert.deepEqual([read.length, feed.rows.get('i'), follower.isFresh], [4, 2, true]);
  });

  test('a change that cannot be read is not confirmed, and is read again', async () => {
    const { feed, clock, follower, read, logger } = setting();
    await follower.start();
    feed.publish('a');
    feed.failing = true;
    await follower.run();
    await follower.run();
    assert.equal(feed.rows.get('i'), 0);
    assert.equal(logger.lines.filter(({ level }) => level === 'warn').length, 1, 'said once');
    feed.failing = false;
    clock.advance(1);
    await follower.run();
    assert.deepEqual([read.at(-1), feed.rows.get('i')], ['a', 1]);
  });

  test('news makes it look at once, and looks that come together are one that begins after them', async () => {
    const { feed, follower, read } = setting();
    await follower.start();
    feed.publish('a');
    feed.news?.();
    await Promise.all([follower.refresh(), follower.refresh()]);
    assert.deepEqual([read, feed.rows.get('i')], [['all', 'a'], 1]);
  });

  test('listeners hear of changes and of the end of trust; one that throws harms nobody', async () => {
    const { feed, clock, deadlines, follower, logger } = setting();
    await follower.start();
    const heard: boolean[] = [];
    follower.onChange(() => {
      throw new Error('mine');
    });
    const end = follower.onChange(() => heard.push(follower.isFresh));
    feed.publish('a');
    await follower.run();
    assert.deepEqual(heard, [true]);
    clock.advance(OWN - 1);
    deadlines.passAll();
    assert.deepEqual(heard, [true]);
    clock.advance(1);
    deadlines.passAll();
    assert.deepEqual(heard, [true, false]);
    assert.ok(logger.lines.some(({ level }) => level === 'error'));
    end();
    feed.publish('b');
    await follower.run();
    assert.equal(heard.length, 2);
  });

  test('a start that failed is made up for by the next look', async () => {
    const { feed, follower, read } = setting();
    feed.failing = true;
    await assert.rejects(follower.start());
    feed.failing = false;
    await follower.run();
    assert.deepEqual([follower.isFresh, read, feed.news !== null], [true, ['all'], true]);
  });

  test('closed, it trusts itself no more, whatever comes', async () => {
    const { feed, follower } = setting();
    await follower.start();
    const passing = follower.run();
    await follower.close();
    await passing;
    await follower.run();
    await follower.refresh();
    assert.deepEqual([follower.isFresh, feed.news, feed.rows.size], [false, null, 0]);
  });
});
