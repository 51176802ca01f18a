import { formatInstant, formatUnits, obtainedUnits, TRANSFER_KINDS, TRANSFER_STATUSES } from '../../../core/index.ts';
import type { AssetCatalogue, RegisteredAddress, Transfer, TransferDetail, WatchAddress } from '../../../core/index.ts';
import { z } from 'zod';
import { instant, time } from './records.ts';

const id = (description: string) => z.string().meta({ pattern: '^\\d{18,19}$', description });
const amount = (description: string) => z.string().meta({ pattern: '^\\d+(\\.\\d+)?$', description });

/** Where withdrawals of an account on a chain go. */
export const withdrawalAddressSchema = z
  .object({
    account_id: id('Its account'),
    chain: z.string(),
    address: z.string().meta({ description: 'The one that was registered last' }),
    active_from: instant('From when it is in force'),
    former_address: z.string().nullable().meta({ description: 'In force until then; null for none' }),
    in_force: z.string().nullable().meta({ description: 'Where a withdrawal would go now; null while the first one waits' }),
    modified_at: instant('Last change'),
  })
  .meta({ id: 'WithdrawalAddress' });

/** An address or extended public key whose balance an account wants to see. */
export const watchAddressSchema = z
  .object({
    id: id('The record'),
    account_id: id('Its account'),
    chain: z.string(),
    kind: z.enum(['address', 'extended-key']),
    value: z.string(),
    label: z.string(),
    created_at: instant('Creation'),
  })
  .meta({ id: 'WatchAddress' });

export const removedWatchSchema = z.object({ id: id('The record'), removed: z.literal(true) }).meta({ id: 'RemovedWatchAddress' });

const transferFields = {
  id: id('The transfer; of a withdrawal or refund also its tx_id'),
  kind: z.enum(TRANSFER_KINDS).meta({ description: 'sweep, gas and cold are moves between addresses of the till' }),
  status: z.enum(TRANSFER_STATUSES).meta({ description: 'HELD waits for an approval' }),
  account_id: id('Whose balance pays').nullable(),
  order_id: id('The order that is paid back').nullable(),
  chain: z.string(),
  currency: z.string(),
  amount: amount('What leaves the balance'),
  fee: amount('The fee, in the same currency; an estimate until it is signed'),
  max_fee: amount('While the network asks for more, it waits'),
  obtained: amount('What the receiver gets'),
  from_addr: z.string(),
  to_addr: z.string(),
  reason: z.string().nullable().meta({ description: 'Why it failed, or what it waits for' }),
  created_at: instant('Creation'),
  modified_at: instant('Last change'),
  finished_at: instant('When it was paid or failed').nullable(),
};

/** A transfer on its way out. */
export const transferSchema = z.object(transferFields).meta({ id: 'Transfer' });

/** A transfer with the transaction that pays it; the signed bytes are told nowhere. */
export const transferDetailSchema = z
  .object({
    ...transferFields,
    bundle: z
      .object({
        id: id('What one transaction on the chain pays'),
        status: z.enum(['LIVE', 'DONE', 'VOID']),
        nonce: z.number().nullable().meta({ type: ['integer', 'null'] }),
        tx_hash: z.string().nullable().meta({ description: 'The attempt that was mined' }),
        height: z.number().nullable().meta({ type: ['integer', 'null'] }),
        sent_at: instant('When it was last given to a node').nullable(),
        attempts: z
          .array(z.object({ number: z.number().meta({ type: 'integer' }), tx_hash: z.string(), fee_units: z.string().meta({ description: "In units of the chain's own coin" }), created_at: instant('When') }))
          .readonly(),
      })
      .nullable()
      .meta({ description: 'null while nothing is signed' }),
  })
  .meta({ id: 'TransferDetail' });

export function withdrawalAddressRecord({ record, inForce }: RegisteredAddress) {
  return {
    account_id: record.accountId,
    chain: record.chain,
    address: record.address,
    active_from: formatInstant(record.activeFrom),
    former_address: record.formerAddress,
    in_force: inForce,
    modified_at: formatInstant(record.updatedAt),
  };
}

export function watchAddressRecord({ id, accountId, chain, kind, value, label, createdAt }: WatchAddress) {
  return { id, account_id: accountId, chain, kind, value, label, created_at: formatInstant(createdAt) };
}

export function transferRecord(transfer: Transfer, assets: Pick<AssetCatalogue, 'find'>) {
  // A currency whose plugin is gone is told in units: an operator must see the transfer all the same.
  const decimals = assets.find(transfer.currency)?.decimals ?? 0;
  return {
    id: transfer.id,
    kind: transfer.kind,
    status: transfer.status,
    account_id: transfer.accountId,
    order_id: transfer.orderId,
    chain: transfer.chain,
    currency: transfer.currency,
    amount: formatUnits(transfer.units, decimals),
    fee: formatUnits(transfer.feeUnits, decimals),
    max_fee: formatUnits(transfer.maxFeeUnits, decimals),
    obtained: formatUnits(obtainedUnits(transfer), decimals),
    from_addr: transfer.sourceAddress,
    to_addr: transfer.toAddress,
    reason: transfer.reason,
    created_at: formatInstant(transfer.createdAt),
    modified_at: formatInstant(transfer.updatedAt),
    finished_at: time(transfer.finishedAt),
  };
}

export function transferDetailRecord({ transfer, payout: view }: TransferDetail, assets: Pick<AssetCatalogue, 'find'>) {
  if (view === null) return { ...transferRecord(transfer, assets), bundle: null };
  const { payout, attempts } = view;
  return {
    ...transferRecord(transfer, assets),
    bundle: {
      id: payout.id,
      status: payout.status,
      nonce: payout.nonce,
      tx_hash: payout.minedTxid,
      height: payout.minedHeight,
      sent_at: time(payout.sentAt),
      attempts: attempts.map(({ number, txid, feeUnits, createdAt }) => ({ number, tx_hash: txid, fee_units: feeUnits.toString(), created_at: formatInstant(createdAt) })),
    },
  };
}
