import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AesGcmVault, masterKeyId } from '../../../adapters/crypto/index.ts';
import { admitMasterKeys, countSealed, isTillgateError, SEALED_PLACE_NAMES, signRequest } from '../../../core/index.ts';
import type { SealedStore, SignedRequest, Storage, Vault } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { Instance } from '../keys/fixture.ts';
import {
  appKeysOf,
  authenticator,
  clock,
  digest,
  everyText,
  finds,
  knownColumns,
  NEW,
  OLD,
  openable,
  openAll,
  rotate,
  sealEverything,
  vaults,
} from './master-key-fixture.ts';

const sealedBy = (key: Uint8Array, text: string): boolean =>
  /^[A-Za-z0-9_-]{44,}$/.test(text) &&
  Buffer.from(text, 'base64url').subarray(0, 5).toString('hex') === `01${masterKeyId(key)}`;

const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(isTillgateError(error, 'CONFIG_INVALID') && words.test(error.message), String(error));
  return true;
};

/** A process that is killed after its n-th write. */
function killedAfter(storage: Storage, writes = 1): Storage {
  let left = writes;
  const killed = <T extends object>(target: T, write: keyof T): T =>
    new Proxy(target, {
      get: (from, name) => {
        const value: unknown = Reflect.get(from, name, from);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]): Promise<unknown> => {
          const result: unknown = await Reflect.apply(value, from, args);
          if (name === write && --left === 0) throw new Error(`killed after ${String(write)}`);
          return result;
        };
      },
    });
  const parts: Partial<Storage> = {
    sealed: killed(storage.sealed, 'replace'),
    documents: killed(storage.documents, 'write'),
    transaction: killed(storage, 'transaction').transaction,
  };
  return new Proxy(storage, {
    get: (target, name) => Reflect.get(name in parts ? parts : target, name, target) as unknown,
  });
}

eachStorage((engine, open) => {
  describe('fault 115: the master key', () => {
    test('everything that is sealed anywhere is in the table of what a rotation seals anew', async (t) => {
      const till = await open(t);
      const { plain } = await sealEverything(till.storage, vaults.old());
      for (const place of SEALED_PLACE_NAMES) assert.ok(plain[place].length > 0, `nothing is sealed as ${place}`);
      const texts = await everyText(till, engine);
      const known = knownColumns();
      const sealed = new Set(texts.filter(({ value }) => sealedBy(OLD, value)).map(({ column }) => column));
      assert.deepEqual([...sealed].sort(), [...known].sort());
      const named = texts.map(({ column }) => column).filter((column) => /seal/.test(column));
      assert.deepEqual(
        named.filter((column) => !known.has(column)),
        [],
      );
      // One row for each document: a sealed document that is not in the list would not be rotated.
      const documents = texts.filter(({ column, value }) => column === 'documents.value' && sealedBy(OLD, value));
      assert.equal(documents.length, plain.document.length);
    });

    test('after a rotation the new one opens and finds everything, and the former one nothing', async (t) => {
      const till = await open(t);
      const { storage } = till;
      const sealed = await sealEverything(storage, vaults.old());
      const before = await openable(storage, vaults.old());
      const { resealed, finished } = await rotate(storage, vaults.both());
      assert.deepEqual([resealed, finished], [before, true]);
      assert.deepEqual(await openAll(storage, vaults.new()), sealed.plain);
      assert.equal(await finds(storage, vaults.new(), sealed), true);
      // An attacker with a copy of the database and the former key.
      assert.equal(await openable(storage, vaults.old()), 0);
      assert.equal(await finds(storage, vaults.old(), sealed), false);
      assert.deepEqual(
        (await everyText(till, engine)).filter(({ value }) => sealedBy(OLD, value)),
        [],
      );
      await assert.rejects(admitMasterKeys(storage.documents, vaults.old()), refused(/was replaced/));
      await admitMasterKeys(storage.documents, vaults.new());
    });

    test('a second rotation changes nothing, and leaves no row in the audit log', async (t) => {
      const { storage } = await open(t);
      await sealEverything(storage, vaults.old());
      await rotate(storage, vaults.both());
      const rows = (await storage.audit.head()).seq;
      const texts = await storage.sealed.list('credential', '', 10);
      const again = await rotate(storage, vaults.both());
      assert.deepEqual([again.resealed, again.finished], [0, true]);
      assert.equal((await rotate(storage, vaults.new())).finished, true);
      assert.deepEqual(await storage.sealed.list('credential', '', 10), texts);
      assert.equal((await storage.audit.head()).seq, rows);
      const items = await storage.audit.list(null, { before: null, limit: 1 });
      assert.equal(items[0]?.action, 'master_key.rotate');
    });

    test('a rotation that is killed after any of its writes leaves everything open, and is finished by running it again', async (t) => {
      const { storage } = await open(t);
      const sealed = await sealEverything(storage, vaults.old());
      const total = await openable(storage, vaults.old());
      // Each run gets one write further; only the audit row is written again.
      for (let [kills, writes] = [0, 1]; ; kills++) {
        const ended = await rotate(killedAfter(storage, writes), vaults.both()).then(
          ({ finished }) => finished,
          (error: unknown) => {
            assert.match(String(error), /killed/);
            if (String(error).includes('transaction')) writes = 2;
            return false;
          },
        );
        assert.deepEqual(await openAll(storage, vaults.both()), sealed.plain);
        assert.equal(await finds(storage, vaults.both(), sealed), true);
        if (!ended) continue;
        // The beginning, each text, the audit row and the end.
        assert.ok(kills >= total + 3, `${kills} kills for ${total} texts`);
        break;
      }
      assert.deepEqual(await openAll(storage, vaults.new()), sealed.plain);
      assert.equal(await finds(storage, vaults.new(), sealed), true);
      assert.equal(await openable(storage, vaults.old()), 0);
      const items = await storage.audit.list(null, { before: null, limit: 1 });
      assert.equal(items[0]?.action, 'master_key.rotate');
    });

    test('a secret that is changed while it is sealed anew stays as it was changed', async (t) => {
      const { storage } = await open(t);
      const { accountId } = await sealEverything(storage, vaults.old());
      const both = vaults.both();
      const fresh = both.seal('changed', `callback-credential:${accountId}`);
      const sealed: SealedStore = {
        list: (place, after, limit) => storage.sealed.list(place, after, limit),
        replace: async (former, text, hashes) => {
          if (former.place === 'callback-credential') await storage.sealed.replace(former, fresh, hashes);
          return storage.sealed.replace(former, text, hashes);
        },
      };
      const { documents } = storage;
      const wrapped = { sealed, documents, transaction: (work) => storage.transaction(work) } as Storage;
      assert.equal((await rotate(wrapped, both)).finished, true);
      assert.equal((await storage.sealed.list('callback-credential', '', 1))[0]?.sealed, fresh);
    });

    test('a secret that no key opens is named, and keeps the former key from being retired', async (t) => {
      const { storage, sql } = await open(t);
      const { accountId } = await sealEverything(storage, vaults.old());
      await sql('UPDATE account_security SET totp_sealed = ? WHERE account_id = ?', [
        new AesGcmVault({ current: NEW.map((byte) => byte ^ 1) }).seal('?', `totp:${accountId}`),
        accountId,
      ]);
      const { finished, counts } = await rotate(storage, vaults.both());
      assert.equal(finished, false);
      assert.deepEqual(counts.find(({ place }) => place === 'totp')?.unreadable, [accountId]);
      await assert.rejects(admitMasterKeys(storage.documents, vaults.new()), refused(/not finished/));
    });

    test('which keys a database starts with', async (t) => {
      const { storage } = await open(t);
      const other = NEW.map((byte) => byte ^ 1);
      const admit = (vault: Vault) => admitMasterKeys(storage.documents, vault);
      await admit(vaults.old());
      await admit(vaults.old());
      await assert.rejects(admit(vaults.new()), refused(/uses another master key/));
      await assert.rejects(admit(new AesGcmVault({ current: NEW, former: [other] })), refused(/uses another/));
      await admit(new AesGcmVault({ current: OLD, former: [NEW] }));
      assert.equal((await admit(vaults.both())).opens.length, 1);
      // From here on secrets may be sealed with the new key, so neither key alone is enough.
      await assert.rejects(admit(vaults.old()), refused(/uses another/));
      await assert.rejects(admit(vaults.new()), refused(/is not finished.*TILLGATE_MASTER_KEY_FORMER/));
      await assert.rejects(admit(new AesGcmVault({ current: other, former: [NEW] })), refused(/earlier rotation/));
      await rotate(storage, vaults.both());
      assert.deepEqual((await admit(vaults.new())).opens, []);
      for (const key of [vaults.old(), new AesGcmVault({ current: OLD, former: [NEW] })])
        await assert.rejects(admit(key), refused(/was replaced/));
    });

    test('the mark of a release without rotation is read', async (t) => {
      const { storage } = await open(t);
      await storage.documents.write('host:master-key-check', vaults.old().lookupHash('master-key', 'check'), 0);
      await admitMasterKeys(storage.documents, vaults.old());
      await assert.rejects(admitMasterKeys(storage.documents, vaults.new()), refused(/uses another/));
      assert.equal((await admitMasterKeys(storage.documents, vaults.both())).opens.length, 1);
    });

    test('a server with both keys serves before, while and after its secrets are sealed anew', async (t) => {
      const { storage } = await open(t);
      const sealed = await sealEverything(storage, vaults.old());
      const gate = authenticator(storage, vaults.both());
      const rule = { places: ['api-key'], scope: 'read' } as const;
      const enter = async (): Promise<void> => {
        const { accountId } = await gate.run(requestOf({ 'API-Key': sealed.keys.apiKey }), rule);
        assert.equal(accountId, sealed.accountId);
        assert.equal((await gate.run(signed(sealed.keys), rule)).accountId, sealed.accountId);
      };
      await enter();
      await rotate(storage, vaults.both());
      await enter();
      await authenticator(storage, vaults.new()).run(signed(sealed.keys), rule);
    });

    test('a signature that was used before its token was hashed anew is used', async (t) => {
      const { storage } = await open(t);
      const { keys } = await sealEverything(storage, vaults.old());
      const rule = { places: ['api-key'], scope: 'move' } as const;
      const [first, second] = [signed(keys), signed(keys, '{"amount":2}')];
      await authenticator(storage, vaults.old()).run(first, rule);
      await authenticator(storage, vaults.both()).run(second, rule);
      const replayed = (vault: Vault, request: SignedRequest) =>
        assert.rejects(authenticator(storage, vault).run(request, rule), (error: unknown) =>
          isTillgateError(error, 'SIGNATURE_REPLAYED'),
        );
      await replayed(vaults.both(), first);
      await rotate(storage, vaults.both());
      await replayed(vaults.both(), first);
      await replayed(vaults.both(), second);
      await replayed(vaults.new(), second);
    });

    test('an App key that is revoked after it was hashed anew is refused by a gateway that runs on', async (t) => {
      const till = await open();
      const later = [] as (() => Promise<void>)[];
      t.after(async () => {
        for (const end of later.reverse()) await end();
        await till.close();
      });
      const { storage } = till;
      const { appKey, appId, appKeyId } = await sealEverything(storage, vaults.old());
      const gateway = await new Instance(storage, 'a', undefined, [], vaults.both()).serve({
        after: (end) => later.push(end as () => Promise<void>),
      });
      assert.equal(gateway.look(appKey), 'active');
      await rotate(storage, vaults.both());
      assert.equal(gateway.look(appKey), 'active');
      await appKeysOf(storage, vaults.both()).revoke(appId, appKeyId);
      assert.equal(gateway.look(appKey), 'revoked');
    });

    test('what remains is counted', async (t) => {
      const { storage } = await open(t);
      await sealEverything(storage, vaults.old());
      const remaining = async (): Promise<number> =>
        (await countSealed({ sealed: storage.sealed, vault: vaults.both() })).reduce(
          (sum, each) => sum + each.remaining,
          0,
        );
      const total = await openable(storage, vaults.old());
      assert.equal(await remaining(), total);
      await assert.rejects(rotate(killedAfter(storage), vaults.both()), /killed/);
      await rotate(killedAfter(storage), vaults.both()).catch(() => undefined);
      assert.equal(await remaining(), total - 1);
    });
  });
});

const BODY = '{"amount":1}';

function requestOf(headers: Readonly<Record<string, string>>, body = BODY): SignedRequest {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]] as const);
  return { method: 'POST', target: '/api/withdraw', body: new TextEncoder().encode(body), headers: new Map(lower) };
}

function signed(
  { apiToken, signingSecret: secret }: { apiToken: string; signingSecret: string },
  body = BODY,
): SignedRequest {
  const bare = { method: 'POST', target: '/api/withdraw', body: new TextEncoder().encode(body) };
  return requestOf(signRequest(bare, { apiToken, secret }, digest, clock.now()), body);
}
