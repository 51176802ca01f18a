import { claimRecord } from '../../adapters/http/manage/payouts/claims.ts';
import { pullPaymentRecord } from '../../adapters/http/manage/payouts/pull-payments.ts';
import { CLAIM_STATUSES, invalidField, OPERATOR, readDecimal } from '../../core/index.ts';
import type {
  AccountId,
  ClaimId,
  ClaimStatus,
  Decimal,
  ManagedClaim,
  OrderId,
  PullPaymentId,
} from '../../core/index.ts';
import type { Till } from '../boot/container.ts';
import type { CommandCall } from './command.ts';
import { instantOption } from './options.ts';
import { withTill } from './with-till.ts';

type PullRecord = ReturnType<typeof pullPaymentRecord>;
type ClaimRecord = ReturnType<typeof claimRecord>;

/** `pull-payment create`: promises an amount of an account. */
export async function pullPaymentCreate({ values, json, terminal }: CommandCall): Promise<number> {
  const textOf = (name: string): string | undefined => (values[name] === undefined ? undefined : String(values[name]));
  const input = {
    accountId: String(values['account']) as AccountId,
    name: String(values['name']),
    currency: String(values['currency']),
    amount: amountOption(String(values['amount'])),
    ...(textOf('coins') === undefined ? {} : { coins: String(values['coins']).split(',') }),
    expiresAt: instantOption(values['expires-at'], '--expires-at'),
    autoApprove: values['auto-approve'] === true,
    reference: textOf('reference') ?? null,
    orderId: (textOf('order') ?? null) as OrderId | null,
  };
  const record = pullPaymentRecord(await withTill(({ manage }) => manage.pullPayments.create(OPERATOR, input)));
  terminal.out(json ? JSON.stringify(record) : `${pullInWords(record)}\nThe claim page: ${record.url ?? ''}`);
  return 0;
}

/** `pull-payment list`: one page, and the cursor of the next. */
export async function pullPaymentList({ values, json, terminal }: CommandCall): Promise<number> {
  const { items, nextCursor } = await withTill(({ manage }) => manage.pullPayments.list(OPERATOR, pageOf(values)));
  const records = items.map(pullPaymentRecord);
  if (json) terminal.out(JSON.stringify({ items: records, next_cursor: nextCursor }));
  else if (records.length === 0) terminal.out('There are no pull payments.');
  for (const record of json ? [] : records) terminal.out(pullInWords(record));
  if (!json && nextCursor !== null) terminal.out(`For older ones: --cursor ${nextCursor}`);
  return 0;
}

/** `pull-payment show ID`: the pull payment with its page and its claims. */
export async function pullPaymentShow({ operands, json, terminal }: CommandCall): Promise<number> {
  const id = (operands[0] ?? '') as PullPaymentId;
  const { pull, claims } = await withTill(async (till) => {
    const found = await till.manage.pullPayments.reveal(OPERATOR, id);
    const { items } = await till.manage.pullPayments.claims(OPERATOR, { pullPaymentId: id, limit: 100 });
    return { pull: pullPaymentRecord(found), claims: items.map((claim) => recordOf(claim, till)) };
  });
  if (json) terminal.out(JSON.stringify({ ...pull, claims }));
  else
    for (const line of [pullInWords(pull), `The claim page: ${pull.url ?? ''}`, ...claims.map(claimInWords)])
      terminal.out(line);
  return 0;
}

/** `pull-payment archive ID`: ends a pull payment. */
export async function pullPaymentArchive({ operands, json, terminal }: CommandCall): Promise<number> {
  const id = (operands[0] ?? '') as PullPaymentId;
  const record = pullPaymentRecord(await withTill(({ manage }) => manage.pullPayments.archive(OPERATOR, id)));
  terminal.out(json ? JSON.stringify(record) : pullInWords(record));
  return 0;
}

/** `claim list`: one page, and the cursor of the next. */
export async function claimList({ values, json, terminal }: CommandCall): Promise<number> {
  const input = {
    ...pageOf(values),
    ...(values['pull-payment'] === undefined ? {} : { pullPaymentId: String(values['pull-payment']) as PullPaymentId }),
    ...(values['status'] === undefined ? {} : { status: statusOption(String(values['status'])) }),
  };
  const { records, next } = await withTill(async (till) => {
    const { items, nextCursor } = await till.manage.pullPayments.claims(OPERATOR, input);
    return { records: items.map((claim) => recordOf(claim, till)), next: nextCursor };
  });
  if (json) terminal.out(JSON.stringify({ items: records, next_cursor: next }));
  else if (records.length === 0) terminal.out('There are no claims.');
  for (const record of json ? [] : records) terminal.out(claimInWords(record));
  if (!json && next !== null) terminal.out(`For older ones: --cursor ${next}`);
  return 0;
}

/** `claim approve ID`: the operator is one of the persons who approve. */
export function claimApprove(call: CommandCall): Promise<number> {
  return decided(call, ({ manage }, id) => manage.pullPayments.approve(OPERATOR, id));
}

/** `claim reject ID --reason R`. */
export function claimReject(call: CommandCall): Promise<number> {
  return decided(call, ({ manage }, id) => manage.pullPayments.reject(OPERATOR, id, String(call.values['reason'])));
}

async function decided(
  { operands, json, terminal }: CommandCall,
  decide: (till: Till, id: ClaimId) => Promise<ManagedClaim>,
): Promise<number> {
  const record = await withTill(async (till) => recordOf(await decide(till, (operands[0] ?? '') as ClaimId), till));
  terminal.out(json ? JSON.stringify(record) : claimInWords(record));
  return 0;
}

const recordOf = (claim: ManagedClaim, { assets }: Pick<Till, 'assets'>): ClaimRecord =>
  claimRecord(claim, { assets, now: claim.now });

function pageOf(values: CommandCall['values']) {
  return {
    ...(values['account'] === undefined ? {} : { accountId: String(values['account']) as AccountId }),
    limit: Number(values['limit'] ?? '20'),
    ...(values['cursor'] === undefined ? {} : { cursor: String(values['cursor']) }),
  };
}

function amountOption(text: string): Decimal {
  const amount = /^\d+(?:\.\d+)?$/.test(text) ? readDecimal(text) : null;
  if (amount === null) throw invalidField('--amount', 'must be a positive decimal, such as 12.50');
  return amount;
}

function statusOption(value: string): ClaimStatus {
  const status = CLAIM_STATUSES.find((one) => one === value);
  if (status === undefined) throw invalidField('--status', `must be one of ${CLAIM_STATUSES.join(', ')}`);
  return status;
}

function pullInWords({ id, created_at: at, state, account, name, currency, amount, left }: PullRecord): string {
  return `${id}  ${at}  ${state.padEnd(8)}  account ${account}  ${left} of ${amount} ${currency} left  ${name}`;
}

function claimInWords({ id, created_at: at, state, coin_amount: units, coin, to_address: to }: ClaimRecord): string {
  return `${id}  ${at}  ${state.padEnd(17)}  ${units} ${coin} to ${to}`;
}
