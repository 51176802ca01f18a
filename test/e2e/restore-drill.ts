import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Ended } from '../host/till-process.ts';

type Answered = Readonly<Record<string, unknown>>;

/** A till as its own process, as far as a drill uses it. */
export interface DrillTill {
  readonly log: string;
  /** Runs a command beside the server. */
  run(...args: readonly string[]): Promise<Ended>;
  /** The same; it must succeed. Returns what it printed. */
  command(...args: readonly string[]): Promise<unknown>;
  startServer(): Promise<void>;
  kill(): Promise<void>;
  /** `SIGTERM`. @returns the exit code */
  terminate(): Promise<number | null>;
  /** A backup as the guide makes it, while the server is stopped; answers with what restores it. The marker is no part of it. */
  backup(): Promise<() => Promise<void>>;
  detail(id: string): Promise<Answered>;
  row(id: string): Promise<Readonly<Record<string, string | null>>>;
  booksHold(): Promise<void>;
  close(): Promise<void>;
}

/** An order, and where it is paid: an address or an invoice. */
export interface DrillOrder {
  readonly id: string;
  readonly place: string;
}

/** The withdrawals of a drill: signed before the backup, waiting in it, requested after it, requested after the restore. */
export type DrillWithdrawal = 'signed' | 'waiting' | 'lost' | 'next';

/** What a drill needs of a chain and the till on it. */
export interface Drill {
  readonly till: DrillTill;
  /** The chain's code where the till keeps its own books of what it must find: `null` where a node is asked by payment hash. */
  readonly chain: string | null;
  /** The till spends coins, whose change a restored database does not know. */
  readonly coins: boolean;
  /** A merchant with money to withdraw, from a paid order. */
  earn(): Promise<DrillOrder>;
  order(): Promise<DrillOrder>;
  /** Pays as much as was asked, deep enough to be credited. */
  pay(order: DrillOrder): Promise<void>;
  withdraw(which: DrillWithdrawal): Promise<string>;
  /** Keeps the next payment of the till from every node; resolves when it is signed. */
  hold(): Promise<void>;
  /** With the server stopped: what is signed is paid by a transaction that the backup does not know. The server runs then. */
  payOtherwise(id: string): Promise<void>;
  /** Whether payouts wait for an operator to resume them. */
  isStopped(): Promise<boolean>;
  /** Lets blocks come until the condition holds. */
  until(condition: () => Promise<boolean>, what: string): Promise<void>;
  /** Lets so many blocks come that all is final, and the till read them. */
  settle(): Promise<void>;
  /** What the merchant has got by withdrawals, in units, by the chain's own account. */
  received(): Promise<bigint>;
  units(amount: string): bigint;
  /** What the network took for a transaction, in the chain's coin. */
  feeOf(txid: string): Promise<string>;
  /** How a lost withdrawal is recorded: the options that name it. */
  lostOptions(): readonly string[];
}

interface Paid {
  readonly id: string;
  readonly txid: string;
  readonly amount: string;
  readonly obtained: string;
}

interface Found {
  readonly id: string;
  readonly status: string;
  readonly found: string;
  readonly found_reason: string;
  readonly transactions: readonly { readonly tx_hash: string; readonly received: string }[];
}

/** What a backup holds, and what was done since. */
interface History {
  readonly former: readonly DrillOrder[];
  /** Paid after the backup, which has it unpaid. */
  readonly open: DrillOrder;
  /** Made after the backup, and not paid yet. */
  readonly unknown: DrillOrder;
  readonly signed: Paid;
  readonly waiting: Paid;
  readonly lost: Paid;
}

/** A backup, an hour of business, a restore, and business that goes on: the steps of the guide, on the real process. */
export function restoreDrill(title: string, open: () => Promise<Drill>): void {
  describe(`fault 82: a backup is restored, on ${title}`, { concurrency: 1 }, () => {
    let drill: Drill | null = null;
    before(async () => {
      drill = await open();
    });
    after(() => drill?.till.close());

    test('no address is given out twice, nothing is paid twice, and no order takes a stranger’s payment', async () => {
      assert(drill !== null);
      const [restore, history] = await untilTheRestore(drill);
      await restore();
      await drill.till.startServer();
      const fresh = await beforeTheDecision(drill, history);
      await decide(drill, history);
      const next = await goOn(drill, history);
      const all = [history.signed, history.waiting, history.lost, next];
      const { units } = drill;
      assert.equal(
        await drill.received(),
        all.reduce((sum, { obtained }) => sum + units(obtained), 0n),
        'each withdrawal is paid once',
      );
      for (const { id } of fresh) assert.equal(await statusOf(drill, id), 'PENDING');
      await drill.till.booksHold();
      if (drill.chain !== null) await drill.till.command('wallet', 'reconcile');
    });
  });
}

const statusOf = async ({ till }: Drill, id: string): Promise<unknown> => (await till.detail(id))['status'];
const becomes = (drill: Drill, { id }: DrillOrder, status: string): Promise<void> =>
  drill.until(async () => (await statusOf(drill, id)) === status, `order ${id} to be ${status}`);
const isPaid = async ({ till }: Drill, id: string): Promise<boolean> => (await till.row(id))['status'] === 'SUCCESS';
const transferStatus = async ({ till }: Drill, id: string): Promise<unknown> =>
  ((await till.command('transfer', 'show', id)) as Answered)['status'];

async function paid(drill: Drill, id: string): Promise<Paid> {
  await drill.until(() => isPaid(drill, id), `withdrawal ${id} to be paid`);
  const { tx_hash: txid, amount, obtained } = await drill.till.row(id);
  return { id, txid: String(txid), amount: String(amount), obtained: String(obtained) };
}

async function found({ till }: Drill): Promise<readonly Found[]> {
  return ((await till.command('restore', 'status')) as { readonly payments: readonly Found[] }).payments;
}

/** Business, a backup between two payments, and an hour that it does not know of. */
async function untilTheRestore(drill: Drill): Promise<readonly [() => Promise<void>, History]> {
  const { till } = drill;
  const funded = await drill.earn();
  const open = await drill.order();
  let isHeld = false;
  void drill.hold().then(() => (isHeld = true));
  const signed = await drill.withdraw('signed');
  await drill.until(() => Promise.resolve(isHeld), `withdrawal ${signed} to be signed`);
  const waiting = await drill.withdraw('waiting');
  // A command takes seconds on a busy machine, in which the till would give up the broadcast and go on.
  await till.kill();
  assert.equal(await transferStatus(drill, signed), 'SIGNED');
  if (drill.chain !== null) assert.equal(await transferStatus(drill, waiting), 'REQUESTED');
  const restore = await till.backup();

  await drill.payOtherwise(signed);
  await drill.pay(open);
  await becomes(drill, open, 'SUCCESS');
  const payments = { signed: await paid(drill, signed), waiting: await paid(drill, waiting) };
  const lost = await paid(drill, await drill.withdraw('lost'));
  const unknown = await drill.order();
  assert.equal(await till.terminate(), 0);
  return [restore, { former: [funded, open, unknown], open, unknown, ...payments, lost }];
}

/** Orders are taken at once; nothing that waits is paid, and what the backup knows is found again. */
async function beforeTheDecision(
  drill: Drill,
  { former, open, unknown, signed, waiting }: History,
): Promise<readonly DrillOrder[]> {
  const { till } = drill;
  assert.equal(((await till.command('restore', 'status')) as Answered)['status'], 'pending');
  await drill.pay(unknown);
  const fresh = [await drill.order(), await drill.order()];
  const places = new Set([...former, ...fresh].map(({ place }) => place));
  assert.equal(places.size, former.length + fresh.length, 'no address was given out again');
  await becomes(drill, open, 'SUCCESS');
  await paid(drill, signed.id);
  await drill.settle();
  for (const { id } of fresh) assert.equal(await statusOf(drill, id), 'PENDING', 'no order takes a stranger’s payment');
  if (drill.chain === null) await paid(drill, waiting.id);
  else assert.equal(await transferStatus(drill, waiting.id), 'REQUESTED');
  return fresh;
}

/** What the guide says: look, confirm, look again, settle each, record what is missing. */
async function decide(drill: Drill, { waiting, lost }: History): Promise<void> {
  const { till, chain } = drill;
  const { held } = (await till.command('restore', 'confirm')) as { readonly held: number };
  assert.equal(held, chain === null ? 0 : 1);
  if (chain === null) {
    assert.deepEqual(await found(drill), [], 'the node has said it of each');
    await record(drill, lost);
    return;
  }
  assert.equal(await transferStatus(drill, waiting.id), 'HELD');
  const findings = await found(drill);
  assert.deepEqual(
    findings.map((each) => [each.id, each.found, each.transactions.map(({ tx_hash }) => tx_hash)]),
    [[waiting.id, 'paid', [waiting.txid]]],
    findings.map(({ found_reason }) => found_reason).join(' '),
  );
  for (const { id, transactions } of findings) {
    const [{ tx_hash: txid, received: obtained }] = transactions as [Found['transactions'][number]];
    const fee = await drill.feeOf(txid);
    await till.command('withdrawal', 'settle', id, '--tx', txid, '--obtained', obtained, '--fee', fee);
    assert.equal(await transferStatus(drill, id), 'CONFIRMED');
  }
  assert.deepEqual(await found(drill), [], 'nothing is left to decide');
  await record(drill, lost);
  if (drill.coins) await till.command('restore', 'coins', chain);
}

async function record(drill: Drill, { txid, amount, obtained }: Paid): Promise<void> {
  const options = ['--amount', amount, '--tx', txid, '--obtained', obtained, '--fee', await drill.feeOf(txid)];
  await drill.till.command('withdrawal', 'record', ...drill.lostOptions(), ...options);
}

/** A withdrawal as before. Where the hot wallet paid meanwhile, payouts stop until an operator resumes them. */
async function goOn(drill: Drill, { signed, waiting }: History): Promise<Paid> {
  const { till, chain } = drill;
  const next = await drill.withdraw('next');
  await drill.until(async () => {
    if (chain !== null && (await drill.isStopped())) await till.run('chain', 'resume-payouts', chain);
    return isPaid(drill, next);
  }, `withdrawal ${next} to be paid`);
  for (const { id } of [signed, waiting]) assert.ok(await isPaid(drill, id));
  await drill.settle();
  return paid(drill, next);
}
