import { answerRpc, ask, routeOf, startGateway, startNode } from '../../gateway/support.ts';
import { RECORDED_ERRORS } from '../../gateway/recorded-answers.ts';
import { report, rounded } from './support/report.ts';

/**
 * What clients see of a node that fails beside a good one: for each recorded fault the share of reads with an error, the
 * requests to nodes for each read, and the latency that is added to the good node's.
 */

const READS = 400;
const AT_ONCE = 8;
/** The good node takes this long; the bad one answers at once, as refusals do. */
const GOOD_MS = 5;
const BALANCE = { jsonrpc: '2.0', method: 'eth_getBalance', params: ['0x00', '0x10'] };
const LOGS = { jsonrpc: '2.0', method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x5000' }] };

type AnswerOf = NonNullable<Parameters<typeof startNode>[0]>;

interface Fault {
  readonly name: string;
  readonly answer: AnswerOf;
  /** The read, `eth_getBalance` unless named. */
  readonly read?: object;
}

interface Row {
  readonly fault: string;
  readonly errors: number;
  readonly requestsPerRead: number;
  readonly meanMs: number;
}

const withBody =
  (status: number, text: string): AnswerOf =>
  (_req, res) =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(text);
const error = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } });

const FAULTS: readonly Fault[] = [
  { name: 'none', answer: (_req, res, body) => void setTimeout(() => answerRpc(res, body), GOOD_MS) },
  ...[401, 403, 407, 408, 429, 500, 502, 503, 504].map((status) => ({
    name: `status ${status}`,
    answer: withBody(status, error(-32603, 'Internal error')),
  })),
  { name: 'connection closed', answer: (req) => void req.socket.destroy() },
  { name: 'a page in place of an answer', answer: withBody(200, '<html>maintenance</html>') },
  ...RECORDED_ERRORS.filter(({ family, kind }) => family === 'evm' && kind !== 'caller').map(
    ({ by, code, message, reason }) => ({
      name: `${by}: ${message.slice(0, 48)}`,
      answer: withBody(200, error(code, message)),
      ...(reason === 'range_limit' && { read: LOGS }),
    }),
  ),
];

async function play({ name, answer, read = BALANCE }: Fault): Promise<Row> {
  const good = await startNode((_req, res, body) => void setTimeout(() => answerRpc(res, body), GOOD_MS));
  const bad = await startNode(answer);
  const gate = await startGateway([routeOf([good.url, bad.url])], { healthIntervalMs: 0 });
  let errors = 0;
  let id = 0;
  const took: number[] = [];
  const client = async (): Promise<void> => {
    while (id < READS) {
      id += 1;
      const body = JSON.stringify({ ...read, id });
      const began = performance.now();
      const { status, text } = await ask(gate.port, { body });
      took.push(performance.now() - began);
      if (status !== 200 || !text.includes('"result"')) errors += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  const asked = [good, bad].reduce((sum, node) => sum + node.seen.length, 0);
  for (const one of [gate, good, bad]) await one.close();
  return {
    fault: name,
    errors: errors / READS,
    requestsPerRead: asked / READS,
    meanMs: took.reduce((sum, ms) => sum + ms, 0) / took.length,
  };
}

async function run(): Promise<void> {
  const rows: Row[] = [];
  for (const fault of FAULTS) rows.push(await play(fault));
  const without = rows[0]?.meanMs ?? NaN;
  report({
    bench: 'faults',
    rows: rows.map(({ fault, errors, requestsPerRead, meanMs }) => ({
      'one of two nodes': fault,
      'reads with an error, %': rounded(errors * 100),
      'requests to nodes per read': rounded(requestsPerRead),
      'added latency, ms': rounded(meanMs - without),
    })),
    checks: [
      {
        name: 'the worst share of reads with an error',
        value: Math.max(...rows.map(({ errors }) => errors)),
        atMost: 0,
      },
      {
        name: 'the most requests to nodes per read',
        value: Math.max(...rows.map(({ requestsPerRead }) => requestsPerRead)),
        atMost: 1.25,
      },
    ],
    facts: { reads: READS, atOnce: AT_ONCE },
    notes: ['The failing node answers at once, the good one after 5 ms. Health checks are off.'],
  });
}

export default { name: 'faults', run };
