import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TillgateError } from '../core/index.ts';
import type { DocumentStore, Vault } from '../core/index.ts';
import { configError } from './config.ts';
import type { HostConfig } from './config.ts';

const FILE_NAME = 'master.key';
const CHECK_DOCUMENT = 'host:master-key-check';

/**
 * The master key: the environment's, or in the sandbox one that is made once and kept in the data folder.
 *
 * @throws TillgateError `CONFIG_INVALID` for production without one, or with the one that the sandbox made
 */
export function obtainMasterKey({ mode, dataDir, secrets }: HostConfig): Uint8Array {
  const path = join(dataDir, FILE_NAME);
  if (secrets.masterKey !== null) {
    if (mode === 'production' && readKey(path)?.equals(secrets.masterKey) === true) {
      throw configError([
        {
          path: 'TILLGATE_MASTER_KEY',
          message: 'is the key that the sandbox made: production needs a new one (openssl rand -base64 32)',
        },
      ]);
    }
    return secrets.masterKey;
  }
  if (mode === 'production')
    throw configError([
      { path: 'TILLGATE_MASTER_KEY', message: 'production needs it: 32 random bytes (openssl rand -base64 32)' },
    ]);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // `wx`: of two processes that start at once, one makes the key and both use it.
    writeFileSync(path, randomBytes(32).toString('base64') + '\n', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = readKey(path);
  if (key?.length === 32) return key;
  throw configError([
    { path, message: 'holds no master key any more: restore it, or give the right one in TILLGATE_MASTER_KEY' },
  ]);
}

function readKey(path: string): Buffer | null {
  try {
    return Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Refuses a master key other than the first one of this database: no secret could be decrypted, and no credential found.
 *
 * @throws TillgateError `CONFIG_INVALID`
 */
export async function checkMasterKey(documents: DocumentStore, vault: Vault): Promise<void> {
  const mark = vault.lookupHash('master-key', 'check');
  const stored = (await documents.read(CHECK_DOCUMENT))?.value;
  if (stored === mark || (stored === undefined && (await documents.write(CHECK_DOCUMENT, mark, 0)))) return;
  if ((await documents.read(CHECK_DOCUMENT))?.value === mark) return;
  throw new TillgateError(
    'CONFIG_INVALID',
    'This database was begun with another master key; give that one in TILLGATE_MASTER_KEY.',
  );
}
