import type { Account, CallbackApiKey } from '../accounts/account.ts';
import { dataSecurityOf } from '../accounts/data-security.ts';
import { DEMANDED, endOf, isDemanded, switchedOff } from '../accounts/demand.ts';
import type { Demand } from '../accounts/demand.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';
import { formatInstant } from '../kernel/time.ts';
import type { Millis } from '../kernel/time.ts';
import type { Storage } from '../ports/storage.ts';
import type { AccountSecurity } from './account-entry.ts';
import { actionRow } from './actions.ts';
import { hasConfirmedFactor } from '../auth/confirmed-factors.ts';
import { recordNotFound, requireOwnSecret, targetAccount } from './actor.ts';
import type { Actor } from './actor.ts';
import { changesOf, addAuditRow } from './audit.ts';
import type { AuditDeps } from './audit.ts';
import { lockLive } from './lock-live.ts';
import type { SecondFactor, TotpEnrolment } from '../auth/second-factor.ts';

/** The protections that an account may demand. */
const DEMAND_NAMES: readonly DemandName[] = ['dataSecurity', 'totpForWithdrawals'];
export type DemandName = 'dataSecurity' | 'totpForWithdrawals';
type Demands = Readonly<Record<DemandName, Demand>>;

interface StoredSecurity {
  readonly account: Account;
  readonly security: AccountSecurity;
  readonly demands: Demands;
}

/** A protection that ends after its hold, unless that is cancelled. */
export interface PendingLoosening {
  readonly field: DemandName;
  readonly effectiveAt: Millis;
}

/** The security settings of an account. */
export interface SecurityRecord {
  readonly accountId: AccountId;
  readonly dataSecurity: boolean;
  readonly callbackApiKey: CallbackApiKey;
  readonly totpForWithdrawals: boolean;
  /** What was switched off and still holds. */
  readonly pending: readonly PendingLoosening[];
  /** A second factor exists, confirmed or not. */
  readonly totpEnrolled: boolean;
  /** A code was accepted once: codes are required at each login. */
  readonly totpConfirmed: boolean;
  /** Why the account may not withdraw; `null` while it may. */
  readonly withdrawalsFrozen: string | null;
}

export type SecurityPatch = Partial<Pick<SecurityRecord, DemandName | 'callbackApiKey'>>;

export interface ManageSecurityDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'accounts' | 'manage' | 'transfers' | 'transaction'>;
  readonly secondFactor: SecondFactor;
  /** How long a loosening waits. */
  readonly holdMs: Millis;
}

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
    const { totp, totpForWithdrawals } = await manage.security(id);
    const freeze = await transfers.freeze(id);
    const now = this.#deps.clock.now();
    const demands: Demands = { dataSecurity: dataSecurityOf(account), totpForWithdrawals };
    return {
      accountId: id,
      dataSecurity: isDemanded(demands.dataSecurity, now),
      callbackApiKey: account.callbackApiKey,
      totpForWithdrawals: isDemanded(totpForWithdrawals, now),
      pending: DEMAND_NAMES.flatMap((field) => {
        const effectiveAt = endOf(demands[field], now);
        return effectiveAt === null ? [] : [{ field, effectiveAt }];
      }),
      totpEnrolled: totp !== null,
      totpConfirmed: totp !== null && totp.confirmedAt !== null,
      withdrawalsFrozen: freeze?.reason ?? null,
    };
  }

  /**
   * Tightens at once, which cancels a loosening that waits; what the table of actions holds is loosened after the hold.
   *
   * @param atOnce - loosens without the hold; for the operator at the command line
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when codes shall be required without a second factor, or the account is archived
   */
  async update(
    actor: Actor,
    wanted: AccountId | undefined,
    patch: SecurityPatch,
    atOnce = false,
  ): Promise<SecurityRecord> {
    const id = targetAccount(actor, wanted);
    const now = this.#deps.clock.now();
    await this.#change(actor, id, 'security.update', ({ account, security, demands }) => {
      if (patch.totpForWithdrawals === true && security.totp === null)
        throw new TillgateError('STATE_CONFLICT', 'Enrol a second factor first.');
      const next = (field: DemandName): Demand => {
        const demand = demands[field];
        if (patch[field] === undefined) return demand;
        if (patch[field]) return DEMANDED;
        return switchedOff(demand, now, atOnce || !waits(field) ? 0 : this.#deps.holdMs);
      };
      return {
        demands: { dataSecurity: next('dataSecurity'), totpForWithdrawals: next('totpForWithdrawals') },
        callbackApiKey: patch.callbackApiKey ?? account.callbackApiKey,
      };
    });
    return this.find(actor, id);
  }

  /** Cancels a loosening that waits. @throws TillgateError `NOT_FOUND`, also when none waits; `STATE_CONFLICT` */
  async cancelPending(actor: Actor, wanted: AccountId | undefined, field: DemandName): Promise<SecurityRecord> {
    const id = targetAccount(actor, wanted);
    const now = this.#deps.clock.now();
    await this.#change(actor, id, 'security.cancel_pending', ({ account, demands }) => {
      if (endOf(demands[field], now) === null) throw recordNotFound();
      return { demands: { ...demands, [field]: DEMANDED }, callbackApiKey: account.callbackApiKey };
    });
    return this.find(actor, id);
  }

  async #change(
    actor: Actor,
    id: AccountId,
    action: string,
    next: (former: StoredSecurity) => Pick<StoredSecurity, 'demands'> & Pick<Account, 'callbackApiKey'>,
  ): Promise<void> {
    const now = this.#deps.clock.now();
    await this.#deps.storage.transaction(async (tx) => {
      const account = await lockLive(tx, id);
      const security = await tx.manage.security(id);
      const demands: Demands = {
        dataSecurity: dataSecurityOf(account),
        totpForWithdrawals: security.totpForWithdrawals,
      };
      const { demands: changed, callbackApiKey } = next({ account, security, demands });
      const [former, wanted] = [audited(demands, account, now), audited(changed, { callbackApiKey }, now)];
      const changes = changesOf(former, wanted, AUDITED);
      if (Object.keys(changes).length === 0) return;
      const { on: dataSecurity, offAt: dataSecurityOffAt } = changed.dataSecurity;
      await tx.accounts.update(id, { dataSecurity, dataSecurityOffAt, callbackApiKey, modifiedAt: now });
      await tx.manage.saveSecurity({ ...security, totpForWithdrawals: changed.totpForWithdrawals });
      await addAuditRow(this.#deps, tx, actor, { action, accountId: id, subjectId: id, changes });
    });
  }

  /**
   * Creates a new second factor and returns its secret, once. The first valid code, at a login or at {@link confirm}, confirms it.
   *
   * @param mayReplace - also where a second factor was confirmed
   * @throws TillgateError `NOT_FOUND`, `FORBIDDEN` for another's account, `STATE_CONFLICT` for an archived account, or one whose
   *   second factor was confirmed meanwhile
   */
  async enrol(actor: Actor, wanted: AccountId | undefined, mayReplace: boolean): Promise<TotpEnrolment> {
    const id = targetAccount(actor, wanted);
    requireOwnSecret(actor, id);
    return this.#deps.storage.transaction(async (tx) => {
      const { email } = await lockLive(tx, id);
      if (!mayReplace && (await hasConfirmedFactor(tx, id)))
        throw new TillgateError('STATE_CONFLICT', 'A second factor was confirmed just now.');
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

/** True for a protection that the table of actions ends after the hold. */
function waits(field: DemandName): boolean {
  return actionRow('updateSecurity').rules.some(
    ({ costs, when }) => costs.includes('hold') && when?.fields?.[field] === false,
  );
}

const AUDITED = [
  'dataSecurity',
  'dataSecurityUntil',
  'callbackApiKey',
  'totpForWithdrawals',
  'totpForWithdrawalsUntil',
] as const;

/** The settings as the audit log shows them: what holds, and until when. */
function audited(
  { dataSecurity, totpForWithdrawals }: Demands,
  { callbackApiKey }: Pick<Account, 'callbackApiKey'>,
  now: Millis,
): Readonly<Record<(typeof AUDITED)[number], unknown>> {
  const until = (demand: Demand): string | null => {
    const end = endOf(demand, now);
    return end === null ? null : formatInstant(end);
  };
  return {
    dataSecurity: isDemanded(dataSecurity, now),
    dataSecurityUntil: until(dataSecurity),
    callbackApiKey,
    totpForWithdrawals: isDemanded(totpForWithdrawals, now),
    totpForWithdrawalsUntil: until(totpForWithdrawals),
  };
}
