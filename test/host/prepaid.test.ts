import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { ask, HOST, startNode } from '../gateway/support.ts';
import { testedEngines } from '../support/each-storage.ts';
import { freshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';

const UNITS = 40;

for (const engine of testedEngines()) {
  describe(`a plan that is bought, used up and bought again, on ${engine}`, () => {
    afterEach(killAll);

    test('every server takes what was paid for and no more, and the page of its refusal sells the next', async (t) => {
      const node = await startNode();
      const directory = freshDirectory();
      const database = engine === 'pg' ? await freshDatabase() : null;
      t.after(async () => {
        await node.close();
        await database?.drop();
        directory.remove();
      });
      const settings = {
        mode: 'sandbox',
        database: database === null ? { client: 'sqlite' } : { client: 'pg', connection: database.url },
        plugins: [{ use: 'sandbox', options: { confirmations: 1 } }],
        gateways: [{ host: HOST, chain: 'ETH', network: 'devnet', protocol: 'jsonrpc', upstreams: [node.url] }],
      };
      directory.write('tillgate.config.json', settings);
      const command = async <T = Record<string, unknown>>(...args: readonly string[]): Promise<T> => {
        const { code, out, err } = await run(directory.path, [...args, '--json']);
        assert.equal(code, 0, err);
        return JSON.parse(out) as T;
      };
      const account = (email: string) =>
        command<{ id: string }>('account', 'create', '--email', email, '--password', 'correct horse battery');
      const seller = await account('seller@example.com');
      const buyer = await account('buyer@example.com');
      const plans = { small: { units: UNITS, price: '20.00', currency: 'USD' } };
      directory.write('tillgate.config.json', { ...settings, gateway: { sales: { account: seller.id, plans } } });

      const servers = Array.from({ length: engine === 'pg' ? 2 : 1 }, () => serve(directory.path));
      const urls = await Promise.all(servers.map((server) => server.url()));
      const ports = urls.map((url) => Number(new URL(url).port));
      const app = await command<{ id: string; key: { api_key: string } }>(
        ...['app', 'create', '--account', buyer.id, '--name', 'wallet', '--chains', 'ETH'],
      );
      let admitted = 0;
      const call = async (port: number): Promise<Awaited<ReturnType<typeof ask>>> => {
        const reply = await ask(port, { key: app.key.api_key });
        if (reply.status === 200) admitted += 1;
        else assert.equal(reply.status, 402);
        return reply;
      };
      const usedUp = (port: number) => waitFor(async () => (await call(port)).status === 402);
      const left = async (): Promise<number> =>
        (await command<{ units_left: number }>('app', 'prepaid', app.id)).units_left;

      for (const port of ports) await usedUp(port);
      await waitFor(async () => (await left()) === -admitted);

      const { error } = JSON.parse((await call(ports[0]!)).text) as { error: { data: { top_up_url: string } } };
      const page = `http://127.0.0.1:${ports[0]!}${new URL(error.data.top_up_url).pathname}`;
      const shown = await fetch(page, { headers: { Accept: 'text/html', 'Accept-Language': 'en' } });
      assert.match(await shown.text(), /Units left for this App: 0.*40 units.*\$20\.00/s);
      // What was used beyond what was paid for takes part of the plans: buy until there is something left.
      const plansToBuy = Math.floor(admitted / UNITS) + 1;
      for (let n = 0; n < plansToBuy; n++) {
        const bought = await fetch(page, {
          method: 'POST',
          headers: { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' },
          body: 'plan=small',
          redirect: 'manual',
        });
        assert.equal(bought.status, 303);
        const checkout = new URL(bought.headers.get('location') ?? '', page);
        assert.match(checkout.pathname, /^\/checkout\/[0-9a-f]{32}$/);
        await pay(checkout.href);
      }
      const [{ order }] = (await command<{ purchases: [{ order: string }] }>('app', 'prepaid', app.id)).purchases;
      assert.ok(order);
      await waitFor(async () => (await left()) === plansToBuy * UNITS - admitted, { timeoutMs: 30_000 });
      const before = admitted;
      for (const port of ports) await waitFor(async () => (await call(port)).status === 200);
      assert.ok(admitted > before);
      for (const port of ports) await usedUp(port);
      await waitFor(async () => (await left()) === plansToBuy * UNITS - admitted);
      for (const server of servers) assert.equal((await server.signal('SIGTERM')).code, 0);
      assert.equal(await left(), plansToBuy * UNITS - admitted);

      async function pay(checkout: string): Promise<void> {
        const json = { Accept: 'application/json', 'Content-Type': 'application/json' };
        const post = async (url: string, body: object): Promise<void> => {
          const reply = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
          assert.equal(reply.status, 200, await reply.text());
        };
        await post(`${checkout}/choice`, { chain: 'ETH', currency: 'USDT-ERC20' });
        const { purchases } = await command<{ purchases: { order: string; state: string }[] }>(
          'app',
          'prepaid',
          app.id,
        );
        await post(new URL('/sandbox/v1/pay', checkout).href, { order_id: purchases[0]!.order });
        await post(new URL('/sandbox/v1/blocks', checkout).href, { chain: 'ETH', count: 3 });
      }
    });
  });
}
