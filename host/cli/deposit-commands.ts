import { OPERATOR } from '../../core/index.ts';
import { depositRecord, rescanInput, rescanRecord } from '../../adapters/http/manage/deposits/deposits.ts';
import { transferRecord } from '../../adapters/http/manage/payouts/withdrawals.ts';
import type { CommandCall } from './command.ts';
import { heightOption } from './options.ts';
import { withTill } from './with-till.ts';

const SHOWN = 100;

export async function depositList({ json, terminal }: CommandCall): Promise<number> {
  const { records, total } = await withTill(async ({ manage, assets }) => {
    const found = await manage.deposits.unassigned(OPERATOR, { page: 1, size: SHOWN });
    return { records: found.items.map((deposit) => depositRecord(deposit, assets)), total: found.total };
  });
  if (json) terminal.out(JSON.stringify(records));
  else if (records.length === 0) terminal.out('There are no unassigned deposits.');
  for (const record of json ? [] : records) terminal.out(inWords(record));
  if (!json && total > records.length) terminal.out(`… and ${total - records.length} older.`);
  return 0;
}

export async function depositAssign({ operands: [id = '', order = ''], json, terminal }: CommandCall): Promise<number> {
  const record = await withTill(async ({ manage, assets }) =>
    depositRecord(await manage.deposits.assign(OPERATOR, id, order), assets),
  );
  terminal.out(
    json
      ? JSON.stringify(record)
      : `Deposit ${id}, ${record.amount} ${record.currency}, is assigned to order ${record.order_id}.`,
  );
  return 0;
}

export async function depositRefund({
  operands: [id = '', address = ''],
  json,
  terminal,
}: CommandCall): Promise<number> {
  const record = await withTill(async ({ manage, assets }) =>
    transferRecord(await manage.deposits.refund(OPERATOR, id, address), assets),
  );
  terminal.out(
    json
      ? JSON.stringify(record)
      : `Deposit ${id} will be refunded: about ${record.obtained} ${record.currency} to ${record.to_addr}, by transfer ${record.id}.`,
  );
  return 0;
}

export async function depositRescan({ values, json, terminal }: CommandCall): Promise<number> {
  const chain = String(values['chain']);
  const tx = values['tx'] === undefined ? undefined : String(values['tx']);
  const [from, to] = [heightOption(values['from'], '--from'), heightOption(values['to'], '--to')];
  const [address, order] = ['address', 'order'].map((name) =>
    values[name] === undefined ? undefined : String(values[name]),
  );
  const balances = values['balances'] === true;
  const input = rescanInput({ tx, from, to, address, order, balances });
  const record = await withTill(async ({ manage, assets }) =>
    rescanRecord(chain, await manage.deposits.rescan(OPERATOR, chain, input), assets),
  );
  if (json) {
    terminal.out(JSON.stringify(record));
    return 0;
  }
  const looked =
    'from' in input || 'txid' in input
      ? `Blocks ${record.from} to ${record.to} of ${chain} were read again`
      : `Balances on ${chain} were compared with the ledger at block ${record.to}`;
  terminal.out(`${looked}: ${record.found.length} new deposits.`);
  for (const deposit of record.found) terminal.out(inWords(deposit));
  return 0;
}

function inWords(deposit: ReturnType<typeof depositRecord>): string {
  const { id, chain, amount, return_cost: cost, currency, tx_hash: tx, order_id: order, status, assignment } = deposit;
  const why = deposit.unassigned_reason === null ? '' : `, ${deposit.unassigned_reason}`;
  const spent = cost === '0' ? '' : `, ${cost} of it spent on failed refunds`;
  return `${id}  ${status.padEnd(9)}  ${assignment}${why}  ${chain}  ${amount} ${currency}${spent}  by ${tx}, address of order ${order}`;
}
