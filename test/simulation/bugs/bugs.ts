/** One place of a file, which must be there exactly once, and what stands there instead. */
export interface Patch {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A mistake that somebody could have made. */
export interface Bug {
  readonly name: string;
  readonly patches: readonly Patch[];
  /** True for one that shows only where transactions overlap: it is hunted on PostgreSQL. */
  readonly pg?: boolean;
}

const bug = (name: string, file: string, find: string, replace: string, ...more: readonly (readonly [file: string, find: string, replace: string])[]): Bug => ({
  name,
  patches: [{ file, find, replace }, ...more.map(([also, there, instead]) => ({ file: also, find: there, replace: instead }))],
});

const FOLLOW = 'core/deposits/follow-chain.ts';
const CREDIT = 'core/deposits/credit-deposit.ts';
const ORPHAN = 'core/deposits/orphan-deposits.ts';
const RECORD = 'core/deposits/record-transfer.ts';
const SETTLE = 'core/orders/settle-order.ts';
const PAYOUTS = 'core/transfers/follow-payouts.ts';
const FINISH = 'core/transfers/finish-payout.ts';
const SIGN = 'core/transfers/sign-transfers.ts';
const RESERVE = 'core/transfers/reserve-transfer.ts';
const ENTRIES = 'core/ledger/transfer-entries.ts';
const PAY = 'core/lightning/pay-invoices.ts';
/** Its decisions on what can never be mined any more are those of `adapters/chains/tron/payment-outcome.ts`, in small. */
const NODE = 'test/simulation/world/node.ts';
const STORES = 'adapters/storage/knex/stores';

/** Every planted bug. Each was caught by the simulator; see test/README.md for how long it took. */
export const BUGS: readonly Bug[] = [
  // Money in.
  bug('credit before it is final', CREDIT, 'depth.confirmations < depth.policy', 'depth.confirmations + 1 < depth.policy', [
    FOLLOW,
    "'SEEN' && confirmations >= policy",
    "'SEEN' && confirmations + 1 >= policy",
  ]),
  bug('spendable as soon as it is credited', FOLLOW, '!credited || confirmations < policy.spendableConfirmations', '!credited'),
  bug('a reorganisation is not reversed in the ledger', ORPHAN, "deposit.status === 'SEEN' ? deposit.lossUnits : await reverse(tx, deposit, context)", 'deposit.lossUnits'),
  bug('a reversal takes what was withdrawn already', 'core/ledger/deposit-entries.ts', 'return available >= deposit.units ? 0n : deposit.units - available;', 'return 0n;'),
  bug('a payment that is mined again stays lost', RECORD, "if (known.status !== 'ORPHANED') return;", 'return;'),
  bug("a deposit's index is ignored", RECORD, 'lockByTransfer(context.chain, transfer.txid, transfer.index)', "lockByTransfer(context.chain, transfer.txid, '0')"),
  bug('the cursor moves before its deposits are stored', FOLLOW, '      for (const transfer of owned) await recordTransfer(tx, transfer, { chain: code, now: clock.now(), ids, mempool: this.#hasMempool });\n      return true;\n    });', `      return true;
    });
    if (moved) await storage.transaction(async (tx) => {
      for (const transfer of owned) await recordTransfer(tx, transfer, { chain: code, now: clock.now(), ids, mempool: this.#hasMempool });
    });`),
  bug('payments go by the clock, not by the chain', FOLLOW, 'Math.min(clock.now(), cursor.time - BLOCK_TIME_SLACK_MS)', 'clock.now()'),
  bug('a payment goes to the wrong order', FOLLOW, 'present(owners.get(transfer.toKey),', 'present([...owners.values()][0],'),
  bug('spent coins of a reorganised deposit stay', ORPHAN, "if (deposit.status === 'SPENDABLE') await tx.transfers.dropHolding(context.chain, holdingRef(deposit));", ''),
  // Orders.
  bug('what is unconfirmed counts', SETTLE, "if (status === 'SEEN') {", "if (status === ('NEVER' as string)) {"),
  bug('another coin counts', SETTLE, 'chain === payment.chain && currency === payment.currency && status', 'chain === payment.chain && status'),
  bug('a late payment does not count', SETTLE, 'received.confirmedInWindow >= required', 'received.confirmedInTime >= required'),
  bug('the tolerance is applied twice', 'core/orders/order.ts', 'BigInt(toleranceBps)) / 10_000n', 'BigInt(toleranceBps) * 2n) / 10_000n'),
  bug('the least amount is rounded down', 'core/orders/order.ts', 'units - (units * BigInt(toleranceBps)) / 10_000n', '(units * (10_000n - BigInt(toleranceBps))) / 10_000n'),
  bug('a quote is rounded down', 'core/rates/quote.ts', "denominator, 'up')", "denominator, 'down')", ['core/rates/quote.ts', "QUOTE_DIGITS, 'up')", "QUOTE_DIGITS, 'down')"]),
  bug('an order expires before its chain was read', 'core/orders/expire-orders.ts', 'readUpTo.set(chain, caughtUpAt)', 'readUpTo.set(chain, now)'),
  bug('caught up as of the end of the look', FOLLOW, 'setCaughtUp(this.#chain.code, lookBegan)', 'setCaughtUp(this.#chain.code, this.#deps.clock.now())'),
  bug('an order is cancelled although it was paid', 'core/orders/operate-order.ts', 'onlyUnpaid && deposits', 'onlyUnpaid && actor === null && deposits'),
  bug('an address is given to two orders', 'core/orders/choose-payment.ts', 'used = address === spare;', 'used = false;'),
  // Callbacks.
  bug('the outbox is written after the transaction', 'core/orders/expire-orders.ts', 'return mover.settle(tx, order,', 'return mover.settle({ ...tx, callbacks: { ...tx.callbacks, add: async (callback) => late.push(callback) > 0 } }, order,', [
    'core/orders/expire-orders.ts',
    '    mover.announce(moves);\n',
    '    for (const callback of late) await storage.transaction((tx) => tx.callbacks.add(callback));\n    mover.announce(moves);\n',
  ], ['core/orders/expire-orders.ts', 'const moves = await', 'const late: never[] = [];\n    const moves = await']),
  bug('no callback for a late payment', 'core/orders/order-status.ts', "{ rule: 'late-payment', from: ['OVERDUE', 'PARTIAL'], to: 'RESOLVED', event: 'order.succeeded' }", "{ rule: 'late-payment', from: ['OVERDUE', 'PARTIAL'], to: 'RESOLVED', event: null }"),
  bug('a callback has another id each time', 'core/callbacks/sign.ts', "'webhook-id': callback.id", "'webhook-id': `${callback.id}-${now}`"),
  bug('a dead callback is dropped', 'core/callbacks/schedule.ts', "changes: { status: 'DEAD',", "changes: { status: 'DELIVERED',"),
  bug('a redirect is a success', 'core/callbacks/schedule.ts', 'outcome.status <= 299', 'outcome.status <= 399'),
  bug('callbacks of an order overtake each other', `${STORES}/callback-store.ts`, "e.order_id = c.order_id AND e.status = 'PENDING'", "e.order_id = c.order_id AND e.status = 'NEVER'"),
  // Money out.
  bug('no look at the balance', RESERVE, 'if (available < transfer.units) throw lacking();', ''),
  bug('an idempotency key is not claimed', 'adapters/storage/knex/stores/reserve-transfers.ts', '  if (claiming.length === 0) return repeated;', '  if (claiming.length >= 0) return repeated;', [RESERVE, 'claim === null ? null : await transfers.claimed(accountId, claim)', 'null']),
  bug('an order is refunded twice', 'core/refunds/request-refund.ts', "if (former !== null && former.status !== 'FAILED') throw secondRefund();", '', [
    'adapters/storage/knex/migrations/0004-money-out.ts',
    'CREATE UNIQUE INDEX ${t.transfers}_one_refund',
    'CREATE INDEX ${t.transfers}_one_refund',
  ]),
  bug('bytes are sent before they are stored', SIGN, 'return drafts.length === 0 ? [] : this.#commit(lease, drafts);', 'for (const { signed } of drafts) await this.#chain.payments.broadcast(signed);\n    return drafts.length === 0 ? [] : this.#commit(lease, drafts);'),
  bug('the nonce comes from memory', SIGN, '    this.#counters.clear();\n', '', [`${STORES}/transfer-writes.ts`, '       WHERE ${payerNonces}.next_nonce = excluded.next_nonce - 1 RETURNING next_nonce`', '       RETURNING next_nonce`']),
  bug('a fee is raised with a new nonce', PAYOUTS, '}, payout.nonce);', '}, payout.nonce === null ? null : payout.nonce + 1);'),
  bug('a raised fee changes the payment', 'core/transfers/build-payout.ts', 'lineOf({ transfer, feeUnits: transfer.feeUnits })', 'lineOf({ transfer, feeUnits: transfer.feeUnits + 1n })'),
  bug('a reserve goes back when no node knows the payment', PAYOUTS, "      case 'missing':\n", "      case 'missing':\n        return this.#finish(lease, (tx, context) => voidPayout(tx, view, 'missing', context));\n"),
  bug('a signed payment can be rejected', 'core/transfers/review-transfer.ts', "transfer.status !== 'HELD' && transfer.status !== 'REQUESTED'", "transfer.status === 'CONFIRMED'"),
  bug('paid with its first confirmation', PAYOUTS, 'outcome.confirmations >= this.#chain.policy.spendableConfirmations', 'outcome.confirmations >= 1'),
  bug('a payment without effect counts as made', FINISH, "outcome.succeeded ? 'CONFIRMED' : 'FAILED'", "'CONFIRMED'"),
  bug('a payment that left its block is not sent again', PAYOUTS, "if (outcome.kind === 'missing') {", "if (outcome.kind === 'expired') {"),
  bug('change is forgotten', FINISH, 'if (outcome.change !== null) await', 'if (outcome.change === undefined) await'),
  bug('a sweep is counted as a payment', ENTRIES, 'if (accountId === null) return [];', "if (accountId === null) return [{ account: custodyAccount(chain), currency, units: obtained }, { account: FEES_ACCOUNT, currency, units: -obtained }];"),
  bug("the network's fee is not booked", ENTRIES, '[...payout(transfer), ...networkFee(transfer, cost)]', 'payout(transfer)'),
  bug('more is charged than was agreed', 'core/transfers/build-payout.ts', "if (feeUnits > transfer.maxFeeUnits) throw new PayoutDeferred([transfer], \"The network's fee is above the most that this transfer may be charged.\");", ''),
  // Where transactions expire.
  bug('what no node knows is signed again', PAYOUTS, "        await this.#sendAgain(lease, view);\n        return this.#raiseWhenSlow(lease, view);\n      case 'mined':", "        return this.#signAgain(lease, view);\n      case 'mined':"),
  bug('an expiry is not kept', SIGN, 'feeUnits, terms, expiresAt, createdAt: now };', 'feeUnits, terms, expiresAt: expiresAt === null ? null : now, createdAt: now };'),
  bug('bytes have expired by the clock', NODE, 'this.#chain.timeOf(shown - SOLID) <= last', 'this.#chain.time <= last', [NODE, 'this.#chain.timeOf(seen - SOLID) <= last', 'this.#chain.time <= last']),
  bug('bytes have expired by a block that may go', NODE, 'this.#chain.timeOf(shown - SOLID) <= last', 'this.#chain.timeOf(shown) <= last', [NODE, 'this.#chain.timeOf(seen - SOLID) <= last', 'this.#chain.timeOf(seen) <= last']),
  bug('one node is believed that bytes were never mined', NODE, "    if (this.#knows(attempts, seen)) return 'pending';\n", ''),
  // Lightning.
  bug('an invoice payment under way is given up', PAY, "return transfer.status === 'SIGNED' ? this.#move(lease, transfer, 'BROADCAST') : false;", "return this.#end(transfer, 'FAILED', () => failPayment(this.#deps, lease, transfer, 'It took too long.'));"),
  bug('a due invoice is not asked for', 'core/lightning/follow-invoices.ts', "view?.state === 'settled'", "view?.state === 'accepted'"),
  bug('an invoice is withdrawn to twice', 'core/lightning/request-payment.ts', 'if (!(await tx.lightning.addPayment(payment))) {', 'if (!(await tx.lightning.addPayment(payment)) && payment === undefined) {'),
  // Keys and signatures.
  bug('used signatures are kept in memory', 'core/auth/authenticate.ts', '!(await storage.accounts.useSignature(verdict.replayKey, now + 2 * clockSkewMs))', '((used: Set<string>) => used.has(verdict.replayKey) || !used.add(verdict.replayKey))(((this as unknown as { used?: Set<string> }).used ??= new Set()))'),
  bug('the end of a grace is not compared', 'core/keys/app-key.ts', 'expiresAt !== null && expiresAt <= now', 'expiresAt === null'),
];
