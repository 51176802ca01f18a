import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { callbackOrderSchema } from '../../adapters/http/operations/order-record.ts';
import { MIGRATIONS } from '../../adapters/storage/knex/migrations/migrate.ts';
import { readSources, repository } from '../support/source-tree.ts';
import type { SourceTexts } from '../support/source-tree.ts';

/** The names that a file gives: of its fields, types, functions and variables. Text in quotes does not count. */
function namesIn(path: string, text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, false));
  return names;
}

const snakeCaseIn = (path: string, text: string): readonly string[] =>
  [...namesIn(path, text)].filter((name) => /[a-z\d]_[a-z]/.test(name));

/** The files that name at least half of the given fields. */
function listsOf(fields: readonly string[], texts: SourceTexts): readonly string[] {
  const repeated = (path: string, text: string): boolean => {
    const names = namesIn(path, text);
    return fields.filter((field) => names.has(field)).length * 2 >= fields.length;
  };
  return [...texts].filter(([path, text]) => repeated(path, text)).map(([path]) => path);
}

describe('one definition', () => {
  /** The gateway writes its refusals itself; the audit's details are stored under the names of the management API. */
  const WIRE_WORDS = [
    'core/gateway/',
    'core/access/audit-chain.ts',
    'core/access/manage-accounts.ts',
    'core/access/manage-credentials.ts',
    'core/deposits/manage-deposits.ts',
    'core/notify/manage-webhooks.ts',
    'core/payouts/manage-withdrawals.ts',
  ];

  /** What fields are called for people, in each language; the compiler holds the languages against each other. */
  const LABELS = 'host/dashboard/app/messages/';

  test('the domain has no name of the wire: none is in snake_case', () => {
    const found = [...readSources(['core'])].flatMap(([path, text]) =>
      WIRE_WORDS.some((folder) => path.startsWith(folder))
        ? []
        : snakeCaseIn(path, text).map((name) => `${path}: ${name}`),
    );
    assert.deepEqual(found, []);
    assert.deepEqual(
      snakeCaseIn(
        'sample.ts',
        "interface Order { readonly vsPrice: bigint; readonly order_id: string } const at = 'tx_hash';",
      ),
      ['order_id'],
    );
  });

  test("an order's record is written down in its schema's file, and as the sample of the client's test callback", () => {
    const fields = Object.keys(callbackOrderSchema.shape);
    const found = listsOf(fields, readSources(['core', 'adapters', 'host', 'plugins', 'examples']));
    assert.deepEqual(found.filter((path) => !path.startsWith(LABELS)).sort(), [
      'adapters/client/sign-test-callback.ts',
      'adapters/http/operations/order-record.ts',
    ]);
    assert.deepEqual(
      listsOf(
        ['a_b', 'c_d'],
        new Map([
          ['one.ts', 'const row = { a_b: 1 };'],
          ['none.ts', "const row = 'a_b';"],
        ]),
      ),
      ['one.ts'],
    );
  });

  test('every migration that is there is run', () => {
    const files = readdirSync(join(repository, 'adapters/storage/knex/migrations')).filter((name) =>
      /^\d{4}-/.test(name),
    );
    assert.deepEqual(
      MIGRATIONS.map(({ name }) => `${name}.ts`),
      files.sort(),
    );
  });
});
