import { FakeTransport, SeededRandom, answered } from '../support/fakes.ts';
import { OPERATOR, merchantActor, present } from '../../core/index.ts';
import type { CallbackRequest, CallbackOutcome, ChainCode } from '../../core/index.ts';
import { dataOf } from '../support/http.ts';
import { leaveRefundAddress } from '../support/refund-address.ts';
import type { TestTill } from '../support/till.ts';

/** The till's master key in every fixture: what is sealed in them guards nothing. */
export const MASTER_KEY = new SeededRandom('fixtures of upgrades').bytes(32);
/** A merchant's server that did not answer while the fixture was made. */
export const AWAY = 'https://merchant.example/away';
const PAID = 'https://merchant.example/paid';
const PAYEE = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const PRICE = 25;

/** What is in a fixture, by id. */
export interface Facts {
  /** The till's clock when the fixture was made, in epoch milliseconds. */
  readonly at: number;
  readonly accountId: string;
  readonly apiKey: string;
  readonly open: string;
  readonly partPaid: string;
  readonly paid: string;
  /** Paid; its callback waits, since the merchant's server did not answer. */
  readonly unheard: string;
  readonly refunded: string;
  /** A withdrawal that was given to the chain and is not booked yet. */
  readonly withdrawal: string;
  /** One that nothing was done for. */
  readonly requested: string;
  readonly webhook: string;
  readonly app: { readonly id: string; readonly key: string };
}

/** A merchant's server that answers everywhere but at {@link AWAY}. */
export function merchantServer(): FakeTransport {
  const transport = new FakeTransport();
  transport.answer = ({ url }: CallbackRequest): CallbackOutcome =>
    url.startsWith(AWAY) ? { kind: 'failed', reason: 'connection refused', durationMs: 3 } : answered(200);
  return transport;
}

/** Business of every kind that a release must take over from the one before. */
export async function fillTill({ till, merchant, client, clock, work }: TestTill): Promise<Facts> {
  const { account, apiKey } = merchant;
  const actor = merchantActor(account.id);
  const order = async (url: string): Promise<string> => {
    const asked = { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: PRICE };
    const body = { ...asked, callback_url: url, enable_post_callback: true };
    return dataOf<{ order_id: string }>(await merchant.client.post('/api/order/pay-info', body)).order_id;
  };
  const pay = async (order_id: string, amount?: number): Promise<void> => {
    dataOf(await client.post('/sandbox/v1/pay', amount === undefined ? { order_id } : { order_id, amount }));
    await work();
  };
  const mature = async (): Promise<void> => {
    dataOf(await client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 12 }));
    await work();
  };
  const withdraw = async (amount: number): Promise<string> => {
    const body = { amount, chain: 'ETH', currency: 'USDT-ERC20' };
    return dataOf<{ tx_id: string }>(await merchant.client.post('/api/withdraw', body)).tx_id;
  };
  await till.storage.accounts.update(account.id, { verifiedCurrencies: ['*'], modifiedAt: clock.now() });
  await till.manage.addresses.register(OPERATOR, { accountId: account.id, chain: 'ETH', address: PAYEE }, true);
  const endpoint = { url: 'https://merchant.example/events', events: ['order.*'] };
  const { endpoint: webhook } = await till.manage.webhooks.create(actor, endpoint);
  const { app, key } = await till.manage.apps.create(actor, { name: 'Shop', chains: ['ETH'] });
  const [paid, refunded] = [await order(PAID), await order(PAID)];
  await pay(paid);
  await leaveRefundAddress(till, refunded, PAYEE);
  clock.advance(1);
  await pay(refunded);
  await mature();
  // Paid, and not looked at again: the chain has it, the books have not.
  const withdrawal = await withdraw(10);
  await payOut(till, 'ETH');
  dataOf(await merchant.client.request('POST', `/api/v2/order/refund/${refunded}`));
  const requested = await withdraw(3);
  const unheard = await order(AWAY);
  await pay(unheard);
  const partPaid = await order(PAID);
  await pay(partPaid, 5);
  const open = await order(PAID);
  return {
    at: clock.now(),
    accountId: account.id,
    apiKey,
    open,
    partPaid,
    paid,
    unheard,
    refunded,
    withdrawal,
    requested,
    webhook: webhook.id,
    app: { id: app.id, key: key.text },
  };
}

/** Makes the payments of a chain that can be made now. */
export async function payOut({ payouts, storage }: TestTill['till'], code: ChainCode): Promise<void> {
  const runner = present(payouts.get(code), `payouts of ${code}`);
  const lease = present(await storage.leases.acquire(`payout:${code}`, 'test', 60_000), `lease of ${code}`);
  for (let steps = 0; steps < 100; steps++) if ((await runner.step(lease)) !== 'advanced') break;
  await storage.leases.release(lease);
}
