import type { World } from '../world/world.ts';
import { SOLID } from '../world/chain.ts';
import type { SimOutput } from '../world/chain.ts';
import { MIN_DEPOSIT, POLICIES } from '../world/world.ts';
import { Books } from './books.ts';
import { FrozenRule } from './frozen.ts';
import { fraction } from './fraction.ts';
import { MOVES, OWED, reachable } from './moves.ts';
import { countedUnits, CREDITED, paymentsOf } from './order-worth.ts';
import { claimProblems } from './claims.ts';
import { RefundEnds } from './refund-ends.ts';
import { refundProblems } from './refunds.ts';
import { SQL } from './rows.ts';
import type { AttemptRow, PayoutRow, CallbackRow, DepositRow, OrderRow, TransferRow } from './rows.ts';
import { inventedCoins, isByBalance } from './stranded.ts';

/** A broken rule: its name, before the colon, and the observation. */
export type Breach = string;

const DUST_CHAIN = 'BTC';
/** Every table that the rules check. */
const TABLES = [
  'orders',
  'order_addresses',
  'order_history',
  'deposits',
  'transfers',
  'payouts',
  'payout_attempts',
  'pull_payments',
  'claims',
  'callbacks',
  'ledger_postings',
  'ledger_balances',
];
const ENDED: ReadonlySet<string> = new Set(['CONFIRMED', 'FAILED']);

/** Checks the rules after each step. Only written rows are checked. */
export class Rules {
  readonly #world: World;
  readonly #books: Books;
  readonly #frozen: FrozenRule;
  readonly #dirty = new Set<string>();
  readonly #breaches: Breach[] = [];
  #orders = new Map<string, OrderRow>();
  #deposits = new Map<string, DepositRow>();
  /** Addresses with deposits that were found by their balances. */
  readonly #found = new Set<string>();
  #transfers = new Map<string, TransferRow>();
  #payouts = new Map<string, PayoutRow>();
  readonly #attempts = new Map<string, AttemptRow>();
  #callbacks = new Map<string, CallbackRow>();
  #history = 0;
  /** The highest amount due of an order in a coin. */
  readonly #asked = new Map<string, bigint>();
  readonly #owed = new Map<string, Set<string>>();
  readonly #last = new Map<string, string>();
  /** The order of each address ever given out, by chain and address, including those lost with a restored backup. */
  readonly #given = new Map<string, string>();
  #restores = 0;
  #upheavals = 0;
  #calm = true;
  #received = 0;
  readonly #webhookIds = new Map<string, string>();

  readonly #refundEnds = new RefundEnds();

  constructor(world: World) {
    this.#world = world;
    this.#books = new Books(world);
    this.#frozen = new FrozenRule(world);
    world.driver.onWrite = (table) => void this.#dirty.add(table);
  }

  get orders(): ReadonlyMap<string, OrderRow> {
    return this.#orders;
  }

  get deposits(): ReadonlyMap<string, DepositRow> {
    return this.#deposits;
  }

  get transfers(): ReadonlyMap<string, TransferRow> {
    return this.#transfers;
  }

  get payouts(): ReadonlyMap<string, PayoutRow> {
    return this.#payouts;
  }

  get attempts(): ReadonlyMap<string, AttemptRow> {
    return this.#attempts;
  }

  get callbacks(): ReadonlyMap<string, CallbackRow> {
    return this.#callbacks;
  }

  /** Checks the rows that the last step wrote. @returns the broken rules */
  check(): readonly Breach[] {
    const { driver, breaches, upheavals } = this.#world;
    this.#breaches.length = 0;
    this.#breaches.push(...breaches.splice(0));
    // If the chain changed within the step, the node may no longer show what the product saw.
    this.#calm = upheavals === this.#upheavals;
    this.#upheavals = upheavals;
    if (this.#world.restores !== this.#restores) this.#beginAnew();
    const dirty = new Set(this.#dirty);
    this.#dirty.clear();
    if (dirty.has('deposits'))
      this.#deposits = this.#compare('deposits', this.#deposits, driver.all<DepositRow>(SQL.deposits), (row, former) =>
        this.#deposit(row, former),
      );
    for (const address of this.#found) {
      const invented = inventedCoins(this.#world, this.#deposits.values(), address);
      if (invented !== null) this.#broken('true-deposits', invented);
    }
    this.#found.clear();
    if (dirty.has('orders'))
      this.#orders = this.#compare('orders', this.#orders, driver.all<OrderRow>(SQL.orders), (row, former) =>
        this.#order(row, former),
      );
    if (dirty.has('payout_attempts')) for (const row of driver.all<AttemptRow>(SQL.attempts)) this.#attempt(row);
    if (dirty.has('payout_attempts') || dirty.has('chain_blocks')) this.#onePayment();
    if (dirty.has('payouts'))
      this.#payouts = this.#compare('payouts', this.#payouts, driver.all<PayoutRow>(SQL.payouts), () => undefined);
    if (dirty.has('transfers'))
      this.#transfers = this.#compare(
        'transfers',
        this.#transfers,
        driver.all<TransferRow>(SQL.transfers),
        (row, former) => this.#transfer(row, former),
      );
    if (dirty.has('transfers') || dirty.has('orders'))
      this.#breaches.push(...this.#refundEnds.check(this.#orders, this.#transfers.values(), this.#promised()));
    if (dirty.has('order_addresses')) this.#addresses();
    if (dirty.has('chain_states')) this.#halts();
    if (dirty.has('transfers') || dirty.has('payouts')) this.#owners();
    if (dirty.has('order_history')) this.#moves();
    if (dirty.has('callbacks'))
      this.#callbacks = this.#compare(
        'callbacks',
        this.#callbacks,
        driver.all<CallbackRow>(SQL.callbacks),
        () => undefined,
      );
    if (dirty.has('callbacks') || dirty.has('order_history')) this.#outbox();
    if (this.#received !== this.#world.receivers.received.length) this.#deliveries();
    if (
      dirty.has('ledger_postings') ||
      dirty.has('ledger_balances') ||
      dirty.has('transfers') ||
      dirty.has('deposits') ||
      dirty.has('payouts')
    ) {
      this.#breaches.push(
        ...this.#books.check(this.#deposits.values(), [...this.#transfers.values()], this.#payouts.values()),
      );
    }
    if (dirty.has('pull_payments') || dirty.has('claims') || dirty.has('transfers'))
      for (const problem of claimProblems(this.#world)) this.#broken('counted-claims', problem);
    this.#breaches.push(...this.#frozen.check());
    return [...this.#breaches];
  }

  /** The orders of which a pull payment promises, or promised, a part. */
  #promised(): ReadonlySet<string> {
    const sql = 'SELECT DISTINCT order_id FROM pull_payments WHERE order_id IS NOT NULL';
    return new Set(this.#world.driver.all<{ order_id: string }>(sql).map(({ order_id: id }) => id));
  }

  /**
   * After a restored backup, everything remembered of the rows is dropped. Only the state outside the database is kept.
   */
  #beginAnew(): void {
    this.#restores = this.#world.restores;
    this.#asked.clear();
    this.#books.beginAnew();
    this.#frozen.beginAnew();
    this.#refundEnds.beginAnew();
    this.#orders = new Map();
    this.#deposits = new Map();
    this.#transfers = new Map();
    this.#payouts = new Map();
    this.#callbacks = new Map();
    this.#attempts.clear();
    this.#owed.clear();
    this.#last.clear();
    this.#webhookIds.clear();
    this.#history = 0;
    this.#received = this.#world.receivers.received.length;
    this.#calm = false;
    for (const table of TABLES) this.#dirty.add(table);
  }

  #broken(rule: string, detail: string): void {
    this.#breaches.push(`${rule}: ${detail}`);
  }

  #compare<Row extends { readonly id: string; readonly status: string }>(
    table: string,
    former: ReadonlyMap<string, Row>,
    rows: readonly Row[],
    look: (row: Row, former: Row | undefined) => void,
  ): Map<string, Row> {
    const present = new Map<string, Row>();
    for (const row of rows) {
      const before = former.get(row.id);
      present.set(row.id, row);
      if (before !== undefined && before.status !== row.status && !reachable(table, before.status, row.status)) {
        this.#broken('legal-moves', `${table} ${row.id} went from ${before.status} to ${row.status}`);
      }
      look(row, before);
    }
    for (const id of former.keys()) if (!present.has(id)) this.#broken('kept', `${table} ${id} is gone`);
    return present;
  }

  #deposit(row: DepositRow, former: DepositRow | undefined): void {
    if (former === undefined) this.#newDeposit(row);
    if (row.status === 'DUST' && (row.chain !== DUST_CHAIN || BigInt(row.units) >= MIN_DEPOSIT))
      this.#broken('dust', `a deposit of ${row.units} ${row.currency} is taken for dust`);
    if (CREDITED.has(row.status) && row.chain === DUST_CHAIN && BigInt(row.units) < MIN_DEPOSIT)
      this.#broken('dust', `a deposit of ${row.units} ${row.currency} is ${row.status}`);
    if (former?.status === row.status || !CREDITED.has(row.status) || row.chain === 'BLN') return;
    const cursor =
      this.#world.driver.all<{ height: number }>(
        'SELECT cursor_height AS height FROM chain_states WHERE chain = ?',
        row.chain,
      )[0]?.height ?? 0;
    const { confirmations, spendableConfirmations } = POLICIES[row.chain] as (typeof POLICIES)[string];
    const needs = row.status === 'SPENDABLE' ? spendableConfirmations : confirmations;
    const has = cursor - row.block_height + 1;
    if (has < needs && this.#calm)
      this.#broken('final-before-credit', `a deposit is ${row.status} with ${has} confirmations of ${needs}`);
    const node = this.#world.node(row.chain);
    const effect = node.chain.paidIn(row.block_hash, row.txid)?.find(({ index }) => index === row.tx_index);
    if (effect !== undefined && !sameFacts(row, effect))
      this.#broken('true-credit', `${row.txid}:${row.tx_index} is ${row.status} with what its block does not say`);
    if (this.#calm && node.trouble.deadMarks)
      this.#broken('marked-block', `a deposit is ${row.status} by a mark of a branch that is gone`);
    if (!this.#calm || node.trouble.forkedAt !== null) return;
    const mined = node.chain.included.get(row.txid);
    if (mined === undefined || node.chain.block(mined.height)?.ref.hash !== row.block_hash) {
      // The follower may not have read of a reorganisation yet; the blocks that it read decide. A deposit found by its balance in
      // a block that is final by now and no longer stored is proved by the balance itself.
      const [kept] = this.#world.driver.all<{ hash: string | null; oldest: number | null }>(
        `SELECT (SELECT hash FROM chain_blocks WHERE chain = ? AND height = ?) AS hash, min(height) AS oldest
         FROM chain_blocks WHERE chain = ?`,
        row.chain,
        row.block_height,
        row.chain,
      );
      const isFinal = isByBalance(row) && row.block_height < (kept?.oldest ?? 0);
      if (!isFinal && kept?.hash !== row.block_hash)
        this.#broken('credited-block', `a deposit is ${row.status} for a block that is not followed`);
    }
  }

  #newDeposit(row: DepositRow): void {
    if (row.chain === 'BLN') {
      const settled = this.#world.lightning.settled.get(row.txid);
      if (settled?.msat !== BigInt(row.units))
        this.#broken('true-deposits', `an invoice is credited with ${row.units} and was paid ${settled?.msat ?? 0n}`);
      return;
    }
    const { chain } = this.#world.node(row.chain);
    if (isByBalance(row)) {
      this.#found.add(row.to_address);
      return;
    }
    // A node's wrong first answer is not a credit yet: see true-credit.
    if (this.#world.node(row.chain).misread.has(`${row.txid}:${row.tx_index}`)) return;
    const outputs = chain.paidIn(row.block_hash, row.txid) ?? this.#world.paid.get(row.txid)?.outputs;
    const paid = outputs?.find(({ index }) => index === row.tx_index);
    if (paid === undefined) this.#broken('true-deposits', `nobody paid ${row.txid}:${row.tx_index} on ${chain.code}`);
    else if (!sameFacts(row, paid)) this.#broken('true-deposits', `${row.txid}:${row.tx_index} was not what was paid`);
    const owner = this.#world.driver.all<{ order_id: string }>(
      'SELECT order_id FROM order_addresses WHERE chain = ? AND address = ?',
      row.chain,
      row.to_address,
    )[0];
    const intended = this.#world.intended.get(row.txid) ?? row.order_id;
    if (row.order_id !== null && intended !== row.order_id)
      this.#broken('right-order', `${row.txid} was paid for order ${intended} and went to ${row.order_id}`);
    if (row.order_id !== null && owner?.order_id !== row.order_id)
      this.#broken('right-order', `a payment to ${row.to_address} went to order ${row.order_id}`);
  }

  #order(row: OrderRow, former: OrderRow | undefined): void {
    if (row.units !== null && row.units !== former?.units) {
      this.#quote(row);
      this.#keptQuote(row);
    }
    if (former === undefined || former.status === row.status) return;
    if (former.status === 'PENDING' && row.status === 'SUCCESS') this.#paid(row);
    if (former.status === 'PENDING' && row.status === 'TERMINATED' && this.#calm && !this.#world.crowded)
      this.#cancelled(row);
    if (former.status === 'PENDING' && (row.status === 'OVERDUE' || row.status === 'PARTIAL')) this.#expired(row);
  }

  /** An amount in a coin is the price at the rate, rounded up to the next unit, not further. */
  #quote({ id, currency, units, rate, vs_currency, vs_price }: OrderRow): void {
    const asset = this.#world.assets.find(currency ?? '');
    if (rate === null || units === null || asset === null) {
      this.#broken('quote', `order ${id} has an amount and no rate`);
      return;
    }
    const { coin, fiat } = JSON.parse(rate) as { coin: { usd: string }; fiat: { usd: string } };
    const [coinUsd, fiatUsd] = [fraction(coin.usd), fraction(fiat.usd)];
    const fiatDecimals = vs_currency === 'JPY' ? 0 : 2;
    // units / 10^decimals × coin ≥ price / 10^fiatDecimals × fiat, in whole numbers.
    const worth = (amount: bigint): bigint => amount * coinUsd.digits * fiatUsd.scale * 10n ** BigInt(fiatDecimals);
    const price = BigInt(vs_price) * fiatUsd.digits * coinUsd.scale * 10n ** BigInt(asset.decimals);
    if (worth(BigInt(units)) < price) this.#broken('quote', `order ${id} asks for less than its price`);
    // A quoted amount is exact as a JSON number: 8 decimals, 15 digits.
    const step = 10n ** BigInt(Math.max(0, asset.decimals - 8, units.length - 15));
    if (worth(BigInt(units) - step) >= price) this.#broken('quote', `order ${id} asks for more than its price`);
  }

  /** Choosing a coin again never makes an order cheaper. */
  #keptQuote({ id, chain, currency, units }: OrderRow): void {
    if (chain === 'BLN') return;
    const asked = this.#asked.get(`${id} ${currency}`) ?? 0n;
    const now = BigInt(units ?? '0');
    if (now < asked)
      this.#broken('kept-quote', `order ${id} asked for ${asked} ${currency}, and for ${now} when chosen again`);
    this.#asked.set(`${id} ${currency}`, now);
  }

  /** The minimum that pays an order. */
  required({ units, tolerance_bps }: OrderRow): bigint {
    const due = BigInt(units ?? '0');
    const exact = due * (10_000n - BigInt(tolerance_bps));
    return (exact + 9_999n) / 10_000n;
  }

  #paid(row: OrderRow): void {
    let sum = 0n;
    for (const deposit of paymentsOf(row, this.#deposits.values())) {
      // Payments that a reorganisation removed within the same step were counted before.
      const counted =
        CREDITED.has(deposit.status) ||
        (deposit.status === 'ORPHANED' && deposit.credits > 0 && row.reorged_at !== null);
      if (counted && deposit.paid_at <= row.expires_at) sum += BigInt(deposit.units);
    }
    if (sum < this.required(row))
      this.#broken('paid-in-full', `order ${row.id} is SUCCESS with ${sum} of ${this.required(row)}`);
  }

  /**
   * A late payment completes its order when it is worth the price without what was refunded, and nothing of the order is
   * being refunded.
   */
  #paidLate(orderId: string, at: number): void {
    const order = this.#orders.get(orderId);
    if (order === undefined) return;
    const payments = paymentsOf(order, this.#deposits.values()).filter(({ credits }) => credits > 0);
    let sum = countedUnits(order, payments);
    for (const { kind, order_id, status, created_at, units } of this.#transfers.values()) {
      if (kind !== 'refund' || order_id !== orderId || status === 'FAILED') continue;
      if (created_at >= at - this.#world.skewMs) continue;
      if (status === 'CONFIRMED') sum -= BigInt(units);
      else this.#broken('paid-late', `order ${orderId} is RESOLVED by a payment while its refund is ${status}`);
    }
    if (sum < this.required(order))
      this.#broken('paid-late', `order ${orderId} is RESOLVED with what counts ${sum} of ${this.required(order)}`);
  }

  #cancelled({ id }: OrderRow): void {
    const live = [...this.#deposits.values()].some(
      ({ order_id, status, assignment }) =>
        assignment === 'ORDER' && order_id === id && status !== 'ORPHANED' && status !== 'DUST',
    );
    if (live) this.#broken('no-cancel-once-paid', `order ${id} was cancelled after it was paid`);
  }

  /** A payment in a block that its node showed before the deadline must have been counted. */
  #expired(row: OrderRow): void {
    if (row.chain === 'BLN') {
      this.#expiredInvoice(row);
      return;
    }
    if (row.chain === null || !this.#calm) return;
    const node = this.#world.node(row.chain);
    if (node.troubled) return;
    let sum = 0n;
    for (const { tx, height } of node.chain.included.values()) {
      const shownAt = this.#world.shownAt.get(row.chain)?.[height] ?? Infinity;
      if (
        tx.own ||
        shownAt > row.expires_at - this.#world.skewMs ||
        (node.chain.block(height)?.ref.time ?? Infinity) > row.expires_at
      )
        continue;
      for (const { index, to, currency, units, hidden } of tx.outputs)
        if (
          hidden !== true &&
          to === row.address &&
          currency === row.currency &&
          !node.omitted.has(`${tx.txid}:${index}`) &&
          !(row.chain === DUST_CHAIN && units < MIN_DEPOSIT)
        )
          sum += units;
    }
    if (sum >= this.required(row))
      this.#broken('read-before-expiry', `order ${row.id} is ${row.status}, and was paid ${sum} in time`);
    if (sum > 0n && row.status === 'OVERDUE')
      this.#broken('read-before-expiry', `order ${row.id} is OVERDUE, and ${sum} were paid in time`);
  }

  /** No address is ever given to a second order, even after a restored backup that does not contain the first. */
  #addresses(): void {
    for (const { chain, address, order_id } of this.#world.driver.all<{
      chain: string;
      address: string;
      order_id: string;
    }>("SELECT chain, address, order_id FROM order_addresses WHERE chain <> 'BLN'")) {
      const key = `${chain} ${address}`;
      const former = this.#given.get(key) ?? order_id;
      if (former !== order_id) this.#broken('address-once', `${key} was given to the orders ${former} and ${order_id}`);
      this.#given.set(key, order_id);
    }
  }

  /** A chain stops for a block that was replaced below the finality bound, and for nothing else. */
  #halts(): void {
    const halted = this.#world.driver.all<{ chain: string; reason: string }>(
      'SELECT chain, halted_reason AS reason FROM chain_states WHERE halted_reason IS NOT NULL',
    );
    for (const { chain, reason } of halted)
      if (!this.#world.deeplyForked.has(chain)) this.#broken('lag-is-no-fork', `${chain} stopped: ${reason}`);
  }

  /** Each due invoice is checked before its order may expire. */
  #expiredInvoice({ id, expires_at }: OrderRow): void {
    const key =
      this.#world.driver.all<{ key: string }>(
        `SELECT watch_key AS key FROM order_addresses WHERE order_id = ? AND chain = 'BLN'`,
        id,
      )[0]?.key ?? '';
    const settled = this.#world.lightning.settled.get(key);
    if (settled !== undefined && settled.at <= expires_at - this.#world.skewMs && !this.#world.isForgotten(key))
      this.#broken('read-before-expiry', `Lightning order ${id} expired, and was paid ${settled.msat} in time`);
  }

  /** All transactions of a payout share its nonce, or a coin, and pay the same. */
  #attempt(row: AttemptRow): void {
    if (this.#attempts.has(row.txid)) return;
    const raw = JSON.parse(row.raw) as { nonce: number | null; coins: string[]; outputs: unknown };
    for (const other of this.#attempts.values()) {
      if (other.payout_id !== row.payout_id) continue;
      const former = JSON.parse(other.raw) as typeof raw;
      if (raw.nonce !== former.nonce || [...raw.coins].sort().join() !== [...former.coins].sort().join())
        this.#broken('one-nonce', `payout ${row.payout_id} was signed for another nonce or other coins`);
      this.#again(row, other);
      const isPayment = row.kind === 'payment' && other.kind === 'payment';
      if (isPayment && JSON.stringify(raw.outputs) !== JSON.stringify(former.outputs))
        this.#broken('same-payment', `payout ${row.payout_id} was signed again for other payments`);
    }
    this.#attempts.set(row.txid, row);
  }

  /**
   * Without nonces that exclude a second payment, none is signed again while an earlier one is mined or can still be.
   */
  #again({ payout_id, chain: code }: AttemptRow, { txid, raw }: AttemptRow): void {
    const { chain } = this.#world.node(code);
    const { expiresAt } = JSON.parse(raw) as { expiresAt: number | null };
    if (expiresAt === null || !this.#calm) return;
    if (chain.included.has(txid)) this.#broken('paid-twice', `payout ${payout_id} was signed again, and is mined`);
    else if (chain.timeOf(chain.height - SOLID) <= expiresAt)
      this.#broken('signed-again-too-soon', `payout ${payout_id} was signed again, and its bytes can still be mined`);
  }

  /** At most one of a payout's transactions is mined, whatever was signed for it. */
  #onePayment(): void {
    const mined = new Set<string>();
    for (const { payout_id, chain: code, txid, expires_at } of this.#attempts.values()) {
      if (expires_at === null || !this.#world.node(code).chain.included.has(txid)) continue;
      if (mined.has(payout_id)) this.#broken('paid-twice', `payout ${payout_id} is mined twice`);
      mined.add(payout_id);
    }
  }

  #transfer(row: TransferRow, former: TransferRow | undefined): void {
    if (former?.status === row.status) return;
    // The owner bears the cost of a failure: at most the whole amount.
    const limit = row.status === 'FAILED' ? row.units : row.max_fee_units;
    if (BigInt(row.fee_units) > BigInt(limit) && row.chain !== 'BLN' && row.status !== 'REQUESTED')
      this.#broken('fee-limit', `transfer ${row.id} is charged more than it may`);
    if (row.chain === 'BLN' && ENDED.has(row.status)) this.#invoicePayment(row, former);
    if (!ENDED.has(row.status) || row.payout_id === null) return;
    const node = this.#world.node(row.chain);
    if (!this.#calm || node.troubled) return;
    const attempts = [...this.#attempts.values()].filter(({ payout_id }) => payout_id === row.payout_id);
    const mined = attempts
      .map(({ txid }) => node.chain.included.get(txid))
      .find((inclusion) => inclusion !== undefined);
    const needs = POLICIES[row.chain]?.spendableConfirmations ?? 0;
    const depth = mined === undefined ? 0 : node.chain.height - mined.height + 1;
    if (row.status === 'CONFIRMED') {
      const obtained = BigInt(row.units) - BigInt(row.fee_units);
      if (mined === undefined || !mined.succeeded || depth < needs)
        this.#broken('paid-on-chain', `transfer ${row.id} is CONFIRMED, its transaction ${depth} deep`);
      else if (
        !mined.tx.outputs.some(
          ({ to, currency, units }) => to === row.to_address && currency === row.currency && units === obtained,
        )
      ) {
        this.#broken(
          'paid-on-chain',
          `transfer ${row.id} did not pay ${obtained} ${row.currency} to ${row.to_address}`,
        );
      }
      return;
    }
    const areOver = attempts.every(
      ({ expires_at, txid }) =>
        expires_at !== null &&
        !node.chain.included.has(txid) &&
        node.chain.timeOf(node.chain.height - SOLID) > expires_at,
    );
    if (areOver && attempts.length > 0) return;
    const isCancel = attempts.some(({ txid, kind }) => txid === mined?.tx.txid && kind === 'cancel');
    if (mined !== undefined && (isCancel || !mined.succeeded) && depth >= needs) return;
    const { source_address, nonce } = this.#payouts.get(row.payout_id) ?? {};
    const coins = attempts.flatMap(({ raw }) => (JSON.parse(raw) as { coins: string[] }).coins);
    const rival = node.chain.conflict(
      source_address ?? '',
      nonce ?? null,
      coins,
      new Set(attempts.map(({ txid }) => txid)),
    );
    if (rival === null)
      this.#broken('given-back-too-soon', `transfer ${row.id} is FAILED, and its bytes can still be mined`);
  }

  /** Only the node's answer ends a payment that it may have received. */
  #invoicePayment({ id, status }: TransferRow, former: TransferRow | undefined): void {
    const hash =
      this.#world.driver.all<{ hash: string }>(
        'SELECT payment_hash AS hash FROM lightning_payments WHERE transfer_id = ?',
        id,
      )[0]?.hash ?? '';
    const state = this.#world.lightning.views.get(hash)?.state ?? 'unknown';
    if (status === 'CONFIRMED' && state !== 'settled')
      this.#broken('paid-on-chain', `Lightning payment ${id} is CONFIRMED, the node says ${state}`);
    if (status === 'FAILED' && (state === 'settled' || state === 'in-flight'))
      this.#broken(
        'given-back-too-soon',
        `Lightning payment ${id} went from ${former?.status} to FAILED, the node says ${state}`,
      );
  }

  /** Every payout that can be mined, or was, has the transfers that it pays. */
  #owners(): void {
    const named = new Set([...this.#transfers.values()].map(({ payout_id }) => payout_id));
    for (const { id, status } of this.#payouts.values())
      if (status !== 'VOID' && !named.has(id))
        this.#broken('one-payout', `payout ${id} is ${status} and pays no transfer`);
    for (const problem of refundProblems(this.#transfers.values(), this.#deposits.values()))
      this.#broken('one-refund', problem);
  }

  #moves(): void {
    const rows = this.#world.driver.all<{
      id: number;
      order_id: string;
      from_status: string | null;
      to_status: string;
      rule: string;
      happened_at: number;
    }>(
      'SELECT id, order_id, happened_at, from_status, to_status, rule FROM order_history WHERE id > ? ORDER BY id',
      this.#history,
    );
    for (const { id, order_id, happened_at, from_status: from, to_status: to, rule } of rows) {
      this.#history = id;
      if (rule === 'late-payment') this.#paidLate(order_id, happened_at);
      const last = this.#last.get(order_id) ?? 'PENDING';
      if (from !== null && from !== last)
        this.#broken('history', `order ${order_id} was ${last}, its history goes on from ${from}`);
      this.#last.set(order_id, to);
      if (from === to || from === null) continue;
      if (!(MOVES['orders'] ?? []).includes(`${from} ${to}`))
        this.#broken('legal-moves', `order ${order_id} went from ${from} to ${to}`);
      const owed = OWED[`${from} ${to}`];
      if (owed === undefined) continue;
      const events = this.#owed.get(order_id) ?? new Set();
      this.#owed.set(order_id, events.add(owed));
    }
    for (const { id, status } of this.#orders.values())
      if ((this.#last.get(id) ?? 'PENDING') !== status)
        this.#broken('history', `order ${id} is ${status}, its history says ${this.#last.get(id)}`);
  }

  /** Each final status of an order has exactly the one callback that it owes, if the merchant gave a URL for it. */
  #outbox(): void {
    const rows = new Map<string, string[]>();
    for (const { order_id, event } of this.#callbacks.values())
      rows.set(order_id, [...(rows.get(order_id) ?? []), event]);
    for (const { id, callback_url, timeout_callback } of this.#orders.values()) {
      const owed = [...(this.#owed.get(id) ?? [])]
        .filter((event) => (event === 'order.timeout' ? timeout_callback : callback_url) !== null)
        .sort();
      const has = (rows.get(id) ?? []).sort();
      if (owed.join() !== has.join())
        this.#broken('one-callback', `order ${id} owes ${owed.join() || 'nothing'} and has ${has.join() || 'nothing'}`);
    }
  }

  /** One event has one id, however often it is sent; a later event never precedes the end of an earlier one. */
  #deliveries(): void {
    const { received } = this.#world.receivers;
    for (; this.#received < received.length; this.#received++) {
      const { orderId, event, webhookId } = received[this.#received] as (typeof received)[number];
      const key = `${orderId} ${event}`;
      const known = this.#webhookIds.get(key);
      if (known !== undefined && known !== webhookId)
        this.#broken('stable-callback-id', `${event} of order ${orderId} came as ${known} and ${webhookId}`);
      this.#webhookIds.set(key, webhookId);
      const first = [...this.#callbacks.values()].find((row) => row.order_id === orderId && row.event !== event);
      const replayed = this.#world.replayed.has(first?.id ?? '') || this.#world.replayed.has(webhookId);
      if (event === 'order.succeeded' && first?.status === 'PENDING' && !replayed)
        this.#broken('callback-order', `order ${orderId} was called succeeded before its time-out was told`);
    }
  }
}

function sameFacts(row: DepositRow, { units, currency, to }: SimOutput): boolean {
  return units === BigInt(row.units) && currency === row.currency && to === row.to_address;
}
