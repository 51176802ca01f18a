import { encodeBase32 } from './base32.ts';
import { judgeTotpOnce, newTotp, TOTP_SECRET_BYTES, totpUri } from './totp.ts';
import { TillgateError } from '../kernel/errors.ts';
import { assert } from '../kernel/guard.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { IdempotencyClaim } from '../ports/order-store.ts';
import type { Random } from '../ports/random.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { Vault } from '../ports/vault.ts';

/** A new second factor: shown once. */
export interface TotpEnrolment {
  /** Base32. */
  readonly secret: string;
  readonly uri: string;
}

export interface SecondFactorDeps {
  readonly storage: Pick<Storage, 'transaction' | 'manage'>;
  readonly vault: Vault;
  readonly random: Random;
  readonly digest: Pick<Digest, 'hmacSha1' | 'equal'>;
  readonly clock: Clock;
  /** What authenticator programs show beside the account. */
  readonly issuer: string;
}

/** What else is known of a use of a code. */
export interface CodeUse {
  /** Of the request, whose body has the code: copies of it are one attempt (decisions, section 11). */
  readonly idempotency?: IdempotencyClaim | null;
  /** What else belongs to the transaction in which the first right code confirms the enrolment. */
  readonly confirmed?: (tx: Transaction) => Promise<void>;
}

/** The hash of the body covers the code: no other code can share this name. */
const requestName = ({ route, key, bodyHash }: IdempotencyClaim): string => JSON.stringify([route, key, bodyHash]);

const context = (accountId: AccountId): string => `totp:${accountId}`;

/** The one answer for a code that is missing, wrong, used or blocked (decisions, section 5). */
function invalidCode(path: string, message: string): TillgateError {
  return new TillgateError('VERIFY_CODE_INVALID', `${path}: ${message}`, { fields: [{ path, message }] });
}

/** Time-based codes of accounts: enrolling and using them. */
export class SecondFactor {
  readonly #deps: SecondFactorDeps;

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps;
  }

  /** Gives the account, whose row is locked, a new secret; its first right code confirms it. */
  async enrol(tx: Pick<Transaction, 'manage'>, accountId: AccountId, email: string): Promise<TotpEnrolment> {
    const { vault, random, issuer } = this.#deps;
    const secret = encodeBase32(random.bytes(TOTP_SECRET_BYTES));
    const security = await tx.manage.security(accountId);
    await tx.manage.saveSecurity({ ...security, totp: newTotp(vault.seal(secret, context(accountId))) });
    return { secret, uri: totpUri(issuer, email, secret) };
  }

  /**
   * Uses a code up, in a transaction of its own: a wrong one counts whatever becomes of the request.
   *
   * @param path - the field that the code came in
   * @throws TillgateError `VERIFY_CODE_INVALID`
   */
  async use(
    accountId: AccountId,
    code: string | null,
    path: string,
    { idempotency = null, confirmed }: CodeUse = {},
  ): Promise<void> {
    if (code === null) throw invalidCode(path, 'is required');
    const { storage, vault, digest, clock } = this.#deps;
    const verdict = await storage.transaction(async (tx) => {
      assert((await tx.accounts.lock(accountId)) !== null, `account ${accountId} is gone`);
      const security = await tx.manage.security(accountId);
      if (security.totp === null) return 'wrong';
      const secret = vault.open(security.totp.sealed, context(accountId));
      const given = { code, request: idempotency === null ? null : requestName(idempotency) };
      const judged = judgeTotpOnce(security.totp, secret, given, digest, clock.now());
      await tx.manage.saveSecurity({ ...security, totp: judged.state });
      if (judged.verdict === 'accepted' && security.totp.confirmedAt === null) await confirmed?.(tx);
      return judged.verdict;
    });
    if (verdict !== 'accepted') throw invalidCode(path, 'is wrong, was used before, or is blocked for a while');
  }
}
