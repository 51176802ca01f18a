import type { Account, CallbackSecrets, Credential } from '../access/index.ts';
import { CALLBACK_SECRET_PREFIX, decodeBase64Of32, encodeBase64, signRequest } from '../access/index.ts';
import { present } from '../kernel/index.ts';
import type { Digest, Millis } from '../kernel/index.ts';
import type { Callback } from './callback.ts';

/** The secrets with which a callback is signed. */
export interface CallbackSigner {
  readonly secrets: CallbackSecrets;
  /** The previous secrets while the overlap of a rotation lasts. */
  readonly former: CallbackSecrets | null;
  /** The value of `API-Key`; `null` for no such header. */
  readonly apiKey: string | null;
}

/**
 * The headers of an attempt: `API-Key`; the service's signature over method, path and query, keyed with the text of the
 * callback secret; and the signature of Standard Webhooks, keyed with the secret's bytes, which for a GET covers the
 * full URL instead of the body.
 */
export function callbackHeaders(
  callback: Pick<Callback, 'id' | 'method' | 'url' | 'body'>,
  signer: CallbackSigner,
  digest: Digest,
  now: Millis,
): Readonly<Record<string, string>> {
  const { secrets, former, apiKey } = signer;
  const url = new URL(callback.url);
  const request = {
    method: callback.method,
    target: url.pathname + url.search,
    body: new TextEncoder().encode(callback.body ?? ''),
  };
  return {
    ...(apiKey === null ? {} : { 'API-Key': apiKey }),
    ...signRequest(request, { apiToken: secrets.callbackToken, secret: secrets.callbackSecret }, digest, now),
    ...standardHeaders(
      callback,
      [secrets, ...(former === null ? [] : [former])].map(({ callbackSecret }) => callbackSecret),
      digest,
      now,
    ),
  };
}

/**
 * The headers of Standard Webhooks, with one signature for each secret; an event of a webhook endpoint has no others.
 *
 * @param secrets - each `whsec_` and base64 of 32 bytes, the current one first
 */
export function standardHeaders(
  { id, url, body }: Pick<Callback, 'id' | 'url' | 'body'>,
  secrets: readonly string[],
  digest: Digest,
  now: Millis,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(now / 1000).toString();
  const signed = `${id}.${timestamp}.${body ?? url}`;
  const signatures = secrets.map(
    (secret) => `v1,${encodeBase64(digest.hmac('HMAC-SHA256', secretBytes(secret), signed))}`,
  );
  return {
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function secretBytes(callbackSecret: string): Uint8Array {
  return present(
    decodeBase64Of32(callbackSecret.slice(CALLBACK_SECRET_PREFIX.length)),
    'the bytes of a callback secret',
  );
}

/**
 * The value of `API-Key`, sent over https only unless private networks are allowed: the API key of the credential that
 * created the order; or the account's callback key, which authenticates nothing, when the account chose so or the
 * credential is no longer active. `null` for none.
 *
 * @param openApiKey - decrypts the credential's secrets; called only when its key is sent
 */
export function chooseApiKey(
  url: string,
  account: Pick<Account, 'callbackApiKey'>,
  credential: Credential | null,
  secrets: CallbackSecrets,
  policy: { readonly allowPrivateNetworks: boolean; readonly now: Millis },
  openApiKey: (credential: Credential) => string,
): string | null {
  if (!policy.allowPrivateNetworks && new URL(url).protocol !== 'https:') return null;
  if (account.callbackApiKey === 'callback' || credential === null) return secrets.callbackKey;
  const active = credential.status === 'active' && (credential.expiresAt === null || policy.now < credential.expiresAt);
  return active ? openApiKey(credential) : secrets.callbackKey;
}
