// Programs that the types must refuse: a line without an error fails the compilation.
import { createTillgate } from 'tillgate';
import type { Tillgate } from 'tillgate';
import { createTillgateClient } from '@tillgate/client';
import { definePlugin } from 'tillgate/plugin';
import { ethereum } from 'tillgate/plugins/ethereum';

declare const till: Tillgate;
const account = '1';

// @ts-expect-error a price is a decimal string, since a number is rounded
await till.orders.create({ account, price: 12.5, currency: 'EUR' });
// @ts-expect-error an order needs a price
await till.orders.create({ account, currency: 'EUR' });
// @ts-expect-error the field is `merchantReference`
await till.orders.create({ account, price: '1', currency: 'EUR', merchant_reference: 'cart' });
// @ts-expect-error there is no such verb
await till.orders.remove('1');
// @ts-expect-error a record cannot be changed
(await till.orders.get('1')).status = 'SUCCESS';
// @ts-expect-error there is no such event
till.on('order.stolen', () => undefined);
// @ts-expect-error an event of an order has no refund
till.on('order.succeeded', ({ refund }) => refund);
// @ts-expect-error the event has another name while it is only heard in this process
till.on('order.succeeded', () => undefined, { live: true });
// @ts-expect-error the plugin needs the addresses of nodes
ethereum({});
// @ts-expect-error the addresses are a list
ethereum({ rpcUrls: 'http://127.0.0.1:8545' });
// @ts-expect-error a plugin is configured by its options, not by its name
await createTillgate({ database: 'sqlite::memory:', plugins: ['ethereum'] });
// @ts-expect-error there is no such option
await createTillgate({ database: 'sqlite::memory:', plugin: [] });
// @ts-expect-error credentials are an API key or a signing pair
createTillgateClient({ baseUrl: 'https://pay.example', credentials: { token: 'key' } });
// @ts-expect-error a plugin names its version
definePlugin({ name: 'mine', requires: '^1.0.0', options: () => ({}), setup: () => undefined });
// @ts-expect-error the rest of the package is private
await import('tillgate/dist/index.js');
// @ts-expect-error the interfaces inside are private
await import('tillgate/core');
