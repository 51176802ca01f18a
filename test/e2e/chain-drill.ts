import { formatUnits, parseUnits, present } from '../../core/index.ts';
import type { ChainFixture } from './chain-fixture.ts';
import { PairTill } from './pair-till.ts';
import type { PlacedOrder } from './pair-till.ts';
import type { Drill, DrillOrder, DrillWithdrawal } from './restore-drill.ts';

/** A chain of a drill: its fixture, what is bought with it, and what is done to its signed payment. */
export interface DrillFixture extends ChainFixture {
  readonly currency: string;
  readonly decimals: number;
  /** Of the coin that fees are paid in. */
  readonly feeDecimals: number;
  /** What the merchant's first order costs, in USD. */
  readonly price: string;
  readonly amounts: Readonly<Record<DrillWithdrawal, string>>;
  readonly coins: boolean;
  /** Keeps the till's next payment to an address from every node; resolves when it came. */
  hold(to: string): Promise<void>;
  /** What {@link Drill.payOtherwise} does. */
  payOtherwise(till: PairTill, id: string, to: string): Promise<void>;
}

/** Blocks after which all is final that a test waits for. */
const BURIED = 8;

/** A drill on a chain. */
export async function openChainDrill(fixture: DrillFixture, engine: 'sqlite' | 'pg'): Promise<Drill> {
  const till = await PairTill.start(fixture, engine);
  const { chain, currency, decimals, feeDecimals, coins } = fixture;
  const to = await fixture.newAddress();
  await till.registers(to);
  const placed = new Map<string, PlacedOrder>();
  const units = (amount: string): bigint => present(parseUnits(amount, decimals), amount);
  const order = async (price: string): Promise<DrillOrder> => {
    const made = await till.order(currency, price);
    placed.set(made.id, made);
    return { id: made.id, place: made.address };
  };
  const pay = async ({ id, place }: DrillOrder): Promise<void> => {
    await fixture.pay(place, currency, units(present(placed.get(id), id).amount));
    await fixture.mine(fixture.confirmations);
    await till.caughtUp();
  };
  return {
    till,
    chain,
    coins,
    units,
    order: () => order('25'),
    pay,
    earn: async () => {
      const funded = await order(fixture.price);
      await pay(funded);
      await till.becomes(funded.id, 'SUCCESS');
      await till.mineUntil(async () => (await till.wallet(currency)).pending === '0', 'the money to be spendable');
      return funded;
    },
    withdraw: async (which) => String((await till.withdraw(currency, fixture.amounts[which]))['tx_id']),
    hold: () => fixture.hold(to),
    payOtherwise: (id) => fixture.payOtherwise(till, id, to),
    isStopped: async () =>
      (await till.metric('tillgate_payouts_stopped', chain)) === 1 ||
      (await till.metric('tillgate_currency_payouts_stopped', chain, currency)) === 1,
    until: (condition, what) => till.mineUntil(condition, what),
    settle: async () => {
      await fixture.mine(BURIED);
      await till.caughtUp();
    },
    received: () => fixture.balanceOf(to, currency),
    feeOf: async (txid) => formatUnits(await fixture.feeOf(txid), feeDecimals),
    lostOptions: () => ['--account', till.accountId, '--chain', chain, '--currency', currency, '--to', to],
  };
}

/** A transfer as `transfer show` prints it. */
export interface ShownTransfer {
  readonly received: string;
  readonly chain_transaction: {
    readonly nonce: number | null;
    readonly attempts: readonly { readonly tx_hash: string }[];
  } | null;
}
