import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { callbackOrderSchema } from '../../adapters/http/operations/order-record.ts';
import { MIGRATIONS } from '../../adapters/storage/knex/migrations/migrate.ts';
import { readSources, repository } from '../support/source-tree.ts';
import type { SourceTexts } from '../support/source-tree.ts';

function* nodesIn(path: string, text: string): Generator<ts.Node> {
  const nodes: ts.Node[] = [ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, false)];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    yield node;
    ts.forEachChild(node, (child) => void nodes.push(child));
  }
}

/** The names that a file gives: of its fields, types, functions and variables. Text in quotes does not count. */
function namesIn(path: string, text: string): ReadonlySet<string> {
  return new Set([...nodesIn(path, text)].filter(ts.isIdentifier).map((name) => name.text));
}

/** The words in snake_case of a file's texts in quotes, also of templates. */
function wordsIn(path: string, text: string): readonly string[] {
  return [...nodesIn(path, text)].flatMap((node) =>
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
      ? (node.text.match(/[a-z\d]+(?:_[a-z\d]+)+/g) ?? [])
      : [],
  );
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
  /**
   * The names of the reasons for which the gateway refuses a request, and the fields of the text that is hashed for the
   * audit chain. Both are protocols that core itself speaks, and not names of the management or the payment API.
   */
  const OWN_PROTOCOLS = ['core/gateway/refusal.ts', 'core/access/audit-chain.ts'];

  /** Reasons of a refusal, and records in the actions of the audit log, that are also the name of a field. */
  const OWN_WORDS = ['password_change_required', 'pull_payment'];

  /** What fields are called for people, in each language; the compiler holds the languages against each other. */
  const LABELS = 'host/dashboard/app/messages/';

  test('the domain has no name of the wire: none is in snake_case', () => {
    const found = [...readSources(['core'])].flatMap(([path, text]) =>
      OWN_PROTOCOLS.includes(path) ? [] : snakeCaseIn(path, text).map((name) => `${path}: ${name}`),
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

  test('the domain names no field of the APIs in its texts: neither as the path of an error nor in a message', () => {
    const edge = [...readSources(['adapters'])].filter(([path]) => path.startsWith('adapters/http/'));
    const fields = new Set(edge.flatMap(([path, text]) => snakeCaseIn(path, text)));
    OWN_WORDS.forEach((word) => fields.delete(word));
    const namedIn = (path: string, text: string): readonly string[] =>
      wordsIn(path, text).flatMap((word) => (fields.has(word) ? [`${path}: ${word}`] : []));
    assert.deepEqual(
      [...readSources(['core'])].flatMap(([path, text]) => namedIn(path, text)),
      [],
    );
    const sample = "invalidField('vs_price', `must be less than max_price, ${a} or limits.requests_per_second`);";
    assert.deepEqual([...namedIn('sample.ts', `refuse('bad_request'); ${sample}`)].sort(), [
      'sample.ts: max_price',
      'sample.ts: requests_per_second',
      'sample.ts: vs_price',
    ]);
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
