import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { ANYBODY, validate } from '../../../../adapters/http/operation.ts';
import type { RawCall } from '../../../../adapters/http/operation.ts';
import { isTillgateError } from '../../../../core/index.ts';

const spec = { auth: ANYBODY, body: z.object({ name: z.string().optional() }) };
const call = (body: unknown): RawCall => ({ query: {}, body }) as unknown as RawCall;

test('fault 263: a body that is no object is refused in words of ours, a number and a list too, which zod takes for one', () => {
  for (const body of [new LosslessNumber('0'), [], null, 'text', true])
    assert.throws(
      () => validate(call(body), spec),
      (error) =>
        isTillgateError(error, 'INVALID_FIELDS') &&
        error.message === 'body: must be a JSON object' &&
        error.details.fields?.[0]?.path === 'body',
      JSON.stringify(body),
    );
  assert.deepEqual(validate(call({ name: 'a' }), spec).body, { name: 'a' });
});
