import { present } from '../kernel/index.ts';
import type { Digest, Millis } from '../kernel/index.ts';
import { decodeBase32 } from './base32.ts';

/** The length of a secret in bytes: that of the hash, as RFC 4226 (section 4) recommends. */
export const TOTP_SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
/** Accepted steps before and after the current one: clocks differ, and typing takes time. */
const DRIFT = 1;
const MAX_TRIES = 5;
const PAUSE_MS = 15 * 60_000;
/** How long verdicts are kept for retries of a request: as long as a code can be valid. */
const REMEMBERED_MS = (2 * DRIFT + 1) * STEP_MS;

/** The cached verdict on a request, so that its retries are not replays. */
export interface JudgedRequest {
  /** Identifies the request, including its code. */
  readonly request: string;
  readonly accepted: boolean;
  readonly at: Millis;
}

/** The stored state of an account's TOTP (RFC 6238). */
export interface TotpState {
  /** The encrypted secret in base32, in the context `totp:<accountId>`. */
  readonly sealed: string;
  /** When a code was first accepted; `null` before. */
  readonly confirmedAt: Millis | null;
  /**
   * True for a secret that an operator set up: a code is required from the first login on, which confirms it, so that
   * the password alone is not enough to replace it. A secret that the account set up itself is required once it is
   * confirmed, because before that its owner may not have stored it.
   */
  readonly required: boolean;
  /** The last used step, because each step is accepted once; -1 before the first. */
  readonly lastStep: number;
  /** Wrong codes since the last accepted one or the last pause. */
  readonly tries: number;
  /** The time until which no code is accepted; `null` for no pause. */
  readonly pausedUntil: Millis | null;
  /** The latest verdicts on requests that can be retried. They are few, because right and wrong codes are limited. */
  readonly judged: readonly JudgedRequest[];
}

/** The initial state. */
export function newTotp(sealed: string, required: boolean): TotpState {
  return { sealed, confirmedAt: null, required, lastStep: -1, tries: 0, pausedUntil: null, judged: [] };
}

/** The result of a check, and the new state, which must be stored in each case. */
export interface TotpVerdict {
  readonly verdict: 'accepted' | 'wrong' | 'paused';
  readonly state: TotpState;
}

/** The code of a step (RFC 6238 over RFC 4226, section 5.3), six digits. */
export function totpCode(digest: Pick<Digest, 'hmacSha1'>, secret: Uint8Array, step: number): string {
  const counter = new Uint8Array(8);
  new DataView(counter.buffer).setBigUint64(0, BigInt(step));
  const hash = digest.hmacSha1(secret, counter);
  const offset = (hash[hash.length - 1] as number) & 0x0f;
  const number = new DataView(hash.buffer, hash.byteOffset).getUint32(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The step that contains a time. */
export function totpStep(at: Millis): number {
  return Math.floor(at / STEP_MS);
}

/**
 * Checks a code, which is valid for the current step or one before or after, each step once. Five wrong codes cause a
 * pause of 15 minutes in which none is accepted.
 *
 * @param secret - the secret in base32
 */
export function judgeTotp(
  state: TotpState,
  secret: string,
  code: string,
  digest: Pick<Digest, 'hmacSha1' | 'equal'>,
  now: Millis,
): TotpVerdict {
  if (state.pausedUntil !== null && now < state.pausedUntil) return { verdict: 'paused', state };
  const bytes = present(decodeBase32(secret), 'a TOTP secret in base32');
  const step = matchingStep(bytes, code, digest, totpStep(now));
  if (step !== null && step > state.lastStep) {
    return {
      verdict: 'accepted',
      state: { ...state, confirmedAt: state.confirmedAt ?? now, lastStep: step, tries: 0, pausedUntil: null },
    };
  }
  const tries = state.tries + 1;
  const paused = tries >= MAX_TRIES;
  return {
    verdict: 'wrong',
    state: { ...state, tries: paused ? 0 : tries, pausedUntil: paused ? now + PAUSE_MS : null },
  };
}

/**
 * As {@link judgeTotp}, for a request that may be retried: all its retries are one attempt. The code is checked once,
 * and the retries get the same verdict; none of them consumes a step or counts as another try.
 *
 * @param request - identifies the request by its whole content, including the code; `null` for one that cannot be
 *   retried
 */
export function judgeTotpOnce(
  state: TotpState,
  secret: string,
  { code, request }: { readonly code: string; readonly request: string | null },
  digest: Pick<Digest, 'hmacSha1' | 'equal'>,
  now: Millis,
): TotpVerdict {
  const judged = state.judged.filter(({ at }) => now - at < REMEMBERED_MS);
  const former = request === null ? undefined : judged.find((each) => each.request === request);
  if (former !== undefined) return { verdict: former.accepted ? 'accepted' : 'wrong', state };
  const { verdict, state: next } = judgeTotp(state, secret, code, digest, now);
  const kept =
    request === null || verdict === 'paused'
      ? judged
      : [...judged, { request, accepted: verdict === 'accepted', at: now }];
  return { verdict, state: { ...next, judged: kept } };
}

/** The step of this code. All steps are compared, so that the time reveals nothing about the match. */
function matchingStep(
  secret: Uint8Array,
  code: string,
  digest: Pick<Digest, 'hmacSha1' | 'equal'>,
  present: number,
): number | null {
  let found: number | null = null;
  for (let step = present - DRIFT; step <= present + DRIFT; step++) {
    if (digest.equal(digits(totpCode(digest, secret, step)), digits(code))) found = step;
  }
  return found;
}

/** The characters as bytes; a non-ASCII character becomes a byte that is no digit. */
function digits(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => Math.min(character.charCodeAt(0), 255));
}

/** The URI for the QR code of authenticator apps (Key URI format). */
export function totpUri(issuer: string, account: string, secret: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
