import { RESTORE_MS } from './account.ts';
import type { Account, AccountRole, AccountStatus } from './account.ts';
import { currenciesProblem, nameProblem } from './account-fields.ts';
import { adminSinceOf } from './admin-since.ts';
import type { AppReach } from './app-reach.ts';
import { sealCallbackSecrets } from './credential-record.ts';
import type { CreateAccount, CreateAccountInput } from './create-account.ts';
import { newCallbackSecrets } from './key-text.ts';
import type {
  AccountId,
  FieldError,
  Millis,
  NewestQuery,
  Random,
  Storage,
  Transaction,
  Vault,
} from '../kernel/index.ts';
import { invalidField, present, stateConflict, TillgateError } from '../kernel/index.ts';
import type { AccountChanges } from './account-store.ts';
import type { AccountEntry } from './account-entry.ts';
import { guardAdmins, canMove } from './account-rules.ts';
import { listScope, recordNotFound, requireAccess, requireAdmin } from './actor.ts';
import type { Actor } from './actor.ts';
import { changesOf, createdWith, addAuditRow } from './audit.ts';
import type { AuditAction } from './audit-actions.ts';
import type { AuditDeps } from './audit.ts';
import { newestPage } from './list-cursor.ts';
import type { CursorPage, CursorRequest, ListDeps } from './list-cursor.ts';

const MAX_ARCHIVED_AT_ONCE = 100;
const MAX_URL = 2048;

/** Changes of an account; the last three are for admins only. */
export interface AccountPatch {
  readonly name?: string | null;
  readonly avatarUrl?: string | null;
  readonly role?: AccountRole;
  readonly status?: AccountStatus;
  readonly verifiedCurrencies?: readonly string[];
}

/** A new account. */
export interface NewAccount extends CreateAccountInput {
  /** True for another person's account, at the command line. By the API, passwords of others are temporary. */
  readonly temporaryPassword?: boolean;
}

/** An account with the number of its Apps and gateways. */
export interface AccountDetail extends AccountEntry {
  readonly appCount: number;
  /** The number of enabled gateways of its enabled Apps' chains. */
  readonly gatewayCount: number;
}

export interface ManageAccountsDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'manage' | 'feed' | 'ledger' | 'orders' | 'transaction'>;
  readonly vault: Vault;
  readonly random: Random;
  readonly createAccount: Pick<CreateAccount, 'prepare'>;
  readonly apps: AppReach;
  /** How long a temporary password, set by another person, can be used, in milliseconds. */
  readonly temporaryPasswordMs: Millis;
}

/** The facts that decide about a change, besides the account itself. */
interface ChangeFacts {
  /** Every active admin, locked. */
  readonly admins: readonly AccountId[];
  /** Whether the account has money, so that it can be restored at any time. */
  readonly holdsMoney: boolean;
}

/** A request for a page of accounts. */
export interface AccountSearch extends CursorRequest {
  /** A part of the email address or the name, regardless of case; absent for all. */
  readonly q?: string | undefined;
}

const AUDITED = ['name', 'role', 'status', 'verifiedCurrencies', 'avatarUrl'] as const;

/** Management of accounts by their owners and admins. */
export class ManageAccounts {
  readonly #deps: ManageAccountsDeps;

  constructor(deps: ManageAccountsDeps) {
    this.#deps = deps;
  }

  /**
   * Accounts, newest first; a user sees its own. @throws TillgateError `INVALID_FIELDS` for a limit out of range, or a
   * cursor of another list
   */
  async list(actor: Actor, { q, ...page }: AccountSearch): Promise<CursorPage<AccountEntry>> {
    const scope = listScope(actor, undefined);
    const list = ['accounts', actor.accountId, scope, q ?? null];
    const read = (query: NewestQuery<AccountId>) => this.#deps.storage.manage.accounts(scope, query, q);
    return newestPage(list, page, this.#deps, read, ({ account }) => account.id);
  }

  /** @throws TillgateError `NOT_FOUND`, also for an account of another user */
  async find(actor: Actor, id: AccountId): Promise<AccountDetail> {
    requireAccess(actor, id);
    const entry = await this.#deps.storage.manage.account(id);
    if (entry === null) throw recordNotFound();
    return {
      ...entry,
      appCount: await this.#deps.apps.appCount(id),
      gatewayCount: await this.#deps.apps.gatewayCount(id),
    };
  }

  /**
   * Creates an account. A password that one account sets for another is temporary; one that an operator sets is
   * temporary when the operator says so.
   *
   * @throws TillgateError `FORBIDDEN` for a user, `INVALID_FIELDS`, `STATE_CONFLICT` when the email is taken
   */
  async create(actor: Actor, { temporaryPassword = false, ...input }: NewAccount): Promise<AccountDetail> {
    requireAdmin(actor);
    const { createAccount, clock, temporaryPasswordMs } = this.#deps;
    const isTemporary = input.password !== undefined && (temporaryPassword || actor.accountId !== null);
    const passwordExpiresAt = isTemporary ? clock.now() + temporaryPasswordMs : null;
    const account = { ...(await createAccount.prepare(input)), passwordExpiresAt };
    const { id, email, name, role } = account;
    const sealed = sealCallbackSecrets(id, newCallbackSecrets(this.#deps.random), this.#deps.vault);
    await this.#deps.storage.transaction(async (tx) => {
      await tx.manage.createAccount(account);
      await tx.manage.createCallbackCredential({
        accountId: id,
        sealed,
        previousSealed: null,
        previousUntil: null,
        createdAt: account.createdAt,
      });
      const changes = createdWith({ email, name, role });
      addAuditRow(this.#deps, tx, actor, { action: 'account.create', accountId: id, subjectId: id, changes });
    });
    return { account, avatarUrl: null, firstLoginAt: null, lastLogin: null, appCount: 0, gatewayCount: 0 };
  }

  /**
   * Changes an account. A change of status is in force on every instance when this returns; a disabled or archived
   * account is logged out.
   *
   * @throws TillgateError `NOT_FOUND`; `FORBIDDEN` for fields that only an admin may change; `INVALID_FIELDS`;
   *   `STATE_CONFLICT`
   */
  async update(actor: Actor, id: AccountId, patch: AccountPatch): Promise<AccountDetail> {
    requireAccess(actor, id);
    const { role, status, verifiedCurrencies } = patch;
    if (role !== undefined || status !== undefined || verifiedCurrencies !== undefined) requireAdmin(actor);
    checkFields(patch);
    if (status === 'archived') await this.#requireNothingOpen(id);
    const holdsMoney = status === 'active' && (await this.#holdings(id)).length > 0;
    const moved = await this.#deps.storage.transaction(async (tx) => {
      const admins = role === undefined && status === undefined ? [] : await tx.manage.lockAdmins();
      return this.#change(tx, actor, id, patch, { admins, holdsMoney });
    });
    if (moved) await this.#deps.storage.feed.settled();
    return this.find(actor, id);
  }

  /**
   * Archives all of the accounts or none; idempotent. An account with money or an open order is refused: pay the money
   * out, or cancel the order, first.
   *
   * @throws TillgateError `FORBIDDEN` for a user, `NOT_FOUND`, `INVALID_FIELDS`, `STATE_CONFLICT`
   */
  async archive(actor: Actor, ids: readonly AccountId[]): Promise<readonly AccountEntry[]> {
    requireAdmin(actor);
    const wanted = [...new Set(ids)];
    if (wanted.length === 0 || ids.length > MAX_ARCHIVED_AT_ONCE)
      throw invalidField('ids', `must name 1 to ${MAX_ARCHIVED_AT_ONCE} accounts`);
    const { storage } = this.#deps;
    for (const id of wanted) await this.#requireNothingOpen(id);
    await storage.transaction(async (tx) => {
      let admins = await tx.manage.lockAdmins();
      // Locked in one order, so that two concurrent calls cannot deadlock.
      for (const id of wanted.toSorted()) {
        await this.#change(tx, actor, id, { status: 'archived' }, { admins, holdsMoney: false });
        admins = admins.filter((admin) => admin !== id);
      }
    });
    await storage.feed.settled();
    return Promise.all(wanted.map(async (id) => present(await storage.manage.account(id), 'an archived account')));
  }

  /** The account's non-zero balances by currency, including reserved amounts. */
  async #holdings(id: AccountId): Promise<readonly string[]> {
    const balances = await this.#deps.storage.ledger.balances(`merchant:${id}:`);
    return [...new Set(balances.filter(({ units }) => units !== 0n).map(({ currency }) => currency))];
  }

  /**
   * A payment that arrives in between is not lost: an archived account that has money can be restored at any time.
   *
   * @throws TillgateError `STATE_CONFLICT`
   */
  async #requireNothingOpen(id: AccountId): Promise<void> {
    const { storage } = this.#deps;
    if ((await storage.manage.account(id))?.account.status === 'archived') return;
    const held = await this.#holdings(id);
    if (held.length > 0)
      throw stateConflict(`The account ${id} has ${held.join(', ')}: pay it out before it is archived.`);
    if ((await storage.orders.countOpen(id, 1)) > 0)
      throw stateConflict(`The account ${id} has an open order: cancel it, or wait until it is paid or has expired.`);
  }

  /** @returns true when its status changed */
  async #change(
    tx: Transaction,
    actor: Actor,
    id: AccountId,
    patch: AccountPatch,
    { admins, holdsMoney }: ChangeFacts,
  ): Promise<boolean> {
    const account = await tx.accounts.lock(id);
    if (account === null) throw recordNotFound();
    const next = { role: patch.role ?? account.role, status: patch.status ?? account.status };
    if (!canMove(account.status, next.status))
      throw new TillgateError('STATE_CONFLICT', `The account is ${account.status}; it cannot become ${next.status}.`);
    guardAdmins(actor, account, next, admins);
    const former = { ...account, avatarUrl: (await tx.manage.avatar(id)) ?? null };
    const changes = changesOf<typeof former>(former, patch, AUDITED);
    if (Object.keys(changes).length === 0) return false;
    if (account.status === 'archived') this.#requireRestorable(account, patch, holdsMoney);
    await this.#write(tx, account, patch);
    const action = actionOf(account.status, next.status);
    addAuditRow(this.#deps, tx, actor, { action, accountId: id, subjectId: id, changes });
    return account.status !== next.status;
  }

  /**
   * An archived account cannot change, so it was archived at its last change. @throws TillgateError `STATE_CONFLICT`
   */
  #requireRestorable({ modifiedAt }: Account, patch: AccountPatch, holdsMoney: boolean): void {
    if (patch.status !== 'active') throw stateConflict('The account is archived: restore it first.');
    if (!holdsMoney && this.#deps.clock.now() > modifiedAt + RESTORE_MS)
      throw stateConflict('The account was archived more than 30 days ago; that is final.');
  }

  async #write(tx: Transaction, account: Account, { avatarUrl, ...patch }: AccountPatch): Promise<void> {
    const modifiedAt = this.#deps.clock.now();
    const leaves = account.status === 'active' && patch.status !== undefined && patch.status !== 'active';
    const archived = patch.status === 'archived';
    const { role, status } = { ...account, ...patch };
    const isNew = role !== account.role || (status === 'active' && status !== account.status);
    const changes: AccountChanges = {
      ...patch,
      ...(isNew ? { adminSince: adminSinceOf(role, modifiedAt) } : {}),
      ...(leaves || archived ? { authVersion: account.authVersion + 1 } : {}),
      modifiedAt,
    };
    await tx.accounts.update(account.id, changes);
    if (avatarUrl !== undefined) await tx.manage.setAvatar(account.id, avatarUrl);
    if (archived) await this.#deps.apps.archive(tx, account.id, modifiedAt);
    if (leaves || archived) await tx.sessions.endAll(account.id);
  }
}

function actionOf(from: AccountStatus, to: AccountStatus): AuditAction {
  if (from === 'archived') return 'account.restore';
  return to === 'archived' ? 'account.archive' : 'account.update';
}

function checkFields({ name, avatarUrl, verifiedCurrencies }: AccountPatch): void {
  const problems = {
    name: nameProblem(name ?? ''),
    avatarUrl: avatarProblem(avatarUrl ?? null),
    verifiedCurrencies: currenciesProblem(verifiedCurrencies ?? []),
  };
  const fields = Object.entries(problems).flatMap(([path, message]): FieldError[] =>
    message === null ? [] : [{ path, message }],
  );
  if (fields.length > 0) throw new TillgateError('INVALID_FIELDS', 'The account has invalid fields.', { fields });
}

/** Browsers load the picture, so only http and https URLs are allowed. */
function avatarProblem(url: string | null): string | null {
  return url === null || (url.length <= MAX_URL && /^https?:\/\/[^\s\p{Cc}"'<>\\]+$/u.test(url))
    ? null
    : `must be an http or https URL of at most ${MAX_URL} characters, or null`;
}
