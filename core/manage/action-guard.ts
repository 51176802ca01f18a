import { mustChangePassword } from '../accounts/temporary-password.ts';
import { hasConfirmedFactor } from '../auth/confirmed-factors.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import { actionRow } from './actions.ts';
import type { ActionCost, ActionRow, ActionRule, ManageAction } from './actions.ts';
import type { RefusedAttempts } from './refused-attempts.ts';
import { isRaised } from './session.ts';
import type { OpenSession } from './sessions.ts';

/** A request whose cost is to be known. */
export interface ActionRequest {
  readonly open: OpenSession;
  /** The client's address. */
  readonly ip: string;
  /** Its fields, by their names in core. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whose record it is about; `null` for nobody's. Asked only where a rule depends on it. */
  readonly owner: () => Promise<AccountId | null>;
}

/** Whose sessions can only enrol a second factor while their account has none. */
export const SECOND_FACTOR_DEMANDS = ['everybody', 'admins', 'nobody'] as const;
export type SecondFactorDemand = (typeof SECOND_FACTOR_DEMANDS)[number];

export interface ActionGuardDeps {
  readonly storage: Pick<Storage, 'manage' | 'passkeys'>;
  readonly clock: Clock;
  readonly refusedAttempts: Pick<RefusedAttempts, 'note'>;
  /** Who can only enrol a second factor while the account has none. */
  readonly secondFactorOf: SecondFactorDemand;
}

const forbidden = (message: string, reason?: string): TillgateError =>
  new TillgateError('FORBIDDEN', message, reason === undefined ? {} : { reason });

/** Charges each action of a session what {@link actionRow} says that it costs. */
export class ActionGuard {
  readonly #deps: ActionGuardDeps;

  constructor(deps: ActionGuardDeps) {
    this.#deps = deps;
  }

  /**
   * @throws TillgateError `FORBIDDEN`; its reason is `password_change_required` where a password that somebody else set must be
   *   changed first, `second_factor_required` where a second factor must be enrolled first, and `step_up_required` where the
   *   session must be raised first
   */
  async check(action: ManageAction, request: ActionRequest): Promise<void> {
    const row = actionRow(action);
    requireOwnPassword(row, request);
    const facts = new Facts(request, this.#deps.storage);
    await this.#requireFactor(row, request, facts);
    const costs = await costsOf(row, facts);
    if (costs.has('fresh-factor') && !isRaised(request.open.session, this.#deps.clock.now())) {
      const { open, ip } = request;
      this.#deps.refusedAttempts.note({ accountId: open.account.id, ip, attempt: 'step_up' });
      throw forbidden(
        'This needs a fresh second factor or password: POST /manage/v1/session/step-up, then try again.',
        'step_up_required',
      );
    }
    if (costs.has('another-person') && !(await facts.ofOthers()))
      throw forbidden('Another admin must do this: it is about a record of your own account.');
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
  throw forbidden('Somebody else set the password: POST /manage/v1/password first.', 'password_change_required');
}

async function costsOf({ rules }: ActionRow, facts: Facts): Promise<ReadonlySet<ActionCost>> {
  const costs = new Set<ActionCost>();
  for (const rule of rules) if (await applies(rule, facts)) rule.costs.forEach((cost) => costs.add(cost));
  return costs;
}

async function applies({ when = {} }: ActionRule, facts: Facts): Promise<boolean> {
  const { fields = {}, given, others = false, confirmedFactor = false } = when;
  return (
    Object.entries(fields).every(([name, value]) => facts.field(name) === value) &&
    (given === undefined || facts.field(given) !== undefined) &&
    // To a user another's record does not exist, whatever it asks for.
    (!others || (facts.isAdmin && (await facts.ofOthers()))) &&
    (!confirmedFactor || (await facts.hasFactor(await facts.owner())))
  );
}

/** What is known of a request, read when a rule asks. */
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

  owner(): Promise<AccountId | null> {
    this.#owner ??= this.#request.owner();
    return this.#owner;
  }

  async ofOthers(): Promise<boolean> {
    return (await this.owner()) !== this.#request.open.account.id;
  }

  async hasFactor(id: AccountId | null): Promise<boolean> {
    return id !== null && hasConfirmedFactor(this.#storage, id);
  }
}
