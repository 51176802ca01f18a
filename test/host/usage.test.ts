import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { ask, CALL, HOST, startNode } from '../gateway/support.ts';
import { testedEngines } from '../support/each-storage.ts';
import { freshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';
import type { TillProcess } from './till-process.ts';

const BATCH = '[{"id":1,"method":"eth_getLogs"},{"id":2,"method":"eth_call"},{"id":3,"method":"eth_unheardOf"}]';

for (const engine of testedEngines()) {
  describe(`usage of a real host on ${engine}`, () => {
    afterEach(killAll);

    test('fault 137: servers that are stopped have stored every call; one that is killed has stored all but the last', async (t) => {
      const node = await startNode();
      const directory = freshDirectory();
      const database = engine === 'pg' ? await freshDatabase() : null;
      t.after(async () => {
        await node.close();
        await database?.drop();
        directory.remove();
      });
      directory.write('tillgate.config.json', {
        mode: 'sandbox',
        database: database === null ? { client: 'sqlite' } : { client: 'pg', connection: database.url },
        gateways: [
          {
            host: HOST,
            chain: 'ETH',
            network: 'devnet',
            protocol: 'jsonrpc',
            upstreams: [node.url],
            units: { eth_getLogs: 20 },
            // One of the calls is a method that no list has.
            methods: { allow: ['*'] },
          },
        ],
      });
      const command = async <T = Record<string, unknown>>(...args: readonly string[]): Promise<T> => {
        const { code, out, err } = await run(directory.path, [...args, '--json']);
        assert.equal(code, 0, err);
        return JSON.parse(out) as T;
      };
      const servers = (): TillProcess[] => Array.from({ length: engine === 'pg' ? 2 : 1 }, () => serve(directory.path));

      const first = servers();
      const ports = await Promise.all(first.map(async (server) => Number(new URL(await server.url()).port)));
      const credentials = ['--email', 'node-user@example.com', '--password', 'correct horse battery'];
      const account = await command('account', 'create', ...credentials);
      const made = ['--account', String(account['id']), '--name', 'wallet', '--chains', 'ETH'];
      const app = await command<{ id: string; key: { api_key: string } }>('app', 'create', ...made);
      const call = async (port: number, body: string): Promise<void> =>
        assert.equal((await ask(port, { key: app.key.api_key, body })).status, 200);
      const usage = async (): Promise<Record<string, readonly number[]>> => {
        const rows = await command<{ method: string; requests: number; units: number }[]>(
          ...['app', 'usage', app.id, '--by', 'method'],
        );
        return Object.fromEntries(rows.map(({ method, requests, units }) => [method, [requests, units]]));
      };
      const calls = async (): Promise<number> => (await usage())['eth_blockNumber']?.[0] ?? 0;

      await Promise.all(
        ports.flatMap((port) =>
          [1, 2, 3, 4].map(async () => {
            for (let n = 0; n < 50; n++) await call(port, n % 2 === 0 ? CALL : BATCH);
          }),
        ),
      );
      for (const server of first) assert.equal((await server.signal('SIGTERM')).code, 0);
      const each = 100 * ports.length;
      assert.deepEqual(await usage(), {
        eth_blockNumber: [each, each],
        eth_call: [each, each],
        eth_getLogs: [each, 20 * each],
        other: [each, each],
      });

      const killed = serve(directory.path);
      const port = Number(new URL(await killed.url()).port);
      for (let n = 0; n < 10; n++) await call(port, CALL);
      await waitFor(async () => (await calls()) === each + 10);
      for (let n = 0; n < 5; n++) await call(port, CALL);
      await killed.signal('SIGKILL');
      const stored = await calls();
      assert.ok(stored >= each + 10 && stored <= each + 15, `${stored} of ${each + 15}`);

      const last = serve(directory.path);
      await call(Number(new URL(await last.url()).port), CALL);
      assert.equal((await last.signal('SIGTERM')).code, 0);
      assert.equal(await calls(), stored + 1);

      const csv = await run(directory.path, ['app', 'usage', app.id]);
      assert.match(csv.out, /^at,route,method,requests,units,errors,bytes_in,bytes_out\r\n\d{4}-/);
      assert.match((await run(directory.path, ['app', 'usage', app.id, '--by', 'week'])).err, /--by/);
    });
  });
}
