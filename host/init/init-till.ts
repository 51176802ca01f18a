import { randomBytes } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { isTillgateError, OPERATOR } from '../../core/index.ts';
import type { AccountId } from '../../core/index.ts';
import { configError, environmentHasKey, resolveConfig } from '../settings/config.ts';
import { withManage, withRuntime } from '../cli/with-till.ts';
import { firstAdmin } from '../boot/first-admin.ts';
import { importPlugins } from '../boot/plugins.ts';
import type { SettingsInput } from '../settings/settings.ts';
import { initWallet } from '../wallet/wallet.ts';
import { settingsText } from './init-answers.ts';
import type { Ask } from './init-answers.ts';
import { SECRETS_FOLDER, confirmWords, writeSeedFile } from './seed-words.ts';
import { writeOnce } from './write-once.ts';

/** The result of a step. */
export interface StepReport {
  readonly step: 'key' | 'settings' | 'database' | 'wallet' | 'admin' | 'second-factor';
  readonly result: 'made' | 'exists' | 'none';
  readonly words: string;
  /** The file that the step has written for a person to move away. */
  readonly file?: string;
  /** Secrets, which are shown this once. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Receives the report of each step. */
export type Report = (report: StepReport) => void;

const KEY_FILE = `${SECRETS_FOLDER}/master-key`;

/**
 * Validates the settings of a new till, with the path of its key. Nothing is written when they are invalid.
 *
 * @throws TillgateError `CONFIG_INVALID`
 */
export async function checkSettings(input: SettingsInput, path: string): Promise<SettingsInput> {
  const directory = dirname(path);
  const environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64') };
  const config = resolveConfig(input, { directory, environment, file: path });
  const { problems } = await importPlugins(config.plugins, config.mode, directory);
  if (problems.length > 0) throw configError(problems);
  return environmentHasKey() ? input : { ...input, masterKeyFile: KEY_FILE };
}

/** Writes the key before the settings that name it, so that settings never exist without their key. */
export function writeFiles(settings: SettingsInput, path: string, report: Report): void {
  const text = settingsText(settings);
  if (settings.masterKeyFile === undefined)
    report({ step: 'key', result: 'exists', words: 'The master key comes from the environment.' });
  else makeKey(resolve(dirname(path), settings.masterKeyFile), report);
  const made = writeOnce(path, text);
  report({
    step: 'settings',
    result: made ? 'made' : 'exists',
    words: `${made ? 'Settings' : 'Settings exist already'}: ${path}`,
  });
}

function makeKey(path: string, report: Report): void {
  const made = writeOnce(path, `${randomBytes(32).toString('base64')}\n`);
  const words = made
    ? `Master key: ${path}. Keep a copy elsewhere: without it no secret in the database can be read.`
    : `Master key exists already: ${path}`;
  report({ step: 'key', result: made ? 'made' : 'exists', words });
}

/** Reports existing settings; they were read successfully, so the key that they name exists. */
export function reportFiles(path: string, report: Report): void {
  report({ step: 'key', result: 'exists', words: 'Master key exists already.' });
  report({ step: 'settings', result: 'exists', words: `Settings exist already: ${path}` });
}

/** Brings the database up to date. */
export async function prepareDatabase(report: Report): Promise<void> {
  const { client } = await withRuntime(({ config: { database } }) => Promise.resolve(database));
  report({ step: 'database', result: 'made', words: `Database (${client}) is up to date.` });
}

/**
 * Makes the seed unless there is one. Its words are handed over before they are stored, so that no till has a seed whose
 * words nobody could have written down.
 *
 * @param ask - asks the person at the terminal who reads the words; without one they are written to a file, since what
 * a program prints often ends in a log
 */
export async function makeWallet(report: Report, ask: Ask): Promise<void> {
  const found = await withRuntime(async ({ config, storage, vault }) => {
    if (config.signer !== null) return 'The signer has the seed.';
    if (config.secrets.mnemonic !== null) return 'The seed comes from TILLGATE_MNEMONIC.';
    const handOver = ask === null ? toFile([config.directory, config.dataDir], report) : toPerson(ask, report);
    const mnemonic = await initWallet({ documents: storage.documents, vault }, handOver);
    return mnemonic === null ? 'Wallet exists already; its words are not shown again.' : null;
  });
  report({
    step: 'wallet',
    result: found === null ? 'made' : 'exists',
    words: found ?? 'Wallet: the seed is stored in the database, encrypted.',
  });
}

type HandOver = (mnemonic: string) => Promise<void>;

const toPerson =
  (ask: NonNullable<Ask>, report: Report): HandOver =>
  async (mnemonic) => {
    const words =
      'Write these words down with their numbers, on paper: anyone who has them can take the money. Three of them are asked next.';
    report({ step: 'wallet', result: 'none', words, secrets: { mnemonic } });
    await confirmWords(mnemonic, ask);
  };

const toFile =
  (homes: readonly string[], report: Report): HandOver =>
  (mnemonic) => {
    const file = writeSeedFile(homes, mnemonic);
    const words = `Seed words: ${file}. Move this file to a safe place on another machine and delete it here: anyone who has it can take the money.`;
    report({ step: 'wallet', result: 'none', words, file });
    return Promise.resolve();
  };

/** Asks for the current code of the authenticator; `null` for none. @param tries - the number of wrong codes so far */
export type AskCode = (tries: number) => Promise<string | null>;

/** Makes the first admin, and the second factor that an admin needs in production; its first code confirms it. */
export async function makeAdmin(login: () => Promise<AdminLogin>, report: Report, code: AskCode): Promise<void> {
  const admin = await findAdmin();
  if (admin === null) {
    const { email, password } = await login();
    const id = await createAdmin(email, password);
    report({ step: 'admin', result: 'made', words: `Admin ${email} (account ${id})` });
    return enrolAdmin(id, report, code);
  }
  report({ step: 'admin', result: 'exists', words: `Admin exists already: ${admin.email} (account ${admin.id})` });
  if (!admin.enrolled) return enrolAdmin(admin.id, report, code);
  const words = `Second factor exists already; for a new one: tillgate security totp --account ${admin.id}`;
  report({ step: 'second-factor', result: 'exists', words });
  if (!admin.confirmed) await confirmAdmin(admin.id, report, code);
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
  readonly confirmed: boolean;
}

async function findAdmin(): Promise<FoundAdmin | null> {
  return withManage(async (manage) => {
    const found = await firstAdmin(manage);
    if (found === null) return null;
    const { totpEnrolled: enrolled, totpConfirmed: confirmed } = await manage.security.find(OPERATOR, found.id);
    return { id: found.id, email: found.email, enrolled, confirmed };
  });
}

async function createAdmin(email: string, password: string): Promise<AccountId> {
  return withManage(async ({ accounts }) => {
    const { account } = await accounts.create(OPERATOR, { email, password, role: 'admin' });
    return account.id;
  });
}

async function enrolAdmin(id: AccountId, report: Report, code: AskCode): Promise<void> {
  const { secret, uri } = await withManage(({ security }) => security.enrol(OPERATOR, id, true));
  report({
    step: 'second-factor',
    result: 'made',
    words: 'Second factor of the admin, shown only once; enter either into an authenticator app:',
    secrets: { secret, uri },
  });
  await confirmAdmin(id, report, code);
}

const MOST_CODES = 3;

/**
 * Confirms the second factor, which proves that the admin has the secret. Each login requires a code, confirmed or not.
 */
async function confirmAdmin(id: AccountId, report: Report, ask: AskCode): Promise<void> {
  for (let tries = 0; tries < MOST_CODES; tries++) {
    const code = await ask(tries);
    if (code === null) break;
    if (!(await isRightCode(id, code))) continue;
    report({ step: 'second-factor', result: 'made', words: 'Second factor confirmed by its first code.' });
    return;
  }
  const words =
    'Second factor not confirmed yet: the first login asks for a code, or confirm it now: tillgate init --totp-code CODE';
  report({ step: 'second-factor', result: 'exists', words });
}

async function isRightCode(id: AccountId, code: string): Promise<boolean> {
  try {
    await withManage(({ security }) => security.confirm(OPERATOR, id, code, null));
    return true;
  } catch (error) {
    if (isTillgateError(error, 'VERIFY_CODE_INVALID')) return false;
    throw error;
  }
}
