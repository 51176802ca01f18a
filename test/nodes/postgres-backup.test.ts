import { delimiter } from 'node:path';
import { test } from 'node:test';
import { backupStory } from '../support/backup-story.ts';
import { postgresPrograms } from './postgres-programs.ts';

test('fault 504: a PostgreSQL database that is backed up while orders are made and paid is restored whole, and pays nothing before the decision', (t) =>
  backupStory(t, 'pg', { PATH: `${postgresPrograms()}${delimiter}${process.env['PATH'] ?? ''}` }));
