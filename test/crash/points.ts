/** A place in the source at which a till of the debug build can be killed. */
export interface CrashPoint {
  /** What has just happened there. */
  readonly name: string;
  /** Under the repository. */
  readonly file: string;
  /** Whether the process dies before or after the text. */
  readonly at: 'before' | 'after';
  /** Whole statements, as they stand in the file exactly once. */
  readonly text: string;
}

const points = (file: string, rows: readonly (readonly [name: string, at: CrashPoint['at'], text: string])[]): readonly CrashPoint[] =>
  rows.map(([name, at, text]) => ({ name, file, at, text }));

/**
 * Every named point, in the order of the files. The sources know nothing of them: `debug-build.ts` puts them in, and
 * refuses a text that it does not find exactly once.
 */
export const CRASH_POINTS: readonly CrashPoint[] = [
  ...points('host/runtime.ts', [['start:migrated', 'after', 'await storage.migrate();']]),
  ...points('host/till-lifecycle.ts', [['start:chains-begun', 'after', "if (scope === 'all') await beginChains({ ...this.#till, owner: this.#runtime.owner });"]]),
  ...points('core/orders/create-order.ts', [
    ['order:address-taken', 'after', 'const address = await this.#allocator.take(asset, { units, memo: memoOf(price.fiat, price.units), expiresAt: now + settings.timeoutMs });'],
    ['order:stored', 'after', 'const result = await storage.orders.create({ order, depositAddress: pay?.address ?? null, idempotency });'],
  ]),
  ...points('core/deposits/follow-chain.ts', [
    ['follow:head-read', 'after', 'const head = await this.#chain.head();'],
    ['follow:scanned', 'after', 'const scanned = await this.#chain.scan(cursor.height + 1, to, this.#watch);'],
    ['follow:cursor-moved', 'after', 'if (!(await tx.chains.moveCursor(code, cursor.hash, last))) return false;'],
    ['follow:blocks-stored', 'before', 'for (const transfer of owned) await recordTransfer(tx, transfer, { chain: code, now: clock.now(), ids, mempool: this.#hasMempool });'],
    ['follow:transfers-stored', 'after', 'for (const transfer of owned) await recordTransfer(tx, transfer, { chain: code, now: clock.now(), ids, mempool: this.#hasMempool });'],
    ['follow:committed', 'before', 'for (const { owner } of moved ? owned : []) {'],
    ['credit:committed', 'before', 'changed = moves !== null;'],
    ['credit:announced', 'after', 'mover.announce(moves ?? []);'],
    ['reorg:cursor-moved', 'after', 'if (!(await tx.chains.moveCursor(code, cursor.hash, ancestor))) return { deposits: [], losses: [] };'],
    ['reorg:blocks-removed', 'after', 'await tx.chains.removeBlocksAbove(code, ancestor.height);'],
    ['reorg:committed', 'before', "this.#logger.warn('chain reorganisation (reorg): deposits above the common block were orphaned', { depth: cursor.height - ancestor.height, deposits: orphaned.length });"],
  ]),
  ...points('core/deposits/record-transfer.ts', [['deposit:stored', 'after', 'await tx.deposits.add(newDeposit(transfer, owner, context, unconfirmed?.seenAt ?? context.now));']]),
  ...points('core/deposits/orphan-deposits.ts', [['reorg:reversed', 'after', 'assert(booked, `deposit ${deposit.id} is reversed twice`);']]),
  ...points('core/deposits/credit-deposit.ts', [
    ['credit:locked', 'after', 'const deposit = await tx.deposits.lock(seen.id);'],
    ['credit:moved', 'before', 'assert(await postEntry(tx, creditEntry('],
    ['credit:posted', 'before', 'await recordTransaction(tx, order, deposit, now);'],
    ['credit:transaction-stored', 'after', 'await recordTransaction(tx, order, deposit, now);'],
    ['credit:order-refreshed', 'after', 'const current = await refreshOrder(tx, order, now);'],
    ['mature:moved', 'before', 'const entry = spendableEntry(ids.next() as EntryId, clock.now(), deposit);'],
    ['mature:held', 'after', 'await tx.transfers.addHolding({ chain, currency, units, ref: holdingRef(deposit), address: address.address, index: address.index });'],
  ]),
  ...points('core/orders/move-order.ts', [
    ['order:moved', 'after', 'const moved: Order = { ...order, ...changes, status: transition.to };'],
    ['order:history-stored', 'before', 'if (transition.event !== null) await this.#queueCallback(tx, moved, deposits, transition.event);'],
    ['order:callback-stored', 'after', 'if (transition.event !== null) await this.#queueCallback(tx, moved, deposits, transition.event);'],
  ]),
  ...points('core/callbacks/deliver-callbacks.ts', [
    ['callback:claimed', 'before', 'const outcome = await this.#send(callback, at);'],
    ['callback:sent', 'after', 'const outcome = await this.#send(callback, at);'],
    ['callback:recorded', 'after', "metrics.count('tillgate_callbacks_total', { outcome: result });"],
  ]),
  ...points('adapters/storage/knex/stores/callback-store.ts', [['callback:attempt-stored', 'after', 'await run(sql, bindings);']]),
  ...points('core/withdrawals/request-withdrawal.ts', [
    ['withdrawal:priced', 'after', 'const fee = await fees.estimate(chain, asset, units, toAddress);'],
    ['withdrawal:drafted', 'before', 'const outcome = await storage.transfers.reserve(reservationOf(transfer, ids, idempotency));'],
    ['withdrawal:stored', 'after', 'const outcome = await storage.transfers.reserve(reservationOf(transfer, ids, idempotency));'],
    ['withdrawal:committed', 'before', "metrics.count('tillgate_transfers_total', { chain: transfer.chain, kind: transfer.kind, status: transfer.status });"],
  ]),
  ...points('core/refunds/request-refund.ts', [
    ['refund:claimed', 'after', 'const claimed = await claimTransfer(tx, transfer, idempotency);'],
    ['refund:reserved', 'after', 'if (left === null) throw secondRefund();'],
    ['refund:committed', 'before', 'if (outcome.added) {'],
  ]),
  ...points('core/transfers/reserve-transfer.ts', [
    ['reserve:transfer-stored', 'after', 'if (!(await tx.transfers.add(transfer))) return null;'],
    ['reserve:posted', 'before', 'await tx.deposits.addTransaction(row);'],
    ['reserve:transaction-stored', 'after', 'await tx.deposits.addTransaction(row);'],
  ]),
  ...points('core/transfers/sign-transfers.ts', [
    ['sign:drafted', 'after', 'if (counter !== null) counter.next += 1;'],
    ['sign:payout-stored', 'after', 'if (!(await tx.transfers.openPayout(payout))) throw new ConcurrentChange(`nonce ${nonce} was taken`);'],
    ['sign:attempt-stored', 'after', 'await tx.transfers.addAttempt(attempt);'],
    ['sign:transfer-moved', 'after', "transfers.push({ ...transfer, ...changes, status: 'SIGNED' });"],
    ['sign:committed', 'before', "for (const { transfers } of views) for (const transfer of transfers) publishTransfer(this.#deps, transfer, 'REQUESTED', 'SIGNED');"],
  ]),
  ...points('core/transfers/follow-payouts.ts', [
    ['send:begun', 'before', 'await this.#chain.payments.broadcast(attempt);'],
    ['send:done', 'after', 'await this.#chain.payments.broadcast(attempt);'],
    ['send:payout-noted', 'after', 'await tx.transfers.updatePayout(view.payout.id, { sentAt: now });'],
    ['send:committed', 'before', "for (const { signed } of unrecorded) for (const transfer of signed) publishTransfer(this.#deps, transfer, 'SIGNED', 'BROADCAST');"],
    ['mined:noted', 'after', 'await tx.transfers.updatePayout(payout.id, { minedTxid: outcome.txid, minedHeight: outcome.block.height });'],
    ['finish:committed', 'before', 'for (const { transfer, to } of transfers) {'],
  ]),
  ...points('core/transfers/finish-payout.ts', [
    ['finish:payout-closed', 'before', "await tx.transfers.settleHoldings(payout.id, outcome.succeeded ? 'SPENT' : 'FREE');"],
    ['finish:holdings-settled', 'after', "await tx.transfers.settleHoldings(payout.id, outcome.succeeded ? 'SPENT' : 'FREE');"],
    ['finish:posted', 'after', 'await post(tx, book(ids.next() as EntryId, now, transfer, cost));'],
    ['finish:order-refunded', 'after', 'if (outcome.succeeded) orders.push(...(await refundOrder(tx, listed, outcome.txid, context)));'],
  ]),
  ...points('core/transfers/plan-sweeps.ts', [
    ['sweep:priced', 'after', 'const priced = await this.#price(candidate, urgent);'],
    ['sweep:gas-priced', 'after', 'await hot.spend(native, gas);'],
    ['sweep:committed', 'before', "if (added) metrics.count('tillgate_transfers_total', { chain, kind, status: 'REQUESTED' });"],
  ]),
  ...points('core/lightning/settle-invoice.ts', [
    ['invoice:deposit-stored', 'before', 'if (deposit.status !== \'SEEN\') return null;'],
    ['invoice:credited', 'after', 'const moves = await bookCredit(tx, deps, order, deposit);'],
    ['invoice:matured', 'before', 'return moves;'],
  ]),
  ...points('core/lightning/follow-invoices.ts', [
    ['invoice:heard', 'after', 'const settlements = await node.settledAfter(cursor?.hash ?? null, BATCH);'],
    ['invoice:committed', 'before', 'for (const { owner, moves } of booked ?? []) {'],
  ]),
  ...points('core/lightning/request-payment.ts', [
    ['invoice-payment:reserved', 'before', 'if (!(await tx.lightning.addPayment(payment))) {'],
    ['invoice-payment:committed', 'before', "metrics.count('tillgate_transfers_total', { chain: transfer.chain, kind: transfer.kind, status: transfer.status });"],
  ]),
  ...points('core/lightning/pay-invoices.ts', [
    ['invoice-payment:signed', 'before', "await this.#send(lease, { payment, transfer: { ...transfer, status: 'SIGNED' } });"],
    ['invoice-payment:paid', 'after', 'const view = await this.#deps.node.pay({ paymentHash, paymentRequest, msat, maxFeeMsat: transfer.maxFeeUnits });'],
  ]),
  ...points('core/lightning/finish-payment.ts', [
    ['invoice-payment:confirmed', 'before', 'const cost = { currency: LIGHTNING_ASSET.currency, units: feeMsat };'],
    ['invoice-payment:posted', 'before', "const row = { status: 'SUCCESS', units, fee: feeUnits, txHash: paymentHash } as const;"],
    ['invoice-payment:booked', 'after', 'assert(await tx.deposits.updateTransaction(transfer.id, row), `transaction of transfer ${transfer.id}`);'],
  ]),
  ...points('core/keys/app-keys.ts', [
    ['rotate:former-in-grace', 'before', "return { former: { ...active, state: to, expiresAt }, issued: await this.#store(apps, appId) };"],
    ['rotate:key-stored', 'after', 'await apps.createKey(issued.key);'],
    ['rotate:committed', 'before', 'await storage.feed.settled();\n    return { key: issued,'],
    ['rotate:settled', 'before', 'return { key: issued,'],
    ['revoke:moved', 'after', 'await apps.moveKey(keyId, from, { to, revokedAt: clock.now() });'],
    ['revoke:committed', 'before', 'await storage.feed.settled();\n    return openKey('],
    ['revoke:settled', 'before', 'return openKey(vault, revoked,'],
  ]),
];
