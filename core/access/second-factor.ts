import type { Account } from './account.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditAction } from './audit-actions.ts';
import type { AuditDeps } from './audit.ts';
import type { Actor } from './actor.ts';
import type { RefusedAttempts } from './refused-attempts.ts';
import { encodeBase32 } from './base32.ts';
import { judgeTotpOnce, newTotp, TOTP_SECRET_BYTES, totpUri } from './totp.ts';
import { assert, TillgateError } from '../kernel/index.ts';
import type {
  AccountId,
  Clock,
  Digest,
  IdempotencyClaim,
  Random,
  SealContext,
  Storage,
  Transaction,
  Vault,
} from '../kernel/index.ts';

/** A new TOTP secret, shown once. */
export interface TotpEnrolment {
  /** In base32. */
  readonly secret: string;
  readonly uri: string;
}

export interface SecondFactorDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'transaction' | 'manage'>;
  readonly vault: Vault;
  readonly random: Random;
  readonly digest: Pick<Digest, 'hmacSha1' | 'equal'>;
  readonly clock: Clock;
  readonly refusedAttempts?: Pick<RefusedAttempts, 'note'>;
  /** The name that authenticator apps show with the account. */
  readonly issuer: string;
}

/** The context of the use of a code. */
export interface CodeUse {
  /** The sender, for the audit log. */
  readonly by: Actor;
  /** The claim of the request that contains the code: its retries count as one attempt. */
  readonly idempotency?: IdempotencyClaim | null;
  /** The hash of a session that is not ended when the factor is confirmed. */
  readonly keepSession?: string | null;
}

/** The hash of the body covers the code, so requests with different codes have different names. */
const requestName = ({ route, key, bodyHash }: IdempotencyClaim): string => JSON.stringify([route, key, bodyHash]);

const context = (accountId: AccountId): SealContext => `totp:${accountId}`;

/** The same error for a code or passkey that is missing, wrong, used or blocked. */
export function invalidCode(path: string, message: string): TillgateError {
  return new TillgateError('VERIFY_CODE_INVALID', `${path}: ${message}`, { fields: [{ path, message }] });
}

/** Time-based codes of accounts: enrolment and use. */
export class SecondFactor {
  readonly #deps: SecondFactorDeps;

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps;
  }

  /**
   * Gives the account, whose row is locked, a new secret; the first correct code confirms it.
   *
   * @param required - true to require a code also before it is confirmed
   */
  async enrol(
    tx: Pick<Transaction, 'manage'>,
    { id: accountId, email }: Pick<Account, 'id' | 'email'>,
    required: boolean,
  ): Promise<TotpEnrolment> {
    const { vault, random, issuer } = this.#deps;
    const secret = encodeBase32(random.bytes(TOTP_SECRET_BYTES));
    const security = await tx.manage.security(accountId);
    await tx.manage.saveSecurity({ ...security, totp: newTotp(vault.seal(secret, context(accountId)), required) });
    return { secret, uri: totpUri(issuer, email, secret) };
  }

  /**
   * Verifies and consumes a code in a transaction of its own: a wrong code is counted and audited, whatever the outcome
   * of the request. The first correct code confirms the factor, which ends the sessions that were opened without it.
   *
   * @param path - the field that contained the code
   * @throws TillgateError `VERIFY_CODE_INVALID`
   */
  async use(accountId: AccountId, code: string | null, path: string, use: CodeUse): Promise<void> {
    if (code === null) throw invalidCode(path, 'is required');
    const { storage, vault, digest, clock } = this.#deps;
    const { idempotency = null, by } = use;
    const verdict = await storage.transaction(async (tx) => {
      assert((await tx.accounts.lock(accountId)) !== null, `account ${accountId} is gone`);
      const security = await tx.manage.security(accountId);
      if (security.totp === null) return 'wrong';
      const secret = vault.open(security.totp.sealed, context(accountId));
      const given = { code, request: idempotency === null ? null : requestName(idempotency) };
      const judged = judgeTotpOnce(security.totp, secret, given, digest, clock.now());
      // A pause and retries of a request change nothing. They write no row, so that they do not fill the log.
      if (judged.verdict === 'paused' || judged.state === security.totp) return judged.verdict;
      await tx.manage.saveSecurity({ ...security, totp: judged.state });
      if (judged.verdict === 'wrong') this.#audit(tx, accountId, use.by, 'security.code_refused', path);
      else if (security.totp.confirmedAt === null) await this.#confirmed(tx, accountId, use);
      return judged.verdict;
    });
    if (verdict === 'paused') this.#deps.refusedAttempts?.note({ accountId, ip: by.ip, attempt: 'code' });
    if (verdict !== 'accepted') throw invalidCode(path, 'is wrong, was used before, or is blocked for a while');
  }

  async #confirmed(tx: Transaction, accountId: AccountId, { by, keepSession = null }: CodeUse): Promise<void> {
    await tx.sessions.endAll(accountId, keepSession);
    this.#audit(tx, accountId, by, 'security.totp_confirm');
  }

  #audit(tx: Transaction, accountId: AccountId, by: Actor, action: AuditAction, field?: string): void {
    const changes = field === undefined ? {} : { changes: createdWith({ field }) };
    addAuditRow(this.#deps, tx, by, { action, accountId, subjectId: accountId, ...changes });
  }
}
