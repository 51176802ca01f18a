import { mustChangePassword } from './password-rules.ts';
import { hasDemandedFactor } from './demanded-factors.ts';
import { TillgateError } from '../kernel/index.ts';
import type { AccountId, Clock, Storage } from '../kernel/index.ts';
import { actionRow } from './actions.ts';
import type { ManageAction } from './actions.ts';
import { costsOf } from './effects.ts';
import type { ActionCost, ActionEffect, ActionRow } from './effects.ts';
import type { RefusedAttempts } from './refused-attempts.ts';
import { isRaised } from './session.ts';
import type { OpenSession } from './sessions.ts';

/** A request to check. */
export interface ActionRequest {
  readonly open: OpenSession;
  /** The client's address. */
  readonly ip: string;
  /** The fields that were sent, by their names in core, without defaults. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The owner of the record; `null` for none. Called only when a rule depends on it. */
  readonly owner: () => Promise<AccountId | null>;
}

/** The accounts whose sessions can only enrol a second factor while they have none. */
export const SECOND_FACTOR_DEMANDS = ['everybody', 'admins', 'nobody'] as const;
export type SecondFactorDemand = (typeof SECOND_FACTOR_DEMANDS)[number];

export interface ActionGuardDeps {
  readonly storage: Pick<Storage, 'manage' | 'passkeys'>;
  readonly clock: Clock;
  readonly refusedAttempts: Pick<RefusedAttempts, 'note'>;
  /** The accounts that can only enrol a second factor while they have none. */
  readonly secondFactorOf: SecondFactorDemand;
}

const forbidden = (message: string, reason?: string): TillgateError =>
  new TillgateError('FORBIDDEN', message, reason === undefined ? {} : { reason });

/** Enforces the costs that {@link actionRow} defines for each action of a session. */
export class ActionGuard {
  readonly #deps: ActionGuardDeps;

  constructor(deps: ActionGuardDeps) {
    this.#deps = deps;
  }

  /**
   * @throws TillgateError `FORBIDDEN` with a reason: `password_change_required` when a temporary password must be
   *   changed first, `second_factor_required` when a second factor must be enrolled first, `step_up_required` when the
   *   session needs a step-up first
   */
  async check(action: ManageAction, request: ActionRequest): Promise<void> {
    const row = actionRow(action);
    requireOwnPassword(row, request);
    const facts = new Facts(request, this.#deps.storage);
    await this.#requireFactor(row, request, facts);
    const costs = await chargedFor(row, facts);
    if (costs.has('fresh-factor') && !isRaised(request.open.session, this.#deps.clock.now())) {
      const { open, ip } = request;
      this.#deps.refusedAttempts.note({ accountId: open.account.id, ip, attempt: 'step_up' });
      throw forbidden(
        'This needs a fresh second factor or password: POST /manage/v1/session/step-up, then try again.',
        'step_up_required',
      );
    }
    if (costs.has('another-person') && !(await facts.ofOthers()))
      throw forbidden('Another admin must do this, because it changes a record of your own account.');
  }

  async #requireFactor({ beforeFactor }: ActionRow, { open }: ActionRequest, facts: Facts): Promise<void> {
    const { account } = open;
    if (!this.#demandsFactor(account.role)) return;
    if (beforeFactor === true && !(await facts.ofOthers())) return;
    if (!(await facts.hasFactor(account.id)))
      throw forbidden(
        'This account needs a second factor: POST /manage/v1/security/totp, or add a passkey, first.',
        'second_factor_required',
      );
  }

  #demandsFactor(role: OpenSession['account']['role']): boolean {
    const { secondFactorOf } = this.#deps;
    return secondFactorOf === 'everybody' || (secondFactorOf === 'admins' && role === 'admin');
  }
}

function requireOwnPassword({ beforePassword }: ActionRow, { open }: ActionRequest): void {
  if (beforePassword === true || !mustChangePassword(open.account)) return;
  throw forbidden(
    'The password is temporary, because it was set by another person: change it with POST /manage/v1/password first.',
    'password_change_required',
  );
}

async function chargedFor({ effects }: ActionRow, facts: Facts): Promise<ReadonlySet<ActionCost>> {
  const costs = new Set<ActionCost>();
  for (const effect of effects) if (await applies(effect, facts)) costsOf(effect).forEach((cost) => costs.add(cost));
  return costs;
}

async function applies({ when = {} }: ActionEffect, facts: Facts): Promise<boolean> {
  const { fields = {}, given, beyond, others = false, demandedFactor = false } = when;
  return (
    Object.entries(fields).every(([name, value]) => facts.field(name) === value) &&
    (given === undefined || given.some((name) => facts.field(name) !== undefined)) &&
    (beyond === undefined || facts.hasBeyond(beyond)) &&
    // For a user, a record of another account does not exist, whatever the request is.
    (!others || (facts.isAdmin && (await facts.ofOthers()))) &&
    (!demandedFactor || (await facts.hasFactor(await facts.owner())))
  );
}

/** Facts about a request, read when a rule needs them. */
class Facts {
  readonly #request: ActionRequest;
  readonly #storage: ActionGuardDeps['storage'];
  #owner: Promise<AccountId | null> | null = null;

  constructor(request: ActionRequest, storage: ActionGuardDeps['storage']) {
    this.#request = request;
    this.#storage = storage;
  }

  get isAdmin(): boolean {
    return this.#request.open.account.role === 'admin';
  }

  field(name: string): unknown {
    return this.#request.fields[name];
  }

  /** True when the request has a field that is not in this list. */
  hasBeyond(names: readonly string[]): boolean {
    return Object.entries(this.#request.fields).some(([name, value]) => value !== undefined && !names.includes(name));
  }

  owner(): Promise<AccountId | null> {
    this.#owner ??= this.#request.owner();
    return this.#owner;
  }

  async ofOthers(): Promise<boolean> {
    return (await this.owner()) !== this.#request.open.account.id;
  }

  async hasFactor(id: AccountId | null): Promise<boolean> {
    return id !== null && hasDemandedFactor(this.#storage, id);
  }
}
