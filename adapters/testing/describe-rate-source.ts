import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { present, readDecimal } from '../../core/index.ts';
import type { RateSource } from '../../core/index.ts';

/** A rate source with its own service. */
export interface RateWorld {
  readonly source: RateSource;
  /** Makes the service fail, hang or return nonsense, or work again; left out when there is no service. */
  trouble?(kind: 'fails' | 'hangs' | 'answers nonsense' | null): void | Promise<void>;
  close(): Promise<void>;
}

/** Opens a rate source for the kit. */
export interface RateHarness {
  /** At least two symbols that the source prices: coins such as `BTC`, fiat currencies such as `EUR`. */
  readonly knows: readonly string[];
  /** The reason why the source cannot fail, if it has no service. */
  readonly cannotFail?: string;
  open(): Promise<RateWorld>;
}

const UNKNOWN = 'NOSUCHCOIN';
const SECONDS_2009 = 1_230_768_000;

/** Registers the conformance suite of {@link RateSource} with node:test, under a name. */
export function describeRateSource(name: string, harness: RateHarness): void {
  const { knows, cannotFail } = harness;
  describe(`${name}: the promises of a rate source`, { concurrency: 1 }, () => {
    let world: RateWorld | null = null;
    const source = (): RateSource => present(world, 'the rate source').source;
    const never = (): AbortSignal => new AbortController().signal;
    before(async () => {
      world = await harness.open();
    });
    after(() => world?.close());

    test('prices what it knows: exact decimals above zero, in dollars, with the time they are of', async () => {
      const ticks = await source().fetch(knows, never());
      assert.deepEqual(new Set(ticks.map(({ symbol }) => symbol)), new Set(knows));
      assert.equal(ticks.length, knows.length);
      for (const { symbol, usd, at } of ticks) {
        assert.ok((readDecimal(usd)?.digits ?? 0n) > 0n, `${symbol} costs ${usd}`);
        assert.ok(Number.isInteger(at) && at > SECONDS_2009 * 1_000, 'times are epoch milliseconds');
      }
    });
    test('leaves out what it does not know, and what it was not asked for', async () => {
      const [one] = knows;
      assert.deepEqual(
        (await source().fetch([UNKNOWN, one ?? ''], never())).map(({ symbol }) => symbol),
        [one],
      );
      assert.deepEqual(await source().fetch([UNKNOWN], never()), []);
      assert.deepEqual(await source().fetch([], never()), []);
    });
    test('has a name', () => assert.match(source().name, /^[a-z][a-z0-9-]*$/));
    if (cannotFail === undefined) describeTrouble(() => present(world, 'the rate source'), knows);
    else
      test(`lacks trouble: ${cannotFail}`, () => assert.equal('trouble' in present(world, 'the rate source'), false));
  });
}

function describeTrouble(world: () => RateWorld, knows: readonly string[]): void {
  const make = async (kind: 'fails' | 'hangs' | 'answers nonsense' | null): Promise<void> => {
    assert.ok('trouble' in world(), 'the harness neither makes trouble nor says under "cannotFail" why it cannot');
    await world().trouble?.(kind);
  };
  for (const kind of ['fails', 'answers nonsense'] as const) {
    test(`gives no price while its service ${kind}, and the right ones afterwards`, async () => {
      await make(kind);
      await assert.rejects(world().source.fetch(knows, new AbortController().signal));
      await make(null);
      assert.equal((await world().source.fetch(knows, new AbortController().signal)).length, knows.length);
    });
  }
  test('ends when its deadline passes, also while its service hangs', async () => {
    await make('hangs');
    const deadline = new AbortController();
    const asked = world().source.fetch(knows, deadline.signal);
    deadline.abort(new Error('The deadline passed.'));
    await assert.rejects(asked);
    await assert.rejects(world().source.fetch(knows, AbortSignal.abort()));
    await make(null);
  });
}
