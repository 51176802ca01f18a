import type { Account } from './account.ts';
import { assert, invalidField, TillgateError } from '../kernel/index.ts';
import type { AccountId, Transaction } from '../kernel/index.ts';
import type { Actor } from './actor.ts';
import type { RefusedAttempt, RefusedAttempts } from './refused-attempts.ts';
import type { NewPasskey, PasskeyResponse, PasskeyVerifier, RelyingParty } from './passkey-verifier.ts';
import { PasskeyChallenges } from './passkey-challenges.ts';
import type { PasskeyChallengesDeps } from './passkey-challenges.ts';
import { creationOptions, requestOptions } from './passkey-options.ts';
import type { PasskeyCreationOptions, PasskeyRequestOptions } from './passkey-options.ts';
import { countsUp, MAX_PASSKEYS } from './passkey.ts';
import type { Passkey, PasskeyUse } from './passkey.ts';
import { invalidCode } from './second-factor.ts';

export interface PasskeysDeps extends PasskeyChallengesDeps {
  readonly passkeyVerifier: PasskeyVerifier;
  readonly refusedAttempts: Pick<RefusedAttempts, 'note'>;
}

/** Passkeys as a second factor: issues challenges and verifies the answers of authenticators. */
export class Passkeys {
  readonly #deps: PasskeysDeps;
  readonly #challenges: PasskeyChallenges;

  constructor(deps: PasskeysDeps) {
    this.#deps = deps;
    this.#challenges = new PasskeyChallenges(deps);
  }

  /**
   * The options for signing with a passkey.
   *
   * @throws TillgateError `STATE_CONFLICT` for an account without a passkey, or when the public address allows none
   */
  async requestOptions(use: PasskeyUse): Promise<PasskeyRequestOptions> {
    const relyingParty = this.#relyingParty();
    const passkeys = await this.#deps.storage.passkeys.ofAccount(use.accountId);
    if (passkeys.length === 0) throw new TillgateError('STATE_CONFLICT', 'The account has no passkey.');
    return requestOptions(await this.#challenges.give(use), relyingParty, passkeys);
  }

  /**
   * The options for creating a passkey.
   *
   * @throws TillgateError `STATE_CONFLICT` for an account with {@link MAX_PASSKEYS}, or when the public address allows
   *   none
   */
  async creationOptions(account: Account, sessionHash: string): Promise<PasskeyCreationOptions> {
    const relyingParty = this.#relyingParty();
    const passkeys = await this.#deps.storage.passkeys.ofAccount(account.id);
    requirePasskeyRoom(passkeys);
    const challenge = await this.#challenges.give({ accountId: account.id, purpose: 'add', sessionHash });
    return creationOptions(challenge, relyingParty, account, passkeys);
  }

  /** Verifies a registration; nothing is stored. @throws TillgateError `INVALID_FIELDS` */
  async verifyNew(actor: Actor, use: PasskeyUse, response: PasskeyResponse): Promise<NewPasskey> {
    const { passkeyVerifier } = this.#deps;
    const challenge = await this.#take(use, response);
    const made = challenge === null ? null : await passkeyVerifier.verifyRegistration(response, challenge);
    if (made !== null) return made;
    this.#refused(use.accountId, actor, 'passkey');
    throw invalidField('passkey', 'is not a new passkey for this site, or the request has expired; start again');
  }

  /**
   * Verifies the answer of a passkey. The challenge is consumed in any case, and each counter value is accepted once,
   * so that no answer can be replayed.
   *
   * @throws TillgateError `VERIFY_CODE_INVALID`
   */
  async use(actor: Actor, use: PasskeyUse, response: PasskeyResponse): Promise<void> {
    const { storage, passkeyVerifier } = this.#deps;
    const { accountId } = use;
    const challenge = await this.#take(use, response);
    const passkey = (await storage.passkeys.ofAccount(accountId)).find(
      ({ credentialId }) => credentialId === response.id,
    );
    const signCount =
      challenge === null || passkey === undefined
        ? null
        : await passkeyVerifier.verifyAssertion(response, challenge, passkey);
    if (signCount === null || passkey === undefined) throw this.#refusal(accountId, actor, 'passkey');
    if (!(await storage.transaction((tx) => this.#count(tx, passkey, signCount))))
      throw this.#refusal(accountId, actor, 'passkey_counter');
  }

  /** Stores the counter; false when it did not increase, or when the passkey was removed meanwhile. */
  async #count(tx: Transaction, { id, accountId }: Passkey, signCount: number): Promise<boolean> {
    assert((await tx.accounts.lock(accountId)) !== null, `account ${accountId} is gone`);
    const stored = await tx.passkeys.find(id);
    if (stored === null || !countsUp(stored.signCount, signCount)) return false;
    await tx.passkeys.noteUse(id, signCount, this.#deps.clock.now());
    return true;
  }

  /** Consumes and returns the challenge of an answer; `null` unless it was issued for this use. */
  async #take(use: PasskeyUse, response: PasskeyResponse): Promise<string | null> {
    const challenge = this.#deps.passkeyVerifier.challengeOf(response);
    return challenge !== null && (await this.#challenges.take(challenge, use)) ? challenge : null;
  }

  #relyingParty(): RelyingParty {
    const found = this.#deps.passkeyVerifier.relyingParty();
    if (found !== null) return found;
    throw new TillgateError(
      'STATE_CONFLICT',
      'Passkeys need the public address of this server, with https and a host name: set baseUrl.',
    );
  }

  #refusal(accountId: AccountId, actor: Actor, attempt: RefusedAttempt): TillgateError {
    this.#refused(accountId, actor, attempt);
    return invalidCode('passkey', 'is wrong, was used before or has expired; start again');
  }

  #refused(accountId: AccountId, { ip }: Actor, attempt: RefusedAttempt): void {
    this.#deps.refusedAttempts.note({ accountId, ip, attempt });
  }
}

/** @throws TillgateError `STATE_CONFLICT` when the account has the most passkeys already */
export function requirePasskeyRoom({ length }: readonly Passkey[]): void {
  if (length >= MAX_PASSKEYS)
    throw new TillgateError('STATE_CONFLICT', `An account has at most ${MAX_PASSKEYS} passkeys; remove one first.`);
}
