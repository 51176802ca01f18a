import { FIATS, WEBHOOK_PATTERNS } from '../../../core/index.ts';
import { z } from 'zod';
import { fiatCurrencySchema } from '../operations/currencies.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';

const coinSchema = z.object({
  chain: z.string(),
  chain_name: z.string(),
  currency: z.string(),
  status: z.boolean().meta({ description: 'Whether orders can currently be created in it' }),
});

export const serviceSchema = z
  .object({
    sandbox: z.boolean().meta({ description: 'Whether orders can be paid with /sandbox/v1/pay' }),
    coins: z.array(coinSchema).readonly().meta({ description: 'Every supported pair of chain and currency' }),
    fiats: z
      .array(fiatCurrencySchema)
      .readonly()
      .meta({ description: 'Fiat currencies in which orders can be priced' }),
    webhook_events: z.array(z.string()).readonly().meta({ description: 'Events that webhook endpoints can receive' }),
  })
  .meta({ id: 'Service' });

/** The operations that describe this installation. */
export const serviceOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getService',
    method: 'GET',
    path: '/service',
    summary: 'Retrieve the installation',
    description: 'Returns the supported currencies and events, and whether money is simulated.',
    data: serviceSchema,
    examples: {
      data: {
        sandbox: false,
        coins: [{ chain: 'ETH', chain_name: 'Ethereum', currency: 'USDT-ERC20', status: true }],
        fiats: [{ currency: 'USD', name: 'US Dollar' }],
        webhook_events: ['order.*', 'order.succeeded'],
      },
    },
    handler: async (_call, { assets, settings }) => ({
      sandbox: settings.sandbox ?? false,
      coins: assets.list().map(({ asset: { chain, currency }, enabled }) => ({
        chain,
        chain_name: assets.chainName(chain),
        currency,
        status: enabled,
      })),
      fiats: FIATS.map(({ code, name }) => ({ currency: code, name })),
      webhook_events: [...WEBHOOK_PATTERNS],
    }),
  }),
];
