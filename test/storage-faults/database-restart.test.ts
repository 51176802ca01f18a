import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLedger } from '../../core/index.ts';
import { envelope } from '../support/http.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';
import { waitFor } from '../support/wait.ts';
import { startRestartablePostgres } from './restartable-postgres.ts';

const CLIENTS = 6;
/** Requests that have to be answered before, between and after the restarts. */
const BETWEEN = 40;
const PAYEE = '0x00000000000000000000000000000000d00dfeed';

/** What clients got: each key ends with one answer, however often it was asked with. */
interface Load {
  readonly answered: Map<string, string>;
  readonly refusals: Map<number, number>;
  stop: boolean;
}

async function keepAsking({ merchant }: TestTill, client: number, load: Load): Promise<void> {
  for (let number = 0; !load.stop; number++) {
    const key = `${client}-${number}`;
    const [target, body] =
      number % 3 === 0
        ? ['/api/withdraw', { amount: '0.0001', chain: 'ETH', currency: 'ETH' }]
        : ['/api/order/pay-info', { chain: 'ETH', currency: 'ETH', vs_currency: 'USD', vs_price: 10 }];
    for (;;) {
      const reply = await merchant.client.post(target, body, { headers: { 'Idempotency-Key': key } });
      const { code, data } = envelope<Record<string, string>>(reply);
      if (code === 0) {
        load.answered.set(key, String(data?.['tx_id'] ?? data?.['order_id']));
        break;
      }
      load.refusals.set(code, (load.refusals.get(code) ?? 0) + 1);
      assert.equal(code, 50300, reply.text);
    }
  }
}

test('fault 67: the database is restarted under load, in order and by a crash: 50300 meanwhile, and nothing is lost or done twice', async (t) => {
  const server = await startRestartablePostgres();
  const storage = await waitFor(
    async () => {
      const opened = await openStorageAlone(
        { client: 'pg', connection: server.url },
        { logger: silentLogger, guardNesting: true },
      );
      try {
        await opened.migrate();
        return opened;
      } catch (error) {
        await opened.close();
        throw error;
      }
    },
    { timeoutMs: 60_000, describe: 'the database to be there' },
  );
  const till = await startTestTill(
    { storage },
    {
      settings: { limits: { requestsPerMinute: 1_000_000 } },
    },
  );
  t.after(async () => {
    await till.close();
    await storage.close();
    await server.remove();
  });
  const { merchant, clock } = till;
  const accountId = merchant.account.id;
  await storage.accounts.update(accountId, { verifiedCurrencies: ['*'], modifiedAt: clock.now() });
  await storage.transaction((tx) =>
    tx.wallets.saveWithdrawalAddress({
      accountId,
      chain: 'ETH',
      formerAddress: null,
      address: PAYEE,
      activeFrom: clock.now(),
      updatedAt: clock.now(),
    }),
  );
  const funding = envelope<{ order_id: string }>(
    await merchant.client.post('/api/order/pay-info', {
      chain: 'ETH',
      currency: 'ETH',
      vs_currency: 'USD',
      vs_price: 500_000,
    }),
  );
  await till.client.post('/sandbox/v1/pay', { order_id: funding.data?.order_id });
  await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 80 });
  await till.work();

  const load: Load = { answered: new Map(), refusals: new Map(), stop: false };
  const clients = Array.from({ length: CLIENTS }, (_, client) => keepAsking(till, client, load));
  const more = async (): Promise<void> => {
    const from = load.answered.size;
    await waitFor(() => load.answered.size >= from + BETWEEN, {
      timeoutMs: 60_000,
      describe: `${BETWEEN} more answers; refused so far: ${JSON.stringify([...load.refusals])}`,
    });
  };
  const work = (async () => {
    await more();
    for (const mode of ['fast', 'immediate'] as const) {
      await server.stop(mode);
      const refused = load.refusals.get(50300) ?? 0;
      await waitFor(() => (load.refusals.get(50300) ?? 0) > refused + CLIENTS, {
        timeoutMs: 60_000,
        describe: 'refusals while the database is away',
      });
      server.start();
      await more();
    }
  })().finally(() => (load.stop = true));
  const ends = await Promise.allSettled([work, ...clients]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;

  assert.deepEqual([...load.refusals.keys()], [50300]);
  const withdrawals = [...load.answered].filter(([key]) => Number(key.split('-')[1]) % 3 === 0);
  const orders = load.answered.size - withdrawals.length;
  assert.equal(new Set(load.answered.values()).size, load.answered.size, 'an id each');
  assert.equal((await storage.orders.list(accountId, { page: 1, size: 1 })).total, orders + 1);
  const spent = (await storage.ledger.balances(`merchant:${accountId}:reserved`)).find(
    ({ currency }) => currency === 'ETH',
  )?.units;
  assert.equal(spent, BigInt(withdrawals.length) * 10n ** 14n, 'each withdrawal is reserved once');
  assert.deepEqual(await checkLedger(storage), []);
  t.diagnostic(`${orders} orders, ${withdrawals.length} withdrawals, ${load.refusals.get(50300)} refusals`);
});
