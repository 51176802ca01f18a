import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { EpochMarker, Logger } from '../../core/index.ts';
import type { HostConfig } from '../settings/config.ts';

const whole = z.int().min(0);
const schema = z.object({
  tillId: z.string(),
  epoch: whole,
  newest: z.object({ order: z.string(), entry: z.string(), payout: z.string() }),
  lastAt: z.object({ address: whole, attempt: whole }),
  indexes: z.record(z.string(), whole),
  heights: z.record(z.string(), whole),
});

/** The path of the marker: beside the database file, else in the data folder. Backups must never include it. */
export function markerPath({ database, dataDir }: Pick<HostConfig, 'database' | 'dataDir'>): string {
  return database.client === 'sqlite' ? `${database.filename}.marker` : join(dataDir, 'tillgate.marker');
}

/** The progress of the database, kept in a file outside it: a restored backup is behind it. */
export class EpochMarkerFile {
  readonly path: string;
  readonly #logger: Logger;

  constructor(path: string, logger: Logger) {
    this.path = path;
    this.#logger = logger;
  }

  /** `null` when the file is missing or damaged. */
  read(): EpochMarker | null {
    try {
      return schema.parse(JSON.parse(readFileSync(this.path, 'utf8')));
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!missing) this.#logger.warn('the marker of the database cannot be read', { path: this.path, error });
      return null;
    }
  }

  /** Replaces the file atomically: a reader sees either the old or the new content. */
  write(marker: EpochMarker): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const unfinished = `${this.path}.${process.pid}`;
    const file = openSync(unfinished, 'w', 0o600);
    try {
      writeSync(file, `${JSON.stringify(marker)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, this.path);
  }
}
