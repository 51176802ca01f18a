import type { Account, CallbackApiKey } from '../accounts/account.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import { recordNotFound, requireOwnSecret, targetAccount } from './actor.ts';
import type { Actor } from './actor.ts';
import { changesOf, addAuditRow } from './audit.ts';
import type { AuditDeps } from './audit.ts';
import type { SecondFactor, TotpEnrolment } from '../auth/second-factor.ts';

/** The security settings of an account. */
export interface SecurityRecord {
  readonly accountId: AccountId;
  readonly dataSecurity: boolean;
  readonly callbackApiKey: CallbackApiKey;
  readonly totpForWithdrawals: boolean;
  /** A second factor exists, confirmed or not. */
  readonly totpEnrolled: boolean;
  /** A code was accepted once: codes are required at each login. */
  readonly totpConfirmed: boolean;
  /** Why the account may not withdraw; `null` while it may. */
  readonly withdrawalsFrozen: string | null;
}

/** The settings stored with the account. */
type SecurityDemands = Omit<SecurityRecord, 'withdrawalsFrozen'>;

export type SecurityPatch = Partial<Pick<SecurityRecord, 'dataSecurity' | 'callbackApiKey' | 'totpForWithdrawals'>>;

export interface ManageSecurityDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'accounts' | 'manage' | 'transfers' | 'transaction'>;
  readonly secondFactor: SecondFactor;
}

const AUDITED = ['dataSecurity', 'callbackApiKey', 'totpForWithdrawals'] as const;

/** Data Security, the second factor, and the key sent with callbacks. Admins may act for any account. */
export class ManageSecurity {
  readonly #deps: ManageSecurityDeps;

  constructor(deps: ManageSecurityDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_FOUND`, the same for another's account */
  async find(actor: Actor, wanted: AccountId | undefined): Promise<SecurityRecord> {
    const id = targetAccount(actor, wanted);
    const { accounts, manage, transfers } = this.#deps.storage;
    const account = await accounts.find(id);
    if (account === null) throw recordNotFound();
    const freeze = await transfers.freeze(id);
    return { ...demandsOf(account, await manage.security(id)), withdrawalsFrozen: freeze?.reason ?? null };
  }

  /** @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when codes shall be required without a second factor, or the account is archived */
  async update(actor: Actor, wanted: AccountId | undefined, patch: SecurityPatch): Promise<SecurityRecord> {
    const id = targetAccount(actor, wanted);
    await this.#deps.storage.transaction(async (tx) => {
      const account = await lockLive(tx, id);
      const security = await tx.manage.security(id);
      if (patch.totpForWithdrawals === true && security.totp === null) {
        throw new TillgateError('STATE_CONFLICT', 'Enrol a second factor first.');
      }
      const changes = changesOf<SecurityDemands>(demandsOf(account, security), patch, AUDITED);
      if (Object.keys(changes).length === 0) return;
      const { totpForWithdrawals, ...ofAccount } = patch;
      await tx.accounts.update(id, { ...ofAccount, modifiedAt: this.#deps.clock.now() });
      if (totpForWithdrawals !== undefined) await tx.manage.saveSecurity({ ...security, totpForWithdrawals });
      await addAuditRow(this.#deps, tx, actor, { action: 'security.update', accountId: id, subjectId: id, changes });
    });
    return this.find(actor, id);
  }

  /**
   * Creates a new second factor and returns its secret, once. The first valid code, at a login or at {@link confirm}, confirms it.
   *
   * @param mayReplace - whether a confirmed one may be replaced
   * @throws TillgateError `NOT_FOUND`, `FORBIDDEN` for another's account, `STATE_CONFLICT` for an archived account, or one whose
   *   second factor was confirmed meanwhile
   */
  async enrol(actor: Actor, wanted: AccountId | undefined, mayReplace: boolean): Promise<TotpEnrolment> {
    const id = targetAccount(actor, wanted);
    requireOwnSecret(actor, id);
    return this.#deps.storage.transaction(async (tx) => {
      const { email } = await lockLive(tx, id);
      const { totp } = await tx.manage.security(id);
      if (!mayReplace && totp !== null && totp.confirmedAt !== null)
        throw new TillgateError('STATE_CONFLICT', 'The second factor was confirmed just now.');
      const enrolment = await this.#deps.secondFactor.enrol(tx, id, email);
      await addAuditRow(this.#deps, tx, actor, { action: 'security.totp_enrol', accountId: id, subjectId: id });
      return enrolment;
    });
  }

  /**
   * Confirms the second factor with a code: codes are required from now on, and sessions that were opened without it end.
   *
   * @param keepSession - the hash of a session that goes on
   * @throws TillgateError `NOT_FOUND`, `VERIFY_CODE_INVALID`, `STATE_CONFLICT`
   */
  async confirm(
    actor: Actor,
    wanted: AccountId | undefined,
    code: string,
    keepSession: string | null,
  ): Promise<SecurityRecord> {
    const record = await this.find(actor, wanted);
    const { accountId } = record;
    if (!record.totpEnrolled)
      throw new TillgateError('STATE_CONFLICT', 'There is no second factor to confirm; enrol one.');
    await this.#deps.secondFactor.use(accountId, code, 'verify_code', { by: actor, keepSession });
    return this.find(actor, accountId);
  }
}

async function lockLive(tx: Transaction, id: AccountId): Promise<Account> {
  const account = await tx.accounts.lock(id);
  if (account === null) throw recordNotFound();
  if (account.status === 'archived')
    throw new TillgateError('STATE_CONFLICT', 'The account is archived; that is final.');
  return account;
}

function demandsOf(
  { id, dataSecurity, callbackApiKey }: Account,
  {
    totp,
    totpForWithdrawals,
  }: { readonly totp: { readonly confirmedAt: number | null } | null; readonly totpForWithdrawals: boolean },
): SecurityDemands {
  return {
    accountId: id,
    dataSecurity,
    callbackApiKey,
    totpForWithdrawals,
    totpEnrolled: totp !== null,
    totpConfirmed: totp !== null && totp.confirmedAt !== null,
  };
}
