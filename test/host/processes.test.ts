import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { freshDatabase } from '../support/postgres.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { Merchant, readDemo, startReceiver } from './merchant.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';
import type { TillProcess } from './till-process.ts';

const COUNT = 2;

interface Line {
  readonly process?: number | 'primary';
  readonly of?: number;
  readonly pid?: number;
  readonly msg: string;
  readonly operation?: string;
}

const linesOf = ({ err }: TillProcess): readonly Line[] =>
  err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    });

/** The processes that serve now, by their number. */
function pidsOf(till: TillProcess): ReadonlyMap<number, number> {
  const serving = linesOf(till).filter(({ msg }) => msg === 'a process serves');
  return new Map(serving.map(({ of = 0, pid = 0 }) => [of, pid]));
}

/** The same once all serve: what they log may come after the address that the primary prints. */
async function servingPids(till: TillProcess): Promise<ReadonlyMap<number, number>> {
  await waitFor(() => pidsOf(till).size === COUNT, {
    timeoutMs: 60_000,
    describe: 'each process to say that it serves',
  });
  return pidsOf(till);
}

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A request on a connection of its own, so that the processes take turns. */
async function get(url: string, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { Connection: 'close' } });
}

async function metric(url: string, series: string): Promise<number> {
  const text = await (await get(url, '/metrics')).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? NaN : Number(line.slice(series.length));
}

describe('a server of two processes on PostgreSQL', () => {
  const directory = freshDirectory();
  let database: FreshDatabase;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  before(async () => {
    database = await freshDatabase();
    receiver = await startReceiver();
    directory.write('tillgate.config.json', {
      mode: 'sandbox',
      processes: COUNT,
      database: { client: 'pg', connection: database.url },
    });
  });
  afterEach(killAll);
  after(async () => {
    await receiver.close();
    await database.drop();
    directory.remove();
  });

  const orderOn = async (url: string): Promise<string> => {
    const order = await new Merchant(url, readDemo(directory.path)).payInfo(`${receiver.url}/paid`);
    assert.equal(order.code, 0, order.message);
    return String(order.data['order_id']);
  };
  const paid = async (url: string, orders: readonly string[]): Promise<void> => {
    const merchant = new Merchant(url, readDemo(directory.path));
    for (const order of orders)
      await waitFor(async () => (await merchant.status(order)) === 'SUCCESS', {
        timeoutMs: 60_000,
        intervalMs: 100,
        describe: `order ${order} to be SUCCESS`,
      });
  };
  const checked = async (): Promise<void> => {
    const { code, out, err } = await run(directory.path, ['ledger', 'check', '--full', '--json']);
    assert.deepEqual([code, (JSON.parse(out) as { breaches: unknown }).breaches], [0, []], err);
  };

  test('faults 291 and 292: both take requests; one that is killed is started again, no order is lost or paid twice, and no counter goes back', async () => {
    const till = serve(directory.path);
    const url = await till.url();
    const former = await servingPids(till);
    const orders: string[] = [];
    // A connection goes to a process that is free for it: while one stands still the other takes them all.
    await waitFor(
      async () => {
        orders.push(...(await Promise.all(Array.from({ length: 12 }, () => orderOn(url)))));
        const took = linesOf(till).filter(({ operation }) => operation === 'createPayInfo');
        return new Set(took.map(({ process: number }) => number)).size === COUNT;
      },
      { timeoutMs: 60_000, describe: 'each process to make orders' },
    );
    const counted = 'tillgate_http_requests_total{operation="createPayInfo",status="200"}';
    // A process that is busy for two seconds is left out of a scrape.
    const allCounted = (): Promise<unknown> =>
      waitFor(async () => (await metric(url, counted)) === orders.length, {
        timeoutMs: 60_000,
        describe: `a scrape that has counted ${orders.length} orders`,
      });
    for (let ask = 0; ask < 2 * COUNT; ask++) await allCounted();

    const merchant = new Merchant(url, readDemo(directory.path));
    for (const order of orders.slice(0, 6)) assert.equal((await merchant.pay(order)).code, 0);
    process.kill(former.get(1) ?? 0, 'SIGKILL');
    await waitFor(() => pidsOf(till).get(1) !== former.get(1), {
      timeoutMs: 60_000,
      describe: 'the process to be started again',
    });
    assert.equal(pidsOf(till).get(2), former.get(2), 'the other one goes on');
    for (const order of orders.slice(6)) assert.equal((await merchant.pay(order)).code, 0);
    await paid(url, orders);
    // With what the killed process had counted.
    await allCounted();
    await waitFor(() => orders.every((order) => receiver.received.some(({ body }) => body.includes(order))), {
      timeoutMs: 60_000,
      describe: 'a callback of each order',
    });
    await checked();
    assert.equal((await till.signal('SIGTERM')).code, 0);
    assert.ok([...pidsOf(till).values()].every((pid) => !lives(pid)));
  });

  test('fault 293: SIGTERM to the primary, and to each process as well, ends all: a request under way is answered, and no confirmed order is lost', async () => {
    const till = serve(directory.path);
    const url = await till.url();
    const slow = await halfOfRequest(url);
    const merchant = new Merchant(url, readDemo(directory.path));
    const confirmed: string[] = [];
    let over = false;
    const buying = Array.from({ length: 4 }, async () => {
      while (!over) {
        const order = await merchant.payInfo(`${receiver.url}/more`).catch(() => null);
        if (order?.code === 0) confirmed.push(String(order.data['order_id']));
        else if (order === null) over = true;
      }
    });
    await waitFor(() => confirmed.length >= 8, { describe: 'orders' });
    const pids = await servingPids(till);
    const asked = performance.now();
    const ended = till.signal('SIGTERM');
    for (const pid of pids.values()) process.kill(pid, 'SIGTERM');
    await waitFor(() => linesOf(till).filter(({ msg }) => msg === 'shutting down').length === COUNT);
    assert.match(await slow.finish(), /^HTTP\/1\.1 401 /, 'it is answered, not cut off');
    assert.equal((await ended).code, 0, till.err);
    assert.ok(performance.now() - asked < 10_000);
    over = true;
    await Promise.all(buying);

    const again = serve(directory.path);
    const later = new Merchant(await again.url(), readDemo(directory.path));
    for (const order of confirmed) assert.equal(await later.status(order), 'PENDING');
    await checked();
    assert.equal((await again.signal('SIGTERM')).code, 0);
  });

  test('fault 295: processes whose primary was killed end too, and the port is free for the next start', async () => {
    const till = serve(directory.path);
    const url = await till.url();
    const pids = [...(await servingPids(till)).values()];
    await till.signal('SIGKILL');
    await waitFor(() => pids.every((pid) => !lives(pid)), { describe: 'the processes to end' });
    const next = serve(directory.path, { TILLGATE_PORT: new URL(url).port });
    assert.equal(await next.url(), url);
    assert.equal((await get(url, '/livez')).status, 200);
    assert.equal((await next.signal('SIGTERM')).code, 0);
  });
});

describe('a server of two processes that cannot serve', () => {
  afterEach(killAll);

  test('fault 294: ends at once, with one error, where the port is taken or a plugin is missing', async (t) => {
    const directory = freshDirectory();
    const database = await freshDatabase();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    t.after(async () => {
      other.close();
      await database.drop();
      directory.remove();
    });
    const settings = { mode: 'sandbox', processes: COUNT, database: { client: 'pg', connection: database.url } };
    directory.write('tillgate.config.json', settings);
    const { port } = other.address() as AddressInfo;
    const taken = await serve(directory.path, { TILLGATE_PORT: `${port}` }).ended();
    assert.deepEqual([taken.code, taken.out], [1, '']);
    assert.equal(taken.err.match(/^Cannot listen on .*: another program listens there/gm)?.length, 1, taken.err);

    directory.write('tillgate.config.json', { ...settings, plugins: [{ use: './none.js' }] });
    const missing = await serve(directory.path).ended();
    assert.deepEqual([missing.code, missing.err.match(/plugins\.0/g)?.length], [1, 1], missing.err);

    directory.write('tillgate.config.json', { ...settings, database: { client: 'sqlite' } });
    const sqlite = await serve(directory.path).ended();
    assert.equal(sqlite.code, 1);
    assert.match(sqlite.err, /processes: SQLite serves one process: write 1, or set database to PostgreSQL/);
  });

  test('fault 294: a process that ends again and again right after its start ends the whole, with an error that says why', async (t) => {
    const directory = freshDirectory();
    const database = await freshDatabase();
    t.after(async () => {
      await database.drop();
      directory.remove();
    });
    const settings = { mode: 'sandbox', processes: COUNT, database: { client: 'pg', connection: database.url } };
    directory.write('tillgate.config.json', settings);
    const till = serve(directory.path);
    await till.url();
    const pids = await servingPids(till);
    // What is read by the processes that are started from now on.
    directory.write('tillgate.config.json', { ...settings, serviceName: 'Not A Name' });
    process.kill(pids.get(2) ?? 0, 'SIGKILL');
    const { code, err } = await till.ended();
    assert.equal(code, 1);
    assert.match(
      err,
      /^Process 2 ended 5 times in a row before it had served for 10 s \(code 1\): .*\n {2}serviceName: write a name/m,
    );
    assert.ok(
      [...pids.values()].every((pid) => !lives(pid)),
      'the other one has ended with it',
    );
  });
});

/** A request of which the rest is still to come. */
async function halfOfRequest(url: string): Promise<{ finish(): Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(
    `POST /api/order/pay-info HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`,
  );
  await new Promise<void>((resolve) => socket.write('Connection: close\r\n\r\n{', () => resolve()));
  return {
    finish: async () => {
      socket.write('}');
      await closed;
      return answer;
    },
  };
}
