import { createHash } from 'node:crypto';
import { readReplies } from '../../../adapters/chains/json-rpc-replies.ts';
import type { JsonRpcClient } from '../../../adapters/chains/json-rpc.ts';
import { TRANSFER_TOPIC } from '../../../adapters/chains/evm/log-matching.ts';
import { TokenLogs } from '../../../adapters/chains/evm/token-logs.ts';
import { WatchSet } from '../../../core/deposits/watch-set.ts';
import type { BlockRef } from '../../../core/index.ts';
import { MemoryLogger } from '../../support/fakes.ts';
import { median, report, rounded } from './support/report.ts';

const WATCHED = 1_000_000;
const LOGS = 10_000;
/** Logs of the range that are ours. */
const HITS = 20;
const BLOCKS = 100;
const ROUNDS = 31;
const MAX_RATIO = 1.3;
const MAX_MEGABYTES = 150;
const TOKEN = 'dac17f958d2ee523a2206206994597c13d831ec7';
const SOURCE = { host: 'bench', redact: (text: string): string => text };

/**
 * What matching a range's Transfer logs against all watched addresses costs, from the node's text to decoded hits, as a
 * ratio to the least that could be done with the same bytes: JSON.parse, a slice of each topic, a look-up in a Set.
 */
const follow = {
  name: 'follow',
  async run(): Promise<void> {
    const before = heapMegabytes();
    const watch = watched();
    const megabytes = heapMegabytes() - before;
    const blocks = Array.from({ length: BLOCKS }, (_, height) => block(height));
    const text = reply(blocks);
    const { ours, bare } = await compare(text, blocks, watch, new Set(keys()));
    report({
      bench: 'follow',
      rows: [
        { what: `match ${LOGS} logs, decode ${HITS} hits`, value: `${ours.toFixed(1)} ms` },
        { what: 'JSON.parse + slice + Set.has', value: `${bare.toFixed(1)} ms` },
        { what: `watch set of ${WATCHED}`, value: `${megabytes.toFixed(0)} MB` },
      ],
      checks: [
        { name: 'ratio to JSON.parse + slice + Set.has', value: ours / bare, atMost: MAX_RATIO },
        { name: 'watch set, MB', value: megabytes, atMost: MAX_MEGABYTES },
      ],
      facts: { oursMs: rounded(ours), baselineMs: rounded(bare), replyBytes: text.length },
    });
  },
};

export default follow;

async function compare(
  text: string,
  blocks: readonly BlockRef[],
  watch: WatchSet,
  set: ReadonlySet<string>,
): Promise<{ ours: number; bare: number }> {
  // The adapter's own reading of logs, over a client that answers with the text at once.
  const client = {
    host: SOURCE.host,
    batch: async () => readReplies(text, [1, 2], SOURCE),
  } as unknown as JsonRpcClient;
  const logs = new TokenLogs(client, new MemoryLogger(), new Map([[TOKEN, 'USDT-ERC20']]));
  // A filter that says that everything may be in the block, as those of a busy chain nearly do.
  const read = blocks.map((ref) => ({ ref, bloom: `0x${'f'.repeat(512)}`, txids: [] }));
  const oursMs: number[] = [];
  const bareMs: number[] = [];
  for (let round = -3; round < ROUNDS; round++) {
    const times = { ours: 0, bare: 0 };
    // In turns, so that neither side always runs in the other's wake.
    for (const side of round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const)) {
      times[side] = await timed(async () =>
        side === 'ours' ? (await logs.read(read, watch)).hits.length : bareMatch(text, set),
      );
    }
    if (round < 0) continue;
    oursMs.push(times.ours);
    bareMs.push(times.bare);
  }
  return { ours: median(oursMs), bare: median(bareMs) };
}

function bareMatch(text: string, set: ReadonlySet<string>): number {
  const [{ result }] = JSON.parse(text) as [{ result: { topics: [string, string, string] }[] }];
  let hits = 0;
  for (const { topics } of result) if (set.has(topics[2].slice(26))) hits += 1;
  return hits;
}

async function timed(work: () => Promise<number>): Promise<number> {
  globalThis.gc?.();
  const start = performance.now();
  const hits = await work();
  const ms = performance.now() - start;
  if (hits !== HITS) throw new Error(`found ${hits} transfers instead of ${HITS}`);
  return ms;
}

function watched(): WatchSet {
  const watch = new WatchSet();
  const until = Date.UTC(2030, 0, 1);
  for (const key of keys()) watch.add(key, until, false);
  return watch;
}

function* keys(): Iterable<string> {
  for (let index = 0; index < WATCHED; index++) yield keyAt(index);
}

/** Distinct, spread like hashes, and quick to make. */
function keyAt(index: number): string {
  const bytes = Buffer.alloc(20);
  for (let at = 0; at < 20; at += 4) bytes.writeUInt32LE(Math.imul(index + at * 7_919 + 1, 2_654_435_761) >>> 0, at);
  return bytes.toString('hex');
}

function block(height: number): BlockRef {
  return { height, hash: hashOf(`block ${height}`), parentHash: hashOf(`block ${height - 1}`), time: height * 12_000 };
}

const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`;
const topicOf = (key: string): string => `0x${'0'.repeat(24)}${key}`;

/** A node's reply to the range's logs and its last block, as geth writes it. */
function reply(blocks: readonly BlockRef[]): string {
  const result = Array.from({ length: LOGS }, (_, at) => {
    const { height, hash } = blocks[Math.floor((at * BLOCKS) / LOGS)] as BlockRef;
    const ours = at % (LOGS / HITS) === 0;
    return {
      address: `0x${TOKEN}`,
      topics: [
        TRANSFER_TOPIC,
        topicOf(hashOf(`from ${at}`).slice(2, 42)),
        topicOf(ours ? keyAt(at * 97) : hashOf(`to ${at}`).slice(2, 42)),
      ],
      data: `0x${(at + 1).toString(16).padStart(64, '0')}`,
      blockNumber: `0x${height.toString(16)}`,
      transactionHash: hashOf(`transaction ${at}`),
      transactionIndex: `0x${(at % 100).toString(16)}`,
      blockHash: hash,
      logIndex: `0x${(at % 100).toString(16)}`,
      removed: false,
    };
  });
  const tip = { hash: (blocks.at(-1) as BlockRef).hash };
  return JSON.stringify([
    { jsonrpc: '2.0', id: 1, result },
    { jsonrpc: '2.0', id: 2, result: tip },
  ]);
}

function heapMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_048_576;
}
