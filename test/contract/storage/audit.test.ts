import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CryptoDigest } from '../../../adapters/crypto/index.ts';
import { formatAuditHead, NO_AUDIT, verifyAudit } from '../../../core/index.ts';
import type { AuditHead, AuditId, AuditReport, AuditRow, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { EngineName, TestStorage } from '../../support/storage.ts';
import { nextId, NOW, storedAccount } from './fixtures.ts';

const digest = new CryptoDigest();

function row(given: Partial<AuditRow> = {}): AuditRow {
  const id = nextId() as AuditId;
  return {
    id,
    at: NOW,
    actorId: null,
    accountId: null,
    action: 'chain.resume',
    subjectType: 'chain',
    subjectId: 'ETH',
    changes: { reason: { from: null, to: `"Größe" \u2028 ${id}` } },
    ip: '192.0.2.1',
    traceId: null,
    ...given,
  };
}

const write = (storage: Storage, ...rows: readonly AuditRow[]): Promise<void> =>
  storage.transaction(async (tx) => {
    for (const each of rows) tx.record({ type: 'audit', row: each });
  });

const verify = ({ audit }: Storage, noted: AuditHead | null = null): Promise<AuditReport> =>
  verifyAudit({ audit, digest }, noted);

/** Whoever owns the database can take its triggers away. */
async function disarm({ sql }: TestStorage, name: EngineName): Promise<void> {
  const statements =
    name === 'pg'
      ? ['ALTER TABLE audit_trail DISABLE TRIGGER ALL', 'ALTER TABLE audit_head DISABLE TRIGGER ALL']
      : ['audit_trail_no_update', 'audit_trail_no_delete', 'audit_head_grows'].map((each) => `DROP TRIGGER ${each}`);
  for (const statement of statements) await sql(statement);
}

/** The chain from a row on, computed by whoever altered it and knows how. */
async function forge({ sql }: TestStorage, storage: Storage, from: number): Promise<void> {
  let [former] = from === 1 ? [NO_AUDIT] : await storage.audit.links(from - 2, 1);
  for (const { seq, entry } of await storage.audit.links(from - 1, 100)) {
    const hash = digest.sha256Hex(`${former?.hash ?? ''}\n${entry}`);
    await sql('UPDATE audit_trail SET hash = ? WHERE seq = ?', [hash, seq]);
    former = { seq, hash };
  }
  await sql('UPDATE audit_head SET seq = ?, hash = ?', [former?.seq ?? 0, former?.hash ?? '']);
}

eachStorage((name, open) => {
  describe('fault 114: the audit chain', () => {
    test('rows of one transaction and of several are one chain; a transaction that fails leaves no gap', async (t) => {
      const { storage } = await open(t);
      assert.deepEqual(await verify(storage), { head: NO_AUDIT, breach: null });
      await write(storage, row(), row());
      await assert.rejects(
        storage.transaction(async (tx) => {
          tx.record({ type: 'audit', row: row() });
          throw new Error('killed');
        }),
      );
      await write(storage, row());
      const { head, breach } = await verify(storage);
      assert.deepEqual([head.seq, breach], [3, null]);
      assert.deepEqual(head, await storage.audit.head());
    });

    test('no row is there without its change, nor a change without its row', async (t) => {
      const { storage } = await open(t);
      const { id } = await storedAccount(storage, { name: 'before' });
      const twice = row();
      await write(storage, twice);
      await assert.rejects(
        storage.transaction(async (tx) => {
          await tx.accounts.update(id, { name: 'after', modifiedAt: NOW });
          tx.record({ type: 'audit', row: twice });
        }),
      );
      assert.equal((await storage.accounts.find(id))?.name, 'before');
      assert.deepEqual([(await verify(storage)).head.seq, (await verify(storage)).breach], [1, null]);
    });

    test('writers at once, of several instances, make one chain', async (t) => {
      const till = await open(t);
      const storages = name === 'pg' ? [till.storage, await till.another()] : [till.storage];
      await Promise.all(
        storages.flatMap((storage) =>
          Array.from({ length: 20 }, () => write(storage, ...(Math.random() < 0.5 ? [row()] : [row(), row()]))),
        ),
      );
      const { head, breach } = await verify(till.storage);
      assert.equal(breach, null);
      assert.ok(head.seq >= 20 * storages.length);
    });

    test('nobody alters, removes or inserts a row', async (t) => {
      const till = await open(t);
      await write(till.storage, row(), row());
      for (const statement of [
        "UPDATE audit_trail SET action = 'nothing'",
        'DELETE FROM audit_trail',
        'UPDATE audit_head SET seq = 1',
      ])
        await assert.rejects(till.sql(statement), /append-only|only grows/, statement);
    });

    const attacks: readonly { name: string; statements: readonly string[]; seq: number; reason: RegExp }[] = [
      {
        name: 'an altered row',
        statements: ["UPDATE audit_trail SET action = 'app.update' WHERE seq = 3"],
        seq: 3,
        reason: /row 3 .* altered/,
      },
      {
        name: 'altered changes that mean the same',
        statements: [
          `UPDATE audit_trail SET changes = '{"reason":{"from":null,"to":1},"reason":{"from":null,"to":2}}' WHERE seq = 3`,
        ],
        seq: 3,
        reason: /altered/,
      },
      {
        name: 'another time',
        statements: ['UPDATE audit_trail SET happened_at = happened_at - 1 WHERE seq = 1'],
        seq: 1,
        reason: /altered/,
      },
      {
        name: 'another client address',
        statements: ['UPDATE audit_trail SET ip = NULL WHERE seq = 2'],
        seq: 2,
        reason: /altered/,
      },
      {
        name: 'a removed row',
        statements: ['DELETE FROM audit_trail WHERE seq = 3'],
        seq: 3,
        reason: /row 3 is missing/,
      },
      {
        name: 'a removed row with the gap closed',
        statements: [
          'DELETE FROM audit_trail WHERE seq = 3',
          'UPDATE audit_trail SET seq = 3 WHERE seq = 4',
          'UPDATE audit_trail SET seq = 4 WHERE seq = 5',
        ],
        seq: 3,
        reason: /altered, inserted or moved/,
      },
      {
        name: 'the last row removed',
        statements: ['DELETE FROM audit_trail WHERE seq = 5'],
        seq: 5,
        reason: /rows 5 to 5 are missing at the end/,
      },
      {
        name: 'all rows removed',
        statements: ['DELETE FROM audit_trail'],
        seq: 1,
        reason: /rows 1 to 5 are missing/,
      },
      {
        name: 'two rows swapped',
        statements: [
          'UPDATE audit_trail SET seq = 99 WHERE seq = 2',
          'UPDATE audit_trail SET seq = 2 WHERE seq = 3',
          'UPDATE audit_trail SET seq = 3 WHERE seq = 99',
        ],
        seq: 2,
        reason: /moved/,
      },
      {
        name: 'a row inserted at the end',
        statements: [
          `INSERT INTO audit_trail (seq, id, happened_at, action, subject_type, subject_id, changes, hash)
           VALUES (6, 'x', 1, 'a.b', 'a', '1', '{}', '${'0'.repeat(64)}')`,
        ],
        seq: 6,
        reason: /row 6 .* inserted/,
      },
      {
        name: 'a head that was put back',
        statements: ['UPDATE audit_head SET seq = 4'],
        seq: 5,
        reason: /from 5 on were not written by the till/,
      },
      {
        name: 'a head of something else',
        statements: [`UPDATE audit_head SET hash = '${'0'.repeat(64)}'`],
        seq: 5,
        reason: /stored head/,
      },
    ];
    for (const attack of attacks)
      test(`finds ${attack.name}`, async (t) => {
        const till = await open(t);
        await write(till.storage, row(), row(), row(), row(), row());
        await disarm(till, name);
        for (const statement of attack.statements) await till.sql(statement);
        const { breach } = await verify(till.storage);
        assert.equal(breach?.seq, attack.seq);
        assert.match(breach.reason, attack.reason);
      });

    test('a whole chain that was computed anew is in order, and not the one whose head was noted', async (t) => {
      const till = await open(t);
      const { storage } = till;
      await write(storage, row(), row(), row());
      const noted = await storage.audit.head();
      await write(storage, row());
      assert.equal((await verify(storage, noted)).breach, null);
      await disarm(till, name);
      await till.sql("UPDATE audit_trail SET actor_id = '1' WHERE seq = 2");
      await forge(till, storage, 2);
      assert.equal((await verify(storage)).breach, null);
      const { breach } = await verify(storage, noted);
      assert.deepEqual([breach?.seq, /differs from the recorded head/.test(String(breach?.reason))], [3, true]);
    });

    test('a log that is shorter than the noted head is one of a restored backup, or was cut off', async (t) => {
      const till = await open(t);
      const { storage } = till;
      await write(storage, row(), row(), row());
      const noted = await storage.audit.head();
      await disarm(till, name);
      await till.sql('DELETE FROM audit_trail WHERE seq = 3');
      await forge(till, storage, 1);
      assert.equal((await verify(storage)).breach, null);
      const { breach } = await verify(storage, noted);
      assert.deepEqual(
        [breach?.seq, /ends at row 2, but the recorded head is row 3.*backup/.test(String(breach?.reason))],
        [3, true],
      );
      await write(storage, row(), row());
      assert.match(String((await verify(storage, noted)).breach?.reason), /differs from the recorded head/);
    });

    test('rows that are written while it is verified are no breach', async (t) => {
      const { storage } = await open(t);
      await write(storage, row(), row());
      let first = true;
      const audit: Storage['audit'] = {
        list: (accountId, page) => storage.audit.list(accountId, page),
        links: (after, limit) => storage.audit.links(after, limit),
        head: async () => {
          if (first) await write(storage, row());
          first = false;
          return storage.audit.head();
        },
      };
      const { head, breach } = await verifyAudit({ audit, digest }, null);
      assert.deepEqual([formatAuditHead(head), breach], [formatAuditHead(await storage.audit.head()), null]);
      assert.equal(head.seq, 3);
    });
  });
});
