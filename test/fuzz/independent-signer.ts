import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('keyed_hashes.py', import.meta.url));

/** One keyed hash to be computed. */
export interface MacRequest {
  readonly hash: 'sha256' | 'sha3-256';
  readonly key: string;
  readonly text: string;
}

/** Bytes of the blocks that the hashes work on: what HMAC pads its key to (RFC 2104; FIPS 202 for SHA-3). */
const BLOCK = { sha256: 64, 'sha3-256': 136 } as const;

/** Computes keyed hashes without this project's code: with Python where there is one, else by the definition in RFC 2104. */
export function independentMacs(requests: readonly MacRequest[]): {
  readonly by: string;
  readonly macs: readonly Buffer[];
} {
  const lines = requests.map(({ hash, key, text }) =>
    JSON.stringify([hash.replace('-', '_'), Buffer.from(key).toString('hex'), Buffer.from(text).toString('hex')]),
  );
  const python = spawnSync('python3', [PROGRAM], {
    input: lines.join('\n') + '\n',
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (python.status === 0)
    return {
      by: 'python3',
      macs: python.stdout
        .trimEnd()
        .split('\n')
        .map((line) => Buffer.from(line, 'hex')),
    };
  return { by: 'the definition in RFC 2104', macs: requests.map(byDefinition) };
}

function byDefinition({ hash, key, text }: MacRequest): Buffer {
  const size = BLOCK[hash];
  const digest = (...parts: readonly Buffer[]): Buffer => createHash(hash).update(Buffer.concat(parts)).digest();
  const given = Buffer.from(key);
  const padded = Buffer.alloc(size);
  (given.length > size ? digest(given) : given).copy(padded);
  const [inner, outer] = [0x36, 0x5c].map((pad) => Buffer.from(padded.map((byte) => byte ^ pad))) as [Buffer, Buffer];
  return digest(outer, digest(inner, Buffer.from(text)));
}
