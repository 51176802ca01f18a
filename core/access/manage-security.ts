import type { Account, CallbackApiKey } from './account.ts';
import { adminSinceOf } from './admin-since.ts';
import { dataSecurityOf } from './data-security.ts';
import { DEMANDED, endOf, isDemanded, switchedOff } from './demand.ts';
import type { Demand } from './demand.ts';
import { formatInstant, TillgateError } from '../kernel/index.ts';
import type { AccountId, Millis, Storage } from '../kernel/index.ts';
import type { AccountSecurity } from './account-entry.ts';
import { actionRow } from './actions.ts';
import { costsOf } from './effects.ts';
import { hasDemandedFactor } from './demanded-factors.ts';
import { accountNotFound, recordNotFound, requireOwnSecret, targetAccount } from './actor.ts';
import type { Actor } from './actor.ts';
import { changesOf, addAuditRow } from './audit.ts';
import type { AuditAction } from './audit-actions.ts';
import type { AuditDeps } from './audit.ts';
import { lockLive } from './lock-live.ts';
import type { SecondFactor, TotpEnrolment } from './second-factor.ts';

/** The protections that an account can switch on. */
const DEMAND_NAMES: readonly DemandName[] = ['dataSecurity', 'totpForWithdrawals'];
export type DemandName = 'dataSecurity' | 'totpForWithdrawals';
type Demands = Readonly<Record<DemandName, Demand>>;

interface StoredSecurity {
  readonly account: Account;
  readonly security: AccountSecurity;
  readonly demands: Demands;
}

/** A protection that ends after its hold, unless that is cancelled. */
export interface PendingRelaxation {
  readonly field: DemandName;
  readonly effectiveAt: Millis;
}

/** The security settings of an account. */
export interface SecurityRecord {
  readonly accountId: AccountId;
  readonly dataSecurity: boolean;
  readonly callbackApiKey: CallbackApiKey;
  readonly totpForWithdrawals: boolean;
  /** Protections that were switched off and are still in force. */
  readonly pending: readonly PendingRelaxation[];
  /** True when a second factor exists, confirmed or not. */
  readonly totpEnrolled: boolean;
  /** True once a code was accepted. */
  readonly totpConfirmed: boolean;
  /** Why the account may not withdraw; `null` while it may. */
  readonly withdrawalsFrozen: string | null;
}

export type SecurityPatch = Partial<Pick<SecurityRecord, DemandName | 'callbackApiKey'>>;

export interface ManageSecurityDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'accounts' | 'manage' | 'transfers' | 'transaction'>;
  readonly secondFactor: SecondFactor;
  /** How long switching off a protection is delayed, in milliseconds. */
  readonly holdMs: Millis;
}

/** Data Security, the second factor, and the key sent with callbacks. Admins may act for any account. */
export class ManageSecurity {
  readonly #deps: ManageSecurityDeps;

  constructor(deps: ManageSecurityDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_FOUND`, also for another account */
  async find(actor: Actor, wanted: AccountId | undefined): Promise<SecurityRecord> {
    const id = targetAccount(actor, wanted);
    const { accounts, manage, transfers } = this.#deps.storage;
    const account = await accounts.find(id);
    if (account === null) throw accountNotFound();
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
   * Switches protections on at once, which cancels a pending end; switches them off after the hold where the table of
   * actions requires one.
   *
   * @param atOnce - true to switch off without the hold; for an operator at the command line
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` when codes would be required without a second factor, or the
   *   account is archived
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
        throw new TillgateError('STATE_CONFLICT', 'Set up a second factor first.');
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

  /** Cancels a pending end. @throws TillgateError `NOT_FOUND`, also when none is pending; `STATE_CONFLICT` */
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
    action: AuditAction,
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
      addAuditRow(this.#deps, tx, actor, { action, accountId: id, subjectId: id, changes });
    });
  }

  /**
   * Creates a new second factor and returns its secret, once. The first valid code, at a login or at {@link confirm},
   * confirms it; one that an operator creates is required from now on.
   *
   * @param mayReplace - true to replace a second factor that is required
   * @throws TillgateError `NOT_FOUND`, `FORBIDDEN` for another account, `STATE_CONFLICT` for an archived account, or
   *   one whose second factor was confirmed meanwhile
   */
  async enrol(actor: Actor, wanted: AccountId | undefined, mayReplace: boolean): Promise<TotpEnrolment> {
    const id = targetAccount(actor, wanted);
    requireOwnSecret(actor, id);
    return this.#deps.storage.transaction(async (tx) => {
      const account = await lockLive(tx, id);
      if (!mayReplace && (await hasDemandedFactor(tx, id)))
        throw new TillgateError('STATE_CONFLICT', 'The account is already required to use a second factor.');
      const enrolment = await this.#deps.secondFactor.enrol(tx, account, actor.accountId === null);
      const now = this.#deps.clock.now();
      if (actor.accountId !== id)
        await tx.accounts.update(id, { adminSince: adminSinceOf(account.role, now), modifiedAt: now });
      addAuditRow(this.#deps, tx, actor, { action: 'security.totp_enrol', accountId: id, subjectId: id });
      return enrolment;
    });
  }

  /**
   * Confirms the second factor with a code: codes are required from now on, and sessions that were opened without it
   * end.
   *
   * @param keepSession - the hash of a session that is kept
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
      throw new TillgateError('STATE_CONFLICT', 'There is no second factor to confirm; set one up first.');
    await this.#deps.secondFactor.use(accountId, code, 'verifyCode', { by: actor, keepSession });
    return this.find(actor, accountId);
  }
}

/** True for a protection that ends only after the hold, according to the table of actions. */
function waits(field: DemandName): boolean {
  return actionRow('updateSecurity').effects.some(
    (effect) => costsOf(effect).includes('hold') && effect.when?.fields?.[field] === false,
  );
}

const AUDITED = [
  'dataSecurity',
  'dataSecurityUntil',
  'callbackApiKey',
  'totpForWithdrawals',
  'totpForWithdrawalsUntil',
] as const;

/** The settings for the audit log: which are in force, and until when. */
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
