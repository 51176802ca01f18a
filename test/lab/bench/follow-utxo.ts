import { createHash } from 'node:crypto';
import { RawTx } from '@scure/btc-signer';
import { findDeposits } from '../../../adapters/chains/utxo/block-deposits.ts';
import { hash256, toHashText } from '../../../adapters/chains/utxo/hash256.ts';
import { merkleRoot } from '../../../adapters/chains/utxo/merkle-root.ts';
import { readBlock } from '../../../adapters/chains/utxo/raw-block.ts';
import { WatchSet } from '../../../core/deposits/watch-set.ts';
import { median, report, rounded } from './support/report.ts';

const WATCHED = 1_000_000;
const BLOCK_BYTES = 4_000_000;
/** Outputs of the block that are ours. */
const HITS = 20;
const ROUNDS = 31;
/** Looking for scripts may at most double what reading the block costs. */
const MAX_RATIO = 1;
const MAX_MEGABYTES = 150;

/**
 * What looking for 1,000,000 watched scripts in a block of 4 MB costs, as a ratio to reading that block at all (walking
 * its transactions, hashing each, and the tree to the header's root). Every output has the form of the till's own
 * addresses, the worst that a block can do: each one is looked up.
 */
const followUtxo = {
  name: 'follow-utxo',
  async run(): Promise<void> {
    const before = heapMegabytes();
    const watch = watched();
    const megabytes = heapMegabytes() - before;
    const { bytes, hash, transactions } = block();
    const { scanMs, readMs } = compare(bytes, hash, watch);
    const peerMs = timed(() => peerRead(bytes, transactions), transactions);
    report({
      bench: 'follow-utxo',
      rows: [
        { what: `read ${transactions} transactions and hash them`, value: `${readMs.toFixed(1)} ms` },
        { what: `the same, and look ${transactions * 2} outputs up`, value: `${scanMs.toFixed(1)} ms` },
        { what: 'decode them with @scure/btc-signer, unhashed', value: `${peerMs.toFixed(1)} ms` },
        { what: `watch set of ${WATCHED}`, value: `${megabytes.toFixed(0)} MB` },
      ],
      checks: [
        { name: 'looking up, as a ratio to reading', value: (scanMs - readMs) / readMs, atMost: MAX_RATIO },
        { name: 'watch set, MB', value: megabytes, atMost: MAX_MEGABYTES },
      ],
      facts: {
        scanMs: rounded(scanMs),
        readMs: rounded(readMs),
        peerMs: rounded(peerMs),
        blockBytes: bytes.length,
        transactions,
      },
    });
  },
};

export default followUtxo;

function compare(bytes: Buffer, hash: string, watch: WatchSet): { readonly scanMs: number; readonly readMs: number } {
  const scans: number[] = [];
  const reads: number[] = [];
  const sides = {
    scan: () => findDeposits(bytes, hash, (key) => watch.has(key)).outputs.length,
    read: () => (readBlock(bytes, hash, {}).transactions > 0 ? HITS : 0),
  };
  for (let round = -3; round < ROUNDS; round++) {
    const times = { scan: 0, read: 0 };
    // In turns, so that neither side always runs in the other's wake.
    for (const side of round % 2 === 0 ? (['scan', 'read'] as const) : (['read', 'scan'] as const))
      times[side] = timed(sides[side], HITS);
    if (round < 0) continue;
    scans.push(times.scan);
    reads.push(times.read);
  }
  return { scanMs: median(scans), readMs: median(reads) };
}

function timed(work: () => number, expected: number): number {
  globalThis.gc?.();
  const start = performance.now();
  const found = work();
  const ms = performance.now() - start;
  if (found !== expected) throw new Error(`found ${found} instead of ${expected}`);
  return ms;
}

/** All transactions are equally long. */
function peerRead(bytes: Buffer, count: number): number {
  const length = transaction(0, scriptOf('x'), scriptOf('y')).length;
  const from = bytes.length - length * count;
  let outputs = 0;
  for (let at = from; at < bytes.length; at += length)
    outputs += RawTx.decode(bytes.subarray(at, at + length)).outputs.length;
  return outputs / 2;
}

function watched(): WatchSet {
  const watch = new WatchSet();
  const until = Date.UTC(2030, 0, 1);
  for (let index = 0; index < WATCHED; index++) watch.add(keyAt(index), until, true);
  return watch;
}

/** Distinct, spread like hashes, and quick to make. */
function keyAt(index: number): string {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt16BE(0x0014, 0);
  for (let at = 2; at < 22; at += 4) bytes.writeUInt32LE(Math.imul(index + at * 7_919 + 1, 2_654_435_761) >>> 0, at);
  return bytes.toString('hex');
}

function scriptOf(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x00, 0x14]), createHash('sha256').update(text).digest().subarray(0, 20)]);
}

/** One input of the usual kind, two outputs. */
function transaction(number: number, one: Buffer, two: Buffer): Buffer {
  const outpoint = createHash('sha256').update(`outpoint ${number}`).digest();
  const output = (script: Buffer): Buffer =>
    Buffer.concat([Buffer.from('00e1f50500000000', 'hex'), Buffer.from([script.length]), script]);
  const witness = Buffer.concat([
    Buffer.from([2, 72]),
    Buffer.alloc(72, 0x30),
    Buffer.from([33]),
    Buffer.alloc(33, 0x02),
  ]);
  const inputs = Buffer.concat([Buffer.from([1]), outpoint, Buffer.alloc(4), Buffer.from([0]), Buffer.alloc(4, 0xff)]);
  return Buffer.concat([
    Buffer.from('020000000001', 'hex'),
    inputs,
    Buffer.from([2]),
    output(one),
    output(two),
    witness,
    Buffer.alloc(4),
  ]);
}

function block(): { readonly bytes: Buffer; readonly hash: string; readonly transactions: number } {
  const size = transaction(0, scriptOf('x'), scriptOf('y')).length;
  const count = Math.floor(BLOCK_BYTES / size);
  const every = Math.floor(count / HITS);
  const parts = Array.from({ length: count }, (_, at) => {
    const ours = at % every === 0 && at / every < HITS;
    return transaction(at, ours ? Buffer.from(keyAt(at * 17), 'hex') : scriptOf(`to ${at}`), scriptOf(`change ${at}`));
  });
  // An id is the hash of all but flags and witness.
  const txids = parts.map((part) =>
    hash256(Buffer.concat([part.subarray(0, 4), part.subarray(6, part.length - 112), part.subarray(part.length - 4)])),
  );
  const header = Buffer.alloc(80);
  header.set(merkleRoot(txids) as Buffer, 36);
  const sizeOf = Buffer.from([0xfd, count & 0xff, count >> 8]);
  return { bytes: Buffer.concat([header, sizeOf, ...parts]), hash: toHashText(hash256(header)), transactions: count };
}

function heapMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_048_576;
}
