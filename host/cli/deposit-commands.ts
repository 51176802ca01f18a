import { OPERATOR } from '../../core/index.ts';
import { depositRecord, rescanInput, rescanRecord } from '../../adapters/http/manage/deposits/deposits.ts';
import { payoutRecord } from '../../adapters/http/manage/payouts/payouts.ts';
import type { CommandCall } from './command.ts';
import { heightOption } from './options.ts';
import { withTill } from './with-till.ts';

const SHOWN = 100;

export async function depositList({ json, terminal }: CommandCall): Promise<number> {
  const { records, nextCursor } = await withTill(async ({ manage, assets }) => {
    const found = await manage.deposits.unassigned(OPERATOR, { limit: SHOWN });
    return { ...found, records: found.items.map((deposit) => depositRecord(deposit, assets)) };
  });
  if (json) terminal.out(JSON.stringify(records));
  else if (records.length === 0) terminal.out('There are no unassigned deposits.');
  for (const record of json ? [] : records) terminal.out(inWords(record));
  if (!json && nextCursor !== null) terminal.out('… and older ones.');
  return 0;
}

export async function depositAssign({ operands: [id = '', order = ''], json, terminal }: CommandCall): Promise<number> {
  const record = await withTill(async ({ manage, assets }) =>
    depositRecord(await manage.deposits.assign(OPERATOR, id, order), assets),
  );
  terminal.out(
    json
      ? JSON.stringify(record)
      : `Deposit ${id}, ${record.amount} ${record.coin}, is assigned to order ${record.order}.`,
  );
  return 0;
}

export async function depositRefund({
  operands: [id = '', address = ''],
  json,
  terminal,
}: CommandCall): Promise<number> {
  const record = await withTill(async ({ manage, assets }) =>
    payoutRecord(await manage.deposits.refund(OPERATOR, id, address), assets),
  );
  terminal.out(
    json
      ? JSON.stringify(record)
      : `Deposit ${id} will be refunded: about ${record.received} ${record.coin} to ${record.to_address}, by transfer ${record.id}.`,
  );
  return 0;
}

export async function depositRescan({ values, json, terminal }: CommandCall): Promise<number> {
  const chain = String(values['chain']);
  const txid = values['tx'] === undefined ? undefined : String(values['tx']);
  const [from, to] = [heightOption(values['from'], '--from'), heightOption(values['to'], '--to')];
  const [address, order] = ['address', 'order'].map((name) =>
    values[name] === undefined ? undefined : String(values[name]),
  );
  const balances = values['balances'] === true;
  const input = rescanInput({ txid, from, to, address, order, balances });
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
  const { id, chain, amount, return_cost: cost, coin, tx_hash: tx, order, status, assignment } = deposit;
  const why = deposit.unassigned_reason === null ? '' : `, ${deposit.unassigned_reason}`;
  const spent = cost === '0' ? '' : `, ${cost} of it spent on failed refunds`;
  return `${id}  ${status.padEnd(9)}  ${assignment}${why}  ${chain}  ${amount} ${coin}${spent}  by ${tx}, address of order ${order}`;
}
