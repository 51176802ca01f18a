import type { AccountId, BreachedPasswords, FieldError, IdGenerator, PasswordHasher } from '../kernel/index.ts';
import { TillgateError } from '../kernel/index.ts';
import type { Account, AccountRole } from './account.ts';
import { adminSinceOf } from './admin-since.ts';
import { currenciesProblem, emailProblem, nameProblem } from './account-fields.ts';
import { encodeBase64 } from './base64.ts';
import { passwordProblem, requireUnbreached } from './password-rules.ts';
import type { CallbackCredentialDeps } from './credential-record.ts';
import { ensureCallbackCredential } from './credential-record.ts';

export interface CreateAccountInput {
  readonly email: string;
  /** Without one, nobody can log in to the account until an operator sets it: it is for programs with keys. */
  readonly password?: string | undefined;
  readonly role?: AccountRole;
  readonly name?: string | null;
  /** Currencies that business verification covers; `*` for all; none by default. */
  readonly verifiedCurrencies?: readonly string[];
}

export interface CreateAccountDeps extends CallbackCredentialDeps {
  readonly hasher: PasswordHasher;
  readonly ids: IdGenerator;
  /** Without it, no password counts as breached. */
  readonly breachedPasswords?: BreachedPasswords;
}

const UNKNOWN_PASSWORD_BYTES = 32;

const ROLES: readonly string[] = ['admin', 'user'] satisfies AccountRole[];

const CHECKS: readonly (readonly [path: string, problem: (input: CreateAccountInput) => string | null])[] = [
  ['email', ({ email }) => emailProblem(email)],
  ['password', ({ password, email }) => (password === undefined ? null : passwordProblem(password, email))],
  ['name', ({ name }) => nameProblem(name ?? '')],
  ['role', ({ role }) => (role === undefined || ROLES.includes(role) ? null : 'must be admin or user')],
  ['verifiedCurrencies', ({ verifiedCurrencies }) => currenciesProblem(verifiedCurrencies ?? [])],
];

/** Creates an active account with its callback credential. */
export class CreateAccount {
  readonly #deps: CreateAccountDeps;

  constructor(deps: CreateAccountDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `INVALID_FIELDS` with every invalid field; `STATE_CONFLICT` when the email is taken. */
  async run(input: CreateAccountInput): Promise<Account> {
    const account = await this.prepare(input);
    await this.#deps.storage.accounts.create(account);
    await ensureCallbackCredential(this.#deps, account.id);
    return account;
  }

  /** A validated account, not stored yet. @throws TillgateError `INVALID_FIELDS` with every invalid field */
  async prepare(input: CreateAccountInput): Promise<Account> {
    const fields = CHECKS.flatMap(([path, problem]): FieldError[] => {
      const message = problem(input);
      return message === null ? [] : [{ path, message }];
    });
    if (fields.length > 0) throw new TillgateError('INVALID_FIELDS', 'The account has invalid fields.', { fields });
    const { hasher, ids, clock, breachedPasswords } = this.#deps;
    const { password = this.#unknownPassword() } = input;
    if (breachedPasswords !== undefined && input.password !== undefined)
      await requireUnbreached(breachedPasswords, password, 'password');
    const now = clock.now();
    const role = input.role ?? 'user';
    return {
      id: ids.next() as AccountId,
      // Emails are compared and stored in lower case.
      email: input.email.toLowerCase(),
      name: input.name ?? null,
      role,
      status: 'active',
      adminSince: adminSinceOf(role, now),
      passwordHash: await hasher.hash(password),
      passwordExpiresAt: null,
      authVersion: 1,
      dataSecurity: false,
      dataSecurityOffAt: null,
      callbackApiKey: 'order',
      verifiedCurrencies: input.verifiedCurrencies ?? [],
      createdAt: now,
      modifiedAt: now,
    };
  }

  /** The password of an account without one: random bytes that are kept nowhere. */
  #unknownPassword(): string {
    return encodeBase64(this.#deps.random.bytes(UNKNOWN_PASSWORD_BYTES));
  }
}
