import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { CryptoDigest } from '../../adapters/crypto/index.ts';
import { verifySignature } from '../../core/index.ts';
import { independentMacs } from './independent-signer.ts';
import { fuzzPlan } from './seeded.ts';
import type { Seeded } from './seeded.ts';

const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);
const SKEW_MS = 300_000;
const HASHES = { 'HMAC-SHA256': 'sha256', 'HMAC-SHA3_256': 'sha3-256' } as const;
type Algorithm = keyof typeof HASHES;

/** A signed request as text, each part of which can be spoilt. */
interface Sample {
  readonly secret: string;
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly algorithm: string;
  readonly date: string;
  readonly md5: string | null;
  readonly signature: string;
}

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%/?&=+,;:@';
const SECRETS = `${CHARACTERS} |"\\äß€😀`;
const md5Of = (body: string): string => createHash('md5').update(body).digest('hex');
const dateOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** What a merchant signs, in one of the forms that are allowed. */
function origin(random: Seeded, sample: Omit<Sample, 'signature'>): string {
  const parts = [
    sample.algorithm,
    sample.date,
    `${sample.method} ${sample.target}`,
    ...(sample.md5 === null ? (random.oneIn(2) ? [''] : []) : [sample.md5]),
  ];
  return parts.join(random.pick([' | ', '|']));
}

function unsigned(random: Seeded): Omit<Sample, 'signature'> & { readonly text: string } {
  const method = random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);
  const body = method === 'GET' || random.oneIn(4) ? '' : random.text(1 + random.below(120), SECRETS);
  const md5 =
    body === '' ? null : random.pick([(text: string) => text, (text: string) => text.toUpperCase()])(md5Of(body));
  const sample = {
    secret: random.text(1 + random.below(90), SECRETS),
    method,
    target: `/${random.text(random.below(80), CHARACTERS)}`,
    body,
    algorithm: random.pick(['HMAC-SHA256', 'HMAC-SHA3_256']),
    date: dateOf(NOW + (random.below(601) - 300) * 1_000),
    md5,
  };
  return { ...sample, text: origin(random, sample) };
}

function samples(random: Seeded, size: number): { readonly by: string; readonly signed: readonly Sample[] } {
  const bare = Array.from({ length: size }, () => unsigned(random));
  const { by, macs } = independentMacs(
    bare.map(({ algorithm, secret: key, text }) => ({ hash: HASHES[algorithm as Algorithm], key, text })),
  );
  return {
    by,
    signed: bare.map(({ text: _text, ...sample }, at) => ({ ...sample, signature: macs[at]!.toString('base64') })),
  };
}

const flipped = (random: Seeded, text: string): string => {
  const at = random.below(text.length);
  return text.slice(0, at) + random.text(1, CHARACTERS) + text.slice(at + 1);
};
const MUTATIONS: readonly ((random: Seeded, sample: Sample, other: Sample) => Sample)[] = [
  (random, sample) => ({ ...sample, signature: flipped(random, sample.signature) }),
  (_random, sample) => ({ ...sample, signature: sample.signature.replaceAll('+', '-').replaceAll('/', '_') }),
  (_random, sample) => ({ ...sample, signature: sample.signature.replace('=', '') }),
  (_random, sample, other) => ({ ...sample, signature: other.signature }),
  (random, sample) => ({ ...sample, target: flipped(random, sample.target) }),
  (_random, sample) => ({ ...sample, target: `${sample.target}|${sample.md5 ?? ''}` }),
  (random, sample) => ({ ...sample, body: sample.body === '' ? 'x' : flipped(random, sample.body) }),
  (random, sample) => {
    const body = sample.body === '' ? 'x' : flipped(random, sample.body);
    return { ...sample, body, md5: md5Of(body) };
  },
  (_random, sample) => ({ ...sample, body: '', md5: null }),
  (random, sample) => ({
    ...sample,
    date: dateOf(Date.parse(sample.date) + random.pick([-1_000, 1_000, 600_000, -600_000])),
  }),
  (_random, sample) => ({ ...sample, date: sample.date.replace('Z', '+00:00') }),
  (random, sample) => ({
    ...sample,
    algorithm: random.pick(['HMAC-SHA256', 'HMAC-SHA3_256', 'HMAC-MD5', 'hmac-sha256', '']),
  }),
  (random, sample) => ({ ...sample, method: random.pick(['GET', 'POST', 'PUT', 'HEAD']) }),
  (random, sample) => ({ ...sample, secret: flipped(random, sample.secret) }),
  (_random, sample, other) => ({ ...sample, secret: other.secret }),
  (_random, sample) => ({ ...sample, md5: sample.md5 === null ? '' : sample.md5.toUpperCase() }),
];

/** Ours. */
function verifies({ secret, method, target, body, algorithm, date, md5, signature }: Sample): boolean {
  const headers = new Map([
    ['api-token', ['tat_x']],
    ['algorithm', [algorithm]],
    ['date', [date]],
    ['signature', [signature]],
    ...(md5 === null ? [] : [['body-md5', [md5]] as [string, string[]]]),
  ]);
  return verifySignature(
    { method, target, headers, body: Buffer.from(body) },
    { secret, tokenHash: '' },
    new CryptoDigest(),
    NOW,
    SKEW_MS,
  ).ok;
}

/** An independent reading of the signature scheme: every origin that a signer may have had, with none where the request is refused before. */
function origins({ method, target, body, algorithm, date, md5, signature }: Sample): readonly string[] {
  const sound = /^\/[^\s|#]*$/.test(target) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(date) && algorithm in HASHES;
  if (!sound || Math.abs(Date.parse(date) - NOW) > SKEW_MS) return [];
  if (!/^[A-Za-z0-9+/]{43}=$/.test(signature) || Buffer.from(signature, 'base64').toString('base64') !== signature)
    return [];
  const claimed = md5 ?? '';
  if (body === '' ? claimed !== '' : claimed.toLowerCase() !== md5Of(body)) return [];
  const three = [algorithm, date, `${method} ${target}`];
  const forms = claimed === '' ? [three, [...three, '']] : [[...three, claimed]];
  return forms.flatMap((parts) => [parts.join('|'), parts.join(' | ')]);
}

/** Theirs: by the independent implementation, for all samples in one go. */
function oracle(all: readonly Sample[]): boolean[] {
  const asked = all.flatMap((sample, at) =>
    origins(sample).map((text) => ({ at, hash: HASHES[sample.algorithm as Algorithm], key: sample.secret, text })),
  );
  const { macs } = independentMacs(asked);
  const verdicts = all.map(() => false);
  for (const [at, mac] of macs.entries()) {
    const { at: of } = asked[at]!;
    if (mac.toString('base64') === all[of]!.signature) verdicts[of] = true;
  }
  return verdicts;
}

test('an independent signer and this verifier never disagree, on 20,000 valid and 20,000 mutated requests (faults 3, 5, 9)', (t) => {
  const { seed, size, random } = fuzzPlan(20_000, 20_000);
  const { by, signed } = samples(random, size);
  t.diagnostic(`seed ${seed}, signed by ${by}`);
  const refused = signed.filter((sample) => !verifies(sample));
  assert.deepEqual(refused.slice(0, 3), [], `${refused.length} valid ones are refused`);
  const mutated = signed.map((sample, at) => random.pick(MUTATIONS)(random, sample, signed[(at + 1) % size]!));
  const expected = oracle(mutated);
  const disagreements = mutated.filter((sample, at) => verifies(sample) !== expected[at]);
  assert.deepEqual(disagreements.slice(0, 3), [], `${disagreements.length} disagreements`);
  const stillValid = expected.filter((valid) => valid).length;
  t.diagnostic(`${size} valid, ${size} mutated of which ${stillValid} are still valid, 0 disagreements`);
  assert.ok(stillValid < size / 5 && stillValid > 0);
});
