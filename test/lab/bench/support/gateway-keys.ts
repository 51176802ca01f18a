import { createHash } from 'node:crypto';
import { AesGcmVault } from '../../../../adapters/crypto/index.ts';
import { authenticateKey, isRefusal, KeyCache, newAppKeyText, readKey } from '../../../../core/index.ts';
import type {
  AccountId,
  AppId,
  AppKeyId,
  ChangeFeed,
  DirectoryKey,
  DirectorySource,
  KeyDirectory,
  Selection,
} from '../../../../core/index.ts';
import { FakeClock, MemoryLogger, SeededRandom } from '../../../support/fakes.ts';
import { median } from './report.ts';

const ASKED = 20_000;
const ROUNDS = 5;

/** What it costs to check a key, in nanoseconds of processor time. */
export interface KeyCheck {
  readonly keys: number;
  /** Of a key that was seen before. */
  readonly againNs: number;
  /** Of a key's first request, its keyed hash included. */
  readonly firstNs: number;
}

/** Reads a header's key, finds it among so many, and checks its state, its App and its account. */
export async function measureKeyCheck(keys: number): Promise<KeyCheck> {
  const vault = new AesGcmVault({ current: new Uint8Array(32).fill(7) });
  const texts = Array.from({ length: ASKED }, (_, n) => newAppKeyText(new SeededRandom(`bench ${n}`)));
  const directory = new KeyCache({
    apps: {
      directory: sourceOf(
        keys,
        texts.map((text) => vault.lookupHash('app-key', text)),
      ),
      touchKeys: async () => undefined,
    },
    feed: SILENT,
    vault,
    clock: new FakeClock(),
    deadline: (ms) => AbortSignal.timeout(ms),
    logger: new MemoryLogger(),
    instance: 'bench',
    random: new SeededRandom('directory'),
  });
  await directory.start();
  const firstNs = pass(directory, texts);
  const again = Array.from({ length: ROUNDS }, () => pass(directory, texts));
  return { keys: directory.size, againNs: median(again), firstNs };
}

function pass(directory: KeyDirectory, texts: readonly string[]): number {
  const start = process.cpuUsage();
  for (const text of texts) {
    const read = readKey([`Bearer ${text}`], null);
    const found = isRefusal(read) ? read : authenticateKey(directory.find(read.key), 0);
    if (isRefusal(found)) throw new Error(`The key was refused: ${found.reason}`);
  }
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / texts.length;
}

/** Ids that sort as numbers do. */
const idOf = (n: number): string => String(1_000_000_000_000_000_000n + BigInt(n));

/** One account, an App for every thousand keys; the keys beyond those asked for have hashes that nobody knows a text of. */
function sourceOf(count: number, hashes: readonly string[]): DirectorySource {
  const page = <Id extends string>(selection: Selection<Id>, total: number): readonly number[] => {
    if (!('limit' in selection)) return [];
    const first = selection.after === null ? 0 : Number(BigInt(selection.after) - 1_000_000_000_000_000_000n) + 1;
    return Array.from({ length: Math.max(0, Math.min(selection.limit, total - first)) }, (_, n) => first + n);
  };
  const key = (n: number): DirectoryKey => ({
    id: idOf(n) as AppKeyId,
    appId: idOf(Math.floor(n / 1000)) as AppId,
    lookupHash: hashes[n] ?? createHash('sha256').update(String(n)).digest('hex'),
    state: 'active',
    expiresAt: null,
    restrictions: null,
  });
  return {
    accounts: async (selection) => page(selection, 1).map((n) => ({ id: idOf(n) as AccountId, active: true })),
    apps: async (selection) =>
      page(selection, Math.ceil(count / 1000)).map((n) => ({
        id: idOf(n) as AppId,
        accountId: idOf(0) as AccountId,
        enabled: true,
        chains: ['ETH'],
        admissionMode: null,
        quota: null,
        prepaid: false,
        buyer: null,
        limits: null,
      })),
    keys: async (selection) => page(selection, count).map(key),
  };
}

/** Nothing ever changes. */
const SILENT: ChangeFeed = {
  pollMs: 1000,
  after: async () => ({ head: 0, changes: [] }),
  confirm: async () => true,
  leave: async () => undefined,
  reap: async () => undefined,
  settled: async () => undefined,
  onNotification: () => () => undefined,
};
