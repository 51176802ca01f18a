import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { costOf, FairTurns } from '../../../../adapters/http/fair-turns.ts';
import type { Turn, TurnLimits, TurnTime } from '../../../../adapters/http/fair-turns.ts';
import { isTillgateError } from '../../../../core/index.ts';

const SMALL = 100;
/** Bytes of a request that costs 17 units. */
const DEAR = 32 * 1024;
const LIMITS: TurnLimits = {
  alone: 8,
  shared: 4,
  lead: 3,
  leadOfTick: 0,
  lossOfTick: 1,
  crowd: Infinity,
  silentTicks: 2,
  waiting: 20,
};

/** Time that the test moves on. */
class HandTime implements TurnTime {
  #soon: (() => void)[] = [];
  #ticks: (() => void)[] = [];
  soon(run: () => void): void {
    this.#soon.push(run);
  }
  tick(run: () => void): void {
    this.#ticks.push(run);
  }
  /** The event loop turns: what ended counts as ended, and promises are told. */
  async turn(): Promise<void> {
    for (const run of this.#soon.splice(0)) run();
    await new Promise((resolve) => setImmediate(resolve));
  }
  async passTicks(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      for (const run of this.#ticks.splice(0)) run();
      await this.turn();
    }
  }
  get ticking(): boolean {
    return this.#ticks.length > 0;
  }
}

/** Requests of several accounts, which end when they are told. */
class Requests {
  readonly time = new HandTime();
  readonly turns: FairTurns;
  /** In the order in which they got their turns. */
  readonly started: string[] = [];
  readonly failed: string[] = [];
  readonly #running: { readonly name: string; readonly turn: Turn }[] = [];
  readonly #leave = new Map<string, () => void>();

  constructor(limits: Partial<TurnLimits> = {}) {
    this.turns = new FairTurns({ ...LIMITS, ...limits }, this.time);
  }

  /** One request of an account; the first word of its name is the account. */
  async ask(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const onGone = (listener: () => void): (() => void) => {
        this.#leave.set(name, listener);
        return () => void this.#leave.delete(name);
      };
      const turn = this.turns.take(name.split(' ')[0] as string, onGone, () => new Error(`${name} left`));
      void Promise.resolve(turn).then(
        (got) => this.#start(name, got),
        (error: unknown) => void this.failed.push((error as Error).message),
      );
    }
    await this.time.turn();
  }

  async askMany(account: string, count: number): Promise<void> {
    await this.ask(...Array.from({ length: count }, (_, n) => `${account} ${n}`));
  }

  /** Ends the oldest running request of an account. */
  async end(account: string, bytes = SMALL): Promise<void> {
    this.endOnly(account, bytes);
    await this.time.turn();
  }

  /** The same, and the event loop has not turned yet. */
  endOnly(account: string, bytes = SMALL): void {
    const at = this.#running.findIndex(({ name }) => name.startsWith(`${account} `));
    assert.notEqual(at, -1, `nothing of ${account} runs`);
    for (const { turn } of this.#running.splice(at, 1)) turn.end(bytes);
  }

  leave(name: string): void {
    this.#leave.get(name)?.();
  }

  get listening(): number {
    return this.#leave.size;
  }

  startedOf(account: string): number {
    return this.started.filter((name) => name.startsWith(`${account} `)).length;
  }

  #start(name: string, turn: Turn): void {
    this.started.push(name);
    this.#running.push({ name, turn });
  }
}

describe('fair turns', () => {
  test('a turn is there at once, without a promise, where nothing waits', () => {
    const turn = new FairTurns().take(
      'a',
      () => () => undefined,
      () => new Error('left'),
    );
    assert.equal(turn instanceof Promise, false);
  });

  test('cost one unit, and one more for each 2 KiB', () => {
    assert.deepEqual([0, 2047, 2048, 64 * 1024].map(costOf), [1, 1, 2, 33]);
  });

  test('an account by itself has so many at once, the others in the order in which they came', async () => {
    const requests = new Requests();
    await requests.askMany('a', 11);
    assert.equal(requests.startedOf('a'), 8);
    await requests.end('a');
    await requests.end('a');
    assert.deepEqual(requests.started.slice(8), ['a 8', 'a 9']);
  });

  test('a request does not overtake those of its account that wait', async () => {
    const requests = new Requests({ shared: 100 });
    await requests.ask('b 0');
    await requests.askMany('a', 8);
    const begun = requests.startedOf('a');
    requests.endOnly('b', DEAR);
    await requests.ask('a late');
    assert.equal(requests.started[begun + 1], `a ${begun}`);
  });

  test('fault 121: another account begins at once, however many wait of the first', async () => {
    const requests = new Requests();
    await requests.askMany('a', 20);
    await requests.ask('b 0');
    assert.deepEqual(requests.started.slice(8), ['b 0']);
  });

  test('fault 121: while another account asks, one gets no further ahead of it than the lead', async () => {
    const requests = new Requests({ shared: 100 });
    await requests.ask('b 0');
    await requests.askMany('a', 20);
    const ahead = requests.startedOf('a');
    assert.equal(ahead, requests.startedOf('b') + LIMITS.lead + 1);
    for (let n = 1; n <= 5; n++) {
      await requests.ask(`b ${n}`);
      await requests.end('b');
    }
    assert.equal(requests.startedOf('a'), ahead + 5);
  });

  test('fault 121: a dear request is paid for: another account gets as much before the next one', async () => {
    const requests = new Requests({ shared: 100 });
    await requests.ask('b 0', 'a 0');
    await requests.end('a', DEAR);
    await requests.ask('a 1');
    for (let n = 1; requests.startedOf('a') === 1; n++) {
      assert(n < 30, 'it never came');
      await requests.ask(`b ${n}`);
      await requests.end('b');
    }
    assert.equal(requests.startedOf('b'), costOf(DEAR) - LIMITS.lead);
  });

  test('fault 121: each request of a crowd counts three times at most', async () => {
    const requests = new Requests({ shared: 100, crowd: 1 });
    await requests.ask('b 0');
    await requests.askMany('a', 20);
    const before = requests.startedOf('a');
    for (let n = 1; n <= 9; n++) {
      await requests.ask(`b ${n}`);
      await requests.end('b');
    }
    // Those of b count twice: one more is under way each time.
    assert.equal(requests.startedOf('a'), before + (9 * 2) / 3);
  });

  test('each tick in which another account is silent gives some more lead', async () => {
    const requests = new Requests({ shared: 100, leadOfTick: 2, silentTicks: 10 });
    await requests.ask('b 0');
    await requests.askMany('a', 20);
    const before = requests.startedOf('a');
    await requests.time.passTicks(3);
    assert.equal(requests.startedOf('a'), before + 6);
  });

  test('fault 121: one that was dear counts as dear from its beginning', async () => {
    const requests = new Requests();
    await requests.ask('a 0');
    await requests.end('a', DEAR);
    await requests.ask('a 1', 'a 2');
    assert.deepEqual(requests.started, ['a 0', 'a 1']);
  });

  test('fault 121: what ends at once counts until the event loop has turned', () => {
    const turns = new FairTurns(LIMITS, new HandTime());
    let begun = 0;
    for (let n = 0; n < 20; n++) {
      const turn = turns.take(
        'a',
        () => () => undefined,
        () => new Error('left'),
      );
      if (turn instanceof Promise) continue;
      begun += 1;
      turn.end(SMALL);
    }
    assert.equal(begun, LIMITS.alone);
  });

  test('an account that falls silent holds nobody up for longer than some ticks', async () => {
    const requests = new Requests();
    await requests.ask('b 0');
    await requests.askMany('a', 12);
    const before = requests.startedOf('a');
    await requests.end('b');
    assert.equal(requests.startedOf('a'), before);
    await requests.time.passTicks(LIMITS.silentTicks);
    assert.equal(requests.startedOf('a'), LIMITS.alone);
  });

  test('an account with a request that takes for ever holds nobody up', async () => {
    const requests = new Requests();
    await requests.ask('slow 0');
    await requests.askMany('a', 12);
    await requests.time.passTicks(LIMITS.silentTicks);
    for (let n = 0; n < 8; n++) await requests.end('a');
    assert.equal(requests.startedOf('a'), 12);
  });

  test('fault 121: beside an account that waits for a node, one has fewer at once than by itself', async () => {
    const requests = new Requests();
    await requests.askMany('a', 20);
    await requests.ask('slow 0');
    await requests.time.passTicks(LIMITS.silentTicks);
    for (let n = 0; n < 8; n++) await requests.end('a');
    assert.equal(requests.startedOf('a'), 8 + LIMITS.shared);
  });

  test('a new account begins where the others are', async () => {
    const requests = new Requests({ shared: 100, waiting: 100 });
    await requests.ask('b 0');
    await requests.askMany('a', 40);
    for (let n = 1; n < 20; n++) {
      await requests.ask(`b ${n}`);
      await requests.end('b');
    }
    const before = requests.startedOf('a');
    await requests.ask('c 0');
    for (let n = 20; n < 30; n++) {
      await requests.ask(`b ${n}`, `c ${n}`);
      await requests.end('b');
      await requests.end('c');
    }
    assert.equal(requests.startedOf('a') - before, 10);
  });

  for (const [ticks, begun] of [
    [0, 0],
    [8, 0],
    [9, 1],
    [90, 2],
  ] as const) {
    test(`fault 121: an account without a request for ${ticks} ticks loses as much of what it is behind, never more`, async () => {
      const requests = new Requests({ alone: 100, shared: 100, lead: 40, silentTicks: 100 });
      await requests.ask('b 0');
      await requests.end('b');
      await requests.ask('a 0');
      await requests.end('a', DEAR);
      // 34 units ahead when the second of these begins, and too far ahead for those that wait.
      await requests.ask('a 1', 'a 2', 'a 3', 'a 4', 'a 5', 'a 6');
      assert.equal(requests.startedOf('a'), 3);
      await requests.time.passTicks(ticks);
      await requests.ask('b 1');
      await requests.end('b');
      assert.equal(requests.startedOf('a') - 3, begun);
    });
  }

  test('fault 121: an account whose request takes long loses nothing meanwhile', async () => {
    const requests = new Requests({ alone: 100, shared: 100, lead: 40, silentTicks: 100 });
    await requests.ask('b 0', 'b 1', 'a 0');
    await requests.end('a', DEAR);
    await requests.ask('a 1', 'a 2', 'a 3', 'a 4');
    const begun = requests.startedOf('a');
    assert.equal(begun, 3);
    await requests.time.passTicks(90);
    await requests.ask('b 2');
    await requests.end('b');
    assert.equal(requests.startedOf('a'), begun);
  });

  test('so many of one account wait, then 42900 with Retry-After; another account has its own', async () => {
    const requests = new Requests();
    await requests.askMany('a', 8 + 20);
    assert.throws(
      () =>
        requests.turns.take(
          'a',
          () => () => undefined,
          () => new Error('left'),
        ),
      (error) => isTillgateError(error, 'RATE_LIMITED') && error.details.retryAfterSeconds === 1,
    );
    await requests.ask('b 0');
    assert.equal(requests.startedOf('b'), 1);
  });

  test('accounts that ask no more are forgotten, and then nothing ticks', async () => {
    const requests = new Requests();
    for (let n = 0; n < 10; n++) {
      await requests.ask(`${n} 0`);
      await requests.end(String(n));
    }
    await requests.time.passTicks(LIMITS.silentTicks);
    assert.deepEqual(requests.turns.held, { waiting: 0, accounts: 0 });
    assert.equal(requests.time.ticking, false);
  });

  test('a request whose client has left waits no longer, and those behind it move up', async () => {
    const requests = new Requests();
    await requests.askMany('a', 10);
    requests.leave('a 8');
    await requests.time.turn();
    assert.deepEqual(requests.failed, ['a 8 left']);
    assert.equal(requests.turns.held.waiting, 1);
    await requests.end('a');
    assert.deepEqual(requests.started.slice(8), ['a 9']);
  });

  test('nothing is left of requests that are over: no listener, no tick, no account', async () => {
    const requests = new Requests();
    await requests.askMany('a', 10);
    for (let n = 0; n < 10; n++) await requests.end('a');
    await requests.time.passTicks(LIMITS.silentTicks + 1);
    assert.deepEqual([requests.listening, requests.time.ticking], [0, false]);
    assert.deepEqual(requests.turns.held, { waiting: 0, accounts: 0 });
  });
});
