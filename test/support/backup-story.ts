import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { createTillgateClient } from '../../adapters/client/index.ts';
import type { TillgateClient } from '../../adapters/client/index.ts';
import { Merchant, readDemo } from '../host/merchant.ts';
import { freshDirectory, killAll, run, serve } from '../host/till-process.ts';
import { freshDatabase } from './postgres.ts';
import { waitFor } from './wait.ts';

const ORDER = { price: '25', currency: 'USD', chain: 'ETH', coin: 'ETH' };
const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** A till on a database of its own. */
interface Place {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface Status {
  readonly epoch: number;
  readonly status: string;
  readonly waiting: readonly { readonly chain: string; readonly hold: string }[];
}

/**
 * A backup by the command while orders are made and paid, and its restore into another place and over its own.
 *
 * @param environment - where `pg_dump` is, on PostgreSQL
 */
export async function backupStory(
  t: Pick<TestContext, 'after'>,
  engine: 'sqlite' | 'pg',
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  t.after(killAll);
  const till = await place(t, engine, environment);
  const spare = await place(t, engine, environment);
  const backups = join(spare.path, 'backups');
  mkdirSync(backups);
  const busy = await takeOrders(till);
  const before = [...busy.made];
  const taken = await command(till, 'backup', '--json', '--out', backups);
  const {
    file,
    bytes,
    not_included: missing,
  } = JSON.parse(taken.out) as {
    file: string;
    bytes: number;
    not_included: object;
  };
  assert.equal(dirname(file), backups);
  assert.deepEqual([statSync(file).mode & 0o777, statSync(file).size], [0o600, bytes]);
  assert.deepEqual(readdirSync(backups).length, 1, 'nothing unfinished is left');
  assert.deepEqual(Object.keys(missing).slice(0, 2), ['master_key', 'seed_words']);
  await busy.until(5);
  assert.match(await refused(till, 'backup', '--out', file), /exists already; nothing was written/);
  assert.match(
    await refused(till, 'restore', file, '--replace'),
    engine === 'pg' ? /has tables already/ : /A server is running on this database/,
  );
  await busy.stop();

  // The master key is not in the database: without it a backup is worth nothing, to a thief either.
  mkdirSync(join(spare.path, 'data'), { mode: 0o700 });
  copyFileSync(join(till.path, 'data/master.key'), join(spare.path, 'data/master.key'));
  const said = await command(spare, 'restore', file);
  assert.match(said.out, /is restored to .*[^]*Nothing is paid out before you have decided/);
  assert.match(await refused(spare, 'restore', file), /tables already|There is a database already/);
  await command(spare, 'ledger', 'check', '--full');
  await checkRestored(spare, before, readDemo(till.path).api_key);
  if (engine === 'sqlite') await restoreOver(till, file);
}

/** A restored till knows its orders, takes new ones, and pays nothing before the decision: then what waits is held. */
async function checkRestored(place: Place, orders: readonly string[], apiKey: string): Promise<void> {
  assert.deepEqual(await statusOf(place), ['pending', true]);
  const url = await serve(place.path, place.environment).url();
  const client = createTillgateClient({ baseUrl: url, credentials: { apiKey } });
  for (const id of orders) assert.equal((await client.orders.get(id)).id, id);
  await paidOrder(client, url);
  const demo = readDemo(place.path);
  await command(
    place,
    ...['withdrawal-address', 'set', '--account', demo.account_id, '--chain', 'ETH'],
    ...['--address', RECEIVER, '--now'],
  );
  const merchant = new Merchant(url, demo);
  const withdrawal = { chain: 'ETH', currency: 'ETH', amount: '0.01' };
  let said = '';
  // What was paid is spendable once it is confirmed.
  await waitFor(
    async () => {
      const { code, message } = await merchant.call('POST', '/api/withdraw', withdrawal);
      said = message;
      return code === 0;
    },
    { timeoutMs: 60_000, describe: () => `a withdrawal to be taken: ${said}` },
  );
  assert.deepEqual(await statusOf(place), ['pending', true]);
  const held = await command(place, 'restore', 'confirm', '--json');
  assert.equal((JSON.parse(held.out) as { held: number }).held, 1, 'the withdrawal waited');
  assert.deepEqual((await statusOf(place))[0], 'confirmed');
  const alerts = await command(place, 'alert', 'list');
  assert.match(alerts.out, /restored/);
}

/** Once more over the database that is there, which is kept. */
async function restoreOver(till: Place, file: string): Promise<void> {
  assert.match(await refused(till, 'restore', file), /There is a database already.*--replace/);
  const { out } = await command(till, 'restore', file, '--replace', '--json');
  const { former } = JSON.parse(out) as { former: string };
  assert.ok(existsSync(former));
  assert.equal(statSync(join(till.path, 'data/tillgate.db')).mode & 0o777, 0o600);
  await command(till, 'ledger', 'check', '--full');
  assert.deepEqual(await statusOf(till), ['pending', true]);
  const leftovers = readdirSync(join(till.path, 'data')).filter((name) => name.includes('.restoring'));
  assert.deepEqual(leftovers, []);
}

async function place(
  t: Pick<TestContext, 'after'>,
  engine: 'sqlite' | 'pg',
  environment: Readonly<Record<string, string>>,
): Promise<Place> {
  const directory = freshDirectory();
  t.after(() => directory.remove());
  if (engine === 'sqlite') return { path: directory.path, environment };
  const database = await freshDatabase();
  t.after(async () => {
    await killAll();
    await database.drop();
  });
  directory.write('tillgate.config.json', { mode: 'sandbox', database: { client: 'pg', connection: database.url } });
  return { path: directory.path, environment };
}

/** Three payers at once, until they are stopped. */
async function takeOrders(till: Place): Promise<{
  readonly made: readonly string[];
  readonly until: (further: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}> {
  const url = await serve(till.path, till.environment).url();
  const client = createTillgateClient({ baseUrl: url, credentials: { apiKey: readDemo(till.path).api_key } });
  const made: string[] = [];
  let running = true;
  const load = async (): Promise<void> => {
    while (running) made.push(await paidOrder(client, url));
  };
  const loads = Promise.all([load(), load(), load()]);
  const until = async (further: number): Promise<void> => {
    const since = made.length;
    await waitFor(() => made.length >= since + further, { timeoutMs: 60_000 });
  };
  await until(10);
  const stop = async (): Promise<void> => {
    running = false;
    await loads;
    await killAll();
  };
  return { made, until, stop };
}

async function paidOrder(client: TillgateClient, url: string): Promise<string> {
  const { id } = await client.orders.create(ORDER);
  await fetch(`${url}/sandbox/v1/pay`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ order_id: id }),
  });
  return id;
}

/** The epoch's status, and whether payouts wait for it. */
async function statusOf(place: Place): Promise<readonly [string, boolean]> {
  const { out } = await command(place, 'restore', 'status', '--json');
  const { status, waiting } = JSON.parse(out) as Status;
  return [status, waiting.some(({ hold }) => hold.includes('No new payment is made'))];
}

async function command(place: Place, ...args: readonly string[]): Promise<{ readonly out: string }> {
  const { code, out, err } = await run(place.path, args, place.environment);
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
  return { out };
}

async function refused(place: Place, ...args: readonly string[]): Promise<string> {
  const { code, err } = await run(place.path, args, place.environment);
  assert.equal(code, 1, args.join(' '));
  return err;
}
