import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ExchangeToken, isTillgateError, setDataSecurity } from '../../../core/index.ts';
import type { Refused, TillgateError } from '../../../core/index.ts';
import { FakeTokenIssuer } from '../../support/fakes.ts';
import { Fixture } from '../accounts/fixture.ts';

const PASSWORD = 'correct horse';

class Door extends Fixture {
  readonly tokens = new FakeTokenIssuer();
  readonly tokenTtlSeconds = 3600;
  readonly refusedAttempts = { note: (refused: Refused): void => void this.refused.push(refused) };
  readonly refused: Refused[] = [];
  readonly exchange = new ExchangeToken(this);
}

describe('exchanging a password for a token', () => {
  test('gives a token of the account and its life in seconds', async () => {
    const door = new Door();
    const { account } = await door.merchant();
    const { accessToken, expireSeconds } = await door.exchange.run(account.email, PASSWORD);
    assert.equal(expireSeconds, 3600);
    assert.deepEqual(await door.tokens.read(accessToken, door.clock.now()), {
      accountId: account.id,
      authVersion: 1,
      issuedAt: door.clock.now(),
      expiresAt: door.clock.now() + 3_600_000,
    });
  });

  test('takes the username in any case', async () => {
    const door = new Door();
    const { account } = await door.merchant();
    await door.exchange.run(account.email.toUpperCase(), PASSWORD);
  });

  test('fault 13: an unknown user, a wrong password and nonsense get one answer after one verification each', async () => {
    const door = new Door();
    const { account } = await door.merchant();
    const answers = new Set<string>();
    const attempts = [
      ['nobody@shop.example', PASSWORD],
      [account.email, 'wrong horse'],
      [account.email, ''],
      [account.email, 'x'.repeat(5000)],
      ['', ''],
      ['a\0b@shop.example', PASSWORD],
      ['x'.repeat(100_000), PASSWORD],
    ] as const;
    for (const [username, password] of attempts) {
      door.hasher.verifications = 0;
      await assert.rejects(door.exchange.run(username, password), (error: TillgateError) => {
        answers.add(JSON.stringify([error.code, error.message, error.details]));
        return true;
      });
      assert.equal(door.hasher.verifications, 1);
    }
    assert.equal(answers.size, 1);
    assert.match([...answers][0] ?? '', /LOGIN_FAILED/);
  });

  test('a password whose first 1024 characters are right but that goes on is wrong', async () => {
    const door = new Door();
    const password = 'p'.repeat(1024);
    await door.createAccount.run({ email: 'long@shop.example', password });
    await door.exchange.run('long@shop.example', password);
    await assert.rejects(door.exchange.run('long@shop.example', `${password}p`), (error) =>
      isTillgateError(error, 'LOGIN_FAILED'),
    );
  });

  test('fault 10: Data Security gives no token, and says so only to whoever knows the password', async () => {
    const door = new Door();
    const { account } = await door.merchant();
    await setDataSecurity(door, account.id, true);
    await assert.rejects(door.exchange.run(account.email, 'wrong horse'), (error) =>
      isTillgateError(error, 'LOGIN_FAILED'),
    );
    await assert.rejects(door.exchange.run(account.email, PASSWORD), (error) =>
      isTillgateError(error, 'SIGNATURE_REQUIRED'),
    );
  });

  for (const status of ['disabled', 'archived'] as const) {
    test(`a ${status} account gets no token, and hears of it only with the password`, async () => {
      const door = new Door();
      const { account } = await door.merchant();
      await door.accounts.update(account.id, { status, modifiedAt: 0 });
      await assert.rejects(door.exchange.run(account.email, 'wrong horse'), (error) =>
        isTillgateError(error, 'LOGIN_FAILED'),
      );
      await assert.rejects(door.exchange.run(account.email, PASSWORD), (error) =>
        isTillgateError(error, 'ACCOUNT_INACTIVE'),
      );
    });
  }
});
