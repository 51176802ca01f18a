import { isTillgateError, TillgateError } from '../../../core/index.ts';
import type { ErrorCode } from '../../../core/index.ts';
import { InvalidRequest } from '../invalid-request.ts';

/** The fields of an operation to blame for errors of the core: by the field that the core names, or by the code. */
export type Blame = Readonly<Partial<Record<ErrorCode, string>>> & {
  readonly fields?: Readonly<Record<string, string>>;
};

/** Runs a use case, whose errors then name the fields of the operation. */
export async function blaming<T>({ fields = {}, ...codes }: Blame, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isTillgateError(error) || error instanceof InvalidRequest) throw error;
    const blamed = codes[error.code];
    if (blamed !== undefined) throw new InvalidRequest([{ path: blamed, message: error.message }]);
    if (error.code !== 'INVALID_FIELDS' || error.details.fields === undefined) throw error;
    throw new InvalidRequest(
      error.details.fields.map(({ path, message }) => ({ path: fields[path] ?? path, message })),
    );
  }
}

/** Runs a use case that may demand a code of the second factor, which no request of this API carries. */
export async function withoutCode<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isTillgateError(error, 'VERIFY_CODE_INVALID')) throw error;
    throw new TillgateError(
      'FORBIDDEN',
      'The account demands a code of its second factor for payouts, which this API cannot carry. Use the dashboard, or /v1 with verify_code.',
      { reason: 'code-required' },
    );
  }
}
