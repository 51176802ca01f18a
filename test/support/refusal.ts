import assert from 'node:assert/strict';
import { isTillgateError } from '../../core/index.ts';
import type { ErrorCode } from '../../core/index.ts';

/** Checks the code of a refusal, and its message; for `assert.rejects`. */
export const refusal =
  (code: ErrorCode, message = /./) =>
  (error: unknown): boolean => {
    assert(isTillgateError(error, code), `${String(error)} is not ${code}`);
    assert.match(error.message, message);
    return true;
  };
