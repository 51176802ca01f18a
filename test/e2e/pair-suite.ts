import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseUnits, present } from '../../core/index.ts';
import type { Answer } from '../host/merchant.ts';
import type { ChainFixture, Pair } from './chain-fixture.ts';
import { PairTill } from './pair-till.ts';
import type { PlacedOrder, Row } from './pair-till.ts';

/** The till lacks something that the operator has to bring. */
const NOT_READY = 50_300;

export type Engine = 'sqlite' | 'pg';

/** What runs after the pairs, on the same till. */
type MoreTests = (till: () => PairTill) => void;

/** Takes each pair of a chain through a till: from the order to the last coin withdrawn. */
export function describePairs(
  title: string,
  engines: readonly Engine[],
  pairs: readonly Pair[],
  open: () => Promise<ChainFixture>,
  more: MoreTests = () => undefined,
): void {
  for (const engine of engines) {
    describe(`${title} and ${engine}, end to end`, { concurrency: 1 }, () => {
      let till: PairTill;
      before(async () => {
        till = await PairTill.start(await open(), engine);
      });
      after(() => till.close());
      for (const pair of pairs) {
        test(`${pair.currency}: ordered, paid, called back, refunded, withdrawn to the last unit`, () =>
          tillToTheLastUnit(till, pair));
      }
      more(() => till);
    });
  }
}

async function tillToTheLastUnit(till: PairTill, pair: Pair): Promise<void> {
  const [refunded, kept] = await paidOrders(till, pair);
  await payBack(till, pair, refunded);
  await withdrawAll(till, pair, kept.units);
  const { available, pending, locked, total } = await till.wallet(pair.currency);
  assert.deepEqual([available, pending, locked, total], ['0', '0', '0', '0']);
  await till.booksHold();
}

interface PaidOrder extends PlacedOrder {
  readonly units: bigint;
  readonly txid: string;
  /** The address that its payer left for a refund. */
  readonly refundTo: string;
}

/** Two orders, paid exactly, followed to the status SUCCESS and until their money can be spent. */
async function paidOrders(till: PairTill, pair: Pair): Promise<readonly [PaidOrder, PaidOrder]> {
  const { fixture } = till;
  const paid = [await placeAndPay(till, pair), await placeAndPay(till, pair)] as const;
  await fixture.mine(fixture.confirmations - 1);
  await till.caughtUp();
  for (const { id } of paid) assert.equal((await till.detail(id))['status'], 'PENDING', 'one confirmation is missing');
  await fixture.mine(1);
  for (const order of paid) await checkSuccess(till, pair, order);
  await till.mineUntil(
    async () => (await till.wallet(pair.currency)).pending === '0',
    `the money of ${pair.currency} to be spendable`,
  );
  return paid;
}

async function placeAndPay(till: PairTill, { currency, decimals, price }: Pair): Promise<PaidOrder> {
  const order = await till.order(currency, price);
  assert.equal(order.contract, till.fixture.contractOf(currency));
  const units = toUnits(order.amount, decimals);
  const refundTo = await till.fixture.newAddress();
  await till.leaveRefundAddress(order, refundTo);
  return { ...order, units, refundTo, txid: await till.fixture.pay(order.address, currency, units) };
}

async function checkSuccess(
  till: PairTill,
  { currency, decimals }: Pair,
  { id, units, txid, address }: PaidOrder,
): Promise<void> {
  const { chain } = till.fixture;
  await till.becomes(id, 'SUCCESS');
  const detail = await till.detail(id);
  assert.deepEqual(
    [detail['chain'], detail['currency'], detail['tx_hash'], detail['to_addr']],
    [chain, currency, txid, address],
  );
  assert.equal(toUnits(String(detail['obtained']), decimals), units);
  const body = await till.calledBack(id);
  assert.deepEqual(
    [
      body['order_id'],
      body['status'],
      body['chain'],
      body['currency'],
      body['tx_hash'],
      body['tx_hash_list'],
      body['to_addr'],
    ],
    [id, 'SUCCESS', chain, currency, txid, [txid], address],
  );
  const row = (await till.rows()).find(({ tx_hash }) => tx_hash === txid);
  assert.deepEqual(
    [row?.['tx_type'], row?.['status'], row?.['chain'], row?.['currency'], row?.['to_addr'], row?.['fee']],
    ['ORDER', 'SUCCESS', chain, currency, address, '0'],
  );
  assert.deepEqual(
    [row?.['amount'], row?.['obtained']].map((text) => toUnits(text ?? '', decimals)),
    [units, units],
  );
}

/** Asks for a refund until the till has found the coins of the operator's that pay for it: two looks some blocks apart show them. */
async function refund(till: PairTill, { id }: PaidOrder): Promise<Answer['data']> {
  let answer: Answer | null = null;
  await till.mineUntil(async () => {
    answer = await till.ask('POST', `/api/v2/order/refund/${id}`);
    return answer.code !== NOT_READY;
  }, `a refund of order ${id} to be taken`);
  const { code, message, data } = present<Answer>(answer, 'an answer');
  assert.equal(code, 0, message);
  return data;
}

/** Refunds a whole order; the payer gets exactly what is said. */
async function payBack(till: PairTill, pair: Pair, order: PaidOrder): Promise<void> {
  const { fixture } = till;
  const { currency, decimals } = pair;
  const to = order.refundTo;
  const before = await fixture.balanceOf(to, currency);
  const asked = await refund(till, order);
  assert.deepEqual(
    [asked['refund_status'], asked['chain'], asked['currency'], asked['refund_et']],
    ['PENDING', fixture.chain, currency, 0],
  );
  assert.equal(asked['to_addr'], to);
  assert.equal(toUnits(String(asked['amount']), decimals), order.units);
  await till.mineUntil(
    async () => (await till.detail(order.id))['status'] === 'REFUNDED',
    `order ${order.id} to be REFUNDED`,
  );
  const row = (await till.rows()).findLast(({ tx_type }) => tx_type === 'REFUND');
  assert.ok(row !== undefined);
  const obtained = await checkPaidRow(till, pair, row, { type: 'REFUND', units: order.units, to });
  assert.equal((await fixture.balanceOf(to, currency)) - before, obtained, 'the payer got exactly what was obtained');
  const done = await till.call('GET', `/api/v2/order/refund-info/${order.id}`);
  assert.deepEqual([done['refund_status'], done['to_addr']], ['SUCCESS', row['to_addr']]);
  assert.ok(Number(done['refund_et']) > 0 && done['refund_date'] !== null);
  // As numbers they are rounded down to 8 decimals.
  assert.equal(roundedDown(String(done['obtained']), decimals), roundedDown(row['obtained'] ?? '', decimals));
  assert.equal((await till.detail(order.id))['refund'], false);
  const again = await till.ask('POST', `/api/v2/order/refund/${order.id}`);
  assert.equal(again.code, 40_900, again.message);
}

/** Withdraws everything that there is of a currency; the receiver gets exactly what is said. */
async function withdrawAll(till: PairTill, pair: Pair, units: bigint): Promise<void> {
  const { fixture } = till;
  const { currency, decimals } = pair;
  const { available } = await till.wallet(currency);
  assert.equal(toUnits(available, decimals), units, 'the other order’s money is there');
  const to = await fixture.newAddress();
  await till.registers(to);
  const asked = await till.withdraw(currency, available);
  assert.deepEqual(
    [
      asked['type'],
      asked['status'],
      asked['chain'],
      asked['currency'],
      asked['to_addr'],
      asked['balance'],
      asked['tx_hash'],
    ],
    ['WITHDRAW', 'PENDING', fixture.chain, currency, to, '0', null],
  );
  const id = String(asked['tx_id']);
  await till.mineUntil(async () => (await till.row(id))['status'] === 'SUCCESS', `withdrawal ${id} to be SUCCESS`);
  const obtained = await checkPaidRow(till, pair, await till.row(id), { type: 'WITHDRAW', units, to });
  assert.equal(await fixture.balanceOf(to, currency), obtained, 'the receiver got exactly what was obtained');
}

/** Returns what was obtained. */
async function checkPaidRow(
  till: PairTill,
  { currency, decimals, native }: Pair,
  row: Row,
  wanted: { readonly type: string; readonly units: bigint; readonly to: string },
): Promise<bigint> {
  const { fixture, hot } = till;
  const [amount, fee, obtained] = ['amount', 'fee', 'obtained'].map((field) => toUnits(row[field] ?? '', decimals)) as [
    bigint,
    bigint,
    bigint,
  ];
  assert.deepEqual(
    [row['tx_type'], row['status'], row['chain'], row['currency'], row['from_addr']],
    [wanted.type, 'SUCCESS', fixture.chain, currency, hot],
  );
  assert.equal(row['to_addr'], wanted.to);
  assert.deepEqual([amount, fee + obtained], [wanted.units, wanted.units]);
  assert.ok(fee > 0n && obtained > 0n, `fee ${fee}, obtained ${obtained}`);
  const burnt = await fixture.feeOf(row['tx_hash'] ?? '');
  if (native) assert.ok(fee >= burnt, `charged ${fee}, and the network took ${burnt}`);
  return obtained;
}

export function toUnits(text: string, decimals: number): bigint {
  const units = parseUnits(text, decimals);
  assert.ok(units !== null, `${text} has at most ${decimals} decimals`);
  return units;
}

function roundedDown(text: string, decimals: number): bigint {
  const spare = 10n ** BigInt(Math.max(0, decimals - 8));
  return toUnits(text, decimals) / spare;
}
