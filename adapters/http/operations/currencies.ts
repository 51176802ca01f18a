import { FIATS } from '../../../core/index.ts';
import { z } from 'zod';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';

/** A row of the list of crypto currencies. */
export const cryptoCurrencySchema = z
  .object({
    chain: z.string(),
    currency: z.string(),
    status: z.boolean().meta({ description: 'Whether orders can currently be created in this currency' }),
  })
  .meta({ id: 'CryptoCurrency' });

/** A row of the list of fiat currencies. */
export const fiatCurrencySchema = z
  .object({ currency: z.string().meta({ enum: FIATS.map(({ code }) => code) }), name: z.string() })
  .meta({ id: 'FiatCurrency' });

const listCryptoCurrencies = dataOperation({
  id: 'listCryptoCurrencies',
  method: 'GET',
  path: '/api/order/pay/crypto-currency',
  tag: 'Currencies',
  summary: 'List crypto currencies',
  description: 'Returns every supported pair of chain and currency, and whether orders can currently be created in it.',
  auth: merchant('read'),
  data: z.array(cryptoCurrencySchema).readonly(),
  examples: { data: [{ chain: 'ETH', currency: 'USDT-ERC20', status: true }] },
  handler: async (_call, { assets }) =>
    assets.list().map(({ asset, enabled }) => ({ chain: asset.chain, currency: asset.currency, status: enabled })),
});

const listFiatCurrencies = dataOperation({
  id: 'listFiatCurrencies',
  method: 'GET',
  path: '/api/order/pay/real-currency',
  tag: 'Currencies',
  summary: 'List fiat currencies',
  description: 'Returns the fiat currencies in which orders can be priced.',
  auth: merchant('read'),
  data: z.array(fiatCurrencySchema).readonly(),
  examples: { data: [{ currency: 'USD', name: 'US Dollar' }] },
  handler: async () => FIATS.map(({ code, name }) => ({ currency: code, name })),
});

/** The operations that list currencies. */
export const currencyOperations: readonly Operation[] = [listCryptoCurrencies, listFiatCurrencies];
