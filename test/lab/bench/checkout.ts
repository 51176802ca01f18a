/**
 * The payer's page against a static reply of the same size by plain Express, in turns; and the memory of a till to which
 * 5,000 payers' pages hold an event stream open; and when the largest part of the page is painted on a slow phone.
 *
 *     npm run bench -- checkout [ROUNDS]     5 rounds
 *     npm run bench -- checkout paint        the paint alone
 */
import { execFileSync } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Merchant } from '../../host/merchant.ts';
import { endWithThisProcess, stopProcess } from '../../support/processes.ts';
import { waitFor } from '../../support/wait.ts';
import { loadPages } from './support/page-load.ts';
import type { PageRun } from './support/page-load.ts';
import { paintsOf, SLOW_PHONE } from './support/page-paint.ts';
import type { Paint } from './support/page-paint.ts';
import { costOf } from './support/process-cost.ts';
import { median, report, rounded } from './support/report.ts';
import { openStreams } from './support/stream-crowd.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';
import type { TillProcess } from './support/till-process.ts';

const CONNECTIONS = 32;
const SECONDS = 2;
const STREAMS = 5000;
/** As many payers as look at pages of a busy till in the same second. */
const SOME = 200;
const MAKERS = 16;
const REST_MS = 10_000;
const MEGABYTE = 1024 * 1024;
const BUILT = fileURLToPath(new URL('../../../dist/server/dist/bin.js', import.meta.url));
const EXPRESS = fileURLToPath(new URL('./support/express-page.ts', import.meta.url));

interface Placed {
  readonly id: string;
  readonly path: string;
}

const SETTINGS = {
  mode: 'sandbox' as const,
  limits: { requestsPerMinute: 10_000_000 },
  orders: { timeoutSeconds: 7200, openPerAccount: 1_000_000, addressesPerDay: 1_000_000 },
  plugins: [{ use: 'sandbox' }],
};

const PAINTS = 9;

async function run([rounds = '5']: readonly string[]): Promise<void> {
  // What is shipped: the loader that runs the sources keeps 30 MB of its own.
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: 'inherit',
  });
  await withFolder('checkout-paint', (folder) => withTill(folder, measurePaints)).then(tellPaints);
  if (rounds === 'paint') return;
  await withFolder('checkout', async (folder) => {
    const [orders, pages] = await withTill(folder, async (till) => {
      const placed = await placeOrders(merchantOf(till), STREAMS);
      return [
        placed,
        await measurePages(
          till,
          placed.map(({ path }) => path),
          Number(rounds),
        ),
      ] as const;
    });
    // A process of its own: the pages' load has left its mark on the memory of the first.
    const crowd = await withTill(folder, (till) => measureStreams(till, merchantOf(till), orders));
    tell(pages, crowd, Number(rounds));
  });
}

type Paints = Readonly<Record<'choose' | 'pay', readonly Paint[]>>;

/** The page where the coin is chosen, and the page with the code. */
async function measurePaints(till: TillProcess): Promise<Paints> {
  const merchant = merchantOf(till);
  const [given] = await placeOrders(merchant, 1);
  const { data } = await merchant.call('POST', '/api/order/pay-url', { price: 25, currency: 'USD' });
  const urls = [String(data['pay_url']), `${till.url}${given?.path ?? ''}`];
  const [choose = [], pay = []] = await paintsOf(urls, PAINTS);
  return { choose, pay };
}

function tellPaints(paints: Paints): void {
  const middle = (kind: keyof Paints, field: 'largestMs' | 'firstMs' | 'shift'): number =>
    median(paints[kind].map((each) => each[field]));
  const kinds: readonly (keyof Paints)[] = ['choose', 'pay'];
  report({
    bench: 'checkout-paint',
    rows: kinds.map((kind) => ({
      page: kind,
      'largest paint, ms': rounded(middle(kind, 'largestMs')),
      'worst, ms': rounded(Math.max(...paints[kind].map(({ largestMs }) => largestMs))),
      'first paint, ms': rounded(middle(kind, 'firstMs')),
      'layout shift': middle(kind, 'shift'),
      'largest element': paints[kind][0]?.element,
    })),
    checks: kinds.flatMap((kind) => [
      { name: `median ms of the largest contentful paint, ${kind}`, value: middle(kind, 'largestMs'), atMost: 1_000 },
      { name: `median layout shift, ${kind}`, value: middle(kind, 'shift'), atMost: 0.01 },
    ]),
    facts: { visits: PAINTS, phone: SLOW_PHONE },
    notes: [
      'First visits on a phone of 390 pixels: 1.6 Mbit/s, 450 ms to connect and 150 ms for each request, a processor four times slower.',
    ],
  });
}

async function withTill<T>(folder: string, work: (till: TillProcess) => Promise<T>): Promise<T> {
  const till = await startTill({ folder, settings: SETTINGS, program: BUILT });
  try {
    return await work(till);
  } finally {
    await till.stop();
  }
}

function merchantOf({ url, apiToken, signingSecret }: TillProcess): Merchant {
  return new Merchant(url, {
    api_token: apiToken,
    signing_secret: signingSecret,
    account_id: '',
    api_key: '',
    callback_secret: '',
    email: '',
    password: '',
  });
}

async function placeOrders(merchant: Merchant, count: number): Promise<readonly Placed[]> {
  const placed: Placed[] = [];
  const maker = async (): Promise<void> => {
    while (placed.length < count) {
      const { data } = await merchant.payInfo('https://shop.example/paid', { currency: 'USDT-ERC20' });
      placed.push({ id: String(data['order_id']), path: new URL(String(data['pay_url'])).pathname });
    }
  };
  await Promise.all(Array.from({ length: MAKERS }, maker));
  return placed.slice(0, count);
}

type Kind = 'express' | 'some' | 'one' | 'each';
type Runs = Readonly<Record<Kind, PageRun[]>>;

async function measurePages(
  till: TillProcess,
  paths: readonly string[],
  rounds: number,
): Promise<Runs & { readonly bytes: number }> {
  const [first = ''] = paths;
  const bytes = (await (await fetch(`${till.url}${first}`)).text()).length;
  const express = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), EXPRESS, String(bytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithThisProcess(express);
  const expressUrl = `http://127.0.0.1:${await portOf(express)}`;
  const runs: Runs = { express: [], some: [], one: [], each: [] };
  const url = till.url.replace('localhost', '127.0.0.1');
  const turns: readonly (readonly [Kind, string, readonly string[]])[] = [
    ['express', expressUrl, ['/page']],
    ['some', url, paths.slice(0, SOME)],
    ['one', url, [first]],
    ['each', url, paths],
  ];
  for (const [, target, wanted] of turns) await loadPages(target, wanted, CONNECTIONS, 1);
  for (let round = 0; round < rounds; round++) {
    for (const [kind, target, wanted] of turns) runs[kind].push(await loadPages(target, wanted, CONNECTIONS, SECONDS));
  }
  await stopProcess(express);
  return { ...runs, bytes };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    if (child.stdout !== null) createInterface(child.stdout).once('line', (line) => resolve(Number(line)));
    child.once('exit', () => reject(new Error('Express ended at once')));
  });
}

interface Crowd {
  readonly beforeMb: number;
  readonly openMb: number;
  readonly cpuShare: number;
  readonly lost: number;
  readonly toldMs: number;
}

async function measureStreams(till: TillProcess, merchant: Merchant, orders: readonly Placed[]): Promise<Crowd> {
  await pause(REST_MS);
  const beforeMb = costOf(till.pid).rssBytes / MEGABYTE;
  const crowd = await openStreams(
    till.url,
    orders.map(({ path }) => `${path}/events`),
  );
  await pause(REST_MS);
  const cpuBefore = costOf(till.pid).cpuMicros;
  await pause(REST_MS);
  const { cpuMicros, rssBytes } = costOf(till.pid);
  const began = performance.now();
  await merchant.pay(orders[0]?.id);
  await waitFor(() => crowd.told(2) > 0, { timeoutMs: 20_000, describe: 'a payer to be told of the payment' });
  const found = {
    beforeMb,
    openMb: rssBytes / MEGABYTE,
    cpuShare: (cpuMicros - cpuBefore) / (REST_MS * 1000),
    lost: crowd.lost,
    toldMs: performance.now() - began,
  };
  crowd.leave();
  return found;
}

function tell({ bytes, ...runs }: Runs & { readonly bytes: number }, crowd: Crowd, rounds: number): void {
  const middle = (kind: Kind, field: keyof PageRun): number => median(runs[kind].map((each) => each[field]));
  const ratio = (kind: Kind): number =>
    median(runs[kind].map(({ perSecond }, at) => perSecond / (runs.express[at]?.perSecond ?? NaN)));
  const names: Readonly<Record<Kind, string>> = {
    express: 'Express, static',
    some: `${SOME} pages in turn`,
    one: 'one page',
    each: `${STREAMS} pages in turn`,
  };
  const kinds: readonly Kind[] = ['express', 'some', 'one', 'each'];
  report({
    bench: 'checkout',
    rows: kinds.map((kind) => ({
      what: names[kind],
      'requests/s': rounded(middle(kind, 'perSecond')),
      '÷ Express': ratio(kind).toFixed(2),
      'p50 ms': middle(kind, 'p50Ms').toFixed(2),
    })),
    checks: [
      { name: `requests/s of ${SOME} pages in turn ÷ static Express`, value: ratio('some'), atLeast: 0.5 },
      {
        name: 'p50 of static Express ÷ p50 of the page',
        value: median(runs.some.map(({ p50Ms }, at) => (runs.express[at]?.p50Ms ?? NaN) / p50Ms)),
        atLeast: 0.5,
      },
      { name: `RSS in MB with ${STREAMS} streams`, value: crowd.openMb, atMost: 300 },
      {
        name: 'streams lost, and pages refused',
        value:
          crowd.lost +
          kinds.reduce((sum, kind) => sum + runs[kind].reduce((all, { failures }) => all + failures, 0), 0),
        atMost: 0,
      },
    ],
    facts: {
      rounds,
      bytes,
      connections: CONNECTIONS,
      rssBeforeMb: rounded(crowd.beforeMb),
      cpuShareWithStreams: rounded(crowd.cpuShare),
      toldMs: rounded(crowd.toldMs),
    },
    notes: [
      `A page that was asked for a quarter of a second ago is not read again. Of ${STREAMS} in turn each is read and drawn anew.`,
    ],
  });
}

export default { name: 'checkout', run };
