import { isUnread, LIGHTNING_ASSET, present } from '../../../core/index.ts';
import type { AccountId, Asset } from '../../../core/index.ts';
import { z } from 'zod';
import { InvalidRequest } from '../invalid-request.ts';
import { SPEEDS } from './checkout-options.ts';
import type { GreenfieldDeps } from './deps.ts';
import { decimal, queryTexts } from './fields.ts';
import { DEFAULT_CURRENCY } from './invoices.ts';
import { greenfieldOperation } from './operation.ts';
import type { GreenfieldOperation } from './operation.ts';
import { coinOf, paymentMethodId } from './payment-method-ids.ts';

/**
 * The version whose calls are spoken. Plugins compare it as a number with points, and some as their language compares
 * versions.
 */
export const SPOKEN_VERSION = '2.4.1';

const whole = (description: string) => z.number().meta({ type: 'integer', description });

const syncSchema = z.object({
  paymentMethodId: z.string(),
  chainHeight: whole('Height of the last block that the till has read'),
  syncHeight: whole('The same'),
  available: z.boolean().meta({ description: 'Whether the chain is read without a lag' }),
});

const serverSchema = z
  .object({
    version: z.string(),
    onion: z.null(),
    supportedPaymentMethods: z.array(z.string()).readonly(),
    fullySynched: z.boolean(),
    syncStatus: z.array(syncSchema).readonly(),
  })
  .meta({ id: 'GreenfieldServer' });

/** What a chain that was never read counts as. */
const NO_HEIGHT = 0;

async function serverRecord({ chainReports, assets, clock }: GreenfieldDeps): Promise<z.input<typeof serverSchema>> {
  const now = clock.now();
  const states = await chainReports.refresh();
  const enabled = assets.enabled();
  const natives = enabled.filter(({ kind, chain }) => kind === 'native' || chain === LIGHTNING_ASSET.chain);
  const syncStatus = states.flatMap((state) => {
    const asset =
      natives.find(({ chain }) => chain === state.chain) ?? enabled.find(({ chain }) => chain === state.chain);
    if (asset === undefined) return [];
    const height = state.cursor?.height ?? NO_HEIGHT;
    const available = state.haltedReason === null && !isUnread(state, now);
    return [{ paymentMethodId: paymentMethodId(asset), chainHeight: height, syncHeight: height, available }];
  });
  return {
    version: SPOKEN_VERSION,
    onion: null,
    supportedPaymentMethods: enabled.map(paymentMethodId),
    // A chain that lags holds up its own payments alone: the shop can sell.
    fullySynched: syncStatus.length === 0 || syncStatus.some(({ available }) => available),
    syncStatus,
  };
}

const storeSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    website: z.string(),
    supportUrl: z.string(),
    defaultCurrency: z.string(),
    invoiceExpiration: whole('Time until the deadline of an invoice, in seconds'),
    monitoringExpiration: whole('Time after the deadline in which late payments are watched for, in seconds'),
    speedPolicy: z.enum(Object.keys(SPEEDS) as [string, ...string[]]),
    paymentTolerance: z.number(),
    defaultPaymentMethod: z.string(),
    defaultLang: z.string(),
    networkFeeMode: z.literal('Never'),
    requiresRefundEmail: z.literal(false),
    archived: z.boolean(),
    anyoneCanCreateInvoice: z.literal(false),
    redirectAutomatically: z.literal(true),
  })
  .meta({ id: 'GreenfieldStore' });

async function storeRecord(id: AccountId, { storage, orders }: GreenfieldDeps): Promise<z.input<typeof storeSchema>> {
  const account = present(await storage.accounts.find(id), `account ${id}`);
  const { timeoutMs, watchMs, toleranceBps } = orders();
  return {
    id,
    name: account.name ?? account.email,
    website: '',
    supportUrl: '',
    defaultCurrency: DEFAULT_CURRENCY,
    invoiceExpiration: timeoutMs / 1000,
    monitoringExpiration: watchMs / 1000,
    speedPolicy: 'MediumSpeed',
    paymentTolerance: toleranceBps / 100,
    defaultPaymentMethod: '',
    defaultLang: 'en',
    networkFeeMode: 'Never',
    requiresRefundEmail: false,
    archived: false,
    anyoneCanCreateInvoice: false,
    redirectAutomatically: true,
  };
}

const methodSchema = z
  .object({ paymentMethodId: z.string(), enabled: z.boolean(), currency: z.string() })
  .meta({ id: 'GreenfieldPaymentMethod' });

/** A list of coins as version 1 had it; a plugin that was never changed still asks for it at each sale. */
function formerMethods(id: string, path: string, isWanted: (asset: Asset) => boolean): GreenfieldOperation {
  return greenfieldOperation({
    id,
    method: 'GET',
    paths: [`/stores/{storeId}/payment-methods/${path}`],
    permission: settings,
    resource: 'store',
    summary: `List payment methods as version 1 did: ${path}`,
    description: 'Returns the symbols of the coins.',
    data: z.array(formerSchema),
    handler: (_call, { assets }) =>
      Promise.resolve(
        assets
          .enabled()
          .filter(isWanted)
          .map((asset) => ({ enabled: true, cryptoCode: asset.symbol, paymentMethodId: paymentMethodId(asset) })),
      ),
  });
}

const isLightning = ({ chain }: Asset): boolean => chain === LIGHTNING_ASSET.chain;

const formerSchema = z
  .object({ enabled: z.boolean(), cryptoCode: z.string(), paymentMethodId: z.string() })
  .meta({ id: 'GreenfieldFormerPaymentMethod' });

const settings = 'btcpay.store.canviewstoresettings';

const rateSchema = z
  .object({
    currencyPair: z.string().meta({ description: 'Coin and fiat currency, such as BTC_USD' }),
    errors: z.array(z.string()).readonly(),
    rate: decimal('Price of one coin, before the spread of the operator').nullable(),
  })
  .meta({ id: 'GreenfieldRate' });

const MAX_PAIRS = 50;

/** The coin and the fiat currency of a pair. @throws InvalidRequest */
function pairOf(pair: string): { readonly pair: string; readonly coin: string; readonly fiat: string } {
  const [, coin, fiat] = /^([A-Z0-9-]{1,32})_([A-Z]{3})$/i.exec(pair) ?? [];
  if (coin === undefined || fiat === undefined)
    throw new InvalidRequest([
      { path: 'currencyPair', message: 'must be a coin and a fiat currency, such as BTC_USD' },
    ]);
  return { pair: pair.toUpperCase(), coin: coin.toUpperCase(), fiat: fiat.toUpperCase() };
}

async function rateRecords(asked: readonly string[], { manage, assets }: GreenfieldDeps) {
  const symbols = [...new Set(assets.enabled().map(({ symbol }) => symbol))];
  const pairs = (asked.length === 0 ? symbols.map((symbol) => `${symbol}_${DEFAULT_CURRENCY}`) : asked).map(pairOf);
  return Promise.all(
    pairs.map(async ({ pair, coin, fiat }) => {
      const asset = coinOf(coin, assets) ?? assets.enabled().find(({ symbol }) => symbol === coin);
      const rates = await manage.rates.list(fiat).catch(() => []);
      const rate = rates.find((each) => each.asset.currency === asset?.currency)?.price ?? null;
      return { currencyPair: pair, errors: rate === null ? ['There is no rate of this pair now.'] : [], rate };
    }),
  );
}

/** The operations of the server and of the store: an account is a store. */
export const storeOperations: readonly GreenfieldOperation[] = [
  greenfieldOperation({
    id: 'getServer',
    method: 'GET',
    paths: ['/server/info'],
    permission: null,
    summary: 'Retrieve the version and the state of the server',
    description: 'Returns the version of the API that is spoken, the payment methods, and whether the chains are read.',
    data: serverSchema,
    handler: (_call, deps) => serverRecord(deps),
  }),
  greenfieldOperation({
    id: 'listStores',
    method: 'GET',
    paths: ['/stores'],
    permission: settings,
    summary: 'List stores',
    description: 'Returns the store of the key: an account is a store.',
    data: z.array(storeSchema),
    handler: async ({ accountId }, deps) => [await storeRecord(accountId, deps)],
  }),
  greenfieldOperation({
    id: 'getStore',
    method: 'GET',
    paths: ['/stores/{storeId}'],
    permission: settings,
    resource: 'store',
    summary: 'Retrieve a store',
    description: 'Returns the store of the key.',
    data: storeSchema,
    handler: ({ accountId }, deps) => storeRecord(accountId, deps),
  }),
  greenfieldOperation({
    id: 'listPaymentMethods',
    method: 'GET',
    paths: ['/stores/{storeId}/payment-methods'],
    permission: settings,
    resource: 'store',
    summary: 'List the payment methods of a store',
    description: 'Returns the coins in which invoices can be paid: `<coin>-CHAIN`, and `BTC-LN` for Lightning.',
    data: z.array(methodSchema),
    handler: (_call, { assets }) =>
      Promise.resolve(
        assets
          .enabled()
          .map((asset) => ({ paymentMethodId: paymentMethodId(asset), enabled: true, currency: asset.symbol })),
      ),
  }),
  formerMethods('listOnChainMethods', 'onchain', (asset) => !isLightning(asset)),
  formerMethods('listLightningMethods', 'LightningNetwork', isLightning),
  greenfieldOperation({
    id: 'listStoreRates',
    method: 'GET',
    paths: ['/stores/{storeId}/rates'],
    permission: settings,
    resource: 'store',
    summary: 'List rates',
    description: 'Returns the present prices of coins.',
    query: z.object({
      currencyPair: queryTexts(
        MAX_PAIRS,
        40,
        `Pairs such as BTC_USD; may be repeated; every coin in ${DEFAULT_CURRENCY} by default`,
      ),
      'currencyPair[]': queryTexts(MAX_PAIRS, 40, 'The same'),
    }),
    data: z.array(rateSchema),
    handler: ({ query }, deps) => rateRecords([...query.currencyPair, ...query['currencyPair[]']], deps),
  }),
];
