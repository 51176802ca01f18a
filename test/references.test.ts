import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { layers } from './support/architecture-imports.ts';
import { readSources, repository } from './support/source-tree.ts';

/** Names of documents that are not in this repository. Standards are named with their number, as RFC 9110, section 5.5. */
const FOREIGN =
  /\bdecisions?,\s+(?:\*\s+)?sections?\b|\bthe (?:decisions|specification)\b|\(specification\b|\bendpoint \d/i;
const RECORD = /\bdecisions? (\d{4})(?:(?:, | and )(\d{4}))*/g;

const sources = [...readSources(Object.keys(layers))].filter(([path]) => path !== 'test/references.test.ts');

function linesWith(find: (line: string) => boolean): string[] {
  return sources.flatMap(([path, text]) =>
    text.split('\n').flatMap((line, at) => (find(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
  );
}

test('no comment or text refers to a document that is not in this repository', () => {
  assert.deepEqual(
    linesWith((line) => FOREIGN.test(line)),
    [],
  );
});

test('every decision record that a comment names is in core/decisions', () => {
  const records = new Set(readdirSync(join(repository, 'core/decisions')).map((name) => name.slice(0, 4)));
  const isMissing = (line: string): boolean =>
    [...line.matchAll(RECORD)].some(([named]) => (named.match(/\d{4}/g) ?? []).some((number) => !records.has(number)));
  assert.deepEqual(linesWith(isMissing), []);
});
