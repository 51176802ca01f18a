import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reconcile } from '../../../core/index.ts';
import type { CustodyLine, ExpectedCoins, Holding, PayingChain, Storage } from '../../../core/index.ts';

const HOT = '0xhot';
const PAGE = 500;

type Transfers = Pick<Storage['transfers'], 'expectedCustody' | 'inFlight' | 'holdings' | 'gasBalances'>;

/** What the books and the chain say; nothing unless given. */
interface World {
  readonly model?: 'account' | 'utxo';
  readonly expected: Readonly<Record<string, bigint>>;
  readonly inFlight?: Awaited<ReturnType<Transfers['inFlight']>>;
  readonly holdings?: readonly Pick<Holding, 'ref' | 'address' | 'currency' | 'units' | 'status'>[];
  readonly gas?: Awaited<ReturnType<Transfers['gasBalances']>>;
  /** Units on chain, by `address currency`, on UTXO chains by output. */
  readonly onChain?: Readonly<Record<string, bigint>>;
}

/** The rows after a key, a page of them. */
const pageOf = <T>(rows: readonly T[], key: (row: T) => string, after: string | null, limit: number): readonly T[] =>
  rows.slice(after === null ? 0 : rows.findIndex((row) => key(row) === after) + 1).slice(0, limit);

async function lines(
  world: World,
): Promise<{ readonly lines: readonly CustodyLine[]; readonly asked: ExpectedCoins[] }> {
  const { model = 'account', expected, inFlight = [], holdings = [], gas = [], onChain = {} } = world;
  const asked: ExpectedCoins[] = [];
  const transfers: Transfers = {
    expectedCustody: () => Promise.resolve(new Map(Object.entries(expected))),
    inFlight: () => Promise.resolve(inFlight),
    holdings: (_chain, after, limit) =>
      Promise.resolve(pageOf(holdings, ({ ref }) => ref, after, limit) as readonly Holding[]),
    gasBalances: (_chain, after, limit) => Promise.resolve(pageOf(gas, ({ address }) => address, after, limit)),
  };
  const custody = (coins: readonly ExpectedCoins[]): Promise<ReadonlyMap<string, bigint>> => {
    asked.push(...coins);
    const sums = new Map<string, bigint>();
    for (const { ref, address, currency } of coins) {
      const units = onChain[ref === '' ? `${address} ${currency}` : ref] ?? 0n;
      sums.set(currency, (sums.get(currency) ?? 0n) + units);
    }
    return Promise.resolve(sums);
  };
  const payments = { model, hotAddress: HOT, feeAsset: { currency: 'ETH' }, custody };
  const chain = { code: 'ETH', assets: [{ currency: 'ETH' }, { currency: 'USDT' }], payments };
  const storage = { transfers } as unknown as Storage;
  return { lines: await reconcile(chain as unknown as PayingChain, { storage }), asked };
}

const shortfalls = (found: readonly CustodyLine[]): readonly (readonly [string, bigint, bigint])[] =>
  found.map(({ currency, inFlight, shortfall }) => [currency, inFlight, shortfall]);
const holding = (n: number, given: Partial<Holding> = {}) => ({
  ref: `${String(n).padStart(4, '0')}:0`,
  address: `0xdeposit${n}`,
  currency: 'USDT',
  units: 10n,
  status: 'FREE' as const,
  ...given,
});

describe('comparing the books with an account chain', () => {
  test('nothing is missing down to the last unit, and one unit less is', async () => {
    const onChain = { [`${HOT} USDT`]: 70n, '0xdeposit1 USDT': 30n };
    for (const [expected, missing] of [
      [99n, 0n],
      [100n, 0n],
      [101n, 1n],
    ] as const) {
      const { lines: found } = await lines({ expected: { USDT: expected }, holdings: [holding(1)], onChain });
      assert.deepEqual(found, [
        { currency: 'USDT', expected, onChain: 100n, inFlight: 0n, shortfall: missing, isRead: true },
      ]);
    }
  });

  test('what leaves the hot wallet may be gone already; of a sweep only its fee, because the coins stay the till’s', async () => {
    const inFlight = [
      { sourceAddress: HOT, currency: 'USDT', units: 40n, nativeFeeUnits: 5n },
      { sourceAddress: HOT, currency: 'USDT', units: 2n, nativeFeeUnits: 1n },
      { sourceAddress: '0xdeposit1', currency: 'USDT', units: 300n, nativeFeeUnits: 7n },
    ];
    const { lines: found } = await lines({ expected: { USDT: 50n, ETH: 20n }, inFlight });
    assert.deepEqual(shortfalls(found), [
      ['USDT', 42n, 8n],
      ['ETH', 13n, 7n],
    ]);
  });

  test('an address is asked once for each coin, however many deposits it has, and the hot wallet once', async () => {
    const holdings = [
      holding(1),
      holding(2, { address: '0xdeposit1' }),
      holding(3, { address: '0xdeposit1', currency: 'ETH' }),
    ];
    const { asked } = await lines({ expected: {}, holdings });
    assert.deepEqual(
      asked.map(({ ref, address, currency }) => [ref, address, currency]),
      [
        ['', HOT, 'ETH'],
        ['', HOT, 'USDT'],
        ['', '0xdeposit1', 'USDT'],
        ['', '0xdeposit1', 'ETH'],
      ],
    );
  });

  test('gas that is left counts, once where the address was asked for its coins', async () => {
    const gas = [
      { address: '0xdeposit1', units: 3n },
      { address: '0xdeposit2', units: 4n },
    ];
    const onChain = { '0xdeposit1 ETH': 3n, '0xdeposit2 ETH': 4n };
    const holdings = [holding(1, { currency: 'ETH' })];
    const { lines: found, asked } = await lines({ expected: { ETH: 8n }, holdings, gas, onChain });
    assert.deepEqual(shortfalls(found), [['ETH', 0n, 1n]]);
    assert.deepEqual(
      asked.slice(2).map(({ address }) => address),
      ['0xdeposit1', '0xdeposit2'],
    );
  });

  for (const count of [PAGE, PAGE + 1])
    test(`${count} addresses with coins and as many with gas are all asked, a page at a time`, async () => {
      const holdings = Array.from({ length: count }, (_, n) => holding(n));
      const gas = Array.from({ length: count }, (_, n) => ({
        address: `0xgas${String(n).padStart(4, '0')}`,
        units: 1n,
      }));
      const onChain = Object.fromEntries([
        ...holdings.map(({ address }) => [`${address} USDT`, 10n] as const),
        ...gas.map(({ address }) => [`${address} ETH`, 1n] as const),
      ]);
      const all = BigInt(count);
      const { lines: found, asked } = await lines({ expected: { USDT: 10n * all, ETH: all }, holdings, gas, onChain });
      assert.deepEqual(
        found.map(({ onChain: shown, shortfall }) => [shown, shortfall]),
        [
          [10n * all, 0n],
          [all, 0n],
        ],
      );
      assert.equal(asked.length, 2 * count + 2);
    });
});

describe('comparing the books with a chain of coins', () => {
  test('each free output is asked for, and one that a payment took may be gone', async () => {
    const holdings = [holding(1), holding(2, { status: 'TAKEN', units: 25n })];
    const onChain = { '0001:0': 10n };
    const { lines: found, asked } = await lines({ model: 'utxo', expected: { USDT: 36n }, holdings, onChain });
    assert.deepEqual(shortfalls(found), [['USDT', 25n, 1n]]);
    assert.deepEqual(
      asked.map(({ ref }) => ref),
      ['0001:0'],
    );
  });
});
