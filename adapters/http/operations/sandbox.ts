import { invalidField, isId, present, readDecimal, TillgateError, toUnits } from '../../../core/index.ts';
import type { ChainAdapter, ChainSimulator, Decimal, Order, OrderId, OrderPayment } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import { code, count, optionalAmount, text } from '../fields.ts';
import { ANYBODY, dataOperation } from '../operation.ts';
import type { Operation } from '../operation.ts';

const MAX_BLOCKS = 1000;

/** What paying on a simulated chain needs. */
export type SandboxDeps = Pick<HttpDeps, 'orders' | 'chains' | 'assets' | 'orderQueries'>;

async function findOrder(orderId: string, { orders }: SandboxDeps): Promise<Order> {
  const order = isId(orderId) ? await orders.find(orderId as OrderId) : null;
  if (order === null) throw new TillgateError('NOT_FOUND', 'There is no such order.');
  return order;
}

function simulatorOf(chain: ChainAdapter | undefined, chainCode: string): ChainSimulator {
  const simulator = chain?.simulator ?? null;
  if (simulator === null) throw new TillgateError('UNSUPPORTED', `The chain ${chainCode} is not simulated here.`);
  return simulator;
}

async function unitsToPay(
  order: Order,
  payment: OrderPayment,
  amount: Decimal | null,
  deps: SandboxDeps,
): Promise<bigint> {
  const { decimals } = present(deps.assets.find(payment.currency), `asset ${payment.currency}`);
  const due = amount ?? readDecimal((await deps.orderQueries.checkout(order.checkoutToken)).remaining);
  const units = due === null ? null : toUnits(due, decimals);
  if (units === null) throw invalidField('amount', `must have at most ${decimals} decimals for ${payment.currency}`);
  if (units === 0n)
    throw new TillgateError('STATE_CONFLICT', 'Nothing is due any more; name an amount to pay all the same.');
  return units;
}

/**
 * Pays an order on its simulated chain.
 *
 * @param amount - in the order's coin; `null` for what is still due
 * @returns the hash of the transaction
 */
export async function paySimulated(orderId: string, amount: Decimal | null, deps: SandboxDeps): Promise<string> {
  const order = await findOrder(orderId, deps);
  const { payment } = order;
  if (payment === null) throw new TillgateError('STATE_CONFLICT', 'The order has no coin yet; choose one on its page.');
  const simulator = simulatorOf(deps.chains.get(payment.chain), payment.chain);
  return await simulator.pay(payment.address, payment.currency, await unitsToPay(order, payment, amount, deps));
}

/**
 * Mines blocks on a simulated chain, or on all of them.
 *
 * @returns the codes of the chains
 */
export async function mineSimulated(
  count: number,
  chain: string | null,
  { chains }: Pick<SandboxDeps, 'chains'>,
): Promise<readonly string[]> {
  const simulated = [...chains.values()].filter(({ simulator }) => simulator !== null);
  const wanted = chain === null ? simulated.map(({ code: each }) => each) : [chain];
  const simulators = wanted.map((each) => simulatorOf(chains.get(each), each));
  for (const simulator of simulators) await simulator.mine(count);
  return wanted;
}

const pay = dataOperation({
  id: 'sandboxPay',
  method: 'POST',
  path: '/sandbox/v1/pay',
  tag: 'Sandbox',
  summary: 'Pay an order',
  description: 'Pays an order on the simulated chain. Available in sandbox mode only.',
  auth: ANYBODY,
  errors: ['NOT_FOUND', 'UNSUPPORTED', 'STATE_CONFLICT'],
  body: z.object({
    order_id: text(64, 'ID of the order'),
    amount: optionalAmount("Amount in the order's currency; defaults to the amount still due"),
  }),
  data: z.object({ tx_hash: z.string() }).meta({ id: 'SandboxPayment' }),
  examples: { body: { order_id: '1530217733414232064' }, data: { tx_hash: '0x5b9a' } },
  handler: async ({ body }, deps) => ({ tx_hash: await paySimulated(body.order_id, body.amount, deps) }),
});

const mineBlocks = dataOperation({
  id: 'sandboxBlocks',
  method: 'POST',
  path: '/sandbox/v1/blocks',
  tag: 'Sandbox',
  summary: 'Mine blocks',
  description: 'Mines blocks on one simulated chain or on all of them. Available in sandbox mode only.',
  auth: ANYBODY,
  errors: ['UNSUPPORTED'],
  body: z.object({
    chain: code('Chain code; defaults to every simulated chain').optional(),
    count: count(1, MAX_BLOCKS, 'Number of blocks'),
  }),
  data: z
    .object({ chains: z.array(z.string()), count: z.number().meta({ type: 'integer' }) })
    .meta({ id: 'SandboxBlocks' }),
  examples: { body: { chain: 'ETH', count: 12 }, data: { chains: ['ETH'], count: 12 } },
  handler: async ({ body: { chain = null, count: blocks } }, deps) => ({
    chains: [...(await mineSimulated(blocks, chain, deps))],
    count: blocks,
  }),
});

/** The operations that control the simulated chain. They exist only in sandbox mode. */
export const sandboxOperations: readonly Operation[] = [pay, mineBlocks];
