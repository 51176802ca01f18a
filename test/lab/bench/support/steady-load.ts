/**
 * Requests at a fixed rate, whether they are answered or not: `steady-load.ts ORDER.json` prints the result as JSON.
 *
 * Each has its moment, and its time counts from there to the last byte of its reply, also where no connection was free
 * at that moment. The loop never sleeps: a timer would send what is due in a millisecond all at once.
 */
import { readFileSync } from 'node:fs';
import { Line } from './line.ts';

/** What is asked for. */
export interface SteadyOrder {
  readonly url: string;
  /** Written out; sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** What came of it. */
export interface SteadyResult {
  readonly p50Micros: number;
  readonly p99Micros: number;
  /** Replies that were not 200. */
  readonly errors: number;
}

/** Of the time, at the start, is not counted. */
const WARM_UP_SHARE = 0.25;

async function run({ url, requests, connections, perSecond, seconds }: SteadyOrder): Promise<SteadyResult> {
  const idle = Array.from({ length: connections }, () => new Line(url));
  const total = perSecond * seconds;
  const began = performance.now();
  const took: number[] = [];
  let [sent, answered, errors] = [0, 0, 0];
  const send = async (line: Line, n: number): Promise<void> => {
    const reply = await line.ask(requests[n % requests.length] as string);
    const dueAt = began + (n * 1000) / perSecond;
    if (n > total * WARM_UP_SHARE) took.push(performance.now() - dueAt);
    if (!reply.startsWith('HTTP/1.1 200')) errors += 1;
    answered += 1;
    idle.push(line);
  };
  while (answered < total) {
    const due = Math.min(total, ((performance.now() - began) * perSecond) / 1000);
    for (; sent < due && idle.length > 0; sent++) void send(idle.pop() as Line, sent);
    await new Promise((resolve) => setImmediate(resolve));
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number => (took[Math.floor(took.length * share)] ?? NaN) * 1000;
  return { p50Micros: at(0.5), p99Micros: at(0.99), errors };
}

const [file = ''] = process.argv.slice(2);
const result = await run(JSON.parse(readFileSync(file, 'utf8')) as SteadyOrder);
process.stdout.write(JSON.stringify(result), () => process.exit());
