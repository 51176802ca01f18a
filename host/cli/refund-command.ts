import { invalidField, OPERATOR, readDecimal, REFUND_RATES, REFUND_TO } from '../../core/index.ts';
import type { Decimal, OrderId } from '../../core/index.ts';
import { payoutRecord } from '../../adapters/http/manage/payouts/payouts.ts';
import type { CommandCall } from './command.ts';
import { withTill } from './with-till.ts';

/** `order refund ID`: refunds all that is left of an order, or a part of it. */
export async function orderRefund({ operands: [id = ''], values, json, terminal }: CommandCall): Promise<number> {
  const input = {
    to: wordOption(values, 'to', REFUND_TO),
    amount: amountOption(values, 'amount'),
    fiatAmount: amountOption(values, 'fiat-amount'),
    rate: wordOption(values, 'rate', REFUND_RATES),
    surplus: values['surplus'] === true,
  };
  const record = await withTill(async ({ manage, assets }) =>
    payoutRecord(await manage.orders.refund(OPERATOR, id as OrderId, null, input), assets),
  );
  const { amount, coin, received, to_address: to, status, reason } = record;
  const then = status === 'HELD' ? `waits for approval: ${reason}` : `will be paid: about ${received} ${coin} to ${to}`;
  terminal.out(json ? JSON.stringify(record) : `Refund ${record.id} of order ${id}, ${amount} ${coin}, ${then}`);
  return 0;
}

type Values = CommandCall['values'];

function wordOption<const T extends string>(values: Values, name: string, words: readonly T[]): T | undefined {
  const value = values[name];
  const word = words.find((each) => each === value);
  if (value !== undefined && word === undefined) throw invalidField(`--${name}`, `must be one of ${words.join(', ')}`);
  return word;
}

function amountOption(values: Values, name: string): Decimal | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  const amount = /^\d+(\.\d+)?$/.test(String(value)) ? readDecimal(String(value)) : null;
  if (amount === null) throw invalidField(`--${name}`, 'must be a decimal, such as 12.50');
  return amount;
}
