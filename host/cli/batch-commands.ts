import { readFile } from 'node:fs/promises';
import { AssetCatalogue, BATCH_STATUSES, OPERATOR, SHIB_ERC20, TillgateError } from '../../core/index.ts';
import type { BatchDetail, BatchStatus, PayeeId, PayoutBatchId } from '../../core/index.ts';
import { payeeRecord } from '../../adapters/http/manage/payouts/payees.ts';
import {
  batchRecord,
  batchRowInput,
  batchRowsSchema,
  FIRST_CSV_LINE,
  payoutBatchRecord,
  payoutBatchRowRecord,
} from '../../adapters/http/manage/payouts/payout-batches.ts';
import { readCsv } from '../../adapters/http/read-csv.ts';
import type { CommandCall } from './command.ts';
import { requireAccount, withManage, withTill } from './with-till.ts';

// Reading loads no plugin: the built-in assets are enough to format amounts.
const ASSETS = new AssetCatalogue([SHIB_ERC20]);
const SHOWN = 100;

const idOf = (operands: readonly string[]): PayoutBatchId => (operands[0] ?? '') as PayoutBatchId;

export async function payoutBatchCreate({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const parsed = batchRowsSchema.safeParse(readCsv(await bytesOf(operands[0] ?? '')));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new TillgateError('CONFIG_INVALID', `The file cannot be read: ${issue?.message ?? 'a row is invalid'}.`);
  }
  const rows = parsed.data.map(batchRowInput);
  const name = values['name'] === undefined ? {} : { name: String(values['name']) };
  const detail = await withTill(async ({ manage }, runtime) => {
    const accountId = await requireAccount(runtime, values['account']);
    return manage.batches.create(OPERATOR, { accountId, ...name, rows }, { firstLine: FIRST_CSV_LINE });
  });
  show(detail, { json, terminal });
  return 0;
}

/** @throws TillgateError `CONFIG_INVALID` for a file that cannot be read */
async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new TillgateError('CONFIG_INVALID', `The file ${file} cannot be read.`, {}, error);
  }
}

export async function payoutBatchList({ values, json, terminal }: CommandCall): Promise<number> {
  const status = (values['status'] ?? null) as BatchStatus | null;
  if (status !== null && !BATCH_STATUSES.includes(status))
    throw new TillgateError('CONFIG_INVALID', `--status is one of ${BATCH_STATUSES.join(', ')}.`);
  const { items } = await withManage(({ batches }) => batches.list(OPERATOR, { status, limit: SHOWN }));
  const records = items.map((batch) => batchRecord(batch, ASSETS));
  if (json) terminal.out(JSON.stringify(records));
  else if (records.length === 0) terminal.out('There are no payout batches.');
  for (const { id, status: at, account, name } of json ? [] : records)
    terminal.out(`${id}  ${at.padEnd(9)}  account ${account}  ${name}`);
  return 0;
}

export async function payoutBatchShow({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const id = idOf(operands);
  const [detail, rows] = await withManage(async ({ batches }) => {
    const found = await batches.find(OPERATOR, id);
    const records = [];
    if (values['rows'] === true)
      for await (const part of await batches.exportRows(OPERATOR, id))
        records.push(...part.map((row) => payoutBatchRowRecord(row, ASSETS)));
    return [found, records] as const;
  });
  if (json) {
    terminal.out(
      JSON.stringify({ ...payoutBatchRecord(detail, ASSETS), ...(values['rows'] === true ? { rows } : {}) }),
    );
    return 0;
  }
  show(detail, { json, terminal });
  for (const { line, reference, amount, coin, address, status, reason } of rows)
    terminal.out(`line ${line}  ${status.padEnd(9)}  ${reference}  ${amount} ${coin}  to ${address}  ${reason ?? ''}`);
  return 0;
}

export async function payoutBatchApprove({ operands, json, terminal }: CommandCall): Promise<number> {
  show(await withManage(({ batches }) => batches.approve(OPERATOR, idOf(operands))), { json, terminal });
  return 0;
}

export async function payoutBatchCancel({ operands, json, terminal }: CommandCall): Promise<number> {
  show(await withManage(({ batches }) => batches.cancel(OPERATOR, idOf(operands))), { json, terminal });
  return 0;
}

function show(detail: BatchDetail, { json, terminal }: Pick<CommandCall, 'json' | 'terminal'>): void {
  const record = payoutBatchRecord(detail, ASSETS);
  if (json) {
    terminal.out(JSON.stringify(record));
    return;
  }
  const { id, status, sums, progress, approvals, approvals_needed: needed } = record;
  terminal.out(`Payout batch ${id} is ${status}.`);
  for (const { rows, amount, coin, fee, received } of sums)
    terminal.out(`${rows} rows take ${amount} ${coin}: fees of about ${fee}, and ${received} for the receivers.`);
  if (status === 'DRAFT') terminal.out(`It has ${approvals.length} of ${needed} approvals.`);
  else
    terminal.out(
      `${progress.paid} paid, ${progress.underway} under way, ${progress.held} held, ${progress.failed} failed, ${progress.waiting} waiting, ${progress.dropped} dropped.`,
    );
}

export async function payeeAdd({ values, json, terminal }: CommandCall): Promise<number> {
  const payee = await withTill(async ({ manage }, runtime) =>
    manage.payees.create(
      OPERATOR,
      {
        accountId: await requireAccount(runtime, values['account']),
        chain: String(values['chain']),
        address: String(values['address']),
        label: String(values['label'] ?? ''),
      },
      values['now'] === true,
    ),
  );
  const record = payeeRecord(payee);
  const { id, address, effective_at: from } = record;
  terminal.out(json ? JSON.stringify(record) : `Payee ${id} is ${address}; it counts from ${from} on.`);
  return 0;
}

export async function payeeList({ values, json, terminal }: CommandCall): Promise<number> {
  const { items } = await withManage(async ({ payees }, runtime) =>
    payees.list(OPERATOR, { accountId: await requireAccount(runtime, values['account']), limit: SHOWN }),
  );
  const records = items.map(payeeRecord);
  if (json) terminal.out(JSON.stringify(records));
  else if (records.length === 0) terminal.out('The account lists no payees.');
  for (const { id, chain, address, label, effective_at: from } of json ? [] : records)
    terminal.out(`${id}  ${chain}  ${address}  from ${from}  ${label}`);
  return 0;
}

export async function payeeRemove({ operands, json, terminal }: CommandCall): Promise<number> {
  const payee = await withManage(({ payees }) => payees.remove(OPERATOR, (operands[0] ?? '') as PayeeId));
  terminal.out(json ? JSON.stringify(payeeRecord(payee)) : `Payee ${payee.id} is removed.`);
  return 0;
}
