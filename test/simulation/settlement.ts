import { confirmNodeLife, OPERATOR, resumeChain, resumePayouts, takeNode } from '../../core/index.ts';
import type { AccountId, CallbackId, TransferId } from '../../core/index.ts';
import { rewind } from './actions/operators.ts';
import { confirm, decideHeld } from './actions/restores.ts';
import { countedUnits, paymentsOf } from './rules/order-worth.ts';
import type { PayoutRow, TransferRow } from './rules/rows.ts';
import type { Rules } from './rules/rules.ts';
import { isByBalance, strandedCoins } from './rules/stranded.ts';
import type { Inclusion } from './world/chain.ts';
import type { Instance } from './world/instance.ts';
import { MIN_DEPOSIT, ORDINARY_FEE } from './world/world.ts';
import type { World } from './world/world.ts';

/** Runs one piece of work and checks the rules, as a step of the scenario. */
export type Doing = (name: string, instance: Instance, work: () => Promise<string> | string) => Promise<void>;

interface Given {
  readonly chain: string;
  readonly address: string;
  readonly watch_key: string;
}

const MOST_ROUNDS = 60;
const QUIET_ROUNDS = 2;
const MOST_PASSES = 60;
/** Mined in each of the long waits, so that pending payments become final: a cancel needs the chain's finality. */
const BLOCKS_MEANWHILE = 64;
/** Orders of which a refund is promised that can still be claimed, or approved. */
const PROMISED = `SELECT order_id FROM pull_payments p WHERE order_id IS NOT NULL AND (
  (archived_at IS NULL AND released_at IS NULL AND claimed <> amount) OR
  EXISTS (SELECT 1 FROM claims c WHERE c.pull_payment_id = p.id AND c.status = 'AWAITING_APPROVAL'))`;
const LIVE: ReadonlySet<string> = new Set(['HELD', 'REQUESTED', 'SIGNED', 'BROADCAST']);

/** The end of a scenario: without faults, with operators at work, everything that began must come to its end. */
export class Settlement {
  readonly #world: World;
  readonly #rules: Rules;

  constructor(world: World, rules: Rules) {
    this.#world = world;
    this.#rules = rules;
  }

  async run(doing: Doing): Promise<void> {
    await doing('calm', this.#instance, () => this.#calm());
    await doing('operators', this.#instance, () => this.#operators(false));
    await this.#rounds(doing, 20_000);
    // Past every deadline, every watch window, and then payments that are given up or cancelled after hours.
    for (const hours of [1, 30, 4, 80]) await this.#wait(doing, hours);
    // Payments from one address that no miner accepts are cancelled one after the other.
    for (let left = this.#underWay(), before = Infinity; left > 0 && left < before;) {
      for (const hours of [30, 80]) await this.#wait(doing, hours);
      [before, left] = [left, this.#underWay()];
    }
  }

  async #wait(doing: Doing, hours: number): Promise<void> {
    const world = this.#world;
    world.advance(hours * 3_600_000);
    for (const { chain } of world.nodes) for (let i = 0; i < BLOCKS_MEANWHILE; i++) chain.mine(null);
    world.look();
    await doing('operators', this.#instance, () => this.#operators(true));
    await this.#rounds(doing, 60_000);
  }

  #underWay(): number {
    return [...this.#rules.payouts.values()].filter(({ status }) => status === 'LIVE').length;
  }

  /** Everything that should have ended but has not. */
  problems(): string[] {
    return [
      ...this.#orders(),
      ...this.#deposits(),
      ...this.#transfers(),
      ...this.#untold(),
      ...this.#paidOnce(),
      ...this.#batches(),
      ...this.#callbacks(),
      ...this.#money(),
      ...this.#float(),
    ];
  }

  get #instance(): Instance {
    return this.#world.instances[0] as Instance;
  }

  #calm(): string {
    const world = this.#world;
    for (const node of world.nodes) node.heal();
    for (const { chain } of world.nodes)
      for (const address of chain.frozen) if (address !== 'eth-cold') chain.frozen.delete(address);
    for (const [code, network] of world.networks) network.fee = ORDINARY_FEE[code] ?? 1n;
    world.receivers.manner = 'ok';
    world.lightning.cut = false;
    world.lightning.route = { kind: 'settled', feeMsat: 0n };
    for (const hash of world.lightning.underWay) world.lightning.finish(hash, { state: 'failed', reason: 'no route' });
    while (world.instances.length > 1) (world.instances.pop() as Instance).gate.kill();
    world.replace(this.#instance);
    // Past the leases of processes that are gone.
    world.advance(60_000);
    world.endow('ETH', 'ETH', 10n ** 19n);
    return 'calm';
  }

  /** @param again - the nodes are right, so a chain that stops again is one that the till followed wrongly */
  async #operators(again: boolean): Promise<string> {
    const { storage, chains, ids } = this.#instance;
    const { driver, now } = this.#world;
    for (const chain of chains.values()) {
      const halted = ((await storage.chains.state(chain.code))?.haltedReason ?? null) !== null;
      if (halted && again) await rewind(this.#world, this.#instance, chain.code);
      else if (halted) await resumeChain(storage, chain.code);
      await resumePayouts(chain, storage);
    }
    await takeNode(this.#world.lightning, { storage, ids, clock: { now: () => now } }, async (tx) => {
      const stop = await tx.transfers.findPayoutStop('BLN');
      if (stop !== null) await tx.transfers.replacePayoutStop('BLN', stop, null);
    });
    await confirm(this.#world, this.#instance);
    const deps = { storage, ids, clock: { now: () => now } };
    if ((await storage.lightning.life()).status === 'pending') await confirmNodeLife(deps, OPERATOR);
    for (const { id, chain } of driver.all<{ id: TransferId; chain: string }>(
      `SELECT id, chain FROM transfers WHERE status = 'HELD' ORDER BY id`,
    ))
      await decideHeld(this.#world, this.#instance, id, chain, true);
    for (const { id } of driver.all<{ id: AccountId }>('SELECT account_id AS id FROM withdrawal_freezes'))
      await storage.transaction((tx) => tx.transfers.unfreeze(id));
    for (const { id } of driver.all<{ id: CallbackId }>(`SELECT id FROM callbacks WHERE status = 'DEAD' ORDER BY id`)) {
      this.#world.replayed.add(id);
      await storage.callbacks.replay(id, now);
    }
    return 'done';
  }

  /** Mines blocks and runs passes until nothing is written any more. */
  async #rounds(doing: Doing, ms: number): Promise<void> {
    const world = this.#world;
    let quiet = 0;
    for (let round = 0; round < MOST_ROUNDS && quiet < QUIET_ROUNDS; round++) {
      world.advance(ms);
      for (const { chain } of world.nodes) for (let i = 0; i < 3; i++) chain.mine(null);
      world.look();
      const before = this.#state();
      for (const { code } of world.nodes) {
        await this.#untilIdle(doing, 'follow', () => this.#instance.follow(code, true));
        await this.#untilIdle(doing, 'pay-out', () => this.#instance.payOut(code, true));
      }
      await this.#untilIdle(doing, 'follow', () => this.#instance.followInvoices(true));
      await this.#untilIdle(doing, 'pay-out', () => this.#instance.payInvoices(true));
      await this.#untilIdle(doing, 'pay-batches', () => this.#instance.payBatches(true));
      await doing('expire', this.#instance, () => this.#instance.expire(true));
      await doing('expire-promises', this.#instance, () => this.#instance.expirePullPayments());
      await doing('deliver', this.#instance, () => this.#instance.deliver());
      quiet = this.#state() === before ? quiet + 1 : 0;
    }
  }

  /** Runs one loop until it reports that there is nothing more to do. */
  async #untilIdle(doing: Doing, name: string, pass: () => Promise<string>): Promise<void> {
    let outcome = 'advanced';
    for (let i = 0; i < MOST_PASSES && outcome === 'advanced'; i++) {
      outcome = 'failed';
      await doing(name, this.#instance, async () => (outcome = await pass()));
    }
  }

  #state(): string {
    const rows = [
      this.#rules.orders,
      this.#rules.deposits,
      this.#rules.transfers,
      this.#rules.payouts,
      this.#rules.callbacks,
    ];
    const statuses = rows.map((table) => [...table.values()].map(({ status }) => status).join()).join(' ');
    return `${statuses} ${this.#rules.attempts.size}`;
  }

  #orders(): string[] {
    const open = [...this.#rules.orders.values()].filter(({ status }) => status === 'PENDING');
    return [...open.map(({ id }) => `settled: order ${id} is PENDING long after its deadline`), ...this.#unresolved()];
  }

  /** A payment that came late, but within the watch window, resolves its order. */
  #unresolved(): string[] {
    const missed = [...this.#rules.orders.values()].filter(
      ({ status }) => status === 'OVERDUE' || status === 'PARTIAL',
    );
    const refunds = [...this.#rules.transfers.values()].filter(
      ({ kind, status }) => kind === 'refund' && status !== 'FAILED',
    );
    // What is promised counts as a refund under way.
    const promised = new Set(this.#world.driver.all<{ order_id: string }>(PROMISED).map(({ order_id: id }) => id));
    return missed.flatMap((order) => {
      const payments = paymentsOf(order, this.#rules.deposits.values()).filter(
        ({ status, paid_at }) => status === 'SPENDABLE' && paid_at <= order.watch_until,
      );
      const own = refunds.filter(({ order_id }) => order_id === order.id);
      const isLive = promised.has(order.id) || own.some(({ status }) => status !== 'CONFIRMED');
      const sum = own.reduce((rest, { units }) => rest - BigInt(units), countedUnits(order, payments));
      return order.units !== null && !isLive && sum >= this.#rules.required(order)
        ? [`settled: order ${order.id} is ${order.status} and was paid what counts ${sum}`]
        : [];
    });
  }

  /** Every payment on chain to a deposit address is recorded, however late; nothing else is. */
  #deposits(): string[] {
    const problems: string[] = [];
    // The live deposit of each transfer; its versions in other blocks stay orphaned.
    const rows = [...this.#rules.deposits.values()].sort(
      (a, b) => Number(a.status !== 'ORPHANED') - Number(b.status !== 'ORPHANED'),
    );
    const known = new Map(rows.map((row) => [`${row.chain} ${row.txid}:${row.tx_index}`, row]));
    const addresses = this.#world.driver.all<Given>('SELECT chain, address, watch_key FROM order_addresses');
    const given = new Set(addresses.flatMap((row) => [`${row.chain} ${row.address}`, `${row.chain} ${row.watch_key}`]));
    for (const { code, chain } of this.#world.nodes) {
      for (const { tx, height, succeeded } of chain.included.values()) {
        if (tx.own || !succeeded) continue;
        for (const { index, to, units, hidden } of tx.outputs) {
          if (hidden === true) continue;
          const row = known.get(`${code} ${tx.txid}:${index}`);
          known.delete(`${code} ${tx.txid}:${index}`);
          // The order of this address was created after the restored backup.
          if (row === undefined && !given.has(`${code} ${to}`)) continue;
          if (row?.status !== (isDust(code, units) ? 'DUST' : 'SPENDABLE') || row.units !== units.toString())
            problems.push(
              `settled: ${tx.txid}:${index} in block ${height} of ${chain.height} is ${row?.status ?? 'unknown'}`,
            );
        }
      }
    }
    for (const [hash, { msat }] of this.#world.lightning.settled) {
      const isDue = given.has(`BLN ${hash}`) && !this.#world.isForgotten(hash);
      if (isDue && known.get(`BLN ${hash}:invoice`)?.status !== 'SPENDABLE')
        problems.push(`settled: an invoice was paid ${msat} and is not credited`);
      known.delete(`BLN ${hash}:invoice`);
    }
    for (const row of known.values())
      if (row.status !== 'ORPHANED' && !isByBalance(row))
        problems.push(`settled: a deposit is ${row.status} and not on chain`);
    return [...problems, ...strandedCoins(this.#world, this.#rules.deposits.values(), given)];
  }

  #transfers(): string[] {
    const live = [...this.#rules.transfers.values()].filter(
      ({ status, kind }) => LIVE.has(status) && ['withdrawal', 'refund', 'payout'].includes(kind),
    );
    return live
      .filter(({ id }) => !this.#mayWait(id))
      .map(({ id, kind, status }) => `settled: ${kind} ${id} is still ${status}`);
  }

  /**
   * A payment waits for ever when a reorganisation destroyed its coins, or moved them where the ledger does not expect
   * them: only an operator can supply others.
   */
  #mayWait(id: string): boolean {
    const { transfers, payouts } = this.#rules;
    const transfer = transfers.get(id);
    if (transfer === undefined) return false;
    if (transfer.chain === 'BLN') return this.#forgottenInvoice();
    if (this.#forgotten(transfer.chain)) return true;
    if (this.#lost() || this.#turned().some(({ chain }) => chain === transfer.chain)) return true;
    const payout = payouts.get(transfer.payout_id ?? '');
    return payout === undefined && this.#short(transfer.chain, transfer.currency);
  }

  /** True when the chain has a payment that a restored backup lacks: payouts stop until an operator has recorded it. */
  #forgotten(code: string): boolean {
    const { included } = this.#world.node(code).chain;
    return [...this.#world.payments].some(
      ([id, txids]) => !this.#rules.transfers.has(id) && [...txids].some((txid) => included.get(txid)?.succeeded),
    );
  }

  /** The same on Lightning. */
  #forgottenInvoice(): boolean {
    const { driver, lightning } = this.#world;
    const known = new Set(
      driver.all<{ hash: string }>('SELECT payment_hash AS hash FROM lightning_payments').map(({ hash }) => hash),
    );
    return [...lightning.views].some(([hash, { state }]) => state === 'settled' && !known.has(hash));
  }

  /** The operator's coins on the Lightning node are found, and withdrawn ones are no longer booked. */
  #float(): string[] {
    const { driver, lightning, restores } = this.#world;
    const { ownMsat } = lightning;
    const [row] = driver.all<{ units: string }>("SELECT units FROM ledger_balances WHERE account = 'operator:BLN'");
    const booked = BigInt(row?.units ?? 0);
    return restores > 0 || booked === ownMsat
      ? []
      : [`settled: the operator has ${ownMsat} msat on the Lightning node, and ${booked} are booked`];
  }

  /** True when a reorganisation removed spendable coins for good: payments made with them are lost too. */
  #lost(): boolean {
    return this.#world.driver.all("SELECT 1 FROM holdings WHERE status = 'GONE'").length > 0;
  }

  /** Booked transfers whose payout has another outcome on the chain since a reorganisation. */
  #turned(): readonly TransferRow[] {
    const { transfers, payouts } = this.#rules;
    return [...transfers.values()].filter(({ status, payout_id }) => {
      const payout = payouts.get(payout_id ?? '');
      if (payout?.status !== 'DONE') return false;
      const mined = this.#inclusion(payout);
      return mined !== null && (mined.tx.txid !== payout.mined_txid || mined.succeeded !== (status === 'CONFIRMED'));
    });
  }

  /** The position on chain of one of a payout's transactions; `null` when there is none. */
  #inclusion({ id, chain: code }: PayoutRow): Inclusion | null {
    const { included } = this.#world.node(code).chain;
    for (const { payout_id, txid } of this.#rules.attempts.values()) {
      const mined = payout_id === id ? included.get(txid) : undefined;
      if (mined !== undefined) return mined;
    }
    return null;
  }

  /** The effect of a reorganisation on a booked payment must be reported to people. */
  #untold(): string[] {
    const told = new Set(
      [...this.#world.alerts]
        .filter((alert) => alert.includes('something else in its place'))
        .map((alert) => alert.split(':')[0]),
    );
    return this.#turned()
      .filter(({ id }) => !told.has(`transfer ${id}`))
      .map(
        ({ id, kind, status }) =>
          `settled: ${kind} ${id} is ${status}, the chain says otherwise, and there was no alert`,
      );
  }

  /** Each reference of a batch is paid once, and an approved batch whose payments have ended is done. */
  #batches(): string[] {
    const paid = new Map<string, number>();
    for (const { chain } of this.#world.nodes)
      for (const { tx, succeeded } of chain.included.values())
        for (const { to } of succeeded && tx.own ? tx.outputs : [])
          if (to.includes('-payee-')) paid.set(to, (paid.get(to) ?? 0) + 1);
    const open = this.#world.driver.all<{ id: string }>(
      `SELECT id FROM payout_batches b WHERE status = 'APPROVED' AND NOT EXISTS (
         SELECT 1 FROM transfers t WHERE t.batch_id = b.id AND t.status NOT IN ('CONFIRMED', 'FAILED'))`,
    );
    return [
      ...[...paid].filter(([, times]) => times > 1).map(([to, times]) => `paid-twice: ${to} was paid ${times} times`),
      ...open.map(({ id }) => `settled: payout batch ${id} is still APPROVED`),
    ];
  }

  /** Each transfer is paid by one transaction, even by a till that lost the record of an earlier one. */
  #paidOnce(): string[] {
    const problems = [...this.#world.lightning.paidAgain].map(
      (hash) => `paid-twice: the invoice of ${hash} was paid twice`,
    );
    for (const [id, txids] of this.#world.payments) {
      const mined = [...txids].filter((txid) =>
        this.#world.nodes.some(({ chain }) => chain.included.get(txid)?.succeeded ?? false),
      );
      if (mined.length > 1) problems.push(`paid-twice: transfer ${id} was paid by ${mined.join(' and ')}`);
    }
    return problems;
  }

  /** True when the chain holds less of a coin than is owed. */
  #short(code: string, currency: string): boolean {
    const { chain } = this.#world.node(code);
    let held = 0n;
    for (const [key, units] of chain.balances()) {
      const [address = '', coin] = key.split(' ');
      if (coin === currency && this.#world.isOwn(code, address)) held += units;
    }
    return held < this.#promised(code, currency);
  }

  #promised(code: string, currency: string): bigint {
    let sum = 0n;
    for (const { chain, currency: coin, status, units } of this.#rules.transfers.values())
      if (chain === code && coin === currency && LIVE.has(status)) sum += BigInt(units);
    return sum;
  }

  #callbacks(): string[] {
    const told = new Set(
      this.#world.receivers.received.filter(({ taken }) => taken).map(({ orderId, event }) => `${orderId} ${event}`),
    );
    return [...this.#rules.callbacks.values()].flatMap(({ id, order_id, event, status }) => {
      if (status !== 'DELIVERED') return [`settled: callback ${id} is ${status}`];
      return told.has(`${order_id} ${event}`) ? [] : [`settled: callback ${id} is DELIVERED and was never taken`];
    });
  }

  /** Every payment that was booked as paid is on chain, whatever a reorganisation did to it meanwhile. */
  #unmined(): string[] {
    const done = [...this.#rules.payouts.values()].filter(({ status }) => status === 'DONE');
    return done
      .filter((payout) => !this.#lost() && this.#inclusion(payout) === null)
      .map(({ id }) => `settled: payout ${id} is DONE and not on chain`);
  }

  /**
   * Every coin on chain belongs to merchants, the network or the operator, or is a payer's mistake; none is missing.
   */
  #money(): string[] {
    const done = new Set(
      [...this.#rules.payouts.values()].filter(({ status }) => status !== 'LIVE').map(({ mined_txid }) => mined_txid),
    );
    const live = this.#underWay() > 0;
    const problems = this.#unmined();
    for (const { code, chain } of this.#world.nodes) {
      for (const { tx } of chain.included.values()) {
        // The till has no record of payments made after the restored backup.
        const isKnown = this.#world.restores === 0 || this.#rules.attempts.has(tx.txid);
        if (tx.own && isKnown && !done.has(tx.txid) && !live)
          problems.push(`settled: a transaction of the till on ${code} is mined and not booked`);
      }
    }
    return problems;
  }
}

const isDust = (code: string, units: bigint): boolean => code === 'BTC' && units < MIN_DEPOSIT;
