import type { CallbackSecrets, CredentialSecrets } from './account.ts';
import { assert } from '../kernel/index.ts';
import type { Random } from '../kernel/index.ts';
import { encodeBase64 } from './base64.ts';

/** The digits of base 62, in the order of ASCII. */
export const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_DIGITS = 43;

/** The prefix of each kind of secret, which distinguishes keys without a look-up and lets logs redact all of them. */
export const SECRET_PREFIXES = {
  apiKey: 'tak_',
  apiToken: 'tat_',
  signingSecret: 'tss_',
  callbackKey: 'tck_',
  callbackToken: 'tct_',
  /** The prefix of Standard Webhooks. */
  callbackSecret: 'whsec_',
  appKey: 'tgk_',
  session: 'tms_',
} as const;

/** The prefix of every API key; distinguishes it from an access token without a look-up. */
export const API_KEY_PREFIX = SECRET_PREFIXES.apiKey;
export const CALLBACK_SECRET_PREFIX = SECRET_PREFIXES.callbackSecret;

/**
 * 32 bytes as 43 base-62 digits. Each value has exactly one text, so the text is as hard to guess as the bytes. Drawing
 * each digit separately could make some digits more likely.
 */
export function base62(bytes: Uint8Array): string {
  assert(bytes.length === SECRET_BYTES, `base62 of ${bytes.length} bytes`);
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (let left = value, place = 0; place < SECRET_DIGITS; place++, left /= 62n)
    text = BASE62_DIGITS.charAt(Number(left % 62n)) + text;
  return text;
}

const keyText = (prefix: string, random: Random): string => prefix + base62(random.bytes(SECRET_BYTES));

/** The three secrets of a new credential. */
export function newCredentialSecrets(random: Random): CredentialSecrets {
  return {
    apiKey: keyText(API_KEY_PREFIX, random),
    apiToken: keyText(SECRET_PREFIXES.apiToken, random),
    signingSecret: keyText(SECRET_PREFIXES.signingSecret, random),
  };
}

/** The three secrets of a new callback credential. */
export function newCallbackSecrets(random: Random): CallbackSecrets {
  return {
    callbackKey: keyText(SECRET_PREFIXES.callbackKey, random),
    callbackToken: keyText(SECRET_PREFIXES.callbackToken, random),
    callbackSecret: CALLBACK_SECRET_PREFIX + encodeBase64(random.bytes(SECRET_BYTES)),
  };
}
