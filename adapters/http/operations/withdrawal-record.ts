import { formatTimestamp, formatUnits, obtainedUnits } from '../../../core/index.ts';
import type { TransactionStatus, TransferStatus, WithdrawalView } from '../../../core/index.ts';
import { z } from 'zod';
import { decimal, id, timestamp } from '../record-fields.ts';
import { orderExample } from './order-record.ts';

/** The most characters of an invoice; Lightning nodes make shorter ones. */
export const MAX_INVOICE = 8192;
export const CODE_DIGITS = 6;

const status = z.enum(['PENDING', 'SUCCESS', 'FAILED']);

/** The record of a withdrawal. */
export const withdrawalSchema = z
  .object({
    user_id: id('ID of the owner'),
    tx_id: id('ID of the withdrawal, as in the list of transactions'),
    type: z.literal('WITHDRAW'),
    status,
    chain: z.string(),
    currency: z.string(),
    amount: decimal('Amount taken from the balance, including the fee'),
    fee: decimal('The fee, in the same currency; an estimate until it is signed'),
    obtained: decimal('Amount that the recipient receives'),
    balance: decimal('Balance left to withdraw'),
    to_addr: z.string(),
    tx_hash: z.string().nullable(),
    update_time: timestamp('Last change'),
  })
  .meta({ id: 'Withdrawal' });

/** The record of a withdrawal over Lightning. */
export const lightningWithdrawalSchema = z
  .object({
    user_id: id('ID of the owner'),
    tx_id: id('ID of the withdrawal, as in the list of transactions'),
    type: z.literal('WITHDRAW'),
    status,
    chain: z.string(),
    currency: z.string(),
    amount: decimal('Amount that the payee of the invoice receives'),
    fee: decimal('Routing fee; the maximum until the payment is settled'),
    balance: decimal('Balance left to withdraw'),
    update_time: timestamp('Last change'),
  })
  .meta({ id: 'LightningWithdrawal' });

const WIRE_STATUS: Readonly<Record<TransferStatus, TransactionStatus>> = {
  HELD: 'PENDING',
  REQUESTED: 'PENDING',
  SIGNED: 'PENDING',
  BROADCAST: 'PENDING',
  CONFIRMED: 'SUCCESS',
  FAILED: 'FAILED',
};

/** Writes the record of a withdrawal. */
export function presentWithdrawal({
  withdrawal,
  accountId,
  asset: { decimals },
  balance,
  txHash,
}: WithdrawalView): z.input<typeof withdrawalSchema> {
  return {
    user_id: accountId,
    tx_id: withdrawal.id,
    type: 'WITHDRAW',
    status: WIRE_STATUS[withdrawal.status],
    chain: withdrawal.chain,
    currency: withdrawal.currency,
    amount: formatUnits(withdrawal.units, decimals),
    fee: formatUnits(withdrawal.feeUnits, decimals),
    obtained: formatUnits(obtainedUnits(withdrawal), decimals),
    balance: formatUnits(balance, decimals),
    to_addr: withdrawal.toAddress,
    tx_hash: txHash,
    update_time: formatTimestamp(withdrawal.updatedAt),
  };
}

/** Writes the record of a withdrawal over Lightning. Its amount is what the payee of the invoice receives. */
export function presentLightningWithdrawal(view: WithdrawalView): z.input<typeof lightningWithdrawalSchema> {
  const {
    user_id,
    tx_id,
    type,
    status,
    chain,
    currency,
    fee,
    obtained: amount,
    balance,
    update_time,
  } = presentWithdrawal(view);
  return { user_id, tx_id, type, status, chain, currency, amount, fee, balance, update_time };
}

export const withdrawalExample: z.output<typeof withdrawalSchema> = {
  user_id: orderExample.user_id,
  tx_id: '1530219844911046656',
  type: 'WITHDRAW',
  status: 'PENDING',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '100.5',
  fee: '0.42',
  obtained: '100.08',
  balance: '899.5',
  to_addr: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  tx_hash: null,
  update_time: '2026-05-04T12:20:00',
};

export const lightningWithdrawalExample: z.output<typeof lightningWithdrawalSchema> = {
  user_id: orderExample.user_id,
  tx_id: '1530219844911046657',
  type: 'WITHDRAW',
  status: 'SUCCESS',
  chain: 'BLN',
  currency: 'BTC-LN',
  amount: '0.0025',
  fee: '0.00000001001',
  balance: '0.00749998999',
  update_time: '2026-05-04T12:20:03',
};
