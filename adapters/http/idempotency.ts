import { CLAIM_KEPT_MS, invalidField } from '../../core/index.ts';
import type { Clock, Digest, IdempotencyClaim } from '../../core/index.ts';
import type { HeaderMap } from './messages.ts';
import { header } from './messages.ts';

const MAX_LENGTH = 255;

/**
 * The claim of a request's `Idempotency-Key`; `null` without one. The claim covers the values in the path like the
 * body: the same key for refunds of two orders is an error, not a repetition.
 *
 * @param route - the operation's path template
 * @throws TillgateError `INVALID_FIELDS` for an empty key or one of more than 255 characters
 */
export function idempotencyClaim(
  headers: HeaderMap,
  route: string,
  params: Readonly<Record<string, string>>,
  body: Uint8Array,
  { clock, digest }: { readonly clock: Clock; readonly digest: Pick<Digest, 'sha256Hex'> },
): IdempotencyClaim | null {
  const key = header(headers, 'idempotency-key');
  if (key === null) return null;
  if (key.length === 0 || key.length > MAX_LENGTH)
    throw invalidField('Idempotency-Key', `must have 1 to ${MAX_LENGTH} characters`);
  return { route, key, bodyHash: digest.sha256Hex(requestBytes(params, body)), expiresAt: clock.now() + CLAIM_KEPT_MS };
}

function requestBytes(params: Readonly<Record<string, string>>, body: Uint8Array): Uint8Array {
  const values = Object.values(params);
  // A path has no line breaks, so the concatenation is unambiguous.
  return values.length === 0 ? body : Buffer.concat([Buffer.from(`${values.join('\n')}\n\n`), body]);
}
