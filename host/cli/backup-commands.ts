import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TillgateError, beginRestoredEpoch, isTillgateError } from '../../core/index.ts';
import { BACKUP_ENDINGS, backUpDatabase, engineOf, restoreDatabase } from '../../adapters/storage/knex/index.ts';
import { databasePlace } from '../boot/database-place.ts';
import { EpochMarkerFile, markerPath } from '../boot/epoch-marker.ts';
import { openLog } from '../boot/log.ts';
import { openHostRuntime } from '../boot/open.ts';
import { requireSecureDatabase } from '../boot/secure-database.ts';
import { environmentOfPrograms, loadConfig, programName, settingsTarget } from '../settings/config.ts';
import type { DatabaseConfig, HostConfig } from '../settings/config.ts';
import type { CommandCall } from './command.ts';

/** `backup [--out FILE]`: the till is not opened, so that a database of an older release is copied as it is. */
export async function backup({ values, json, terminal }: CommandCall): Promise<number> {
  const config = await loadConfig();
  const { database } = config;
  await requireSecureDatabase(config);
  const file = fileOf(values['out'], database);
  const bytes = await backUpDatabase(database, file, environmentOfPrograms());
  const missing = contentsElsewhere(config);
  if (json) {
    terminal.out(JSON.stringify({ file, bytes, engine: engineOf(database), not_included: missing }));
    return 0;
  }
  terminal.out(`Backup of ${placeOf(database)}: ${file} (${size(bytes)})`);
  terminal.out('It does not contain, so keep each of them elsewhere, apart from the backup:');
  for (const [name, words] of Object.entries(missing)) terminal.out(`  ${name.replaceAll('_', ' ')}: ${words}`);
  terminal.out(`To restore it on a stopped server: ${programName()} restore ${file}`);
  return 0;
}

/** `restore FILE`: the restored database is in a new epoch before any server can open it. */
export async function restoreBackup({ operands, values, json, terminal }: CommandCall): Promise<number> {
  const config = await loadConfig();
  await requireSecureDatabase(config);
  const log = openLog({}, 'warn', config.logFormat);
  const { logger } = log;
  const file = resolve(operands[0] ?? '');
  const marker = new EpochMarkerFile(markerPath(config), logger).read();
  let epoch = 0;
  const prepare = async (database: DatabaseConfig): Promise<void> => {
    const runtime = await openHostRuntime({ ...config, database }, logger, 'command').catch((error: unknown) => {
      throw database.client === 'pg' ? restoredAlready(error) : error;
    });
    try {
      ({ number: epoch } = await beginRestoredEpoch(runtime, marker, 'A backup was restored by "tillgate restore".'));
    } finally {
      await runtime.close();
    }
  };
  const deps = { environment: environmentOfPrograms(), logger, replace: values['replace'] === true, prepare };
  try {
    const former = await restoreDatabase(config.database, file, deps);
    if (json) terminal.out(JSON.stringify({ file, epoch, former }));
    else for (const line of restoredLines(file, config.database, former)) terminal.out(line);
    return 0;
  } finally {
    log.flush();
  }
}

/** On PostgreSQL the backup is in the database before it can be opened. */
function restoredAlready(error: unknown): unknown {
  if (!isTillgateError(error)) return error;
  const next =
    'The backup is in the database already: correct this, then run "restore confirm" before the server starts.';
  return new TillgateError(error.code, `${error.message}\n${next}`, error.details, error);
}

function restoredLines(file: string, database: DatabaseConfig, former: string | null): readonly string[] {
  const program = programName();
  return [
    `${file} is restored to ${placeOf(database)}.`,
    ...(former === null ? [] : [`The former database is kept: ${former}`]),
    'Nothing is paid out before you have decided what became of the payments in the backup. Next:',
    `  ${program} doctor`,
    `  ${program} serve                start the server; orders are taken at once`,
    `  ${program} restore status       what waits, and what the chains say of it`,
    `  ${program} restore confirm      holds each waiting payment for your decision`,
  ];
}

/** What a backup lacks, by name, with where it is now. */
function contentsElsewhere({ secrets, signer, database, dataDir }: HostConfig): Readonly<Record<string, string>> {
  const settings = settingsTarget();
  return {
    master_key:
      'of masterKeyFile or TILLGATE_MASTER_KEY (in the sandbox data/master.key): without it no secret in the backup can be read',
    seed_words:
      signer !== null
        ? 'the signer has them; the words on paper are the only other copy'
        : secrets.mnemonic !== null
          ? 'they come from TILLGATE_MNEMONIC'
          : 'the backup has them only sealed with the master key: keep the words on paper',
    ...(settings.exists && { settings: settings.path }),
    marker: `${markerPath({ database, dataDir })}: leave it where it is, it is never part of a backup`,
  };
}

function fileOf(out: string | boolean | undefined, database: DatabaseConfig): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  const usual = `tillgate-backup-${time}Z.${BACKUP_ENDINGS[engineOf(database)]}`;
  const given = resolve(typeof out === 'string' && out !== '' ? out : usual);
  return statSync(given, { throwIfNoEntry: false })?.isDirectory() === true ? join(given, usual) : given;
}

const placeOf = (database: DatabaseConfig): string =>
  database.client === 'pg' ? databasePlace(database.connection) : database.filename;

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
