import { setTimeout as pause } from 'node:timers/promises';
import { checkLedger } from '../../../core/index.ts';
import type { Epoch, OrderId, TransferId } from '../../../core/index.ts';
import { waitFor } from '../../support/wait.ts';
import type { AskedOrder } from './load.ts';
import { cable } from './network.ts';
import { paymentsTo } from './rules.ts';
import type { World } from './rules.ts';
import { AROUND_MS, AWAY_MS, promote, row, SECONDS } from './step.ts';
import type { Machines, Row } from './step.ts';

const NOTICED_MS = 60 * SECONDS;

/**
 * The standby lags when it is promoted, so acknowledged work is lost, as an operator accepts who has an asynchronous
 * one. The tills have to notice by themselves, and what could be paid twice waits for an operator (core/decisions/restored-backups.md).
 */
export async function restoredEpoch(machines: Machines): Promise<Row> {
  const { world, hosts } = machines;
  const { load, storage } = world;
  await machines.standby.follow(machines.primary, 'asynchronous');
  await load.makeKeys(2);
  const before = await storage.epochs.current();
  const ordersBefore = load.orders.length;
  let firstAfter = 0;
  let noticedMs = 0;
  const tally = await load.run(async () => {
    await pause(AROUND_MS);
    await cable(machines.standby.machine, 'down');
    await pause(AWAY_MS);
    firstAfter = load.orders.length;
    await promoteLagging(machines);
    const promoted = performance.now();
    await nextEpoch(world, before);
    noticedMs = performance.now() - promoted;
    for (const host of hosts) await host.ready();
    await pause(AROUND_MS);
  });
  const lost = await lostOf(world, load.orders);
  const broken = [
    ...(lost.length === 0 ? ['nothing was lost, so nothing was shown'] : []),
    ...sharedAddresses(load.orders.slice(ordersBefore)),
    ...(await paysNothingNew(world)),
    ...(await afterConfirmation(machines)),
    ...(await paidTwice(world)),
    ...(await checkLedger(storage)).map((problem) => `ledger: ${JSON.stringify(problem)}`),
  ];
  for (const each of broken) console.log(`broken: ${each}`);
  const ends = hosts.flatMap((host) => host.ends).length;
  const note =
    `${lost.length} of ${firstAfter - ordersBefore} orders lost with the primary; noticed in ` +
    `${Math.round(noticedMs / SECONDS)} s, ${ends} hosts began anew; confirmed by the operator`;
  return row('new-epoch', tally, lost.length, (await paidTwice(world)).length, broken.length, note);
}

async function promoteLagging(machines: Machines): Promise<void> {
  await cable(machines.primary.machine, 'down');
  await cable(machines.standby.machine, 'up');
  await promote(machines);
}

async function nextEpoch({ storage }: World, before: Epoch): Promise<void> {
  await waitFor(
    async () => {
      const { number, status } = await storage.epochs.current();
      return number === before.number + 1 && status === 'pending';
    },
    { timeoutMs: NOTICED_MS, intervalMs: 100, describe: 'a new epoch that waits for an operator' },
  );
}

async function lostOf({ storage }: World, orders: readonly AskedOrder[]): Promise<readonly AskedOrder[]> {
  const found = await Promise.all(orders.map(({ id }) => storage.orders.find(id as OrderId)));
  return orders.filter((_order, at) => found[at] === null);
}

/** A payer of a lost order must never pay another one. */
function sharedAddresses(orders: readonly AskedOrder[]): readonly string[] {
  const seen = new Set<string>();
  return orders.flatMap(({ id, address }) => {
    const again = seen.has(address);
    seen.add(address);
    return again ? [`order ${id} got the address of another order`] : [];
  });
}

async function paysNothingNew(world: World): Promise<readonly string[]> {
  const { load, storage } = world;
  const before = await paymentsTo(world);
  const asked = load.withdrawals.length;
  await load.run(() => pause(AROUND_MS));
  const after = await paymentsTo(world);
  const made = load.withdrawals.slice(asked);
  const statuses = await Promise.all(made.map((id) => storage.transfers.find(id as TransferId)));
  return [
    ...(made.length === 0 ? ['no withdrawal was taken in the new epoch'] : []),
    ...(after.length > before.length ? ['something new was paid before the operator had decided'] : []),
    ...statuses.flatMap((transfer) => (transfer?.status === 'REQUESTED' ? [] : [`payout is ${transfer?.status}`])),
  ];
}

/** What waited is held, and the business goes on. */
async function afterConfirmation({ hosts, world }: Machines): Promise<readonly string[]> {
  const { load, storage } = world;
  await hosts[0]!.command('restore', 'confirm');
  const { status } = await storage.epochs.current();
  const waiting = await storage.transfers.find(load.withdrawals.at(-1) as TransferId);
  const ordersBefore = load.orders.length;
  await load.run(() => pause(AROUND_MS));
  const fresh = load.orders.slice(ordersBefore);
  return [
    ...(status === 'confirmed' ? [] : [`the epoch is ${status}`]),
    ...(waiting?.status === 'HELD' ? [] : [`a payout of the former epoch is ${waiting?.status}`]),
    ...(fresh.length > 0 && (await lostOf(world, fresh)).length === 0 ? [] : ['orders of the new epoch are missing']),
  ];
}

/** Each withdrawal has an amount of its own. */
async function paidTwice(world: World): Promise<readonly string[]> {
  const paid = (await paymentsTo(world)).map(String);
  return paid.filter((units, at) => paid.indexOf(units) !== at).map((units) => `${units} units were paid twice`);
}
