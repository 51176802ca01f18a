import assert from 'node:assert/strict';
import { randomBytes, scryptSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { ScryptHasher } from '../../../../adapters/crypto/index.ts';
import { isTillgateError } from '../../../../core/index.ts';

const cheap = { cost: { N: 1024, r: 8, p: 1 } };
const hasher = new ScryptHasher(cheap);

describe('ScryptHasher', () => {
  test('verifies the password it hashed and no other', async () => {
    const stored = await hasher.hash('correct horse');
    assert.match(stored, /^scrypt-sha512\$1024\$8\$1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
    assert.equal(await hasher.verify('correct horse', stored), true);
    assert.equal(await hasher.verify('correct horsf', stored), false);
    assert.equal(await hasher.verify('', stored), false);
    assert.notEqual(await hasher.hash('correct horse'), stored);
  });

  test('verifies the example of RFC 7914, whatever its own cost is', async () => {
    const salt = Buffer.from('SodiumChloride').toString('base64');
    const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex').toString(
      'base64',
    );
    assert.equal(await hasher.verify('pleaseletmein', `scrypt$16384$8$1$${salt}$${hash}`), true);
  });

  test('every byte of a password counts: zeros at its end, other spellings, what comes after the 64th', async () => {
    const long = 'x'.repeat(100);
    for (const [password, other] of [
      ['correct horse', 'correct horse\0'],
      ['correct horse\0', 'correct horse'],
      ['caf\u00e9', 'cafe\u0301'],
      [`${long}a`, `${long}b`],
    ] as const) {
      const stored = await hasher.hash(password);
      assert.equal(await hasher.verify(password, stored), true);
      assert.equal(await hasher.verify(other, stored), false);
    }
  });

  test('hashes that were made of the normalised text still verify', async () => {
    const salt = randomBytes(16);
    const hash = scryptSync('caf\u00e9', salt, 32, { N: 1024, r: 8, p: 1 });
    const stored = `scrypt$1024$8$1$${salt.toString('base64')}$${hash.toString('base64')}`;
    assert.equal(await hasher.verify('cafe\u0301', stored), true);
    assert.equal(await hasher.verify('cafe', stored), false);
  });

  test('the default cost is 32 MiB a hash', async () => {
    assert.match(await new ScryptHasher().hash('x'), /^scrypt-sha512\$32768\$8\$3\$/);
  });

  test('an unreadable stored hash is a wrong password, never an error', async () => {
    const stored = await hasher.hash('x');
    const costly = stored.replace('$1024$8$', '$67108864$99$');
    for (const text of [
      '',
      'x',
      stored.slice(0, -30),
      costly,
      stored.replace('$1024$', '$1000$'),
      stored.replace('$8$', '$0$'),
    ]) {
      assert.equal(await hasher.verify('x', text), false);
    }
  });

  test('fault 13: an unknown user costs as much work as a wrong password', async () => {
    const slow = new ScryptHasher({ cost: { N: 2 ** 14, r: 8, p: 1 } });
    const stored = await slow.hash('x');
    const timed = async (hash: string | null): Promise<number> => {
      // The work itself, all threads together: the time on the clock depends on what else the machine does.
      const start = process.cpuUsage();
      assert.equal(await slow.verify('y', hash), false);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    const best = { known: Infinity, unknown: Infinity };
    for (let round = 0; round < 4; round++) {
      best.known = Math.min(best.known, await timed(stored));
      best.unknown = Math.min(best.unknown, await timed(null));
    }
    assert.ok(best.unknown > best.known / 2 && best.unknown < best.known * 2, JSON.stringify(best));
  });

  test('fault 13: a flood of logins is bounded: some wait their turn, the rest is refused at once', async () => {
    const small = new ScryptHasher({ ...cheap, concurrency: 1, maxWaiting: 2 });
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => small.hash('x')));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.ok(isTillgateError(outcome.reason, 'RATE_LIMITED'));
    }
    assert.equal(await small.verify('x', await small.hash('x')), true);
  });

  test('fault 112: strangers who fill their lane keep no known account waiting, and one known account not the others', async () => {
    const small = new ScryptHasher({ ...cheap, concurrency: 1, maxWaiting: 8, maxWaitingEach: 2 });
    const stored = await small.hash('x');
    const ended: string[] = [];
    const ask = async (name: string, known: string | null): Promise<void> => {
      try {
        await small.verify('x', stored, known);
        ended.push(name);
      } catch (error) {
        ended.push(isTillgateError(error, 'RATE_LIMITED') ? `${name} refused` : String(error));
      }
    };
    const strangers = Array.from({ length: 12 }, () => ask('stranger', null));
    const greedy = Array.from({ length: 4 }, () => ask('greedy', '1'));
    await Promise.all([...strangers, ...greedy, ask('owner', '2')]);
    assert.equal(ended.filter((name) => name === 'stranger refused').length, 3);
    assert.equal(ended.filter((name) => name === 'greedy refused').length, 2);
    const worked = ended.filter((name) => !name.endsWith('refused'));
    // The one at work, then turn by turn.
    assert.deepEqual(worked.slice(0, 7).sort(), [
      'greedy',
      'greedy',
      'owner',
      'stranger',
      'stranger',
      'stranger',
      'stranger',
    ]);
  });
});
