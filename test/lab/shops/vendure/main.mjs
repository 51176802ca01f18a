/** A Vendure shop with one thing to sell, on SQLite in memory. It prints `listens on URL`. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, DefaultLogger, LogLevel } from '@vendure/core';
import { populate } from '@vendure/core/cli/index.js';
import { TillgatePlugin } from 'tillgate-vendure';

const env = process.env;
const initialData = {
  defaultLanguage: 'en',
  defaultZone: 'Europe',
  countries: [{ name: 'Germany', code: 'DE', zone: 'Europe' }],
  taxRates: [{ name: 'Standard Tax', percentage: 0 }],
  shippingMethods: [{ name: 'Post', price: 0 }],
  paymentMethods: [{ name: 'Crypto', handler: { code: 'tillgate', arguments: [] } }],
  collections: [],
};
const products = `name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets
A tin of tea,tea,Tea,,,,,TEA,12.50,standard,1000,false,,
`;

const config = {
  apiOptions: {
    port: Number(env.SHOP_PORT),
    hostname: '127.0.0.1',
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
  },
  authOptions: {
    tokenMethod: 'bearer',
    superadminCredentials: { identifier: 'superadmin', password: env.SHOP_PASSWORD },
    requireVerification: false,
  },
  dbConnectionOptions: { type: 'sqljs', synchronize: true, autoSave: false },
  importExportOptions: { importAssetsDir: tmpdir() },
  logger: new DefaultLogger({ level: LogLevel.Warn, timestamp: false }),
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [
    TillgatePlugin.init({
      baseUrl: env.TILL_URL,
      credentials: { apiToken: env.TILL_API_TOKEN, signingSecret: env.TILL_SIGNING_SECRET },
      webhookSecrets: env.TILL_WEBHOOK_SECRET.split(' '),
      succeedUrl: 'https://shop.example/thanks',
    }),
  ],
};

const csv = join(mkdtempSync(join(tmpdir(), 'tillgate-shop-')), 'products.csv');
writeFileSync(csv, products);
const app = await populate(() => bootstrap(config), initialData, csv);
console.log(`listens on http://127.0.0.1:${env.SHOP_PORT}`);
process.on('SIGTERM', () => void app.close().finally(() => process.exit()));
