import { present } from '../kernel/guard.ts';
import type { Millis } from '../kernel/time.ts';
import type { Digest } from '../ports/digest.ts';
import { decodeBase32 } from './base32.ts';

/** The length of a secret: as long as the hash, as RFC 4226 (section 4) recommends. */
export const TOTP_SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
/** Steps either side of the present one that are taken: clocks differ, and typing takes time. */
const DRIFT = 1;
const MAX_TRIES = 5;
const PAUSE_MS = 15 * 60_000;

/** What is stored of an account's TOTP (RFC 6238; decisions, section 5). */
export interface TotpState {
  /** Opens to the secret in base32, in the context `totp:<accountId>`. */
  readonly sealed: string;
  /** When a code was right for the first time; `null` before: nothing is demanded of somebody who may not have it yet. */
  readonly confirmedAt: Millis | null;
  /** The last step that was used: each is worth one use; -1 before the first. */
  readonly lastStep: number;
  /** Wrong codes since the last right one or the last pause. */
  readonly tries: number;
  /** Until then no code is taken, right or wrong; `null` for no pause. */
  readonly pausedUntil: Millis | null;
}

/** A state that nobody has used yet. */
export function newTotp(sealed: string): TotpState {
  return { sealed, confirmedAt: null, lastStep: -1, tries: 0, pausedUntil: null };
}

/** What became of a code, and the state that must be stored whatever became of it. */
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

/** The step that a moment lies in. */
export function totpStep(at: Millis): number {
  return Math.floor(at / STEP_MS);
}

/**
 * Judges a code: right for this step or one either side, each step once, five wrong ones and then a pause of 15
 * minutes in which nothing is taken.
 *
 * @param secret - the secret in base32
 */
export function judgeTotp(state: TotpState, secret: string, code: string, digest: Pick<Digest, 'hmacSha1' | 'equal'>, now: Millis): TotpVerdict {
  if (state.pausedUntil !== null && now < state.pausedUntil) return { verdict: 'paused', state };
  const bytes = present(decodeBase32(secret), 'a TOTP secret in base32');
  const step = matchingStep(bytes, code, digest, totpStep(now));
  if (step !== null && step > state.lastStep) {
    return { verdict: 'accepted', state: { ...state, confirmedAt: state.confirmedAt ?? now, lastStep: step, tries: 0, pausedUntil: null } };
  }
  const tries = state.tries + 1;
  const paused = tries >= MAX_TRIES;
  return { verdict: 'wrong', state: { ...state, tries: paused ? 0 : tries, pausedUntil: paused ? now + PAUSE_MS : null } };
}

/** The step whose code this is; every one is compared, so that the time taken tells nothing. */
function matchingStep(secret: Uint8Array, code: string, digest: Pick<Digest, 'hmacSha1' | 'equal'>, present: number): number | null {
  let found: number | null = null;
  for (let step = present - DRIFT; step <= present + DRIFT; step++) {
    if (digest.equal(digits(totpCode(digest, secret, step)), digits(code))) found = step;
  }
  return found;
}

/** Its characters as bytes; what is no ASCII becomes what no digit is. */
function digits(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => Math.min(character.charCodeAt(0), 255));
}

/** What authenticator programs read from a QR code (the Key URI format). */
export function totpUri(issuer: string, account: string, secret: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
