import { hash } from 'node:crypto';
import { AesGcmVault, CryptoRandom } from '../../../adapters/crypto/index.ts';
import { deadline, SystemClock } from '../../../adapters/system/index.ts';
import { APP_KEY_LOOKUP, KeyCache } from '../../../core/index.ts';
import type { AccountId, AppId, AppKeyId, ChangeFeed, DirectorySource, Selection } from '../../../core/index.ts';
import { MemoryLogger } from '../../support/fakes.ts';
import { median, report, rounded } from './support/report.ts';

const KEYS = 1_000_000;
/** Few at a time: a request's own text is fresh in the processor's memory. */
const CALLS = 250;
const ROUNDS = 1_000;
const WARM_UP = 8_000;
/** Keys that are in use at one time. */
const HOT = 100_000;
const FIRST_ID = 8_000_000_000_000_000_000n;

const vault = new AesGcmVault({ current: new Uint8Array(32).fill(5) });
const idOf = (n: number): string => (FIRST_ID + BigInt(n) * 4096n).toString();
/** As long as a key, and a new string each time, as a request brings it. */
const textOf = (n: number): string =>
  `tgk_${hash('sha256', String(n), 'base64url').slice(0, 43)}${String(n).slice(-6).padStart(6, '0')}`;

/** A million accounts with an App and a key each, made as they are asked for. */
function source(): DirectorySource {
  const rows =
    <Id extends string, T>(make: (n: number) => T) =>
    async (selection: Selection<Id>): Promise<readonly T[]> => {
      if ('ids' in selection) return [];
      const { after, limit } = selection;
      const first = after === null ? 0 : Number((BigInt(after) - FIRST_ID) / 4096n) + 1;
      return Array.from({ length: Math.max(0, Math.min(limit, KEYS - first)) }, (_, n) => make(first + n));
    };
  return {
    accounts: rows((n) => ({ id: idOf(n) as AccountId, active: true })),
    apps: rows((n) => ({
      id: idOf(n) as AppId,
      accountId: idOf(n) as AccountId,
      enabled: true,
      chains: ['ETH'],
      admissionMode: null,
      quota: null,
      prepaid: false,
      buyer: null,
      limits: null,
    })),
    keys: rows((n) => ({
      id: idOf(n) as AppKeyId,
      appId: idOf(n) as AppId,
      lookupHash: vault.lookupHash(APP_KEY_LOOKUP, textOf(n)),
      state: 'active',
      expiresAt: null,
      restrictions: null,
    })),
  };
}

const still: ChangeFeed = {
  pollMs: 1000,
  after: async () => ({ head: 0, changes: [] }),
  confirm: async () => true,
  leave: async () => undefined,
  reap: async () => undefined,
  settled: async () => undefined,
  onNotification: () => () => undefined,
};

interface Traffic {
  readonly name: string;
  readonly next: () => number;
}

/** Few keys make most of the requests, as with most of what people use: the n-th comes about 1/n as often. */
const zipf = (): number => Math.floor(KEYS ** Math.random()) - 1;

const TRAFFIC: readonly Traffic[] = [
  { name: '100,000 of them in use', next: () => Math.floor(Math.random() * HOT) * (KEYS / HOT) },
  { name: 'all in use, few of them much (Zipf)', next: zipf },
  { name: 'all in use alike', next: () => Math.floor(Math.random() * KEYS) },
];

function nanosecondsPerCheck(directory: KeyCache, texts: readonly string[]): number {
  const start = process.cpuUsage();
  let accepted = 0;
  for (const text of texts) if (directory.find(text)?.state === 'active') accepted += 1;
  const { user, system } = process.cpuUsage(start);
  if (accepted !== texts.length) throw new Error('A key was not accepted.');
  return ((user + system) * 1000) / texts.length;
}

const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
};

/** What it costs to check a key where a million are known, and what knowing them takes. */
async function run(): Promise<void> {
  const clock = new SystemClock();
  const before = memory();
  const directory = new KeyCache({
    apps: { directory: source(), touchKeys: async () => undefined },
    feed: still,
    vault,
    random: new CryptoRandom(),
    clock,
    deadline,
    logger: new MemoryLogger(),
    instance: 'bench',
    leaseMs: 3_600_000,
  });
  const began = performance.now();
  await directory.start();
  const loadSeconds = (performance.now() - began) / 1000;
  const loaded = memory() - before;
  const draw = ({ next }: Traffic): string[] => Array.from({ length: CALLS }, () => textOf(next()));
  const results = TRAFFIC.map((traffic) => {
    // As after some minutes of that traffic.
    for (let n = 0; n < WARM_UP; n++) nanosecondsPerCheck(directory, draw(traffic));
    return { traffic, ns: median(Array.from({ length: ROUNDS }, () => nanosecondsPerCheck(directory, draw(traffic)))) };
  });
  const full = memory() - before;
  const [hot = NaN, uneven = NaN] = results.map(({ ns }) => ns);
  report({
    bench: 'keys',
    rows: results.map(({ traffic, ns }) => ({
      [`${KEYS.toLocaleString('en')} keys known`]: traffic.name,
      'CPU ns per check': Math.round(ns),
    })),
    checks: [
      { name: 'CPU ns per check, 100,000 keys in use', value: hot, atMost: 1000 },
      { name: 'CPU ns per check, Zipf', value: uneven, atMost: 1000 },
      { name: 'MiB for a million keys, Apps and accounts', value: loaded, atMost: 200 },
    ],
    facts: { keys: KEYS, loadSeconds: rounded(loadSeconds), mibLoaded: rounded(loaded), mibWithCache: rounded(full) },
    notes: [
      'A check is find(), with a text that is a new string each time. The first check of a key costs a keyed hash more.',
    ],
  });
}

export default { name: 'keys', run };
