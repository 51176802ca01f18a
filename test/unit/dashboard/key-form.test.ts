import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changesOf, limitFields, valuesOf } from '../../../host/dashboard/app/pages/apps/key-form.ts';
import { bodyOf } from '../../../host/dashboard/app/pages/gateways/gateway-form.ts';

const FORMER = {
  methods: ['eth_call', 'eth_get*'],
  networks: ['203.0.113.0/24'],
  origins: [],
  units_per_minute: 600,
  expires_at: '2026-12-24T18:00:30.500Z',
};

describe('the form of a key’s limits', () => {
  test('sends nothing of a form that was not touched, though its time shows no seconds', () => {
    assert.deepEqual(changesOf(valuesOf(FORMER), FORMER), {});
    assert.deepEqual(changesOf(Object.fromEntries(limitFields().map(({ name, initial = '' }) => [name, initial]))), {});
  });

  test('sends what was changed: a list for lines, a number for digits, a time in UTC, and null for what was emptied', () => {
    const values = {
      ...valuesOf(FORMER),
      methods: ' eth_call \n\n',
      networks: '',
      units_per_minute: '',
      expires_at: '',
    };
    const expected = { methods: ['eth_call'], networks: [], units_per_minute: null, expires_at: null };
    assert.deepEqual(changesOf(values, FORMER), expected);
    assert.deepEqual(
      changesOf({ origins: 'https://app.example', units_per_minute: '5', expires_at: '2027-01-31T12:00' }),
      {
        origins: ['https://app.example'],
        units_per_minute: 5,
        expires_at: new Date('2027-01-31T12:00').toISOString(),
      },
    );
    assert.deepEqual(changesOf({ units_per_minute: 'many' }), { units_per_minute: 'many' }, 'the API refuses it');
  });
});

test('the form of a gateway reads a rate for each line, with a burst or without', () => {
  const { limits } = bodyOf({ limits: { burst: 9, methods: 'eth_getLogs: 5 20\n debug_*:0.5 \nx' } });
  assert.deepEqual(limits, {
    burst: 9,
    methods: {
      eth_getLogs: { requests_per_second: 5, burst: 20 },
      'debug_*': { requests_per_second: 0.5, burst: null },
      x: { requests_per_second: '', burst: null },
    },
  });
  assert.equal(bodyOf({})['limits'], undefined);
});
