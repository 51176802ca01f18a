import { invalidField } from '../../core/index.ts';
import type { Clock, Digest, IdempotencyClaim } from '../../core/index.ts';
import type { HeaderMap } from './messages.ts';
import { header } from './messages.ts';

const MAX_LENGTH = 255;
const KEEP_MS = 24 * 3_600_000;

/**
 * The claim of a request's `Idempotency-Key`; `null` without one (decisions, section 2).
 * @throws TillgateError `INVALID_FIELDS` for an empty key or one of more than 255 characters
 */
export function idempotencyClaim(
  headers: HeaderMap,
  route: string,
  body: Uint8Array,
  { clock, digest }: { readonly clock: Clock; readonly digest: Pick<Digest, 'sha256Hex'> },
): IdempotencyClaim | null {
  const key = header(headers, 'idempotency-key');
  if (key === null) return null;
  if (key.length === 0 || key.length > MAX_LENGTH) throw invalidField('Idempotency-Key', `must have 1 to ${MAX_LENGTH} characters`);
  return { route, key, bodyHash: digest.sha256Hex(body), expiresAt: clock.now() + KEEP_MS };
}
