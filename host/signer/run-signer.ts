import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PolicySigner, TillgateError } from '../../core/index.ts';
import type { Logger } from '../../core/index.ts';
import { SignerServer, SqliteJournal } from '../../adapters/signer/index.ts';
import type { SignerListen } from '../../adapters/signer/index.ts';
import { acquireServerLock } from '../../adapters/storage/knex/index.ts';
import { SystemClock } from '../../adapters/system/index.ts';
import { MnemonicWallet } from '../../adapters/wallet/index.ts';
import { DisposeStack } from '../boot/dispose-stack.ts';
import { makePrivate } from '../boot/private-files.ts';
import { guardedChains } from './signer-settings.ts';
import type { SignerSettings } from './signer-settings.ts';

/** A signer that answers requests. */
export interface RunningSigner {
  /** The URL for a server's setting `signer.url`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The journal of these settings, readable by its owner only. */
export async function openJournal({ dataDir }: Pick<SignerSettings, 'dataDir'>): Promise<SqliteJournal> {
  const filename = journalFile(dataDir);
  makePrivate(filename);
  return SqliteJournal.open(filename);
}

const journalFile = (dataDir: string): string => join(dataDir, 'journal.db');

/**
 * Opens the seed and the journal, and starts answering.
 *
 * @throws TillgateError `CONFIG_INVALID` for settings, words or files that are not usable, or where another signer runs
 */
export async function runSigner(settings: SignerSettings, logger: Logger): Promise<RunningSigner> {
  const disposables = new DisposeStack(logger);
  try {
    const url = await open(settings, logger, disposables);
    return { url, close: () => disposables.close() };
  } catch (error) {
    await disposables.close();
    throw error;
  }
}

async function open(settings: SignerSettings, logger: Logger, disposables: DisposeStack): Promise<string> {
  const chains = await guardedChains(settings);
  const keys = new MnemonicWallet(readWords(settings.mnemonicFile));
  const filename = journalFile(settings.dataDir);
  makePrivate(filename);
  const lock = await acquireServerLock({ client: 'sqlite', filename });
  disposables.add('journal lock', () => lock.release());
  const journal = await openJournal(settings);
  disposables.add('journal', () => journal.close());
  const hash = (digests: readonly Uint8Array[]): string =>
    createHash('sha256').update(Buffer.concat(digests)).digest('hex');
  const signer = new PolicySigner({ keys, journal, clock: new SystemClock(), chains, hash });
  const server = new SignerServer({ signer, journal, chains: [...chains.keys()], logger });
  disposables.add('signer', () => server.close());
  return server.listen(listenOf(settings));
}

function readWords(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new TillgateError(
      'CONFIG_INVALID',
      `mnemonicFile ${file} cannot be read (${code}): write the seed words into it, or make new ones with \`tillgate signer init\`.`,
    );
  }
}

/** Access to the socket allows signing: for its owner, or with `group` for a group that includes the till's user. */
function listenOf({ listen, directory }: SignerSettings): SignerListen {
  if (!('socket' in listen)) {
    const { host, port, caFile, certFile, keyFile } = listen;
    const pem = (file: string): string => readFileSync(resolve(directory, file), 'utf8');
    return { host, port, ca: pem(caFile), cert: pem(certFile), key: pem(keyFile) };
  }
  const { socket, group } = listen;
  const folder = dirname(socket);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, group ? 0o750 : 0o700);
  }
  if ((statSync(folder).mode & 0o002) !== 0)
    throw new TillgateError(
      'CONFIG_INVALID',
      `Any user can create a socket in ${folder}: use a folder for listen.socket that only the signer can write to.`,
    );
  return { socket, mode: group ? 0o660 : 0o600 };
}
