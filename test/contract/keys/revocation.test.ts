import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { waitFor } from '../../support/wait.ts';
import { NOW } from '../storage/fixtures.ts';
import { Instance, LEASE_MS, openFor } from './fixture.ts';

/** A storage whose feed can be made to fail and to stay silent, as a network does. */
function fragile(storage: Storage): { storage: Storage; cut: boolean } {
  const state = { cut: false, storage };
  const feed = new Proxy(storage.feed, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (name === 'onNotification') return target.onNotification(() => state.cut || (args[0] as () => void)());
        if (state.cut && name !== 'leave') return Promise.reject(new Error('the network is cut'));
        return Reflect.apply(value as (...all: unknown[]) => unknown, target, args);
      };
    },
  });
  state.storage = new Proxy(storage, {
    get: (target, name) => (name === 'feed' ? feed : (Reflect.get(target, name, target) as unknown)),
  });
  return state;
}

eachStorage((_engine, openStorage) => {
  test('fault 14: a revoked key works nowhere once the revocation was answered, round after round, under load', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const b = await new Instance(await another(), 'b').serve(later);
    const revoked = new Set<string>();
    let successes = 0;
    let served = 0;
    let going = true;
    const texts: string[] = [];
    const load = (async () => {
      while (going) {
        for (const text of texts) {
          for (const instance of [a, b]) {
            const answered = revoked.has(text);
            const found = instance.look(text);
            if (found === 'active') served += 1;
            if (found === 'active' && answered) successes += 1;
          }
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < 40; round++) {
      const [writer, other] = round % 2 === 0 ? [a, b] : [b, a];
      const { appId, keyId, text } = await writer.newApp();
      texts.push(text);
      if (texts.length > 20) texts.shift();
      assert.equal(other.look(text), 'active', 'a new key works everywhere at once');
      await writer.keys.revoke(appId, keyId);
      revoked.add(text);
      assert.deepEqual([a.look(text), b.look(text)], ['revoked', 'revoked']);
    }
    going = false;
    await load;
    assert.equal(successes, 0);
    assert.ok(served > 0);
  });

  test('fault 14: an instance that has fallen silent delays a revocation by its lease at most, and refuses by itself by then', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const wire = fragile(await another());
    const b = await new Instance(wire.storage, 'b', LEASE_MS).serve(later);
    const { appId, keyId, text } = await a.newApp();
    assert.equal(b.look(text), 'active');
    wire.cut = true;
    const began = performance.now();
    let done = false;
    const revocation = a.keys.revoke(appId, keyId).then(() => (done = true));
    let refusedAt = 0;
    let workedAfter = 0;
    await waitFor(
      () => {
        const found = b.look(text);
        if (found === 'not ready' && refusedAt === 0) refusedAt = performance.now() - began;
        if (found === 'active' && done) workedAfter += 1;
        return done;
      },
      { intervalMs: 1 },
    );
    const took = performance.now() - began;
    await revocation;
    assert.equal(workedAfter, 0);
    assert.ok(refusedAt > 0 && refusedAt <= took, 'it refused before the revocation was answered');
    assert.ok(took < LEASE_MS * 3, `${took} ms`);
    assert.equal(b.look(text), 'not ready');
    wire.cut = false;
    await waitFor(() => b.look(text) === 'revoked');
    // The silent instance was removed, so nobody waits for it a second time.
    const second = await a.newApp();
    await a.keys.revoke(second.appId, second.keyId);
    assert.deepEqual([a.look(second.text), b.look(second.text)], ['revoked', 'revoked']);
  });

  test('an instance that was given up and comes back answers only after it has caught up', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const wire = fragile(await another());
    const b = await new Instance(wire.storage, 'b', LEASE_MS).serve(later);
    const { appId, keyId, text } = await a.newApp();
    for (let round = 0; round < 3; round++) {
      wire.cut = true;
      const { replaced, key } = await a.keys.rotate(appId, 0);
      assert.deepEqual([replaced.state, key.state], ['expired', 'active']);
      wire.cut = false;
      const found = new Set<string>();
      await waitFor(
        () => {
          found.add(b.look(key.text));
          return found.has('active');
        },
        { intervalMs: 1 },
      );
      assert.ok(![...found].some((each) => each === 'unknown'), [...found].join());
    }
    await a.keys.revoke(appId, keyId);
    assert.equal(a.look(text), 'revoked');
  });

  test('an instance that says goodbye is waited for no more', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const b = await new Instance(await another(), 'b', 60_000).serve(later);
    const { appId, keyId, text } = await a.newApp();
    await b.stop();
    assert.equal(b.look(text), 'not ready');
    await a.keys.revoke(appId, keyId);
    assert.equal(a.look(text), 'revoked');
  });

  test('a command beside the server revokes as exactly: it serves nothing itself', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const server = await new Instance(storage, 'server').serve(later);
    const command = new Instance(await another(), 'command');
    const { appId, keyId, text } = await server.newApp();
    assert.equal(server.look(text), 'active');
    const revoked = await command.keys.revoke(appId, keyId);
    assert.equal(server.look(text), 'revoked');
    assert.equal(revoked.state, 'revoked');
    assert.equal(revoked.text, text);
  });

  test('fault 17: an App or account that is turned off is off everywhere when that is answered', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const b = await new Instance(await another(), 'b').serve(later);
    const { appId, accountId, text } = await a.newApp();
    for (let round = 0; round < 5; round++) {
      const off = await a.apps.update(appId, round * 2 + 1, { enabled: false });
      assert.equal(b.look(text), 'app off');
      await b.apps.update(appId, off.version, { enabled: true });
      assert.equal(a.look(text), 'active');
      await a.storage.accounts.update(accountId, { status: 'disabled', modifiedAt: NOW });
      assert.deepEqual([a.look(text), b.look(text)], ['account off', 'account off']);
      await b.storage.accounts.update(accountId, { status: 'active', modifiedAt: NOW });
      assert.deepEqual([a.look(text), b.look(text)], ['active', 'active']);
    }
  });

  test('fault 526: an App uses exactly the chains that it has, everywhere when the change is answered', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const b = await new Instance(await another(), 'b').serve(later);
    const { appId, text } = await a.newApp();
    const chains = (instance: Instance) => [...(instance.directory.find(text)?.app.chains ?? [])];
    for (const [round, next] of [['ETH', 'TRX'], [], ['TRX']].entries()) {
      await a.apps.update(appId, round + 1, { chains: next });
      assert.deepEqual([chains(a), chains(b)], [next, next]);
    }
  });

  test('an archived account: its Apps are off and its keys revoked, everywhere', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const b = await new Instance(await another(), 'b').serve(later);
    const { appId, accountId, text } = await a.newApp();
    const { key, replaced } = await a.keys.rotate(appId);
    assert.deepEqual([b.look(text), b.look(key.text), replaced.state], ['grace', 'active', 'grace']);
    await a.storage.transaction(async (tx) => {
      await tx.accounts.update(accountId, { status: 'archived', modifiedAt: NOW });
      await tx.apps.archiveAll(accountId, NOW);
    });
    await a.storage.feed.settled();
    for (const instance of [a, b]) {
      assert.equal(instance.look(text), 'account off');
      assert.deepEqual(
        (await instance.keys.list(appId)).map(({ state }) => state),
        ['revoked', 'revoked'],
      );
      assert.equal(instance.directory.find(key.text)?.state, 'revoked');
    }
    assert.equal((await a.apps.find(appId))?.enabled, false);
    await assert.rejects(a.keys.create(appId), { code: 'STATE_CONFLICT' });
    await assert.rejects(a.apps.create({ accountId, name: 'again', chains: [] }), { code: 'STATE_CONFLICT' });
    await assert.rejects(a.apps.update(appId, 2, { enabled: true }), { code: 'STATE_CONFLICT' });
  });

  test('whoever listens to changes hears of one, and of the end of trust', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const wire = fragile(await another());
    const b = await new Instance(wire.storage, 'b', LEASE_MS).serve(later);
    const { appId, keyId, text } = await a.newApp();
    const heard: string[] = [];
    const end = b.directory.onChange(() => heard.push(b.look(text)));
    await a.keys.revoke(appId, keyId);
    assert.equal(heard.at(-1), 'revoked');
    wire.cut = true;
    await waitFor(() => heard.at(-1) === 'not ready');
    wire.cut = false;
    end();
    const before = heard.length;
    await waitFor(() => b.look(text) === 'revoked');
    assert.equal(heard.length, before);
  });

  test('the last use of keys is written in batches, and never goes back', async (t) => {
    const { storage, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const made = await Promise.all(Array.from({ length: 5 }, () => a.newApp()));
    for (const { keyId } of made) a.directory.used(keyId, NOW);
    await a.directory.flushUses();
    a.directory.used(made[0]!.keyId, NOW + 5);
    a.directory.used(made[1]!.keyId, NOW - 5);
    await a.directory.flushUses();
    const last = async (n: number): Promise<number | null> =>
      (await a.storage.apps.keys(made[n]!.appId))[0]!.lastUsedAt;
    assert.deepEqual([await last(0), await last(1), await last(4)], [NOW + 5, NOW, NOW]);
  });

  test('old changes are pruned, and who was away for them reads everything anew', async (t) => {
    const { storage, another, sql, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const wire = fragile(await another());
    const b = await new Instance(wire.storage, 'b', LEASE_MS).serve(later);
    const { appId, keyId, text } = await a.newApp();
    assert.equal(b.look(text), 'active');
    wire.cut = true;
    await waitFor(() => b.look(text) === 'not ready');
    await a.keys.revoke(appId, keyId);
    await sql('DELETE FROM gateway_changes');
    wire.cut = false;
    await waitFor(() => b.look(text) === 'revoked');
    // The feed of a database that was reset to an earlier state has a lower head than was applied.
    await sql('UPDATE gateway_feed SET version = 1');
    await waitFor(async () =>
      (await sql('SELECT applied FROM gateway_instances')).every((row) => Number(row['applied']) === 1),
    );
    const other = await a.newApp();
    await a.keys.revoke(other.appId, other.keyId);
    assert.equal(b.look(other.text), 'revoked');
  });
});
