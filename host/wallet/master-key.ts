import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger, MasterKeyState } from '../../core/index.ts';
import { masterKeyId } from '../../adapters/crypto/index.ts';
import type { MasterKeys } from '../../adapters/crypto/index.ts';
import { configError } from '../settings/config.ts';
import { writeOnce } from '../boot/private-files.ts';
import type { HostConfig } from '../settings/config.ts';

const FILE_NAME = 'master.key';

/** The master keys of an installation. @throws TillgateError `CONFIG_INVALID` as {@link obtainMasterKey} */
export function obtainMasterKeys(config: HostConfig): MasterKeys {
  const { formerMasterKey } = config.secrets;
  return { current: obtainMasterKey(config), former: formerMasterKey === null ? [] : [formerMasterKey] };
}

/**
 * The master key from the environment; in the sandbox, one that is generated once and kept in the data folder.
 *
 * @throws TillgateError `CONFIG_INVALID` for production without one, or with the one that the sandbox made
 */
function obtainMasterKey({ mode, dataDir, secrets }: HostConfig): Uint8Array {
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
  // Of two processes that start at once, one creates the key and both use it.
  writeOnce(path, `${randomBytes(32).toString('base64')}\n`);
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

/** Logs what the operator must do about a rotation that is in progress or has ended. */
export function warnOfRotation({ opens }: MasterKeyState, { former = [] }: MasterKeys, logger: Logger): void {
  if (opens.length > 0)
    logger.warn('the master key is being replaced: run "master-key rotate" once every server has both keys');
  else if (former.length > 0)
    logger.warn('nothing is sealed with TILLGATE_MASTER_KEY_FORMER any more: remove it and restart');
}

const KEY_MARK = ' key:';

/** The name of an instance in its lease, with the id of the master key that it seals with. */
export const instanceName = (owner: string, { current }: MasterKeys): string =>
  `${owner}${KEY_MARK}${masterKeyId(current)}`;

/** The instances that seal with another master key than the current one. */
export function instancesWithAnotherKey(keys: MasterKeys, instances: readonly string[]): readonly string[] {
  return instances.filter((name) => {
    const [owner = ''] = name.split(KEY_MARK);
    // A SQLite server keeps its name: an instance of that name with the current key has replaced one that was killed.
    return !instances.includes(instanceName(owner, keys));
  });
}
