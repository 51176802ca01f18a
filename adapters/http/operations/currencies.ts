import { FIATS } from '../../../core/index.ts';
import { z } from 'zod';
import { dataOperation, merchant } from '../operation.ts';
import type { Operation } from '../operation.ts';

/** A row of the crypto list (specification, "Crypto currency entry"). */
export const cryptoCurrencySchema = z
  .object({
    chain: z.string(),
    currency: z.string(),
    status: z.boolean().meta({ description: 'Orders can be made in it now' }),
  })
  .meta({ id: 'CryptoCurrency' });

/** A row of the fiat list (specification, "Fiat currency entry"). */
export const fiatCurrencySchema = z
  .object({ currency: z.string().meta({ enum: FIATS.map(({ code }) => code) }), name: z.string() })
  .meta({ id: 'FiatCurrency' });

const listCryptoCurrencies = dataOperation({
  id: 'listCryptoCurrencies',
  method: 'GET',
  path: '/api/order/pay/crypto-currency',
  tag: 'Currencies',
  summary: 'Get Crypto Currency List',
  description: 'Every known pair, and whether orders can be made in it (specification, endpoint 8).',
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
  summary: 'Get Fiat Currency List',
  description: 'The authority for fiat codes of orders (specification, endpoint 9).',
  auth: merchant('read'),
  data: z.array(fiatCurrencySchema).readonly(),
  examples: { data: [{ currency: 'USD', name: 'US Dollar' }] },
  handler: async () => FIATS.map(({ code, name }) => ({ currency: code, name })),
});

/** The lists of currencies: endpoints 8 and 9. */
export const currencyOperations: readonly Operation[] = [listCryptoCurrencies, listFiatCurrencies];
