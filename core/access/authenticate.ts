import type { Account, Credential, CredentialSecrets } from './account.ts';
import { mustSign } from './data-security.ts';
import { credentialContext, LOOKUP } from './credential-record.ts';
import type { Clock, Digest, ErrorDetails, Millis, SigningText, Storage, TokenIssuer, Vault } from '../kernel/index.ts';
import { present, TillgateError } from '../kernel/index.ts';
import type { CredentialOwner } from './account-store.ts';
import { findByHash } from './find-by-hash.ts';
import { API_KEY_PREFIX } from './key-text.ts';
import { OpenedSecrets } from './opened-secrets.ts';
import type { Principal } from './principal.ts';
import { requireScope, SCOPES } from './scopes.ts';
import type { Scope } from './scopes.ts';
import type { SignatureVerdict, SignedRequest } from './signature.ts';
import { isSigned, verifySignature } from './signature.ts';

/**
 * Where a request carries an API key or access token: a header of its own, or `Authorization` with the scheme `Bearer`
 * or `token`.
 */
export type KeyPlace = 'api-key' | 'x-token' | 'bearer' | 'token';

/** The credentials that an operation accepts, besides a signature. */
export interface AuthRule {
  readonly places: readonly KeyPlace[];
  /** The scope that the credential needs, `null` for none. For `move`, each signature is accepted once. */
  readonly scope: Scope | null;
}

export interface AuthenticateDeps {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly vault: Vault;
  readonly digest: Digest;
  readonly tokens: TokenIssuer;
  readonly clock: Clock;
  /** The accepted difference between a signed `Date` and the server's time, in milliseconds; 300,000 by default. */
  readonly clockSkewMs: number;
}

const EMPTY = new Uint8Array(0);

interface Proof {
  readonly account: Account;
  readonly principal: Principal;
  readonly scopes: readonly Scope[];
}

/** Authenticates a payment API request. */
export class Authenticate {
  readonly #deps: AuthenticateDeps;
  readonly #secrets: OpenedSecrets<CredentialSecrets>;

  constructor(deps: AuthenticateDeps) {
    this.#deps = deps;
    this.#secrets = new OpenedSecrets(deps.vault);
  }

  /**
   * @throws TillgateError `NO_CREDENTIALS`, `CREDENTIAL_INVALID`, `SIGNATURE_INVALID` and `DATE_INVALID` (with
   *   `details.signing`), `SIGNATURE_REPLAYED`, `ACCOUNT_INACTIVE`, `SIGNATURE_REQUIRED`, `FORBIDDEN` (scope); `MALFORMED_REQUEST` for a
   *   repeated header with a key.
   */
  async run(request: SignedRequest, rule: AuthRule): Promise<Principal> {
    const plain = plainCredentials(request, rule);
    if (isSigned(request)) return await this.#bySignature(request, plain, rule);
    const [first, ...others] = plain;
    if (first === undefined) throw new TillgateError('NO_CREDENTIALS', 'The request carries no credentials.');
    const proof = await this.#byText(first);
    const beside = await this.#ofSameAccount(others, proof.account);
    requireActive(proof.account);
    if (mustSign(proof.account, this.#deps.clock.now())) {
      throw new TillgateError('SIGNATURE_REQUIRED', 'This account has Data Security enabled: sign the request.');
    }
    // When there are several credentials, each must have the scope.
    for (const { scopes } of [proof, ...beside]) requireRule(scopes, rule);
    return proof.principal;
  }

  /**
   * Checks before the body of a request is read that it has credentials that {@link run} may accept. Of a signed request
   * only the API token is checked, because the signature covers the body.
   *
   * @throws TillgateError as {@link run}
   */
  async withoutBody({ method, target, headers }: Omit<SignedRequest, 'body'>, rule: AuthRule): Promise<void> {
    const request = { method, target, headers, body: EMPTY };
    if (!isSigned(request)) await this.run(request, rule);
    else if ((await this.#findByToken(request, this.#deps.clock.now())) === null) throw credentialInvalid();
  }

  async #bySignature(request: SignedRequest, plain: readonly string[], rule: AuthRule): Promise<Principal> {
    const now = this.#deps.clock.now();
    const found = await this.#findByToken(request, now);
    const verdict = this.#verify(request, found, now);
    if (!verdict.ok) throw new TillgateError(verdict.code, verdict.message, signingDetails(verdict.signing));
    const owner = present(found, 'the owner of a verified signature');
    // A key besides the signature must belong to the same account, otherwise the acting account is ambiguous.
    const beside = await this.#ofSameAccount(plain, owner.account);
    requireActive(owner.account);
    for (const { scopes } of [owner.credential, ...beside]) requireRule(scopes, rule);
    if (rule.scope === 'move') await this.#useOnce(request, owner.credential, verdict.replayKey);
    return principalOf(owner, 'signature');
  }

  /** The owner of the request's API token; `null` when it is missing, unknown, revoked or expired. */
  async #findByToken(request: SignedRequest, now: Millis): Promise<CredentialOwner | null> {
    const { accounts } = this.#deps.storage;
    const owner = await findByHash(this.#tokenHashes(request), (hash) => accounts.findByApiTokenHash(hash));
    return owner !== null && isUsable(owner.credential, now) ? owner : null;
  }

  #tokenHashes(request: SignedRequest): readonly string[] {
    const apiToken = request.headers.get('api-token')?.[0];
    return apiToken === undefined ? [] : this.#deps.vault.lookupHashes(LOOKUP.apiToken, apiToken);
  }

  /** A signature used under one hash of its token counts as used also when the token is hashed again meanwhile. */
  async #useOnce(request: SignedRequest, { apiTokenHash }: Credential, replayKey: string): Promise<void> {
    const { storage, clock, clockSkewMs } = this.#deps;
    const signature = replayKey.slice(apiTokenHash.length);
    for (const hash of this.#tokenHashes(request)) {
      if (!(await storage.accounts.useSignature(hash + signature, clock.now() + 2 * clockSkewMs)))
        throw new TillgateError('SIGNATURE_REPLAYED', 'This signed request was used before; sign a new one.');
    }
  }

  #verify(request: SignedRequest, owner: CredentialOwner | null, now: Millis): SignatureVerdict {
    const { digest, clockSkewMs } = this.#deps;
    if (owner === null) return verifySignature(request, null, digest, now, clockSkewMs);
    const { id, sealed, apiTokenHash } = owner.credential;
    const { signingSecret } = this.#secrets.open(credentialContext(id), sealed);
    return verifySignature(request, { secret: signingSecret, tokenHash: apiTokenHash }, digest, now, clockSkewMs);
  }

  /** Verifies an API key or an access token; the prefix distinguishes them, so one look-up is enough. */
  async #byText(text: string): Promise<Proof> {
    return text.startsWith(API_KEY_PREFIX) ? await this.#byApiKey(text) : await this.#byAccessToken(text);
  }

  async #byApiKey(text: string): Promise<Proof> {
    const { storage, vault, clock } = this.#deps;
    const hashes = vault.lookupHashes(LOOKUP.apiKey, text);
    const owner = await findByHash(hashes, (hash) => storage.accounts.findByApiKeyHash(hash));
    if (owner === null || !isUsable(owner.credential, clock.now())) throw credentialInvalid();
    const { account, credential } = owner;
    return { account, principal: principalOf(owner, 'api-key'), scopes: credential.scopes };
  }

  async #byAccessToken(text: string): Promise<Proof> {
    const { storage, tokens, clock } = this.#deps;
    const claims = await tokens.read(text, clock.now());
    const account = claims === null ? null : await storage.accounts.find(claims.accountId);
    if (claims === null || account === null || account.authVersion !== claims.authVersion) throw credentialInvalid();
    // No credential: an access token comes from a login with the owner's password.
    return { account, principal: { accountId: account.id, credentialId: null, via: 'token' }, scopes: SCOPES };
  }

  async #ofSameAccount(texts: readonly string[], account: Account): Promise<readonly Proof[]> {
    const proofs: Proof[] = [];
    for (const text of texts) {
      const proof = await this.#byText(text);
      if (proof.account.id !== account.id) throw credentialInvalid();
      proofs.push(proof);
    }
    return proofs;
  }
}

function principalOf({ account, credential, hasWebhooks }: CredentialOwner, via: Principal['via']): Principal {
  const known = hasWebhooks === undefined ? {} : { hasWebhooks };
  const { id: credentialId, scopes, permissions } = credential;
  return { accountId: account.id, credentialId, via, ...known, granted: { scopes, permissions } };
}

/** The keys and tokens in the places that the operation accepts. Empty headers are ignored. */
function plainCredentials({ headers }: SignedRequest, { places }: AuthRule): readonly string[] {
  const texts = places.flatMap((place) => {
    const scheme = SCHEMES[place];
    const name = scheme === undefined ? place : 'authorization';
    const values = headers.get(name) ?? [];
    if (values.length > 1) throw new TillgateError('MALFORMED_REQUEST', `The header ${name} appears more than once.`);
    return scheme === undefined ? values : values.map((value) => scheme.exec(value)?.[1] ?? '');
  });
  return [...new Set(texts)].filter((text) => text !== '');
}

/** The schemes of `Authorization`, each with its token: `Bearer` is that of RFC 6750, section 2.1. */
const SCHEMES: Readonly<Partial<Record<KeyPlace, RegExp>>> = {
  bearer: /^Bearer +([\x21-\x7e]+) *$/i,
  token: /^token +([\x21-\x7e]+) *$/i,
};

function requireRule(scopes: readonly Scope[], { scope }: AuthRule): void {
  if (scope !== null) requireScope(scopes, scope);
}

/** True while a credential is accepted. The expiry is checked at each request and needs no background job. */
function isUsable(credential: Credential, now: Millis): boolean {
  return credential.status === 'active' && (credential.expiresAt === null || now < credential.expiresAt);
}

function requireActive(account: Account): void {
  if (account.status !== 'active') throw new TillgateError('ACCOUNT_INACTIVE', 'The account is disabled or archived.');
}

/** One message for unknown, revoked, expired and foreign credentials, so that it does not reveal which. */
function credentialInvalid(): TillgateError {
  return new TillgateError('CREDENTIAL_INVALID', 'The API key or token is not valid.');
}

function signingDetails(signing: SigningText | null): ErrorDetails {
  return signing === null ? {} : { signing };
}
