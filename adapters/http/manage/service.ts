import { FIATS, WEBHOOK_PATTERNS } from '../../../core/index.ts';
import { z } from 'zod';
import { fiatCurrencySchema } from '../operations/currencies.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';

const coinSchema = z.object({
  chain: z.string(),
  chain_name: z.string(),
  currency: z.string(),
  status: z.boolean().meta({ description: 'Orders can be made in it now' }),
});

export const serviceSchema = z
  .object({
    sandbox: z.boolean().meta({ description: 'Orders can be paid by /sandbox/v1/pay' }),
    coins: z.array(coinSchema).readonly().meta({ description: 'Every known pair of chain and currency' }),
    fiats: z.array(fiatCurrencySchema).readonly().meta({ description: 'The fiat currencies of prices' }),
    webhook_events: z.array(z.string()).readonly().meta({ description: 'What a webhook endpoint can be sent' }),
  })
  .meta({ id: 'Service' });

/** What a user of the management API has to know of this installation. */
export const serviceOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getService',
    method: 'GET',
    path: '/service',
    summary: 'This installation',
    description: 'What orders can be made in, and whether money is simulated.',
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
