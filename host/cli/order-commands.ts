import { managedOrderRecord } from '../../adapters/http/manage/orders/order-record.ts';
import {
  AssetCatalogue,
  OrderQueries,
  SHIB_ERC20,
  TillgateError,
  checkpointLedger,
  findFiat,
  formatInstant,
  formatUnits,
  invalidField,
  OPERATOR,
  ORDER_STATUSES,
} from '../../core/index.ts';
import type { AccountId, Order, OrderHistoryEntry, OrderStatus } from '../../core/index.ts';
import type { CommandCall } from './command.ts';
import { instantOption } from './options.ts';
import { withRuntime, withTill } from './with-till.ts';

/** `order list`: one page, and the cursor of the next. */
export async function orderList({ values, json, terminal }: CommandCall): Promise<number> {
  const textOf = (name: string): string | undefined => (values[name] === undefined ? undefined : String(values[name]));
  const input = {
    userId: textOf('account') as AccountId | undefined,
    status: statusOption(textOf('status')),
    chain: textOf('chain'),
    currency: textOf('currency'),
    from: instantOption(values['from'], '--from') ?? undefined,
    to: instantOption(values['to'], '--to') ?? undefined,
    q: textOf('q'),
    limit: Number(textOf('limit') ?? '20'),
    cursor: textOf('cursor'),
  };
  const { items, nextCursor } = await withTill(({ manage }) => manage.orders.list(OPERATOR, input));
  const records = items.map(managedOrderRecord);
  if (json) terminal.out(JSON.stringify({ items: records, next_cursor: nextCursor }));
  else if (records.length === 0) terminal.out('There are no orders.');
  for (const record of json ? [] : records) terminal.out(listedInWords(record));
  if (!json && nextCursor !== null) terminal.out(`For older orders: --cursor ${nextCursor}`);
  return 0;
}

function statusOption(value: string | undefined): OrderStatus | undefined {
  const status = ORDER_STATUSES.find((one) => one === value);
  if (value !== undefined && status === undefined)
    throw invalidField('--status', `must be one of ${ORDER_STATUSES.join(', ')}`);
  return status;
}

function listedInWords(order: ReturnType<typeof managedOrderRecord>): string {
  const { id, account, status, price, currency, payment, created_at: at } = order;
  const coin = payment === null ? 'no coin yet' : `${payment.amount} ${payment.coin}`;
  const reference = order.merchant_reference === null ? '' : `  ${order.merchant_reference}`;
  return `${id}  ${at}  ${status.padEnd(10)}  account ${account}  ${price} ${currency}  ${coin}${reference}`;
}

/** `order show ID`: the order, and each status change with the rule that caused it and the rule's inputs. */
export async function orderShow({ operands, json, terminal }: CommandCall): Promise<number> {
  const id = operands[0] ?? '';
  // Reading loads no plugin: the built-in assets are enough to format amounts.
  const assets = new AssetCatalogue([SHIB_ERC20]);
  const found = await withRuntime(({ storage, clock }) =>
    new OrderQueries({ storage, assets, chains: new Map(), clock, settings: { pageMax: 1 }, baseUrl: '' }).history(id),
  );
  if (found === null) throw new TillgateError('NOT_FOUND', `There is no order ${id}.`);
  const lines = json
    ? [JSON.stringify(record(found.order, found.entries, assets))]
    : inWords(found.order, found.entries, assets);
  for (const line of lines) terminal.out(line);
  return 0;
}

/** `ledger check`: checks the postings since the last successful check; with `--full` all of them. */
export async function ledgerCheck({ values, json, terminal }: CommandCall): Promise<number> {
  const asked = values['full'] === true;
  const found = await withRuntime(({ storage }) => checkpointLedger(storage, { full: asked }));
  const { breaches, full, postings, digest } = found;
  if (json) terminal.out(JSON.stringify({ ok: breaches.length === 0, breaches, full, postings, checkpoint: digest }));
  else if (breaches.length === 0) {
    terminal.out('The ledger is in order.');
    terminal.out(full ? `All ${postings} postings were read.` : `${postings} postings since the last check were read.`);
    if (digest !== null) terminal.out(`Checkpoint: ${digest}`);
  } else for (const { invariant, detail } of breaches) terminal.out(`${invariant}: ${detail}`);
  return breaches.length === 0 ? 0 : 1;
}

function amount(units: bigint, order: Order, assets: AssetCatalogue): string {
  const asset = order.payment === null ? null : assets.find(order.payment.currency);
  return asset === null ? `${units} units` : `${formatUnits(units, asset.decimals)} ${asset.currency}`;
}

function price({ vsPrice, vsCurrency }: Order): string {
  return `${formatUnits(vsPrice, findFiat(vsCurrency)?.decimals ?? 0)} ${vsCurrency}`;
}

function record(order: Order, entries: readonly OrderHistoryEntry[], assets: AssetCatalogue): object {
  return {
    order_id: order.id,
    user_id: order.accountId,
    status: order.status,
    price: price(order),
    chain: order.payment?.chain ?? '',
    currency: order.payment?.currency ?? '',
    amount: order.payment === null ? '' : amount(order.payment.units, order, assets),
    received: amount(order.received, order, assets),
    address: order.payment?.address ?? '',
    created_at: formatInstant(order.createdAt),
    expires_at: formatInstant(order.expiresAt),
    watch_until: formatInstant(order.watchUntil),
    history: entries.map(({ at, from, to, rule, inputs, rate }) => ({
      at: formatInstant(at),
      from,
      to,
      rule,
      inputs,
      rate,
    })),
  };
}

function inWords(order: Order, entries: readonly OrderHistoryEntry[], assets: AssetCatalogue): string[] {
  const payment = order.payment;
  return [
    `Order ${order.id} of account ${order.accountId}: ${order.status}`,
    `  price     ${price(order)}`,
    ...(payment === null
      ? ['  coin      not chosen yet']
      : [`  due       ${amount(payment.units, order, assets)} on ${payment.chain} to ${payment.address}`]),
    `  received  ${amount(order.received, order, assets)}`,
    `  deadline  ${formatInstant(order.expiresAt)}, watched until ${formatInstant(order.watchUntil)}`,
    'History:',
    ...entries.flatMap(entryLines),
  ];
}

function entryLines({ at, from, to, rule, inputs, rate }: OrderHistoryEntry): string[] {
  const looked = Object.entries(inputs).map(([name, value]) => `${name} ${String(value)}`);
  const change = from === null || from === to ? to : `${from} → ${to}`;
  const priced =
    rate === null
      ? []
      : [
          `      rate: ${rate.coin.symbol} ${rate.coin.usd} USD, ${rate.fiat.symbol} ${rate.fiat.usd} USD, spread ${rate.spreadBps ?? 0} basis points`,
        ];
  return [`  ${formatInstant(at)}  ${change}  by ${rule}`, `      ${looked.join(', ')}`, ...priced];
}
