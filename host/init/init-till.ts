import { randomBytes } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { OPERATOR } from '../../core/index.ts';
import type { AccountId } from '../../core/index.ts';
import { configError, environmentHasKey, resolveConfig } from '../config.ts';
import { withManage, withRuntime } from '../cli/with-till.ts';
import { importPlugins } from '../plugins.ts';
import type { SettingsInput } from '../settings.ts';
import { initWallet } from '../wallet.ts';
import { settingsText } from './init-answers.ts';
import { writeOnce } from './write-once.ts';

/** What a step found or did. */
export interface StepReport {
  readonly step: 'key' | 'settings' | 'database' | 'wallet' | 'admin' | 'second-factor';
  readonly result: 'made' | 'exists' | 'none';
  readonly words: string;
  /** Shown this once. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Where a step's report goes. */
export type Report = (report: StepReport) => void;

const KEY_FILE = 'secrets/master-key';

/** Settings for a new till with the place of its key. Nothing is written when they are not usable. @throws TillgateError `CONFIG_INVALID` */
export async function checkSettings(input: SettingsInput, path: string): Promise<SettingsInput> {
  const directory = dirname(path);
  const environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64') };
  const config = resolveConfig(input, { directory, environment, file: path });
  const { problems } = await importPlugins(config.plugins, config.mode, directory);
  if (problems.length > 0) throw configError(problems);
  return environmentHasKey() ? input : { ...input, masterKeyFile: KEY_FILE };
}

/** The key, then the settings that name it: settings that are there have their key. */
export function writeFiles(settings: SettingsInput, path: string, report: Report): void {
  const text = settingsText(settings);
  if (settings.masterKeyFile === undefined)
    report({ step: 'key', result: 'exists', words: 'The master key is the environment’s.' });
  else makeKey(resolve(dirname(path), settings.masterKeyFile), report);
  const made = writeOnce(path, text);
  report({
    step: 'settings',
    result: made ? 'made' : 'exists',
    words: `${made ? 'Settings' : 'Settings there already'}: ${path}`,
  });
}

function makeKey(path: string, report: Report): void {
  const made = writeOnce(path, `${randomBytes(32).toString('base64')}\n`);
  const words = made
    ? `Master key: ${path}. Keep a copy elsewhere: without it no secret of the database can be read.`
    : `Master key there already: ${path}`;
  report({ step: 'key', result: made ? 'made' : 'exists', words });
}

/** Settings that were there before; they were read, so the key that they name is there. */
export function reportFiles(path: string, report: Report): void {
  report({ step: 'key', result: 'exists', words: 'Master key there already.' });
  report({ step: 'settings', result: 'exists', words: `Settings there already: ${path}` });
}

/** Brings the database up to date. */
export async function prepareDatabase(report: Report): Promise<void> {
  const { client } = await withRuntime(({ config: { database } }) => Promise.resolve(database));
  report({ step: 'database', result: 'made', words: `Database (${client}) is up to date.` });
}

/**
 * Makes the seed unless there is one. Its words are shown before they are stored: a till never has a seed whose words nobody
 * could have written down.
 */
export async function makeWallet(report: Report): Promise<void> {
  const found = await withRuntime(async ({ config, storage, vault }) => {
    if (config.signer !== null) return 'The seed is with the signer.';
    if (config.secrets.mnemonic !== null) return 'The seed is given in TILLGATE_MNEMONIC.';
    const mnemonic = await initWallet({ documents: storage.documents, vault }, (words) => {
      report({
        step: 'wallet',
        result: 'none',
        words:
          'Write these words down: whoever has them has the money. They count once the next line says that they are stored.',
        secrets: { mnemonic: words },
      });
    });
    return mnemonic === null ? 'Wallet there already; its words are not shown again.' : null;
  });
  report({
    step: 'wallet',
    result: found === null ? 'made' : 'exists',
    words: found ?? 'Wallet: the words above are stored, encrypted.',
  });
}

/** Makes the first admin, and the second factor that an admin needs in production. */
export async function makeAdmin(login: () => Promise<AdminLogin>, report: Report): Promise<void> {
  const admin = await findAdmin();
  if (admin === null) {
    const { email, password } = await login();
    const id = await createAdmin(email, password);
    report({ step: 'admin', result: 'made', words: `Admin ${email} (account ${id})` });
    return enrolAdmin(id, report);
  }
  report({ step: 'admin', result: 'exists', words: `Admin there already: ${admin.email} (account ${admin.id})` });
  if (!admin.enrolled) return enrolAdmin(admin.id, report);
  const words = `Second factor there already; a new one: tillgate security totp --account ${admin.id}`;
  report({ step: 'second-factor', result: 'exists', words });
}

/** The first admin's e-mail address and password. */
export interface AdminLogin {
  readonly email: string;
  readonly password: string;
}

interface FoundAdmin {
  readonly id: AccountId;
  readonly email: string;
  readonly enrolled: boolean;
}

async function findAdmin(): Promise<FoundAdmin | null> {
  return withManage(async (manage) => {
    for (let page = 1; ; page++) {
      const { items, total } = await manage.accounts.list(OPERATOR, { page, size: 100 });
      const found = items.find(({ account }) => account.role === 'admin' && account.status === 'active');
      if (found !== undefined) {
        const { id, email } = found.account;
        return { id, email, enrolled: (await manage.security.find(OPERATOR, id)).totpEnrolled };
      }
      if (page * 100 >= total) return null;
    }
  });
}

async function createAdmin(email: string, password: string): Promise<AccountId> {
  return withManage(async ({ accounts }) => {
    const { account } = await accounts.create(OPERATOR, { email, password, role: 'admin' });
    return account.id;
  });
}

async function enrolAdmin(id: AccountId, report: Report): Promise<void> {
  const { secret, uri } = await withManage(({ security }) => security.enrol(OPERATOR, id, true));
  report({
    step: 'second-factor',
    result: 'made',
    words: 'Second factor of the admin, shown this once; an authenticator program takes either:',
    secrets: { secret, uri },
  });
}
