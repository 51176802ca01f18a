import { OPERATOR, present, readDecimal } from '../../core/index.ts';
import type { AccountId, ChainSimulator, OrderId } from '../../core/index.ts';
import { startReceiver } from '../host/merchant.ts';
import { waitFor } from '../support/wait.ts';
import { raisedSession } from './api-session.ts';
import type { Ask, Fields } from './api-session.ts';
import type { DashboardFixture, Person } from './dashboard-fixture.ts';

/** Settings of the till with which {@link SAMPLES} can be made. */
export const SAMPLE_SETTINGS = {
  // Withdrawals above wait for an approval.
  withdrawals: { approveAbove: { ETH: '0.002' }, addressHoldSeconds: 0 },
  orders: { minTimeoutSeconds: 1, watchSeconds: 0 },
  limits: { loginsPerMinute: 1000 },
};

const RECEIVER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const COIN = 'USDT-ERC20';

/** A merchant and an operator of a till who make samples. */
interface Makers {
  readonly fixture: DashboardFixture;
  readonly account: AccountId;
  readonly merchant: Ask;
  readonly operator: Ask;
  /** A server that accepts every callback. */
  readonly receiver: string;
}

const idOf = ({ id }: Fields): string => String(id);

/** Records that have a page of their own, by their kind: each is made, and its id is returned. In this order. */
const SAMPLES: Readonly<Record<string, (makers: Makers) => Promise<string>>> = {
  orders: async (makers) => {
    const { merchant } = makers;
    await lateDeposit(makers);
    await merchant('POST', 'orders', { price: '12.5', currency: 'EUR', merchant_reference: 'INV-2044' });
    const cancelled = await merchant('POST', 'orders', { price: '8', currency: 'EUR', expires_in: 600 });
    await merchant('POST', `orders/${idOf(cancelled)}/cancel`);
    await paid(makers, { price: '120', coin: 'ETH', merchant_reference: 'INV-2043' });
    await partlyPaid(makers);
    const order = await paid(makers, {
      price: '49.9',
      coin: COIN,
      merchant_reference: 'INV-2041',
      callback_url: `${makers.receiver}/paid`,
    });
    await merchant('POST', 'refunds', { order, amount: '10', to: 'sender' });
    await simulatorOf(makers).mine(12);
    return order;
  },
  links: async ({ merchant }) => {
    const items = [
      { name: 'Espresso', price: '2.4' },
      { name: 'Cake', price: '4' },
    ];
    await merchant('POST', 'links', {
      ...{ title: 'Coffee bar', face: 'POINT_OF_SALE', currency: 'EUR', items, tips: [5, 10] },
    });
    await merchant('POST', 'links', { title: 'A donation', currency: 'EUR', min_price: '5', max_price: '500' });
    const fields = { description: 'One seat in the third row.', price: '25', currency: 'EUR', max_sales: 100 };
    return idOf(await merchant('POST', 'links', { title: 'Summer concert', ...fields }));
  },
  withdrawals: async ({ fixture, account, merchant }) => {
    const { manage } = fixture.host.till;
    await manage.addresses.register(OPERATOR, { accountId: account, chain: 'ETH', address: RECEIVER }, true);
    const withdrawal = { chain: 'ETH', coin: 'ETH' };
    await merchant('POST', 'payouts', { ...withdrawal, amount: '0.001' });
    return idOf(await merchant('POST', 'payouts', { ...withdrawal, amount: '0.003' }));
  },
  transfers: async ({ operator }) => {
    const { items } = (await operator('GET', 'payouts?status=HELD')) as { items: readonly Fields[] };
    return idOf(present(items[0], 'a held payout'));
  },
  'pull-payments': async ({ fixture, merchant }) => {
    const pull = await merchant('POST', 'pull-payments', { name: 'Bug bounty', currency: COIN, amount: '20' });
    const { url } = await merchant('POST', `pull-payments/${idOf(pull)}/reveal`);
    const token = present(new URL(String(url)).pathname.split('/').at(-1), 'the token');
    const amount = present(readDecimal('7.5'), 'an amount');
    await fixture.host.till.claimPullPayment.claim(token, { address: PAYEE, amount, key: 'a-claim-of-a-payee' });
    return idOf(pull);
  },
  claims: async ({ merchant }) => {
    const { items } = (await merchant('GET', 'claims')) as { items: readonly Fields[] };
    return idOf(present(items[0], 'a claim'));
  },
  'payout-batches': async ({ fixture, account, merchant }) => {
    const payee = { accountId: account, chain: 'ETH', address: PAYEE, label: 'Warehouse' };
    await fixture.host.till.manage.payees.create(OPERATOR, payee, true);
    const rows = [
      { reference: 'may-1', address: PAYEE, coin: 'ETH', amount: '0.001' },
      { reference: 'may-2', address: RECEIVER, coin: 'ETH', fiat_amount: '2', fiat_currency: 'EUR' },
    ];
    return idOf(await merchant('POST', 'payout-batches', { name: 'Salaries of May', rows }));
  },
  callbacks: async ({ merchant, receiver }) => {
    await merchant('POST', 'webhooks', { url: 'http://127.0.0.1:9/events', events: ['payout.*'] });
    const webhook = await merchant('POST', 'webhooks', { url: `${receiver}/events`, events: ['order.*', 'payout.*'] });
    await merchant('POST', `webhooks/${idOf(webhook)}/test`);
    const { items } = (await merchant('GET', 'callbacks')) as { items: readonly Fields[] };
    return idOf(present(items.at(-1), 'a callback'));
  },
  gateways: async ({ operator }) => {
    const route = { chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc' };
    await operator('POST', 'gateways', {
      ...route,
      host: 'archive.gateway.example',
      upstreams: ['http://127.0.0.1:9/'],
    });
    const upstreams = ['https://node.example/rpc', 'https://other-node.example/a/path/that/is/long'];
    return idOf(await operator('POST', 'gateways', { ...route, host: 'eth.gateway.example', upstreams }));
  },
  apps: async ({ merchant }) => {
    const { id, key } = await merchant('POST', 'apps', { name: 'Explorer', chains: ['ETH'] });
    const limits = { methods: ['eth_call', 'eth_get*'], networks: ['203.0.113.0/24'] };
    await merchant('PATCH', `apps/${String(id)}/keys/${idOf(key as Fields)}`, limits);
    return String(id);
  },
  accounts: async ({ account, merchant, operator }) => {
    const { version } = await merchant('GET', 'branding');
    await merchant(
      'PATCH',
      'branding',
      { name: 'Corner Shop & Söhne', colour: '#ffd700', support: 'help@corner-shop.example' },
      { 'If-Match': String(version) },
    );
    await operator('POST', 'accounts', {
      email: 'second@shop.example',
      password: 'a temporary password 7',
      name: 'Second',
    });
    return account;
  },
};

/** The kinds of records that have a sample. */
export const SAMPLED: readonly string[] = Object.keys(SAMPLES);

const simulatorOf = ({ fixture }: Makers): ChainSimulator =>
  present(fixture.host.till.chains.get('ETH')?.simulator, 'the simulator');

/** An order of the merchant in a coin; its id and what it waits for. */
async function chosenOrder({ fixture, merchant }: Makers, fields: object) {
  const id = idOf(await merchant('POST', 'orders', { chain: 'ETH', currency: 'USD', ...fields }));
  const order = present(await fixture.host.till.storage.orders.find(id as OrderId), 'the order');
  return { id, payment: present(order.payment, 'what it waits for') };
}

/** An order that is paid, and whose money is spendable; its id. */
async function paid(
  makers: Makers,
  fields: { readonly coin: string; readonly [field: string]: string },
): Promise<string> {
  const { id, payment } = await chosenOrder(makers, fields);
  await simulatorOf(makers).pay(payment.address, fields.coin, payment.units);
  await makers.fixture.untilSpendable(makers.account, fields.coin, payment.units / 2n);
  return id;
}

async function partlyPaid(makers: Makers): Promise<void> {
  const { payment } = await chosenOrder(makers, { price: '30', coin: COIN, merchant_reference: 'INV-2042' });
  await simulatorOf(makers).pay(payment.address, COIN, payment.units / 3n);
  await simulatorOf(makers).mine(12);
}

/** A deposit of a payer who came after the order was watched. */
async function lateDeposit(makers: Makers): Promise<void> {
  const { id, payment } = await chosenOrder(makers, { price: '25', coin: 'ETH', expires_in: 1 });
  const { orders } = makers.fixture.host.till.storage;
  await waitFor(async () => (await orders.find(id as OrderId))?.status !== 'PENDING', { describe: 'the deadline' });
  await simulatorOf(makers).pay(payment.address, 'ETH', payment.units);
  await simulatorOf(makers).mine(12);
}

/** The operator of the sandbox. */
export function operatorOf({ demo }: DashboardFixture): Person {
  return { email: demo.operator.email, password: present(demo.operator.password, 'the operator’s password') };
}

/** Makes records of every kind; their ids by their kind. */
export async function makeSamples(fixture: DashboardFixture): Promise<Readonly<Record<string, string>>> {
  const receiver = await startReceiver();
  const account = fixture.demo.account_id as AccountId;
  const { storage, clock } = fixture.host.till;
  await storage.accounts.update(account, { verifiedCurrencies: ['*'], modifiedAt: clock.now() });
  const makers: Makers = {
    fixture,
    account,
    merchant: await raisedSession(fixture.url, fixture.demo),
    operator: await raisedSession(fixture.url, operatorOf(fixture)),
    receiver: receiver.url,
  };
  const ids: Record<string, string> = {};
  for (const [kind, make] of Object.entries(SAMPLES)) ids[kind] = await make(makers);
  const late = async (): Promise<number> =>
    ((await makers.operator('GET', 'deposits?status=unassigned')) as { items: readonly Fields[] }).items.length;
  await waitFor(late, { describe: 'the late deposit' });
  await receiver.close();
  return ids;
}
