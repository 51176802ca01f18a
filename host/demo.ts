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
} from '../core/index.ts';
import { TillgateError } from '../core/index.ts';
import { withLease } from './with-lease.ts';

/** What a newcomer needs to make a first order; also the form of `data/demo.json`. */
export interface DemoMerchant {
  readonly account_id: string;
  readonly api_key: string;
  readonly api_token: string;
  readonly signing_secret: string;
  readonly callback_secret: string;
  readonly email: string;
  readonly password: string;
}

/** What making the demo merchant takes. */
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
 * The sandbox's merchant, made at the first start and the same ever after. It is kept sealed in the database, so that
 * every instance prints the same credentials.
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

/** A start that was cut short may have left the account without its credentials: then it gets a new password. */
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

/** Writes the credentials where only the owner of the process can read them. */
export function writeDemoFile(path: string, demo: DemoMerchant): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Several processes of a server write it at the same time.
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  // Written and renamed, so that a reader never sees half of the file.
  renameSync(unfinished, path);
}

/**
 * Production runs without the demo merchant, whose password was printed and written to a file.
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
