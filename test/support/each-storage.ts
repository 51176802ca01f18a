import { describe } from 'node:test';
import { openTestStorage } from './storage.ts';
import type { EngineName, OpenStorage } from './storage.ts';

/**
 * The databases for suites: those that TEST_ENGINES names (`memory`, `sqlite`, `pg`, or `all` for the last two). A file
 * that is run on its own uses SQLite, and PostgreSQL too if TEST_DATABASE_URL names a server.
 */
export function testedEngines(): readonly EngineName[] {
  const chosen = process.env['TEST_ENGINES'] ?? (process.env['TEST_DATABASE_URL'] ? 'all' : 'sqlite');
  if (chosen === 'all') return ['sqlite', 'pg'];
  const engines = (['memory', 'sqlite', 'pg'] as const).filter((each) => chosen === each);
  if (engines.length === 0) throw new Error(`TEST_ENGINES is ${chosen}; it can be memory, sqlite, pg or all`);
  return engines;
}

/** Those of the databases that outlive a process. */
export const durableEngines = (): readonly ('sqlite' | 'pg')[] => testedEngines().filter((each) => each !== 'memory');

/** Runs one suite on each of those databases; each call of `open` creates a new one. */
export function eachStorage(suite: (name: EngineName, open: OpenStorage) => void): void {
  for (const name of testedEngines()) {
    describe(name, () => suite(name, (t) => openTestStorage(name, t)));
  }
}
