import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type {
  Account,
  CreateAccount,
  CreateCredential,
  LeaseStore,
  Manage,
  PasswordHasher,
  SealedDocument,
  Storage,
  Vault,
  Clock,
} from '../../core/index.ts';
import { TillgateError } from '../../core/index.ts';
import { firstAdmin } from './first-admin.ts';
import { withLease } from '../workers/with-lease.ts';

/** The credentials that a newcomer needs to create a first order; also the format of `data/demo.json`. */
export interface DemoMerchant {
  readonly account_id: string;
  readonly api_key: string;
  readonly api_token: string;
  readonly signing_secret: string;
  readonly callback_secret: string;
  readonly email: string;
  readonly password: string;
  readonly operator: DemoOperator;
}

/** Who operates the sandbox. */
export interface DemoOperator {
  readonly email: string;
  /** `null` for an admin that existed before, such as the one of `tillgate init`, with a password of its own. */
  readonly password: string | null;
}

export interface DemoTools {
  readonly storage: Pick<Storage, 'accounts' | 'documents'> & { readonly leases: LeaseStore };
  readonly vault: Vault;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly createAccount: CreateAccount;
  readonly createCredential: CreateCredential;
  readonly manage: Pick<Manage, 'accounts'>;
  readonly owner: string;
}

const EMAIL = 'demo@example.com';
const OPERATOR_EMAIL = 'operator@example.com';
const DOCUMENT: SealedDocument = 'host:demo-merchant';

/**
 * The sandbox's merchant, created at the first start. Its credentials are stored sealed in the database, so that every
 * instance prints the same ones.
 */
export async function demoMerchant(tools: DemoTools): Promise<DemoMerchant> {
  return withLease(tools.storage.leases, 'demo-merchant', tools.owner, async () => {
    const { documents } = tools.storage;
    const stored = await documents.read(DOCUMENT);
    if (stored !== null) return JSON.parse(tools.vault.open(stored.value, DOCUMENT)) as DemoMerchant;
    const demo = await makeMerchant(tools);
    await documents.write(DOCUMENT, tools.vault.seal(JSON.stringify(demo), DOCUMENT), 0);
    return demo;
  });
}

async function makeMerchant(tools: DemoTools): Promise<DemoMerchant> {
  const operator = await demoOperator(tools);
  const password = newPassword();
  const account = await demoAccount(tools, EMAIL, password);
  const made = await tools.createCredential.run(account.id, 'demo');
  return {
    account_id: account.id,
    api_key: made.apiKey,
    api_token: made.apiToken,
    signing_secret: made.signingSecret,
    callback_secret: made.callbackSecret,
    email: account.email,
    password,
    operator,
  };
}

const newPassword = (): string => randomBytes(18).toString('base64url');

/** An admin, unless the sandbox has one. */
async function demoOperator(tools: DemoTools): Promise<DemoOperator> {
  const found = await firstAdmin(tools.manage);
  if (found !== null && found.email !== OPERATOR_EMAIL) return { email: found.email, password: null };
  const password = newPassword();
  return { email: (await demoAccount(tools, OPERATOR_EMAIL, password)).email, password };
}

const MERCHANT_ACCOUNT = { name: 'Demo merchant', verifiedCurrencies: ['*'] } as const;
const OPERATOR_ACCOUNT = { name: 'Demo operator', role: 'admin' } as const;

/** Sets a new password when an interrupted start left the account without stored credentials. */
async function demoAccount(
  { storage, hasher, clock, createAccount }: DemoTools,
  email: string,
  password: string,
): Promise<Account> {
  const found = await storage.accounts.findByEmail(email);
  if (found === null)
    return createAccount.run({
      email,
      password,
      ...(email === OPERATOR_EMAIL ? OPERATOR_ACCOUNT : MERCHANT_ACCOUNT),
    });
  const passwordHash = await hasher.hash(password);
  await storage.accounts.update(found.id, {
    passwordHash,
    authVersion: found.authVersion + 1,
    modifiedAt: clock.now(),
  });
  return found;
}

/** Writes the credentials to a file that only the owner of the process can read. */
export function writeDemoFile(path: string, demo: DemoMerchant): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Several processes of a server may write the file at the same time.
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  // Written to a temporary file and renamed, so that readers never see a partial file.
  renameSync(unfinished, path);
}

/**
 * Refuses to run production with the sandbox's accounts, whose passwords were printed and written to a file.
 *
 * @throws TillgateError `CONFIG_INVALID` when the database has an active one
 */
export async function refuseDemoAccounts({ accounts }: Pick<Storage, 'accounts'>): Promise<void> {
  for (const email of [EMAIL, OPERATOR_EMAIL])
    if ((await accounts.findByEmail(email))?.status === 'active')
      throw new TillgateError(
        'CONFIG_INVALID',
        `This database holds ${email}, an account of the sandbox with a printed password; production needs a database of its own.`,
      );
}
