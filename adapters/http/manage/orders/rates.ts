import type { CoinRate } from '../../../../core/index.ts';
import { z } from 'zod';
import { code } from '../../fields.ts';
import { apiOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount } from '../reply-fields.ts';

export const rateSchema = z
  .object({
    chain: z.string().meta({ description: 'Chain code, such as ETH' }),
    coin: z.string().meta({ description: 'Currency code of the coin, such as USDT-ERC20' }),
    currency: z.string().meta({ description: 'Fiat currency code, such as EUR' }),
    price: amount('Price of one coin, rounded down').nullable().meta({
      description: 'null when there is no usable price at the moment',
    }),
  })
  .meta({ id: 'Rate' });

const rateRecord = ({ asset, fiat, price }: CoinRate): z.input<typeof rateSchema> => ({
  chain: asset.chain,
  coin: asset.currency,
  currency: fiat.code,
  price,
});

/** The operation of present prices. */
export const rateOperations: readonly ManageOperation[] = [
  apiOperation({
    offer: { name: 'rates.list', scope: 'read' },
    id: 'listRates',
    method: 'GET',
    path: '/rates',
    summary: 'List rates',
    description:
      'Returns the present price of each coin in which orders can be created. An order is converted at the prices of its creation, and with the spread of the operator, if there is one.',
    errors: ['UNSUPPORTED'],
    query: z.object({ currency: code('Fiat currency code, such as EUR') }),
    data: z.object({ items: z.array(rateSchema).readonly() }).meta({ id: 'RateList' }),
    examples: { data: { items: [{ chain: 'ETH', coin: 'USDT-ERC20', currency: 'EUR', price: '0.925925925925' }] } },
    handler: async ({ query }, { manage }) => ({ items: (await manage.rates.list(query.currency)).map(rateRecord) }),
  }),
];
