import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTillgateError, SettingsAgreement } from '../../../core/index.ts';
import type { DocumentStore, MoneySettings } from '../../../core/index.ts';
import { FakeClock, PlainDigest } from '../../support/fakes.ts';

const SAME: MoneySettings = {
  'withdrawals.approvals': 2,
  'withdrawals.limits': [{ currency: 'USD', perAccount: 30n }],
  'withdrawals.min': new Map([['ETH', 1n]]),
};

class Documents implements DocumentStore {
  reads = 0;
  #stored: { value: string; version: number } | null = null;
  read() {
    this.reads += 1;
    return Promise.resolve(this.#stored);
  }
  write(_key: string, value: string, expected: number) {
    if ((this.#stored?.version ?? 0) !== expected) return Promise.resolve(false);
    this.#stored = { value, version: expected + 1 };
    return Promise.resolve(true);
  }
}

describe('fault 370: instances of one database with settings that bound money in different ways', () => {
  const world = () => {
    const [documents, clock] = [new Documents(), new FakeClock(1_000_000)];
    return {
      clock,
      documents,
      instance: (instance: string, settings = SAME) =>
        new SettingsAgreement({ documents, clock, digest: new PlainDigest(), instance, settings }),
    };
  };
  const names =
    (...settings: string[]) =>
    (error: unknown): boolean =>
      isTillgateError(error, 'CONFIG_INVALID') && settings.every((name) => error.message.includes(name));

  test('the second does not start, and says which differ', async () => {
    const { instance } = world();
    await instance('one').join();
    const other = { ...SAME, 'withdrawals.approvals': 1, 'withdrawals.limits': [] };
    await assert.rejects(instance('two', other).join(), names('withdrawals.approvals, withdrawals.limits.'));
    await assert.rejects(instance('two', { ...SAME, 'confirmations of ETH': 1 }).join(), names('confirmations of ETH'));
    await assert.rejects(instance('doctor', other).check(), names('withdrawals.approvals'));
  });

  test('equal ones start beside each other, in whatever order their fields come', async () => {
    const { instance } = world();
    await instance('one').join();
    await instance('two', Object.fromEntries(Object.entries(SAME).toReversed())).join();
    assert.equal(await instance('doctor').check(), 2);
  });

  test('changed settings begin once the last instance with the former ones has ended, or was killed for half a minute', async () => {
    const { instance, clock } = world();
    const [one, two, next] = [instance('one'), instance('two'), instance('next', { ...SAME, mode: 'production' })];
    await one.join();
    await two.join();
    await one.leave();
    await assert.rejects(next.join(), names('mode'));
    clock.advance(29_999);
    await assert.rejects(next.join(), names('mode'));
    clock.advance(1);
    await next.join();
    await assert.rejects(two.join(), names('mode'));
    await next.leave();
    await two.join();
  });

  test('one that runs alone reads nothing again until another has joined', async () => {
    const { instance, documents } = world();
    const [one, two] = [instance('one'), instance('two')];
    for (let beat = 0; beat < 3; beat++) await one.join();
    assert.equal(documents.reads, 1);
    await two.join();
    await one.join();
    assert.equal(await instance('doctor').check(), 2, 'the beat of the first has kept the second');
    await two.leave();
    await assert.rejects(instance('next', { ...SAME, mode: 'x' }).join(), names('mode'));
  });

  test('of two that start at the same moment with other settings one starts', async () => {
    const { instance } = world();
    const starts = await Promise.allSettled([instance('one').join(), instance('two', { ...SAME, mode: 'x' }).join()]);
    assert.deepEqual(starts.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  });
});
