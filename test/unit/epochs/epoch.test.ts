import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assess, epochHold, firstIndexes, INDEX_STEP, isFromBackup } from '../../../core/index.ts';
import type { Epoch, EpochMarker, Progress } from '../../../core/index.ts';

const EPOCH: Epoch = {
  number: 2,
  tillId: 'till',
  status: 'dismissed',
  reason: 'Because.',
  startedAt: 1_000,
  marked: true,
};
const PROGRESS: Progress = {
  newest: { order: '1000', entry: '2000', payout: '' },
  lastAt: { address: 50, attempt: 60 },
  indexes: { eth: 20, btc: 40 },
  heights: { ETH: 7 },
};
const MARKER: EpochMarker = { ...PROGRESS, tillId: 'till', epoch: 2 };
const WALLETS = new Set(['eth', 'btc']);
const kind = (marker: Partial<EpochMarker> | null, epoch: Partial<Epoch> = {}): string =>
  assess({ ...EPOCH, ...epoch }, PROGRESS, marker === null ? null : { ...MARKER, ...marker }, WALLETS).kind;

describe('fault 82: a database beside its marker', () => {
  test('is intact when it has come as far, or further, however long it was off', () => {
    assert.equal(kind({}), 'intact');
    assert.equal(kind({ newest: { order: '999', entry: '1999', payout: '' }, indexes: { eth: 0 } }), 'intact');
  });

  for (const [what, ahead] of [
    ['an order', { newest: { ...PROGRESS.newest, order: '1001' } }],
    ['an order with more digits', { newest: { ...PROGRESS.newest, order: '10000' } }],
    ['a ledger entry', { newest: { ...PROGRESS.newest, entry: '2001' } }],
    ['the first payout', { newest: { ...PROGRESS.newest, payout: '1' } }],
    ['a later address', { lastAt: { address: 51, attempt: 60 } }],
    ['a later signature', { lastAt: { address: 50, attempt: 61 } }],
    ['a higher index', { indexes: { eth: 21, btc: 40 } }],
    ['a wallet that it does not know', { indexes: { ltc: 1 } }],
    ['a later epoch', { epoch: 3 }],
  ] as const satisfies readonly (readonly [string, Partial<EpochMarker>])[]) {
    test(`is a restored backup when the marker has ${what}`, () => {
      assert.equal(kind(ahead), 'restored');
    });
  }

  test('is not taken for a backup because its chain is read again from a lower block', () => {
    assert.equal(kind({ heights: { ETH: 900 } }), 'intact');
  });

  test('has lost its marker only if it had one', () => {
    assert.equal(kind(null), 'unmarked');
    assert.equal(kind(null, { marked: false }), 'intact');
  });

  test('must not give out the addresses that another database of the same wallet gave out', () => {
    const fresh: Progress = {
      newest: { order: '', entry: '', payout: '' },
      lastAt: { address: 0, attempt: 0 },
      indexes: {},
      heights: {},
    };
    const beside = (marker: Partial<EpochMarker>): string =>
      assess({ ...EPOCH, number: 1 }, fresh, { ...MARKER, tillId: 'other', ...marker }, WALLETS).kind;
    assert.equal(beside({}), 'same-wallet');
    assert.equal(beside({ indexes: { ltc: 900 } }), 'intact');
    // Another instance began this epoch; its jump lay beyond what this one had given out, or not.
    assert.equal(kind({ epoch: 1, newest: { order: '9999', entry: '', payout: '' } }), 'intact');
    assert.equal(kind({ epoch: 1, indexes: { eth: 21 } }), 'same-wallet');
  });
});

describe('fault 82: a backup from before databases had an identity', () => {
  test('is a restored backup when the marker of the same wallets has more', () => {
    assert.equal(kind({ tillId: 'other', newest: { ...PROGRESS.newest, order: '1001' } }), 'restored');
    assert.equal(kind({ tillId: 'other', indexes: { eth: 21 } }), 'restored');
    assert.equal(kind({ tillId: 'other' }), 'intact');
    assert.equal(
      kind({ tillId: 'other', indexes: { ltc: 9 }, newest: { ...PROGRESS.newest, order: '9999' } }),
      'intact',
    );
  });
});

describe('fault 82: a new epoch', () => {
  test('begins far beyond every index that database or marker know of', () => {
    const marker = { ...MARKER, indexes: { eth: 500, ltc: 3 } };
    assert.deepEqual(firstIndexes(PROGRESS, marker), {
      eth: 500 + INDEX_STEP,
      btc: 40 + INDEX_STEP,
      ltc: 3 + INDEX_STEP,
    });
    assert.deepEqual(firstIndexes(PROGRESS, null), { eth: 20 + INDEX_STEP, btc: 40 + INDEX_STEP });
  });

  test('pays nothing new before an operator has decided and the chain was read to its head', () => {
    assert.match(epochHold({ ...EPOCH, status: 'pending' }, 2_000) ?? '', /restore confirm/);
    assert.match(epochHold({ ...EPOCH, status: 'confirmed' }, 1_000) ?? '', /head/);
    assert.match(epochHold({ ...EPOCH, status: 'confirmed' }, null) ?? '', /head/);
    assert.equal(epochHold({ ...EPOCH, status: 'confirmed' }, 1_001), null);
    assert.equal(epochHold({ ...EPOCH, number: 1 }, null), null);
  });

  test('doubts what was made before it, unless the operator says that nothing was lost', () => {
    assert.equal(isFromBackup({ ...EPOCH, status: 'confirmed' }, 999), true);
    assert.equal(isFromBackup({ ...EPOCH, status: 'pending' }, 999), true);
    assert.equal(isFromBackup({ ...EPOCH, status: 'confirmed' }, 1_001), false);
    assert.equal(isFromBackup(EPOCH, 999), false);
    assert.equal(isFromBackup({ ...EPOCH, number: 1, status: 'confirmed' }, 999), false);
  });
});
