import { resumeChain, resumePayouts, takeNode } from '../../core/index.ts';
import type { AccountId, CallbackId, TransferId } from '../../core/index.ts';
import { rewind } from './actions/operators.ts';
import { confirm, decideHeld } from './actions/restores.ts';
import type { PayoutRow, TransferRow } from './rules/rows.ts';
import type { Rules } from './rules/rules.ts';
import type { Inclusion } from './world/chain.ts';
import type { Instance } from './world/instance.ts';
import { MIN_DEPOSIT, ORDINARY_FEE } from './world/world.ts';
import type { World } from './world/world.ts';

/** Does one thing and looks at it, as a step of the scenario. */
export type Doing = (name: string, instance: Instance, work: () => Promise<string> | string) => Promise<void>;

interface Given {
  readonly chain: string;
  readonly address: string;
  readonly watch_key: string;
}

const MOST_ROUNDS = 60;
const QUIET_ROUNDS = 2;
const MOST_PASSES = 60;
/** Mined in each of the long waits, so that what was under way becomes final. */
const BLOCKS_MEANWHILE = 25;
const LIVE: ReadonlySet<string> = new Set(['HELD', 'REQUESTED', 'SIGNED', 'BROADCAST']);

/** The end of a scenario: nothing goes wrong any more, operators do their work, and all that was begun must come to its end. */
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
    // Past every deadline, then past every watch window, and then for what is given up or cancelled after hours.
    for (const hours of [1, 30, 4, 80]) await this.#wait(doing, hours);
    // Payments from one address that no miner takes are cancelled one after the other.
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

  /** What should be at its end and is not. */
  problems(): string[] {
    return [
      ...this.#orders(),
      ...this.#deposits(),
      ...this.#transfers(),
      ...this.#untold(),
      ...this.#paidOnce(),
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
    for (const [code, network] of world.networks) network.fee = ORDINARY_FEE[code] ?? 1n;
    world.receivers.manner = 'ok';
    world.lightning.cut = false;
    world.lightning.route = { kind: 'settled', feeMsat: 0n };
    for (const hash of world.lightning.underWay) world.lightning.finish(hash, { state: 'failed', reason: 'no route' });
    while (world.instances.length > 1) (world.instances.pop() as Instance).gate.kill();
    world.replace(this.#instance);
    // Who held a lease is gone.
    world.advance(60_000);
    world.endow('ETH', 'ETH', 10n ** 19n);
    return 'calm';
  }

  /** @param again - the nodes are right, so that a chain which stops all the same is one that the till followed wrongly */
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

  /** Blocks and passes until nothing is written any more. */
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
      await doing('expire', this.#instance, () => this.#instance.expire(true));
      await doing('deliver', this.#instance, () => this.#instance.deliver());
      quiet = this.#state() === before ? quiet + 1 : 0;
    }
  }

  /** Passes of one loop for as long as each says that there is more to do. */
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

  /** A payment that came late, and soon enough to be looked for, resolves its order. */
  #unresolved(): string[] {
    const missed = [...this.#rules.orders.values()].filter(
      ({ status }) => status === 'OVERDUE' || status === 'PARTIAL',
    );
    return missed.flatMap((order) => {
      let sum = 0n;
      for (const row of this.#rules.deposits.values()) {
        const { order_id, chain, currency, status, units, paid_at, assignment } = row;
        if (
          assignment === 'ORDER' &&
          order_id === order.id &&
          chain === order.chain &&
          currency === order.currency &&
          status === 'SPENDABLE' &&
          paid_at <= order.watch_until
        )
          sum += BigInt(units);
      }
      return order.units !== null && sum >= this.#rules.required(order)
        ? [`settled: order ${order.id} is ${order.status} and was paid ${sum}`]
        : [];
    });
  }

  /** What is on chain at an address that was given out is recorded, however late; what is not on chain is nobody's. */
  #deposits(): string[] {
    const problems: string[] = [];
    const known = new Map(
      [...this.#rules.deposits.values()].map((row) => [`${row.chain} ${row.txid}:${row.tx_index}`, row]),
    );
    const addresses = this.#world.driver.all<Given>('SELECT chain, address, watch_key FROM order_addresses');
    const given = new Set(addresses.flatMap((row) => [`${row.chain} ${row.address}`, `${row.chain} ${row.watch_key}`]));
    for (const { code, chain } of this.#world.nodes) {
      for (const { tx, height, succeeded } of chain.included.values()) {
        if (tx.own || !succeeded) continue;
        for (const { index, to, units } of tx.outputs) {
          const row = known.get(`${code} ${tx.txid}:${index}`);
          known.delete(`${code} ${tx.txid}:${index}`);
          // The order of this address was made after the backup that was restored.
          if (row === undefined && !given.has(`${code} ${to}`)) continue;
          if (row?.status !== (isDust(code, units) ? 'DUST' : 'SPENDABLE'))
            problems.push(
              `settled: ${tx.txid}:${index} in block ${height} of ${chain.height} is ${row?.status ?? 'unknown'}`,
            );
        }
      }
    }
    for (const [hash, { msat }] of this.#world.lightning.settled) {
      if (given.has(`BLN ${hash}`) && known.get(`BLN ${hash}:invoice`)?.status !== 'SPENDABLE')
        problems.push(`settled: an invoice was paid ${msat} and is not credited`);
      known.delete(`BLN ${hash}:invoice`);
    }
    for (const row of known.values())
      if (row.status !== 'ORPHANED') problems.push(`settled: a deposit is ${row.status} and not on chain`);
    return problems;
  }

  #transfers(): string[] {
    const live = [...this.#rules.transfers.values()].filter(
      ({ status, kind }) => LIVE.has(status) && (kind === 'withdrawal' || kind === 'refund'),
    );
    return live
      .filter(({ id }) => !this.#mayWait(id))
      .map(({ id, kind, status }) => `settled: ${kind} ${id} is still ${status}`);
  }

  /**
   * One waits for good when the coins for it were lost with a reorganisation, or lie where the books do not look for them
   * since one: only an operator can bring others.
   */
  #mayWait(id: string): boolean {
    const { transfers, payouts } = this.#rules;
    const transfer = transfers.get(id);
    if (transfer === undefined) return false;
    if (transfer.chain === 'BLN') return this.#forgottenInvoice();
    if (this.#forgotten(transfer.chain)) return true;
    if (this.#lost() || this.#turned().some(({ chain }) => chain === transfer.chain)) return true;
    const payout = payouts.get(transfer.bundle_id ?? '');
    return payout === undefined && this.#short(transfer.chain, transfer.currency);
  }

  /** True when a payment is on the chain that a restored backup knows nothing of: payouts stop until somebody has recorded it. */
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

  /** The operator's coins on the Lightning node are found, and those that he took out are no longer booked. */
  #float(): string[] {
    const { driver, lightning, restores } = this.#world;
    const { ownMsat } = lightning;
    const [row] = driver.all<{ units: string }>("SELECT units FROM ledger_balances WHERE account = 'operator:BLN'");
    const booked = BigInt(row?.units ?? 0);
    return restores > 0 || booked === ownMsat
      ? []
      : [`settled: the operator has ${ownMsat} msat on the Lightning node, and ${booked} are booked`];
  }

  /** True when a reorganisation took spendable coins away for good: what was to be paid with them, or was, is lost with them. */
  #lost(): boolean {
    return this.#world.driver.all("SELECT 1 FROM holdings WHERE status = 'GONE'").length > 0;
  }

  /** Transfers that were booked, and whose payout has another end on the chain since a reorganisation. */
  #turned(): readonly TransferRow[] {
    const { transfers, payouts } = this.#rules;
    return [...transfers.values()].filter(({ status, bundle_id }) => {
      const payout = payouts.get(bundle_id ?? '');
      if (payout?.status !== 'DONE') return false;
      const mined = this.#inclusion(payout);
      return mined !== null && (mined.tx.txid !== payout.mined_txid || mined.succeeded !== (status === 'CONFIRMED'));
    });
  }

  /** Where one of a payout's transactions stands on the chain; `null` when none does. */
  #inclusion({ id, chain: code }: PayoutRow): Inclusion | null {
    const { included } = this.#world.node(code).chain;
    for (const { bundle_id, txid } of this.#rules.attempts.values()) {
      const mined = bundle_id === id ? included.get(txid) : undefined;
      if (mined !== undefined) return mined;
    }
    return null;
  }

  /** What a reorganisation made of a payment after it was booked is for people to see. */
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

  /** Each transfer is paid by one transaction, also by a till that does not know of an earlier one. */
  #paidOnce(): string[] {
    const problems: string[] = [];
    for (const [id, txids] of this.#world.payments) {
      const mined = [...txids].filter((txid) =>
        this.#world.nodes.some(({ chain }) => chain.included.get(txid)?.succeeded ?? false),
      );
      if (mined.length > 1) problems.push(`paid-twice: transfer ${id} was paid by ${mined.join(' and ')}`);
    }
    return problems;
  }

  /** True when the chain holds less of a coin than is promised. */
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

  /** What was booked as paid is on chain, whatever a reorganisation did to it meanwhile. */
  #unmined(): string[] {
    const done = [...this.#rules.payouts.values()].filter(({ status }) => status === 'DONE');
    return done
      .filter((payout) => !this.#lost() && this.#inclusion(payout) === null)
      .map(({ id }) => `settled: payout ${id} is DONE and not on chain`);
  }

  /** Every coin on chain is the merchants', the network's, the operator's or a payer's mistake; none is missing. */
  #money(): string[] {
    const done = new Set(
      [...this.#rules.payouts.values()].filter(({ status }) => status !== 'LIVE').map(({ mined_txid }) => mined_txid),
    );
    const live = this.#underWay() > 0;
    const problems = this.#unmined();
    for (const { code, chain } of this.#world.nodes) {
      for (const { tx } of chain.included.values()) {
        // Of what was paid after the backup that was restored, the till does not know.
        const isKnown = this.#world.restores === 0 || this.#rules.attempts.has(tx.txid);
        if (tx.own && isKnown && !done.has(tx.txid) && !live)
          problems.push(`settled: a transaction of the till on ${code} is mined and not booked`);
      }
    }
    return problems;
  }
}

const isDust = (code: string, units: bigint): boolean => code === 'BTC' && units < MIN_DEPOSIT;
