import type { AssetCatalogue, EventPresenter } from '../../../core/index.ts';
import type { z } from 'zod';
import { id } from '../record-fields.ts';
import { presentTransaction, transactionSchema } from './transactions.ts';

/** The data of the events of withdrawals and refunds. */
export const transferEventSchema = transactionSchema
  .extend({ order_id: id('The order that is paid back').nullable() })
  .meta({ id: 'TransferEvent' });

/** Writes the data of events as the APIs have the same records. */
export function eventPresenter(assets: Pick<AssetCatalogue, 'find'>): EventPresenter {
  // A currency whose plugin was removed is written in units.
  const decimalsOf = (currency: string) => ({ decimals: assets.find(currency)?.decimals ?? 0 });
  const json = <T extends z.ZodType>(_schema: T, record: z.input<T>): string => JSON.stringify(record);
  return {
    transfer: (row) =>
      json(transferEventSchema, {
        ...presentTransaction({ transaction: row, asset: decimalsOf(row.currency) }),
        order_id: row.orderId,
      }),
  };
}
