import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { merchantAccount, present } from '../../core/index.ts';
import type { Callback, Deposit, PullPaymentId, Transfer, TransferId } from '../../core/index.ts';
import { PAYER } from '../e2e/till-on-anvil.ts';
import { signed, unpack } from '../e2e/x402-payer.ts';
import type { Requirements } from '../e2e/x402-payer.ts';
import { invoke, mint, read } from '../support/contracts.ts';
import { eventsFor } from '../support/subscribe.ts';
import { burnerOf } from '../support/gas-burner.ts';
import type { Answer } from '../host/merchant.ts';
import { nextSecond, waitFor } from '../support/wait.ts';
import { FINALITY, SPENDABLE } from './crash-till.ts';
import type { CrashTill } from './crash-till.ts';
import type { CrashPointName } from './points.ts';

const ETHER = 10n ** 18n;
const SLOW_MS = 60_000;
const SETTLED_MS = 180_000;

/** One merchant's part of a scenario; each method may be called again after a restart. */
export interface Run {
  /** Repeats the requests that have no answer yet, as a client with retries does. Ends early when the till dies. */
  push(): Promise<void>;
  done(): Promise<boolean>;
  /** Fails unless everything happened exactly once. */
  verify(): Promise<void>;
}

/** One use of the till, killed at one point after another. */
export interface Scenario {
  readonly name: string;
  /** In the order in which a till reaches them; the till that recovers from one reaches the next. */
  readonly points: readonly CrashPointName[];
  /** Points for the operator's act beside the server, killed before the others; a point after its commit comes last. */
  readonly actPoints?: readonly CrashPointName[];
  /** No block is mined until its points were reached: they are between a payment's first block and its finality. */
  readonly still?: true;
  begin(till: CrashTill): Promise<Run>;
}

type Coin = 'ETH' | 'USDT-ERC20' | 'BTC-LN';
let payees = 0;
/** An address without any payment so far. */
const newPayee = (): Address =>
  `0x${(0xd00d0000n + BigInt((payees += 1))).toString(16)}${randomBytes(16).toString('hex')}`;
const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/** Mines a block once the till has read all existing ones, so that nothing becomes final while it is down. */
export async function mineWhenRead(till: CrashTill): Promise<void> {
  const head = Number(await till.fixture.anvil.rpc<Hex>('eth_blockNumber'));
  const cursor = (await till.storage.chains.state('ETH'))?.cursor ?? null;
  if (till.alive && cursor !== null && cursor.height >= head) await till.fixture.anvil.mine();
}

/** Mines until the condition holds; the till must live. */
export async function mineUntil(
  till: CrashTill,
  condition: () => Promise<boolean>,
  what: string | (() => string),
  timeoutMs = SLOW_MS,
): Promise<void> {
  await waitFor(
    async () => {
      assert(till.alive, `the till died by itself:\n${till.log.slice(-3000)}`);
      if (await condition()) return true;
      await mineWhenRead(till);
      return false;
    },
    {
      timeoutMs,
      intervalMs: 60,
      describe: () => `${typeof what === 'string' ? what : what()}; the log:\n${till.log.slice(-4000)}`,
    },
  );
}

/** Waits until nothing is pending: after many kills dozens of sweeps are pending, and they run one after the other. */
export async function settle(till: CrashTill): Promise<void> {
  await mineUntil(till, () => till.quiet(), 'nothing to be pending', SETTLED_MS);
}

/** An order that its payer pays once, however often the till dies. */
export class PaidOrder implements Run {
  readonly #till: CrashTill;
  readonly #key = randomBytes(8).toString('hex');
  readonly #currency: Coin;
  readonly #price: string;
  readonly payer: Address;
  /** Another way to pay it; called again until the order is paid. */
  readonly #payBy: (() => Promise<void>) | null;
  #paid = false;
  #invoice = '';
  id = '';
  address = '' as Address;
  units = 0n;

  constructor(
    till: CrashTill,
    payer: Address,
    price = '250',
    currency: Coin = 'ETH',
    payBy: (() => Promise<void>) | null = null,
  ) {
    this.#till = till;
    this.payer = payer;
    this.#price = price;
    this.#currency = currency;
    this.#payBy = payBy;
  }

  async push(): Promise<void> {
    if (this.id === '') await this.#create();
    if (this.id === '') return;
    if (this.#payBy !== null) await this.#payBy();
    else if (!this.#paid) await this.pay();
  }

  async #create(): Promise<void> {
    const { receiver } = this.#till.fixture;
    if (this.#currency === 'BTC-LN') return this.#createInvoice();
    const body = {
      chain: 'ETH',
      currency: this.#currency,
      vs_currency: 'USD',
      vs_price: this.#price,
      callback_url: `${receiver.url}/paid`,
      enable_post_callback: true,
    };
    const reply = await this.#till.ask('POST', '/api/order/pay-info', body, this.#key);
    if (reply === null) return;
    assert.equal(reply.code, 0, reply.message);
    // The payer's refund address; leaving it again after a kill changes nothing.
    const page = new URL(String(reply.data['pay_url'])).pathname;
    const left = await this.#till.ask('POST', `${page}/refund-address`, { address: this.payer });
    if (left === null) return;
    assert.equal(left.status, 200, left.message);
    await nextSecond();
    this.id = String(reply.data['order_id']);
    this.address = reply.data['address'] as Address;
    this.units = (await this.#till.order(this.id))?.payment?.units ?? 0n;
  }

  async #createInvoice(): Promise<void> {
    const body = { price: this.#price, currency: 'USD', callback_url: `${this.#till.fixture.receiver.url}/paid` };
    const reply = await this.#till.ask('POST', '/api/bln/order', body, this.#key);
    if (reply === null) return;
    assert.equal(reply.code, 0, reply.message);
    this.id = String(reply.data['order_id']);
    this.#invoice = String(reply.data['payment_request']);
    this.units = (await this.#till.order(this.id))?.payment?.units ?? 0n;
  }

  async pay(): Promise<void> {
    const { anvil, token, lightning } = this.#till.fixture;
    this.#paid = true;
    if (this.#currency === 'BTC-LN') {
      lightning.customer.pay(this.#invoice, null, this.units);
      return;
    }
    if (this.#currency === 'ETH')
      await anvil.rpc('eth_sendTransaction', [{ from: this.payer, to: this.address, value: hex(this.units) }]);
    else await invoke(anvil, token, 'transfer', [this.address, this.units], { from: this.payer });
  }

  async done(): Promise<boolean> {
    if (this.id === '') return false;
    const order = await this.#till.order(this.id);
    const deposits = await this.#till.storage.deposits.byOrder(order!.id);
    const callbacks = await this.#till.storage.callbacks.byOrder(order!.id);
    return (
      order?.status === 'SUCCESS' &&
      deposits.some(({ status }) => status === 'SPENDABLE') &&
      callbacks.every(({ status }) => status === 'DELIVERED') &&
      (await this.#events()).every(({ status }) => status === 'DELIVERED')
    );
  }

  async verify(): Promise<void> {
    const order = await this.#till.order(this.id);
    assert(order !== null);
    assert.equal(order.received, this.units, 'credited once');
    const callbacks = await this.#till.storage.callbacks.byOrder(order.id);
    assert.deepEqual(
      callbacks.map(({ event, status }) => [event, status]),
      [['order.succeeded', 'DELIVERED']],
      'one row for the event',
    );
    const about = this.#till.fixture.receiver.received.filter(
      ({ body, target }) => body.includes(this.id) || target.includes(this.id),
    );
    const received = about.filter(({ target }) => target.startsWith('/paid'));
    assert.ok(received.length > 0, 'the merchant got a callback');
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1, 'always under the same id');
    const events = await this.#events();
    // Events of refunds come in addition and may be pending, as may the deposit's.
    const own = events.filter(({ event }) => event.startsWith('order.') && event !== 'order.refunded');
    assert.deepEqual(
      own.map(({ event, status }) => [event, status]),
      [
        ['order.created', 'DELIVERED'],
        ['order.succeeded', 'DELIVERED'],
      ],
      'one row for each event of the endpoint',
    );
    const arrived = new Set<unknown>(
      about.flatMap(({ target, headers }) => (target === '/events' ? [headers['webhook-id']] : [])),
    );
    assert.ok(
      own.every(({ id }) => arrived.has(id)),
      'each event arrived',
    );
    assert.ok(arrived.size <= events.length, 'always under the same id');
  }

  /** The events of the order and of its records at the merchant's endpoint. */
  async #events(): Promise<readonly Callback[]> {
    const events = await eventsFor(this.#till.storage, this.#till.endpoint);
    return events.filter(({ body }) => body?.includes(this.id) === true);
  }
}

/** A withdrawal that its merchant requests until it has an answer. */
export class Withdrawal implements Run {
  readonly #till: CrashTill;
  readonly #key = randomBytes(8).toString('hex');
  readonly #payee: Address;
  readonly #amount: string;
  #id = '';

  constructor(till: CrashTill, payee: Address, amount: string) {
    this.#till = till;
    this.#payee = payee;
    this.#amount = amount;
  }

  async push(): Promise<void> {
    if (this.#id !== '') return;
    const reply = await this.#till.ask(
      'POST',
      '/api/withdraw',
      { amount: this.#amount, chain: 'ETH', currency: 'ETH' },
      this.#key,
    );
    if (reply === null) return;
    assert.equal(reply.code, 0, reply.message);
    this.#id = String(reply.data['tx_id']);
  }

  async done(): Promise<boolean> {
    return this.#id !== '' && (await this.#till.transfer(this.#id))?.status === 'CONFIRMED';
  }

  async verify(): Promise<void> {
    const transfer = await this.#till.transfer(this.#id);
    assert(transfer !== null);
    assert.deepEqual(
      await payments(this.#till, this.#till.hot, this.#payee),
      [transfer.units - transfer.feeUnits],
      'one payment on chain',
    );
  }
}

/** The units of native coin of every payment between two addresses, from the first block on. */
export async function payments(till: CrashTill, from: string, to: string): Promise<bigint[]> {
  const { anvil } = till.fixture;
  const head = Number(await anvil.rpc<Hex>('eth_blockNumber'));
  const heights = Array.from({ length: head }, (_, at) => hex(at + 1));
  const blocks = await batch<{ transactions: { from: string; to: string | null; value: Hex }[] }>(
    anvil.url,
    heights.map((height) => ['eth_getBlockByNumber', [height, true]]),
  );
  const same = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase();
  return blocks.flatMap(({ transactions }) =>
    transactions.filter((tx) => same(tx.from, from) && same(tx.to, to)).map(({ value }) => BigInt(value)),
  );
}

async function batch<T>(
  url: string,
  calls: readonly (readonly [method: string, params: readonly unknown[]])[],
): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < calls.length; at += 200) {
    const body = JSON.stringify(
      calls.slice(at, at + 200).map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
    );
    const replies = (await (
      await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    ).json()) as { id: number; result: T }[];
    results.push(...replies.sort((a, b) => a.id - b.id).map(({ result }) => result));
  }
  return results;
}

/** An order that is paid and whose balance can be spent. */
async function paidOrder(
  till: CrashTill,
  ...options: [payer: Address, price?: string, currency?: Coin]
): Promise<PaidOrder> {
  const order = new PaidOrder(till, ...options);
  const done = async (): Promise<boolean> => {
    await order.push();
    return order.done();
  };
  await mineUntil(till, done, 'an order to be paid and spendable');
  return order;
}

const payerOf = async (till: CrashTill, at: number): Promise<Address> => {
  const accounts = await till.fixture.anvil.rpc<Address[]>('eth_accounts');
  return accounts[at]!;
};

/** Gives the till the operator's coins and the merchant a balance. */
export async function fund(till: CrashTill): Promise<void> {
  const { anvil, token } = till.fixture;
  const payer = await payerOf(till, 1);
  await anvil.rpc('eth_sendTransaction', [{ from: await payerOf(till, 9), to: till.hot, value: hex(100n * ETHER) }]);
  await mint(anvil, token, payer, 10n ** 12n);
  await paidOrder(till, payer, '500000');
}

const deposit = async (till: CrashTill): Promise<Run> => new PaidOrder(till, await payerOf(till, 2));

/** An order whose coins no transaction shows, as those of a validator's withdrawal: only its address's balance does. */
async function balanceExcess(till: CrashTill): Promise<Run> {
  await settle(till);
  let given = false;
  const order: PaidOrder = new PaidOrder(till, await payerOf(till, 2), '250', 'ETH', async () => {
    if (given) return;
    given = true;
    await till.fixture.anvil.rpc('anvil_setBalance', [order.address, hex(order.units)]);
  });
  return order;
}

async function withdrawal(till: CrashTill): Promise<Run> {
  const payee = newPayee();
  await till.registerPayee(payee);
  await settle(till);
  return new Withdrawal(till, payee, '0.05');
}

/** A pull payment whose first claim is rejected and whose second one is paid, and of which the rest is given back. */
async function claimed(till: CrashTill): Promise<Run> {
  await settle(till);
  return new ClaimedPayment(till, newPayee());
}

/** The parts of a claimed payment, each repeated until it has an answer. */
class ClaimedPayment implements Run {
  readonly #till: CrashTill;
  readonly #payee: Address;
  readonly #key = randomBytes(8).toString('hex');
  #id = '';
  #path = '';
  #rejected = false;
  #approved = '';
  #archived = false;

  constructor(till: CrashTill, payee: Address) {
    this.#till = till;
    this.#payee = payee;
  }

  async push(): Promise<void> {
    if (this.#id === '') await this.#promise();
    if (this.#id === '') return;
    if (!this.#rejected) this.#rejected = await this.#decide('first', 'reject', { reason: 'Not this address.' });
    if (!this.#rejected) return;
    if (this.#approved === '' && (await this.#decide('second', 'approve', {}))) this.#approved = await this.#transfer();
    if (this.#approved !== '' && !this.#archived)
      this.#archived = (await this.#manage(`/pull-payments/${this.#id}/archive`, {})) !== null;
  }

  async #promise(): Promise<void> {
    const body = { name: 'Prize', currency: 'ETH', amount: '0.05' };
    const reply = await this.#till.manage('POST', '/pull-payments', body, this.#key);
    if (reply === null) return;
    assert.equal(reply.status, 201, JSON.stringify(reply));
    this.#id = String(reply.data['id']);
    this.#path = new URL(String(reply.data['url'])).pathname;
  }

  /** Claims with a key of this name until there is an answer, and decides about the claim. */
  async #decide(name: string, verb: 'approve' | 'reject', body: object): Promise<boolean> {
    const key = `${name}-${this.#key}`;
    const known = await this.#claim(key);
    if (known === null) {
      const sent = await this.#till.ask('POST', `${this.#path}/claims`, { address: this.#payee, amount: '0.03', key });
      if (sent !== null) assert.equal(sent.code, 0, sent.message);
      return false;
    }
    if (known.claim.status === 'AWAITING_APPROVAL') await this.#manage(`/claims/${known.claim.id}/${verb}`, body);
    return (await this.#claim(key))?.claim.status !== 'AWAITING_APPROVAL';
  }

  async #manage(target: string, body: object): Promise<Answer | null> {
    const reply = await this.#till.manage('POST', target, body);
    if (reply !== null) assert.ok(reply.status === 200 || reply.status === 409, JSON.stringify(reply));
    return reply;
  }

  #claim(key: string) {
    return this.#till.storage.pullPayments.claimByKey(this.#id as PullPaymentId, key);
  }

  async #transfer(): Promise<string> {
    return (await this.#claim(`second-${this.#key}`))?.claim.transferId ?? '';
  }

  async done(): Promise<boolean> {
    return this.#archived && (await this.#till.transfer(this.#approved))?.status === 'CONFIRMED';
  }

  async verify(): Promise<void> {
    const transfer = await this.#till.transfer(this.#approved);
    assert(transfer !== null);
    assert.deepEqual(
      await payments(this.#till, this.#till.hot, this.#payee),
      [transfer.units - transfer.feeUnits],
      'one payment on chain',
    );
    const { storage, accountId } = this.#till;
    const [aside] = await storage.ledger.balances(merchantAccount(accountId, 'claims'));
    assert.equal(aside?.units ?? 0n, 0n, 'nothing stays set aside');
  }
}

/** Raises the fee that a block requires above a transaction's, so that it is not mined. */
async function outprice(till: CrashTill, txid: string): Promise<void> {
  const { anvil } = till.fixture;
  const tx = await anvil.rpc<{ maxFeePerGas: Hex } | null>('eth_getTransactionByHash', [txid]);
  if (tx === null) return;
  const baseFee = (BigInt(tx.maxFeePerGas) * 105n) / 100n + 1n;
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [hex(baseFee)]);
}

/** A withdrawal that is never mined, and that an operator cancels. */
async function cancelled(till: CrashTill): Promise<Run> {
  const payee = newPayee();
  await till.registerPayee(payee);
  await settle(till);
  const key = randomBytes(8).toString('hex');
  let id = '';
  const attempts = async () => (await till.storage.transfers.payoutOf(id as TransferId))?.attempts ?? [];
  const { anvil } = till.fixture;
  const send = async (): Promise<void> => {
    // Otherwise the node mines a block for each transaction at once.
    await anvil.rpc('evm_setAutomine', [false]);
    const body = { amount: '0.05', chain: 'ETH', currency: 'ETH' };
    const reply = await till.ask('POST', '/api/withdraw', body, key);
    if (reply === null) return;
    assert.equal(reply.code, 0, reply.message);
    id = String(reply.data['tx_id']);
  };
  return {
    push: async () => {
      if (id === '') await send();
      const [payment, replacement] = id === '' ? [] : await attempts();
      if (payment === undefined || (await till.transfer(id))?.status === 'SIGNED') return;
      const view = await till.storage.transfers.payoutOf(id as TransferId);
      if (view?.payout.cancelReason === null) await till.operate('transfer cancel', id, 'No block takes it.');
      if (replacement === undefined) await outprice(till, payment.txid);
      await mineWhenRead(till);
    },
    done: async () => id !== '' && (await till.transfer(id))?.status === 'FAILED',
    verify: async () => {
      await anvil.rpc('evm_setAutomine', [true]);
      assert.deepEqual(await payments(till, till.hot, payee), [], 'nobody was paid');
      const made = await attempts();
      assert.deepEqual([made[0]?.kind, made[1]?.kind], ['payment', 'cancel']);
      const transfer = await till.transfer(id);
      assert(transfer !== null);
      assert.equal(transfer.reason, 'No block takes it.');
      assert.ok(transfer.feeUnits > 0n && transfer.feeUnits < ETHER / 100n, 'its owner pays the cancel');
      assert.equal(await auditRows(till, 'transfer.cancel', id), 1);
    },
  };
}

/** The number of audit rows of an action on a record. */
async function auditRows(till: CrashTill, action: string, subjectId: string): Promise<number> {
  const items = await till.storage.audit.list(null, { before: null, limit: 100 });
  return items.filter((row) => row.action === action && row.subjectId === subjectId).length;
}

/** Repeats a request to a till that nobody kills meanwhile: it is not ready while one of its short leases has ended. */
function answered(till: CrashTill, target: string, body: unknown): Promise<Answer> {
  const key = randomBytes(8).toString('hex');
  return waitFor(async () => (await till.ask('POST', target, body, key)) ?? undefined, {
    timeoutMs: SLOW_MS,
    intervalMs: 60,
    describe: () => `an answer of ${target}; the log:\n${till.log.slice(-3000)}`,
  });
}

/** A payment after the watch window of its order. */
async function unassignedDeposit(till: CrashTill): Promise<Deposit> {
  const { anvil } = till.fixture;
  await till.restart({ timeoutSeconds: 1, watchSeconds: 0 });
  const body = { chain: 'ETH', currency: 'ETH', vs_currency: 'USD', vs_price: '250' };
  const reply = await answered(till, '/api/order/pay-info', body);
  assert.equal(reply.code, 0, reply.message);
  const order = await till.order(String(reply.data['order_id']));
  assert(order !== null);
  // A whole second more, because blocks have their time in whole seconds.
  await waitFor(() => Date.now() > order.watchUntil + 1_000, { describe: 'the watch window to end' });
  await till.restart();
  const value = hex(order.payment?.units ?? 0n);
  await anvil.rpc('eth_sendTransaction', [{ from: await payerOf(till, 5), to: reply.data['address'], value }]);
  const found = async (): Promise<Deposit | undefined> =>
    (await till.storage.deposits.unassigned({ before: null, limit: 100 })).find(({ orderId }) => orderId === order.id);
  await mineUntil(till, async () => (await found())?.status === 'SPENDABLE', 'an unassigned deposit');
  await settle(till);
  const deposit = await found();
  assert(deposit !== undefined);
  return deposit;
}

/** The transfer that refunds a deposit. */
async function returnOf(till: CrashTill, { id }: Deposit): Promise<Transfer | undefined> {
  const items = await till.storage.transfers.list(null, { before: null, limit: 100 });
  return items.find(({ depositId }) => depositId === id);
}

/** An operator refunds an unassigned deposit. */
async function returned(till: CrashTill): Promise<Run> {
  const deposit = await unassignedDeposit(till);
  const payee = newPayee();
  const assignment = async () => (await till.storage.deposits.find(deposit.id))?.assignment;
  return {
    push: async () => {
      if ((await assignment()) === 'UNASSIGNED') await till.operate('deposit refund', deposit.id, payee);
    },
    done: async () => (await assignment()) === 'RETURNED',
    verify: async () => {
      const transfer = await returnOf(till, deposit);
      assert(transfer !== undefined);
      assert.deepEqual([transfer.status, transfer.units], ['CONFIRMED', deposit.units]);
      const paid = await payments(till, till.hot, payee);
      assert.deepEqual(paid, [transfer.units - transfer.feeUnits], 'one payment on chain');
      assert.equal(await auditRows(till, 'deposit.refund', deposit.id), 1);
    },
  };
}

/** The same to a contract that burns all gas once the payment is mined. */
async function failingReturn(till: CrashTill): Promise<Run> {
  const deposit = await unassignedDeposit(till);
  const { anvil } = till.fixture;
  const payee = newPayee();
  // Otherwise the node mines a block for each transaction at once.
  await anvil.rpc('evm_setAutomine', [false]);
  await till.operate('deposit refund', deposit.id, payee);
  await waitFor(async () => (await returnOf(till, deposit))?.status === 'BROADCAST', {
    timeoutMs: SLOW_MS,
    describe: () => `the return to be sent; the log:\n${till.log.slice(-3000)}`,
  });
  return {
    push: async () => {
      await anvil.rpc('anvil_setCode', [payee, burnerOf(5_000_000)]);
      await mineWhenRead(till);
    },
    done: async () => (await returnOf(till, deposit))?.status === 'FAILED',
    verify: async () => {
      await anvil.rpc('evm_setAutomine', [true]);
      const failed = await returnOf(till, deposit);
      const left = await till.storage.deposits.find(deposit.id);
      assert.ok(left !== null && left.returnCostUnits > 0n);
      assert.deepEqual([left.assignment, left.returnCostUnits], ['UNASSIGNED', failed?.feeUnits], 'charged once');
    },
  };
}

/** An operator confirms a restored backup, while a withdrawal and a refund are pending in it. */
async function restored(till: CrashTill): Promise<Run> {
  const deposit = await unassignedDeposit(till);
  const payees = { withdrawal: newPayee(), back: newPayee() };
  await till.registerPayee(payees.withdrawal);
  const stop = 'A backup is restored.';
  assert.ok(await till.storage.transfers.replacePayoutStop('ETH', null, stop));
  const body = { amount: '0.05', chain: 'ETH', currency: 'ETH' };
  const reply = await answered(till, '/api/withdraw', body);
  assert.equal(reply.code, 0, reply.message);
  const id = String(reply.data['tx_id']);
  await till.operate('deposit refund', deposit.id, payees.back);
  const before = (await till.storage.epochs.current()).number;
  const held = async (): Promise<readonly (Transfer | null | undefined)[]> => [
    await till.transfer(id),
    await returnOf(till, deposit),
  ];
  let approved = false;
  return {
    push: async () => {
      if ((await till.storage.epochs.current()).number === before) return till.operate('restore confirm');
      if (approved) return;
      const waiting = await held();
      const statuses = waiting.map((transfer) => transfer?.status);
      assert.deepEqual(statuses, ['HELD', 'HELD']);
      await till.storage.transfers.replacePayoutStop('ETH', stop, null);
      for (const transfer of waiting) await till.command('withdrawal', 'approve', transfer?.id ?? '');
      approved = true;
    },
    done: async () => (await held()).every((transfer) => transfer?.status === 'CONFIRMED'),
    verify: async () => {
      const { number, status } = await till.storage.epochs.current();
      assert.deepEqual([number, status], [before + 1, 'confirmed']);
      assert.equal(await auditRows(till, 'restore.confirm', String(number)), 1);
      const [withdrawn, back] = await held();
      for (const [payee, transfer] of [
        [payees.withdrawal, withdrawn],
        [payees.back, back],
      ] as const)
        assert.deepEqual(
          await payments(till, till.hot, payee),
          [(transfer?.units ?? 0n) - (transfer?.feeUnits ?? 0n)],
          'one payment on chain',
        );
    },
  };
}

/** Coins that the operator sends to the hot wallet. */
async function float(till: CrashTill): Promise<Run> {
  await settle(till);
  const { anvil } = till.fixture;
  const booked = async (): Promise<bigint> =>
    (await till.storage.ledger.balances('operator:ETH')).find(({ currency }) => currency === 'ETH')?.units ?? 0n;
  await mineUntil(till, async () => (await booked()) > 0n, 'the first coins of the operator to be booked');
  const before = await booked();
  let sent = false;
  return {
    push: async () => {
      if (sent) return;
      sent = true;
      await anvil.rpc('eth_sendTransaction', [{ from: await payerOf(till, 9), to: till.hot, value: hex(ETHER) }]);
    },
    done: async () => (await booked()) > before,
    verify: async () => {
      assert.equal((await booked()) - before, ETHER);
      const head = Number(await anvil.rpc<Hex>('eth_blockNumber'));
      const isPast = async (): Promise<boolean> =>
        ((await till.storage.chains.state('ETH'))?.cursor?.height ?? 0) > head + 3 * SPENDABLE;
      await mineUntil(till, isPast, 'two more looks');
      assert.equal((await booked()) - before, ETHER, 'booked once');
    },
  };
}

/** A payment that a reorganisation removes and that is made again. */
async function reorganisation(till: CrashTill): Promise<Run> {
  await settle(till);
  const { anvil } = till.fixture;
  const head = Number(await anvil.rpc<Hex>('eth_blockNumber'));
  await waitFor(async () => ((await till.storage.chains.state('ETH'))?.cursor?.height ?? 0) >= head, {
    timeoutMs: SLOW_MS,
    describe: 'the till to be at the head',
  });
  const before = await anvil.rpc<string>('evm_snapshot');
  const order = new PaidOrder(till, await payerOf(till, 3));
  await order.push();
  await waitFor(async () => (await till.order(order.id))?.status === 'SUCCESS', {
    timeoutMs: SLOW_MS,
    describe: () => `the order to be paid; the log:\n${till.log.slice(-3000)}`,
  });
  let reverted = false;
  let paidAgain = false;
  return {
    push: async () => {
      if (!reverted) {
        reverted = true;
        await anvil.rpc('evm_revert', [before]);
        await anvil.mine(SPENDABLE + 2);
      }
      const taken = (await till.storage.deposits.byOrder((await till.order(order.id))!.id)).every(
        ({ status }) => status === 'ORPHANED',
      );
      if (!taken || paidAgain) return;
      paidAgain = true;
      await order.pay();
    },
    done: async () => paidAgain && (await order.done()),
    verify: () => order.verify(),
  };
}

/** A paid order whose payer has an address of its own, so that its incoming payments are refunds of this order. */
async function refundableOrder(till: CrashTill): Promise<PaidOrder> {
  const payer = newPayee();
  const { anvil } = till.fixture;
  await anvil.rpc('anvil_setBalance', [payer, hex(ETHER)]);
  await anvil.rpc('anvil_impersonateAccount', [payer]);
  const order = await paidOrder(till, payer);
  await settle(till);
  return order;
}

/** Two refunds of parts of an order, one after the other, and one of what is left. */
async function partialRefunds(till: CrashTill): Promise<Run> {
  const order = await refundableOrder(till);
  const parts = [{ fiat_amount: '100.00' }, { fiat_amount: '99.99', rate: 'order' }, {}];
  const refunds = async (): Promise<readonly Transfer[]> =>
    till.storage.transfers.refundsOf([present(await till.order(order.id), `order ${order.id}`).id]);
  let asked = 0;
  return {
    push: async () => {
      const part = parts[asked];
      if (part === undefined) return;
      // One refund of an order is in progress at a time.
      if ((await refunds()).slice(0, asked).some(({ status }) => status !== 'CONFIRMED')) return;
      const status = await till.v1('/refunds', { order: order.id, ...part }, `part-${asked}-${order.id}`);
      if (status === null) return;
      assert.equal(status, 201);
      asked += 1;
    },
    done: async () => (await till.order(order.id))?.status === 'REFUNDED',
    verify: async () => {
      const made = await refunds();
      assert.deepEqual(
        made.map(({ units, status }) => [units, status]),
        [
          [(order.units * 10_000n) / 25_000n, 'CONFIRMED'],
          [(order.units * 9_999n) / 25_000n, 'CONFIRMED'],
          [order.units - (order.units * 10_000n) / 25_000n - (order.units * 9_999n) / 25_000n, 'CONFIRMED'],
        ],
      );
      assert.deepEqual(
        await payments(till, till.hot, order.payer),
        made.map(({ units, feeUnits }) => units - feeUnits),
        'each once on chain',
      );
      await order.verify();
    },
  };
}

async function refund(till: CrashTill): Promise<Run> {
  const order = await refundableOrder(till);
  const { payer } = order;
  let asked = false;
  return {
    push: async () => {
      if (asked) return;
      const reply = await till.ask('POST', `/api/v2/order/refund/${order.id}`, undefined, `refund-${order.id}`);
      if (reply === null) return;
      assert.equal(reply.code, 0, reply.message);
      asked = true;
    },
    done: async () => (await till.order(order.id))?.status === 'REFUNDED',
    verify: async () => {
      const transfer = await till.storage.transfers.refundOf((await till.order(order.id))!.id);
      assert(transfer !== null);
      assert.deepEqual(
        await payments(till, till.hot, payer),
        [transfer.units - transfer.feeUnits],
        'one refund on chain',
      );
      await order.verify();
    },
  };
}

/** The coins of a paid order are swept to the hot wallet. */
async function sweep(till: CrashTill): Promise<Run> {
  await settle(till);
  const order = new PaidOrder(till, await payerOf(till, 4));
  return {
    push: () => order.push(),
    done: async () => (await order.done()) && (await till.quiet()),
    verify: async () => {
      await order.verify();
      assert.equal((await payments(till, order.address, till.hot)).length, 1, 'swept once');
    },
  };
}

/** A paid token order whose coins the token's issuer freezes before they are swept. */
async function frozenOrder(till: CrashTill): Promise<PaidOrder> {
  await settle(till);
  const { anvil, token } = till.fixture;
  let paid = false;
  const order: PaidOrder = new PaidOrder(till, await payerOf(till, 1), '900', 'USDT-ERC20', async () => {
    if (paid) return;
    paid = true;
    await order.pay();
    await invoke(anvil, token, 'setBlocked', [order.address, true]);
  });
  return order;
}

/** The frozen coins at an order's address. */
async function frozenAt(till: CrashTill, { address }: PaidOrder): Promise<readonly bigint[]> {
  const frozen = await till.storage.transfers.frozenCoins('ETH');
  return frozen.filter((coin) => coin.address === address).map(({ units }) => units);
}

/** Coins that are frozen, and named to the operator by the process that runs afterwards. */
async function freezing(till: CrashTill): Promise<Run> {
  const order = await frozenOrder(till);
  const isNamed = (): boolean =>
    till.log.split('\n').some((line) => line.includes('"alert":"frozen"') && line.includes(order.address));
  return {
    push: () => order.push(),
    done: async () => (await order.done()) && isNamed(),
    verify: async () => {
      await order.verify();
      assert.deepEqual(await frozenAt(till, order), [order.units], 'frozen once');
    },
  };
}

/** Frozen coins that an operator writes off. */
async function writtenOff(till: CrashTill): Promise<Run> {
  const order = await frozenOrder(till);
  const isFrozen = async (): Promise<boolean> => {
    await order.push();
    return (await order.done()) && (await frozenAt(till, order)).length === 1;
  };
  await mineUntil(till, isFrozen, 'coins to be frozen');
  const head = Number(await till.fixture.anvil.rpc<Hex>('eth_blockNumber'));
  const isFinal = async (): Promise<boolean> =>
    ((await till.storage.chains.state('ETH'))?.cursor?.height ?? 0) > head + FINALITY;
  await mineUntil(till, isFinal, 'the deposit to be final');
  const available = async (): Promise<bigint> => {
    const balances = await till.storage.ledger.balances(merchantAccount(till.accountId, 'available'));
    return balances.find(({ currency }) => currency === 'USDT-ERC20')?.units ?? 0n;
  };
  const [rows, before] = [await auditRows(till, 'chain.write_off_frozen', 'ETH'), await available()];
  return {
    push: async () => {
      if ((await frozenAt(till, order)).length > 0)
        await till.operate('wallet write-off', order.address, 'The issuer keeps them.');
    },
    done: async () => (await frozenAt(till, order)).length === 0,
    verify: async () => {
      assert.equal(before - (await available()), order.units, 'its owner bears it once');
      assert.equal((await auditRows(till, 'chain.write_off_frozen', 'ETH')) - rows, 1);
    },
  };
}

/** The same for a token, which needs gas sent ahead. */
async function tokenSweep(till: CrashTill): Promise<Run> {
  await settle(till);
  const order = new PaidOrder(till, await payerOf(till, 1), '900', 'USDT-ERC20');
  const { anvil, token } = till.fixture;
  const held = (owner: string): Promise<bigint> => read<bigint>(anvil, token, 'balanceOf', [owner]);
  const before = await held(till.hot);
  return {
    push: () => order.push(),
    done: async () => (await order.done()) && (await till.quiet()),
    verify: async () => {
      await order.verify();
      assert.equal((await payments(till, till.hot, order.address)).length, 1, 'gas was sent once');
      assert.equal(await held(order.address), 0n);
      assert.equal((await held(till.hot)) - before, order.units);
    },
  };
}

const invoiceOrder = async (till: CrashTill): Promise<Run> =>
  new PaidOrder(till, await payerOf(till, 2), '20', 'BTC-LN');

/** A withdrawal to an invoice of another node. */
async function invoicePayment(till: CrashTill): Promise<Run> {
  await paidOrder(till, await payerOf(till, 2), '20', 'BTC-LN');
  const { node, customer } = till.fixture.lightning;
  const invoice = customer.addInvoice({ msat: 5_000_000n });
  const key = randomBytes(8).toString('hex');
  let id = '';
  return {
    push: async () => {
      if (id !== '') return;
      const reply = await till.ask('POST', '/api/bln/withdraw', { ln_invoices: invoice.paymentRequest }, key);
      if (reply === null) return;
      assert.equal(reply.code, 0, reply.message);
      id = String(reply.data['tx_id']);
    },
    done: async () => id !== '' && (await till.transfer(id))?.status === 'CONFIRMED',
    verify: async () => {
      assert.equal(node.payments.get(invoice.paymentHash)?.deliveries, 1, 'paid once');
      assert.equal(customer.invoices.get(invoice.paymentHash)?.receivedMsat, 5_000_000n);
    },
  };
}

/** A withdrawal to an invoice that the node refuses over and over, until an operator gives it up. */
async function refusedInvoice(till: CrashTill): Promise<Run> {
  await paidOrder(till, await payerOf(till, 2), '20', 'BTC-LN');
  const { node, customer } = till.fixture.lightning;
  node.refusesWith = 'there is no such path';
  const invoice = customer.addInvoice({ msat: 5_000_000n });
  const key = randomBytes(8).toString('hex');
  let id = '';
  const ask = async (): Promise<void> => {
    const reply = await till.ask('POST', '/api/bln/withdraw', { ln_invoices: invoice.paymentRequest }, key);
    if (reply === null) return;
    assert.equal(reply.code, 0, reply.message);
    id = String(reply.data['tx_id']);
  };
  return {
    push: async () => {
      if (id === '') await ask();
      const payment = id === '' ? null : await till.storage.lightning.paymentOf(id as TransferId);
      if (payment?.refusedAt == null || payment.cancelReason !== null) return;
      await till.operate('transfer cancel', id, 'The node cannot read it.');
    },
    done: async () => id !== '' && (await till.transfer(id))?.status === 'FAILED',
    verify: async () => {
      node.refusesWith = null;
      assert.equal(node.payments.has(invoice.paymentHash), false, 'the node never had it');
      assert.equal((await till.transfer(id))?.reason, 'The node cannot read it.');
      assert.equal(await auditRows(till, 'transfer.cancel', id), 1);
    },
  };
}

/** An operator says that the Lightning node began anew. */
async function newNodeLife(till: CrashTill): Promise<Run> {
  const { number } = await till.storage.lightning.life();
  const isBegun = async (): Promise<boolean> => (await till.storage.lightning.life()).number > number;
  return {
    push: async () => {
      if (!(await isBegun())) await till.operate('lightning confirm');
    },
    done: isBegun,
    verify: async () => {
      const life = await till.storage.lightning.life();
      assert.deepEqual([life.number, life.status], [number + 1, 'confirmed']);
      assert.equal(await auditRows(till, 'lightning.confirm', String(life.number)), 1);
    },
  };
}

interface KeyRecord {
  readonly id: string;
  readonly api_key: string;
  readonly state: string;
}

async function newApp(till: CrashTill): Promise<{ id: string; first: KeyRecord; keys(): Promise<KeyRecord[] | null> }> {
  // A till that is not ready created nothing.
  const made = await waitFor(
    async () => {
      const reply = await till.manage('POST', '/apps', { name: 'wallet', chains: ['ETH'] });
      return reply?.status === 503 ? null : reply;
    },
    { timeoutMs: SLOW_MS, intervalMs: 100, describe: () => `an App; the log:\n${till.log.slice(-3000)}` },
  );
  assert.equal(made.status, 201, JSON.stringify(made));
  const { id, key } = made.data as unknown as { id: string; key: KeyRecord };
  const keys = async (): Promise<KeyRecord[] | null> => {
    const listed = await till.manage('GET', `/apps/${id}/keys`);
    return listed?.status !== 200 ? null : (listed.data['items'] as KeyRecord[]);
  };
  return { id, first: key, keys };
}

/** The text of a key, which lists mask. */
async function revealed(till: CrashTill, app: string, key: string): Promise<string> {
  const reply = await waitFor(() => till.manage('POST', `/apps/${app}/keys/${key}/reveal`), {
    timeoutMs: SLOW_MS,
    describe: 'the key to be revealed',
  });
  assert.equal(reply.status, 200, JSON.stringify(reply));
  return (reply.data as unknown as KeyRecord).api_key;
}

/** A key is replaced; a client without an answer checks whether it was. */
async function rotation(till: CrashTill): Promise<Run> {
  const { id, first, keys } = await newApp(till);
  let rotated = false;
  return {
    push: async () => {
      const known = await keys();
      if (known === null || rotated) return;
      assert.equal(known.filter(({ state }) => state === 'active').length, 1, 'an App has one active key');
      rotated = known.some(({ id: key, state }) => key !== first.id && state === 'active');
      if (rotated) return;
      const reply = await till.manage('POST', `/apps/${id}/keys/rotate`, {});
      rotated = reply?.status === 200;
    },
    done: () => Promise.resolve(rotated),
    verify: async () => {
      const known = await waitFor(keys, { timeoutMs: SLOW_MS, describe: 'the keys of the App' });
      assert.deepEqual(known.map(({ state }) => state).sort(), ['active', 'grace']);
      for (const { id: key } of known) assert.equal(await till.gate(await revealed(till, id, key)), 200);
    },
  };
}

/** A key is revoked; once the request is answered, no gateway accepts it. */
async function revocation(till: CrashTill): Promise<Run> {
  const { id, first, keys } = await newApp(till);
  let answered = false;
  return {
    push: async () => {
      if (answered) return;
      const reply = await till.manage('POST', `/apps/${id}/keys/${first.id}/revoke`);
      answered = reply?.status === 200;
    },
    done: () => Promise.resolve(answered),
    verify: async () => {
      assert.deepEqual(
        (await waitFor(keys, { timeoutMs: SLOW_MS, describe: 'the keys of the App' })).map(({ state }) => state),
        ['revoked'],
      );
      assert.equal(await till.gate(first.api_key), 401);
    },
  };
}

/** An order that its payer pays by a signature, which the payer's client sends again until it has an answer. */
async function charge(till: CrashTill): Promise<Run> {
  await settle(till);
  const { anvil, token } = till.fixture;
  const sent = async (): Promise<number> => (await payments(till, till.hot, token.address)).length;
  const before = await sent();
  let signature = '';
  let answered = false;
  const order = new PaidOrder(till, PAYER.address, '250', 'USDT-ERC20', async () => {
    if (answered) return;
    signature ||= await signedFor(till, order.id);
    const reply = signature === '' ? null : await till.x402(order.id, signature);
    if (reply === null) return;
    assert.equal(reply.status, 200);
    answered = true;
  });
  return {
    push: () => order.push(),
    done: async () => answered && (await order.done()) && (await till.quiet()),
    verify: async () => {
      await order.verify();
      assert.equal((await sent()) - before, 1, 'sent once');
      const swept = await read<bigint>(anvil, token, 'balanceOf', [order.address]);
      assert.equal(swept, 0n, 'nothing came twice');
    },
  };
}

/** The payer's signature for an order's demand; empty when the till was killed before it answered. */
async function signedFor(till: CrashTill, order: string): Promise<string> {
  const reply = await till.x402(order);
  if (reply === null) return '';
  assert.equal(reply.status, 402);
  const { accepts } = unpack(reply.demand) as { accepts: readonly [Requirements] };
  return signed(accepts[0]);
}

/** A paid order. */
export const PAID_ORDER: readonly Scenario[] = [
  {
    name: 'an order, its payment and its credit',
    points: [
      'order:address-taken',
      'order:stored',
      'follow:head-read',
      'follow:scanned',
      'follow:cursor-moved',
      'follow:blocks-stored',
      'follow:deposit-stored',
      'follow:committed',
      'credit:locked',
      'credit:moved',
      'credit:posted',
      'credit:transaction-stored',
      'credit:order-refreshed',
      'order:moved',
      'order:history-stored',
      'order:recorded',
      'credit:committed',
      'mature:moved',
      'mature:posted',
      'mature:held',
    ],
    begin: deposit,
  },
];

/** The other scenarios of incoming money. */
export const MONEY_IN: readonly Scenario[] = [
  {
    name: 'a start after a credit',
    points: ['credit:committed', 'start:migrated', 'start:chains-begun'],
    begin: deposit,
  },
  {
    name: 'a callback',
    points: ['callback:claimed', 'callback:sent', 'callback:attempt-stored', 'callback:recorded'],
    begin: deposit,
  },
  {
    name: 'a payment that a reorganisation takes away',
    points: ['reorg:cursor-moved', 'reorg:blocks-removed', 'reorg:reversed', 'reorg:committed'],
    begin: reorganisation,
  },
  {
    name: 'an order paid by an authorization (x402)',
    points: ['charge:stored', 'charge:committed', 'sign:committed', 'send:done', 'finish:posted', 'finish:committed'],
    begin: charge,
  },
  {
    name: 'coins that no transaction shows',
    points: ['excess:found', 'excess:stored', 'excess:committed'],
    begin: balanceExcess,
  },
  {
    name: 'an invoice and its settlement',
    points: ['invoice:heard', 'invoice:deposit-stored', 'invoice:credited', 'invoice:matured', 'invoice:committed'],
    begin: invoiceOrder,
  },
];

/** The scenarios of merchants' payouts on a chain. */
export const MONEY_OUT: readonly Scenario[] = [
  {
    name: 'a withdrawal, until it is sent',
    points: [
      'withdrawal:drafted',
      'withdrawal:stored',
      'sign:drafted',
      'sign:payout-stored',
      'sign:attempt-stored',
      'sign:transfer-moved',
      'sign:committed',
      'send:begun',
      'send:done',
    ],
    begin: withdrawal,
  },
  { name: 'a withdrawal whose broadcast is being recorded', points: ['send:payout-noted'], begin: withdrawal },
  { name: 'a withdrawal that was broadcast', points: ['send:committed'], begin: withdrawal },
  { name: 'a withdrawal that is mined', points: ['mined:noted'], still: true, begin: withdrawal },
  {
    name: 'a withdrawal that was mined, to its end',
    points: ['finish:payout-closed', 'finish:holdings-settled', 'finish:posted', 'finish:committed'],
    begin: withdrawal,
  },
  {
    name: 'a refund',
    points: [
      'refund:claimed',
      'reserve:transfer-stored',
      'reserve:posted',
      'reserve:transaction-stored',
      'refund:committed',
      'sign:committed',
      'send:done',
      'finish:order-refunded',
      'finish:committed',
    ],
    begin: refund,
  },
  {
    name: 'refunds of parts',
    points: [
      'refund:claimed',
      'reserve:posted',
      'refund:part-noted',
      'refund:committed',
      'sign:committed',
      'send:done',
      'finish:part-refunded',
      'finish:committed',
      'refund:part-noted',
      'refund:committed',
      'finish:part-refunded',
      'finish:committed',
      'finish:order-refunded',
    ],
    begin: partialRefunds,
  },
];

/** Amounts that are promised and claimed. */
export const CLAIMS: readonly Scenario[] = [
  {
    name: 'a promise, its claims and their decisions',
    points: [
      'promise:set-aside',
      'promise:stored',
      'promise:committed',
      'claim:counted',
      'claim:stored',
      'claim:committed',
      'claim:decided',
      'claim:decision-committed',
      'sign:committed',
      'send:done',
    ],
    begin: claimed,
  },
  {
    name: 'what is left of a promise',
    points: ['claim:given-back', 'finish:posted', 'finish:committed'],
    begin: claimed,
  },
];

/** The operator's decisions about unassigned deposits, and about a restored database. */
export const RETURNS_AND_RESTORES: readonly Scenario[] = [
  {
    name: 'the return of an unassigned deposit',
    actPoints: ['return:reassigned', 'return:stored', 'return:audited', 'return:committed'],
    points: ['sign:committed', 'send:done', 'finish:posted', 'return:ended', 'finish:committed'],
    begin: returned,
  },
  {
    name: 'a return that is mined without effect',
    points: ['return:charged', 'return:given-back', 'finish:committed'],
    begin: failingReturn,
  },
  {
    name: 'the confirmation of a restored database',
    actPoints: ['restore:begun', 'restore:decided', 'restore:held', 'restore:audited', 'restore:committed'],
    points: [],
    begin: restored,
  },
];

/** Payments that are cancelled, and the operator's float. */
export const CANCELS_AND_FLOAT: readonly Scenario[] = [
  {
    name: 'a withdrawal that an operator cancels',
    actPoints: ['cancel:asked', 'cancel:audited', 'cancel:request-committed'],
    points: [
      'cancel:drafted',
      'cancel:attempt-stored',
      'cancel:committed',
      'cancel:payout-closed',
      'cancel:posted',
      'cancel:transaction-stored',
      'cancel:finished',
    ],
    still: true,
    begin: cancelled,
  },
  { name: 'coins of the operator', points: ['float:posted', 'float:committed'], begin: float },
  {
    name: 'an invoice that the node refuses, and that an operator gives up',
    points: ['refusal:noted', 'refusal:committed', 'give-up:posted', 'cancel:transaction-stored', 'give-up:finished'],
    begin: refusedInvoice,
  },
  {
    name: 'the word of an operator to give up an invoice',
    actPoints: ['give-up:asked', 'cancel:audited', 'give-up:request-committed'],
    points: [],
    begin: refusedInvoice,
  },
  {
    name: 'the word of an operator that the Lightning node began anew',
    actPoints: ['node-life:begun', 'node-life:decided', 'node-life:audited', 'node-life:committed'],
    points: [],
    begin: newNodeLife,
  },
];

/** Transfers of the till itself, payments of invoices, and the keys of the gateway. */
export const SWEEPS_AND_KEYS: readonly Scenario[] = [
  {
    name: 'a sweep',
    points: ['sweep:priced', 'sweep:committed', 'sign:payout-stored', 'send:begun', 'finish:posted'],
    begin: sweep,
  },
  {
    name: 'a sweep of a token, with its gas',
    points: [
      'sweep:gas-priced',
      'sweep:committed',
      'sign:committed',
      'send:done',
      'finish:holdings-settled',
      'gas:booked',
    ],
    begin: tokenSweep,
  },
  { name: 'coins that their contract freezes', points: ['freeze:stored', 'freeze:committed'], begin: freezing },
  {
    name: 'the write-off of frozen coins',
    actPoints: ['write-off:dropped', 'write-off:posted', 'write-off:audited', 'write-off:committed'],
    points: [],
    begin: writtenOff,
  },
  {
    name: 'a payment of an invoice',
    points: [
      'invoice-payment:reserved',
      'invoice-payment:committed',
      'invoice-payment:begun',
      'invoice-payment:signed',
      'invoice-payment:given-again',
      'invoice-payment:paid',
      'invoice-payment:confirmed',
      'invoice-payment:posted',
      'invoice-payment:booked',
    ],
    begin: invoicePayment,
  },
  {
    name: 'a rotation of a key',
    points: ['rotate:former-in-grace', 'rotate:key-stored', 'rotate:committed'],
    begin: rotation,
  },
  { name: 'a rotation of a key that all gateways know', points: ['rotate:settled'], begin: rotation },
  { name: 'a revocation of a key', points: ['revoke:moved', 'revoke:committed', 'revoke:settled'], begin: revocation },
];
