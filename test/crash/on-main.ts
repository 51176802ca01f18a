/**
 * An application with a till and durable handlers. It makes orders, pays them, and ends when everything is handled, or kills
 * itself at the point that `CRASH_POINT` names. Started again for the same orders, it goes on with them. What a handler does
 * is a line in the file `EFFECTS`. With `FORGET` it has no handlers, and forgets the type of events that is named there.
 */
import { appendFileSync } from 'node:fs';
import { createTillgate } from '../../host/embed/index.ts';
import type { TillEvent } from '../../host/embed/index.ts';
import { HANDLERS, present } from '../../core/index.ts';
import type { HandledType } from '../../core/index.ts';
import { openStorage } from '../../adapters/storage/knex/index.ts';
import type { StorageConfig } from '../../adapters/storage/knex/index.ts';
import { ethereum } from '../support/one-chain.ts';
import { silentLogger } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';
import { killAt } from './kill-at.ts';
import { observedHandler, observePorts, observeStatements } from './observe-ports.ts';
import { FORGET_POINTS, ON_POINTS } from './on-points.ts';

const environment = (name: string): string => present(process.env[name], name);
const EMAIL = 'shop@example.com';
const effects = environment('EFFECTS');
const orders = (process.env['ORDERS'] ?? '').split(' ');
const armed = process.env['CRASH_POINT'] ?? '';

const observe = killAt({ ...ON_POINTS, ...FORGET_POINTS }, () => armed);
observeStatements(observe);
const handle = observedHandler((event: TillEvent) => {
  appendFileSync(effects, `${JSON.stringify(event)}\n`);
}, observe);

const opened = await openStorage(JSON.parse(environment('DATABASE')) as StorageConfig, { logger: silentLogger });
const storage = present(observePorts(observe).storage, 'the observed storage')(opened);
const till = await createTillgate({
  masterKey: environment('TILLGATE_MASTER_KEY'),
  mode: 'sandbox',
  plugins: [ethereum({ confirmations: 1, pollIntervalMs: 50 })],
  callbacks: { schedule: [0, 0, 0, 0], timeoutSeconds: 1 },
  logger: silentLogger,
  replace: { storage },
});
async function handleOrders(): Promise<void> {
  till.on('order.created', handle);
  till.on('order.succeeded', handle);

  const known = await opened.accounts.findByEmail(EMAIL);
  const account = known?.id ?? (await till.accounts.create({ email: EMAIL })).id;
  const input = { account, chain: 'ETH', coin: 'USDT-ERC20', currency: 'EUR', price: '25' };
  for (const idempotencyKey of orders) {
    const { id } = await till.orders.create(input, { idempotencyKey });
    const status = async (): Promise<string> => (await till.orders.get(id)).status;
    if ((await status()) === 'PENDING') await till.sandbox.pay(id);
    await waitFor(async () => (await status()) === 'SUCCESS', { describe: 'the order to be paid' });
  }
  const waiting = { accountId: null, status: 'PENDING', endpointId: HANDLERS, before: null, limit: 1 } as const;
  await waitFor(async () => (await opened.callbacks.list(waiting)).length === 0, {
    describe: 'everything to be handled',
  });
}

const forgotten = process.env['FORGET'] as HandledType | undefined;
if (forgotten === undefined) await handleOrders();
else await till.events.forget(forgotten);
await till.close();
await opened.close();
