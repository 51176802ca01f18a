import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eachStorage } from '../../support/each-storage.ts';
import { silentLogger, openStorageAlone } from '../../support/storage.ts';
import { waitFor } from '../../support/wait.ts';
import { Instance, openFor } from './fixture.ts';

describe('notifications', () => {
  eachStorage((engine, open) => {
    if (engine !== 'pg') return;

    test('a revocation reaches another instance by its notification, long before that would look by itself', async (t) => {
      const { storage, another, later } = await openFor(t, open);
      const a = await new Instance(storage, 'a', 60_000).serve(later);
      const b = new Instance(await another(), 'b', 60_000);
      later.after(() => b.stop());
      // It never polls: the host runs the loop, and this host runs none.
      await b.directory.start();
      await waitFor(() => b.storage.feed.pollMs === 1000);
      for (let round = 0; round < 10; round++) {
        const { appId, keyId, text } = await a.newApp();
        assert.equal(b.look(text), 'active');
        const began = performance.now();
        await a.keys.revoke(appId, keyId);
        assert.equal(b.look(text), 'revoked');
        assert.ok(performance.now() - began < 1000);
      }
    });

    test('fault 14: when the listening connections are killed again and again nothing stale is served, and notifications come back', async (t) => {
      const { storage, another, later, sql } = await openFor(t, open);
      const a = await new Instance(storage, 'a').serve(later);
      const b = await new Instance(await another(), 'b').serve(later);
      for (let round = 0; round < 5; round++) {
        await waitFor(() => b.storage.feed.pollMs === 1000);
        const { appId, keyId, text } = await a.newApp();
        const killed = await sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
        );
        assert.ok(killed.length > 0);
        await a.keys.revoke(appId, keyId);
        assert.deepEqual([a.look(text), b.look(text)], ['revoked', 'revoked']);
      }
      await waitFor(() => b.storage.feed.pollMs === 1000);
    });

    test("an embedder's own knex instance is listened with, and its connections end with the storage", async (t) => {
      const { config, storage, later, sql } = await openFor(t, open);
      const { default: knex } = await import('knex');
      assert.ok('connection' in config);
      const connection = `${config.connection as string}?options=-c%20synchronous_commit%3Don`;
      const own = knex({ client: 'pg', connection, pool: { min: 0, max: 4 } });
      later.after(() => own.destroy());
      const embedded = await openStorageAlone({ knex: own }, { logger: silentLogger });
      const b = await new Instance(embedded, 'b').serve(later);
      await waitFor(() => embedded.feed.pollMs === 1000);
      const { appId, keyId, text } = await new Instance(storage, 'a').newApp();
      await new Instance(storage, 'c').keys.revoke(appId, keyId);
      assert.equal(b.look(text), 'revoked');
      await b.stop();
      await embedded.close();
      const listening = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
      await waitFor(async () => (await sql(listening)).length === 0);
    });
  });
});
