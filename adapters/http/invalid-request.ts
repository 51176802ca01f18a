import { TillgateError } from '../../core/index.ts';
import type { FieldError } from '../../core/index.ts';

/** Fields that a schema of the APIs refuses. Their paths are names of the APIs, and of the caller, already. */
export class InvalidRequest extends TillgateError {
  constructor(fields: readonly FieldError[]) {
    super('INVALID_FIELDS', fields.map(({ path, message }) => `${path}: ${message}`).join('; '), { fields });
  }
}
