import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthsUntil } from '../../../host/dashboard/app/pages/ledger/months.ts';

test('months of the ledger meet each other without a gap, across years, whatever the day', () => {
  const months = monthsUntil(Date.parse('2026-01-31T23:59:59.999Z'), 3);
  assert.deepEqual(months, [
    { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
    { from: '2025-12-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' },
    { from: '2025-11-01T00:00:00.000Z', to: '2025-12-01T00:00:00.000Z' },
  ]);
});
