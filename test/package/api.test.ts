import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { API_REPORT, apiReport, publicNames } from './public-names.ts';

/** How many names an entry point may have. */
const MOST: Readonly<Record<string, number>> = { tillgate: 200, 'tillgate/plugin': 120 };

describe('what the packages export', () => {
  let names: ReadonlyMap<string, readonly string[]>;
  before(() => {
    names = publicNames();
  });

  test('is what test/package/api.txt says', () => {
    assert.equal(
      apiReport(names),
      readFileSync(API_REPORT, 'utf8'),
      'The exports have changed. If that is meant, run `npm run api` and name the change in CHANGELOG.md.',
    );
  });

  test('is few names', () => {
    for (const [entry, most] of Object.entries(MOST)) {
      const count = names.get(entry)?.length ?? 0;
      assert.ok(count > 0 && count <= most, `${entry} exports ${count} names`);
    }
  });
});
