import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type {
  Account,
  CreateAccount,
  CreateCredential,
  LeaseStore,
  PasswordHasher,
  SealedDocument,
  Storage,
  Vault,
  Clock,
} from '../../core/index.ts';
import { TillgateError } from '../../core/index.ts';
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
}

export interface DemoTools {
  readonly storage: Pick<Storage, 'accounts' | 'documents'> & { readonly leases: LeaseStore };
  readonly vault: Vault;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly createAccount: CreateAccount;
  readonly createCredential: CreateCredential;
  readonly owner: string;
}

const EMAIL = 'demo@example.com';
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
  const password = randomBytes(18).toString('base64url');
  const account = await demoAccount(tools, password);
  const made = await tools.createCredential.run(account.id, 'demo');
  return {
    account_id: account.id,
    api_key: made.apiKey,
    api_token: made.apiToken,
    signing_secret: made.signingSecret,
    callback_secret: made.callbackSecret,
    email: account.email,
    password,
  };
}

/** Sets a new password when an interrupted start left the account without stored credentials. */
async function demoAccount({ storage, hasher, clock, createAccount }: DemoTools, password: string): Promise<Account> {
  const found = await storage.accounts.findByEmail(EMAIL);
  if (found === null)
    return createAccount.run({ email: EMAIL, password, name: 'Demo merchant', verifiedCurrencies: ['*'] });
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
 * Refuses to run production with the demo merchant, whose password was printed and written to a file.
 *
 * @throws TillgateError `CONFIG_INVALID` when the database has an active one
 */
export async function refuseDemoMerchant({ accounts }: Pick<Storage, 'accounts'>): Promise<void> {
  const found = await accounts.findByEmail(EMAIL);
  if (found?.status !== 'active') return;
  throw new TillgateError(
    'CONFIG_INVALID',
    'This database holds the demo merchant of the sandbox; production needs a database of its own.',
  );
}
