import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  assert as must,
  checkPage,
  idTime,
  IdSequence,
  invalidField,
  isId,
  isTillgateError,
  MAX_NODE,
  pageOf,
  present,
  TillgateError,
  unreachable,
} from '../../../core/index.ts';
import { FakeClock, START } from '../../support/fakes.ts';

describe('ids', () => {
  test('are digit strings of their time, in order, as text too', () => {
    const clock = new FakeClock();
    const sequence = new IdSequence(
      () => clock.now(),
      5,
      () => 0,
    );
    const ids: string[] = [];
    for (let n = 0; n < 1000; n++) {
      ids.push(sequence.next());
      if (n % 7 === 0) clock.advance(1);
    }
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.every(isId));
    assert.equal(idTime(ids[0] ?? ''), START);
  });

  test('never repeat or go back, whatever the clock and the random start do (fault 76)', () => {
    const moves = fc.array(fc.tuple(fc.integer({ min: -5000, max: 5000 }), fc.nat()), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(moves, fc.nat({ max: MAX_NODE }), (steps, node) => {
        const clock = new FakeClock();
        let start = 0;
        const sequence = new IdSequence(
          () => clock.now(),
          node,
          () => start,
        );
        let last = '0';
        for (const [ms, random] of steps) {
          clock.advance(ms);
          start = random;
          const id = sequence.next();
          assert.ok(BigInt(id) > BigInt(last));
          last = id;
        }
      }),
    );
  });

  test('borrow the next millisecond when one is used up', () => {
    const sequence = new IdSequence(
      () => START,
      0,
      () => 4095,
    );
    const ids = Array.from({ length: 10_000 }, () => sequence.next());
    assert.equal(new Set(ids).size, 10_000);
    assert.ok(idTime(ids.at(-1) ?? '') > START);
  });

  test('of two nodes never meet', () => {
    const ids = [0, 1, MAX_NODE].flatMap((node) => {
      const sequence = new IdSequence(
        () => START,
        node,
        () => 0,
      );
      return Array.from({ length: 3000 }, () => sequence.next());
    });
    assert.equal(new Set(ids).size, 9000);
  });

  test('want a node number in its range', () => {
    for (const node of [-1, MAX_NODE + 1, 1.5, NaN])
      assert.throws(
        () =>
          new IdSequence(
            () => START,
            node,
            () => 0,
          ),
        /node number/,
      );
  });

  test('have a form', () => {
    for (const text of ['123456789012345678', '1234567890123456789']) assert.equal(isId(text), true);
    for (const text of [
      '',
      '12345678901234567',
      '12345678901234567890',
      '012345678901234567',
      '12345678901234567x',
      '-12345678901234567',
      '123456789012345678\n',
    ])
      assert.equal(isId(text), false);
  });
});

describe('pages', () => {
  test('know the last of them, which is 0 for an empty list', () => {
    assert.deepEqual(pageOf({ page: 1, size: 10 }, 0, []), { page: 1, size: 10, total: 0, maxPage: 0, items: [] });
    assert.deepEqual(
      [1, 10, 11].map((total) => pageOf({ page: 1, size: 10 }, total, []).maxPage),
      [1, 1, 2],
    );
  });

  test('fault 70: are refused when they are none', () => {
    checkPage({ page: 1, size: 100 }, 100);
    for (const page of [0, -1, 1.5, NaN, Infinity, 1e300]) {
      assert.throws(
        () => checkPage({ page, size: 10 }, 100),
        (error) => isTillgateError(error, 'INVALID_FIELDS') && error.details.fields?.[0]?.path === 'page',
      );
    }
    for (const size of [0, -1, 101, 1e9, NaN]) {
      assert.throws(
        () => checkPage({ page: 1, size }, 100),
        (error) => isTillgateError(error) && error.details.fields?.[0]?.path === 'size',
      );
    }
  });
});

describe('errors', () => {
  test('carry a word, a sentence, details and a cause', () => {
    const cause = new Error('below');
    const error = new TillgateError('NOT_READY', 'Try again.', { retryAfterSeconds: 3 }, cause);
    assert.deepEqual(
      [error.name, error.code, error.message, error.details, error.cause],
      ['TillgateError', 'NOT_READY', 'Try again.', { retryAfterSeconds: 3 }, cause],
    );
    assert.ok(!('cause' in new TillgateError('INTERNAL', 'x')));
  });

  test('are known by their brand, from another copy of the package too', () => {
    const foreign = { [Symbol.for('tillgate.error')]: true, code: 'NOT_FOUND' };
    assert.equal(isTillgateError(foreign), true);
    assert.equal(isTillgateError(foreign, 'NOT_FOUND'), true);
    assert.equal(isTillgateError(foreign, 'INTERNAL'), false);
    for (const other of [null, undefined, 'NOT_FOUND', new Error('NOT_FOUND'), { code: 'NOT_FOUND' }])
      assert.equal(isTillgateError(other), false);
  });

  test('of one field name it', () => {
    const error = invalidField('price', 'must be more than 0');
    assert.deepEqual(
      [error.code, error.message, error.details.fields],
      ['INVALID_FIELDS', 'price: must be more than 0', [{ path: 'price', message: 'must be more than 0' }]],
    );
  });

  test('guards say what did not hold', () => {
    must(true, 'fine');
    assert.throws(() => must(false, 'two is three'), /Assertion failed: two is three/);
    assert.equal(present(0, 'zero'), 0);
    for (const nothing of [null, undefined]) assert.throws(() => present(nothing, 'the order'), /the order is missing/);
    assert.throws(() => unreachable('purple' as never), /unexpected value "purple"/);
  });
});
