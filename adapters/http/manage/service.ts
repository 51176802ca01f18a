import { FIATS, WEBHOOK_PATTERNS } from '../../../core/index.ts';
import type { RouteRecord } from '../../../core/index.ts';
import { z } from 'zod';
import { fiatCurrencySchema } from '../operations/currencies.ts';
import { apiOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';

const coinSchema = z.object({
  chain: z.string(),
  chain_name: z.string(),
  coin: z.string().meta({ description: 'Currency code of the coin, such as USDT-ERC20' }),
  symbol: z.string().meta({ description: 'What people call the coin, such as USDT; other chains may have the same' }),
  explorer: z.string().nullable().meta({
    description:
      'URL of a transaction of the chain in a block explorer, with {txid} in place of its hash; null where there is none',
  }),
  address_explorer: z.string().nullable().meta({
    description:
      'URL of an address of the chain in a block explorer, with {address} in its place; null where there is none',
  }),
  enabled: z.boolean().meta({ description: 'Whether orders can currently be created in it' }),
});

const gatewayChainSchema = z.object({ chain: z.string(), chain_name: z.string() });

export const serviceSchema = z
  .object({
    sandbox: z.boolean().meta({ description: 'Whether orders can be paid with /sandbox/v1/pay' }),
    coins: z.array(coinSchema).readonly().meta({ description: 'Every supported pair of chain and coin' }),
    fiats: z
      .array(fiatCurrencySchema)
      .readonly()
      .meta({ description: 'Fiat currencies in which orders can be priced' }),
    gateway_chains: z
      .array(gatewayChainSchema)
      .readonly()
      .meta({ description: 'Chains that a gateway serves, for Apps to use' }),
    webhook_events: z.array(z.string()).readonly().meta({ description: 'Events that webhook endpoints can receive' }),
  })
  .meta({ id: 'Service' });

const chainsServed = (routes: readonly RouteRecord[]): readonly string[] => [
  ...new Set(routes.filter(({ route }) => route.enabled).map(({ route }) => route.chain)),
];

/** The operations that describe this installation. */
export const serviceOperations: readonly ManageOperation[] = [
  apiOperation({
    offer: { name: 'service.get', scope: 'read' },
    id: 'getService',
    method: 'GET',
    path: '/service',
    summary: 'Retrieve the installation',
    description: 'Returns the supported coins, fiat currencies and events, and whether money is simulated.',
    data: serviceSchema,
    examples: {
      data: {
        sandbox: false,
        coins: [
          {
            chain: 'ETH',
            chain_name: 'Ethereum',
            coin: 'USDT-ERC20',
            symbol: 'USDT',
            explorer: 'https://etherscan.io/tx/{txid}',
            address_explorer: 'https://etherscan.io/address/{address}',
            enabled: true,
          },
        ],
        fiats: [{ currency: 'USD', name: 'US Dollar' }],
        gateway_chains: [{ chain: 'ETH', chain_name: 'Ethereum' }],
        webhook_events: ['order.*', 'order.succeeded'],
      },
    },
    handler: async (_call, { manage, assets, settings }) => ({
      sandbox: settings.sandbox ?? false,
      coins: assets.list().map(({ asset: { chain, currency, symbol }, enabled }) => ({
        chain,
        chain_name: assets.chainName(chain),
        coin: currency,
        symbol,
        explorer: assets.explorer(chain),
        address_explorer: assets.addressExplorer(chain),
        enabled,
      })),
      fiats: FIATS.map(({ code, name }) => ({ currency: code, name })),
      gateway_chains: chainsServed(await manage.routes.all()).map((chain) => ({
        chain,
        chain_name: assets.chainName(chain),
      })),
      webhook_events: [...WEBHOOK_PATTERNS],
    }),
  }),
];
