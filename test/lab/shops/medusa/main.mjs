/** A Medusa shop with one thing to sell, on a PostgreSQL database that `medusa db:migrate` has prepared. It prints `listens on URL` and then `sells JSON`. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const express = require('express');
const { default: load } = require('@medusajs/medusa/loaders/index');
const {
  createApiKeysWorkflow,
  createProductsWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  linkSalesChannelsToApiKeyWorkflow,
} = require('@medusajs/medusa/core-flows');

const { SHOP_PORT: port } = process.env;
const CURRENCIES = ['eur', 'jpy', 'kwd'];
const COUNTRIES = { eur: 'de', jpy: 'jp', kwd: 'kw' };

const app = express();
const { container } = await load({ directory: process.cwd(), expressApp: app });
const run = async (workflow, input) => (await workflow(container).run({ input })).result;

const [channel] = await run(createSalesChannelsWorkflow, { salesChannelsData: [{ name: 'Tests' }] });
const [shopKey, adminKey] = await run(createApiKeysWorkflow, {
  api_keys: ['publishable', 'secret'].map((type) => ({ title: type, type, created_by: 'tests' })),
});
await run(linkSalesChannelsToApiKeyWorkflow, { id: shopKey.id, add: [channel.id] });
const regions = await run(createRegionsWorkflow, {
  regions: CURRENCIES.map((code) => ({
    name: code,
    currency_code: code,
    countries: [COUNTRIES[code]],
    payment_providers: ['pp_tillgate_crypto'],
  })),
});
const [product] = await run(createProductsWorkflow, {
  products: [
    {
      title: 'A tin of tea',
      status: 'published',
      options: [{ title: 'Size', values: ['S'] }],
      sales_channels: [{ id: channel.id }],
      variants: [
        {
          title: 'S',
          options: { Size: 'S' },
          manage_inventory: false,
          prices: [
            { currency_code: 'eur', amount: 12.5 },
            { currency_code: 'jpy', amount: 1250 },
            { currency_code: 'kwd', amount: 1.255 },
          ],
        },
      ],
    },
  ],
});

createServer(app).listen(Number(port), '127.0.0.1', () => {
  const regionOf = Object.fromEntries(regions.map(({ currency_code: code, id }) => [code, id]));
  const facts = {
    variant: product.variants[0].id,
    regions: regionOf,
    shopKey: shopKey.token,
    adminKey: adminKey.token,
  };
  console.log(`sells ${JSON.stringify(facts)}`);
  console.log(`listens on http://127.0.0.1:${port}`);
});
