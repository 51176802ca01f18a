import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTillgateError } from '../../../../core/index.ts';
import { LoginFailures } from '../../../../adapters/http/login-failures.ts';

const wrong = (): Promise<never> => Promise.reject(new Error('wrong'));
const right = (): Promise<'in'> => Promise.resolve('in');

class Door {
  at = 0;
  readonly failures: LoginFailures;

  constructor(perMinute: number, maxKeys = 1000) {
    this.failures = new LoginFailures({ perMinute: () => perMinute, maxKeys, now: () => this.at });
  }

  async try(client: string, account: string, login: () => Promise<unknown> = wrong): Promise<string> {
    try {
      await this.failures.guard(client, account, login);
      return 'in';
    } catch (error) {
      return isTillgateError(error, 'RATE_LIMITED') ? 'limited' : 'wrong';
    }
  }
}

describe('failed logins', () => {
  test('count by account and network: the right password from another network is not refused', async () => {
    const door = new Door(3);
    for (const host of [1, 2, 3]) assert.equal(await door.try(`198.51.100.${host}`, 'Victim@x.example'), 'wrong');
    assert.equal(await door.try('198.51.100.4', 'victim@x.example', right), 'limited');
    assert.equal(await door.try('203.0.113.5', 'victim@x.example', right), 'in');
    for (const host of ['1', '2', 'ffff:3']) await door.try(`2001:db8::${host}`, `${host}@x.example`);
    assert.equal(await door.try('2001:db8::4', 'else@x.example', right), 'limited', 'one /64 is one address');
    assert.equal(await door.try('2001:db8:0:1::4', 'else@x.example', right), 'in');
  });

  test('successes do not count, tries at the same time do', async () => {
    const door = new Door(3);
    for (let count = 0; count < 10; count++) assert.equal(await door.try('198.51.100.1', 'a@x.example', right), 'in');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => door.try('198.51.100.1', 'a@x.example')));
    assert.equal(outcomes.filter((outcome) => outcome === 'wrong').length, 3);
  });

  test('are forgotten after a minute, and a refusal does not make it longer', async () => {
    const door = new Door(1);
    await door.try('198.51.100.1', 'a@x.example');
    door.at = 59_999;
    assert.equal(await door.try('198.51.100.1', 'a@x.example', right), 'limited');
    door.at = 60_000;
    assert.equal(await door.try('198.51.100.1', 'a@x.example', right), 'in');
  });

  test('a flood of names keeps no more counts than the bound: the oldest go first', async () => {
    const door = new Door(1, 10);
    await door.try('198.51.100.1', 'first@x.example');
    for (let host = 0; host < 8; host++) await door.try(`203.0.${host}.1`, `${host}@x.example`);
    assert.equal(await door.try('198.51.100.1', 'first@x.example', right), 'in', 'forgotten');
    assert.equal(await door.try('203.0.7.1', '7@x.example', right), 'limited');
  });
});
