import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { CryptoDigest } from '../../../adapters/crypto/index.ts';
import { signRequest, verifySignature } from '../../../core/index.ts';
import type { SignedRequest } from '../../../core/index.ts';
import { median, report } from './support/report.ts';

const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);
const SKEW = 300_000;
const SECRET = 'tss_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const KEY = { secret: SECRET, tokenHash: 'ab'.repeat(32) };
const ROUNDS = 41;
const CALLS = 4_000;
/** What verifying may cost: that many times the bare hashes. */
const LIMIT = 2;

const BODY = Buffer.from(
  JSON.stringify({
    chain: 'ETH',
    currency: 'USDT-ERC20',
    vs_currency: 'EUR',
    vs_price: 129.95,
    succeed_url: 'https://shop.example/orders/81724/thanks',
    callback_url: 'https://shop.example/callbacks/till?order=81724',
    timeout_callback: 'https://shop.example/callbacks/till?order=81724',
    enable_post_callback: true,
  }),
);

interface Case {
  readonly name: string;
  readonly call: () => boolean;
}

function signedPost(digest: CryptoDigest): SignedRequest {
  const bare = { method: 'POST', target: '/api/order/pay-info', body: BODY };
  const headers = {
    Host: 'till.example',
    'Content-Type': 'application/json',
    ...signRequest(bare, { apiToken: 'tat_x', secret: SECRET }, digest, NOW),
  };
  return { ...bare, headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]])) };
}

/** The least that any verifier does: the body's MD5, one keyed hash of the origin, one comparison. */
function bareCase(request: SignedRequest): Case {
  const of = (name: string): string => request.headers.get(name)?.[0] ?? '';
  const origin = ['HMAC-SHA256', of('date'), `POST ${request.target}`, of('body-md5')].join(' | ');
  const presented = Buffer.from(of('signature'), 'base64');
  const md5 = of('body-md5');
  return {
    name: 'bare MD5 + HMAC + timingSafeEqual',
    call: () =>
      createHash('md5').update(request.body).digest('hex') === md5 &&
      timingSafeEqual(createHmac('sha256', SECRET).update(origin).digest(), presented),
  };
}

function nanosecondsPerCall({ call }: Case): number {
  const start = process.hrtime.bigint();
  let passed = 0;
  for (let n = 0; n < CALLS; n++) passed += call() ? 1 : 0;
  const took = Number(process.hrtime.bigint() - start);
  if (passed !== CALLS) throw new Error('A signature did not verify.');
  return took / CALLS;
}

/** Verifying a signed POST against the bare hashes of node:crypto on the same bytes, in turns. */
async function run(): Promise<void> {
  const digest = new CryptoDigest();
  const request = signedPost(digest);
  const cases: readonly Case[] = [
    bareCase(request),
    { name: 'verifySignature', call: () => verifySignature(request, KEY, digest, NOW, SKEW).ok },
  ];
  for (const one of cases) nanosecondsPerCall(one);
  const times = cases.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, one] of cases.entries()) times[index]?.push(nanosecondsPerCall(one));
  }
  const [bare = NaN, ours = NaN] = times.map(median);
  report({
    bench: 'signature',
    rows: cases.map(({ name }, index) => ({
      case: name,
      'µs per request': (median(times[index] ?? []) / 1000).toFixed(2),
    })),
    checks: [{ name: 'verifying ÷ bare hashes', value: ours / bare, atMost: LIMIT }],
    facts: { bodyBytes: BODY.length, bareNs: Math.round(bare), verifyNs: Math.round(ours), rounds: ROUNDS },
  });
}

export default { name: 'signature', run };
