import type { ErrorCode } from '../../../core/index.ts';
import { z } from 'zod';
import type { Failure } from '../error-table.ts';

/** The HTTP statuses of errors that differ from those of the other APIs: everything that a field can be blamed for is 422. */
export const GREENFIELD_STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  INVALID_FIELDS: 422,
  UNSUPPORTED: 422,
  AMOUNT_OUT_OF_RANGE: 422,
  INVOICE_INVALID: 422,
  DESTINATION_UNPAYABLE: 422,
};

/** The status of a call that the till does not have. */
const NOT_IMPLEMENTED = 501;

const CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  NO_CREDENTIALS: 'unauthenticated',
  CREDENTIAL_INVALID: 'unauthenticated',
  SIGNATURE_INVALID: 'unauthenticated',
  DATE_INVALID: 'unauthenticated',
  SIGNATURE_REPLAYED: 'unauthenticated',
  FORBIDDEN: 'missing-permission',
};

/** The code of an error: `invoice-not-found` for an unknown invoice. */
export function greenfieldCode(word: ErrorCode, record: string | null): string {
  const code = CODES[word] ?? word.toLowerCase().replaceAll('_', '-');
  return word === 'NOT_FOUND' && record !== null ? `${record}-not-found` : code;
}

/** The field to blame for an error of the core that names none. */
const BLAMED: Readonly<Partial<Record<ErrorCode, string>>> = {
  AMOUNT_OUT_OF_RANGE: 'amount',
  INSUFFICIENT_BALANCE: 'amount',
  UNSUPPORTED: 'checkout.paymentMethods',
  DESTINATION_UNPAYABLE: 'destination',
};

/** The body of a failed reply: the invalid fields, or a code and a message. */
export function greenfieldFailure(failure: Failure, resource: string | null): object {
  const { word, status, message, details } = failure;
  if (status === NOT_IMPLEMENTED) return { code: 'not-implemented', message };
  if (status === 422)
    return (details.fields ?? [{ path: BLAMED[word] ?? '', message }]).map(({ path, message: said }) => ({
      path,
      message: said,
    }));
  const { missingPermission } = details as { readonly missingPermission?: string };
  return { code: details.reason ?? greenfieldCode(word, resource), message, missingPermission };
}

/** A failure of a call that the till does not have, by its method and path. */
export function unsupportedCall(failure: Failure, method: string, path: string): Failure {
  if (failure.word !== 'NOT_FOUND' && failure.word !== 'METHOD_NOT_ALLOWED') return failure;
  const message = `${method} ${path.slice(0, 200)} is not supported.`;
  return { ...failure, code: NOT_IMPLEMENTED * 100, status: NOT_IMPLEMENTED, message, details: {} };
}

/** An error reply: a list of the invalid fields with status 422, otherwise a code and a message. */
export const greenfieldErrorSchema = z
  .union([
    z.array(z.object({ path: z.string().meta({ description: 'Dotted path of the field' }), message: z.string() })),
    z.object({
      code: z.string().meta({ description: 'Code of the error, such as invoice-not-found' }),
      message: z.string(),
      missingPermission: z
        .string()
        .optional()
        .meta({ description: 'Permission that the key does not have (status 403)' }),
    }),
  ])
  .meta({ id: 'GreenfieldError' });
