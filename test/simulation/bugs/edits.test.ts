import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { amountRequired } from '../../../core/orders/order.ts';
import { applyEdits, readProduct } from './apply-edits.ts';
import { BUGS } from './bugs.ts';
import { within } from './edits.ts';
import { renameLocals } from './rename-locals.ts';

const syntaxErrors = (text: string): readonly string[] =>
  (ts.transpileModule(text, { reportDiagnostics: true }).diagnostics ?? []).map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, ' '),
  );

/** Plants every bug in these files; returns how many files were changed. */
function plantAll(files: ReadonlyMap<string, string>): number {
  const edited = BUGS.flatMap(({ name, edits = [] }) => applyEdits(files, edits).map((file) => ({ name, ...file })));
  for (const { name, path, text } of edited) {
    assert.notEqual(text, files.get(path), name);
    assert.deepEqual(syntaxErrors(text), [], name);
  }
  return edited.length;
}

describe('planted bugs', () => {
  const product = readProduct();

  test('each is an edit that has one place in the sources, or replaces a method', () => {
    assert.equal(new Set(BUGS.map(({ name }) => name)).size, BUGS.length);
    assert.ok(BUGS.length >= 58);
    assert.deepEqual(
      BUGS.filter(({ edits = [], patch }) => edits.length === 0 && patch === undefined),
      [],
    );
    assert.ok(plantAll(product) >= 35);
  });

  test('each edit finds its place again after every local and private name was changed and the file formatted anew', () => {
    const edited = new Set(BUGS.flatMap(({ edits = [] }) => applyEdits(product, edits).map(({ path }) => path)));
    const renamed = new Map([...product].map(([path, text]) => [path, edited.has(path) ? renameLocals(text) : text]));
    for (const path of edited) {
      assert.match(renamed.get(path) ?? '', /renamed_/, path);
      assert.deepEqual(syntaxErrors(renamed.get(path) ?? ''), [], path);
    }
    assert.equal(plantAll(renamed), plantAll(product));
  });

  test('an edit without a single place names its declaration', () => {
    const edit = within(amountRequired)
      .binary('<<')
      .becomes(() => '');
    assert.throws(() => applyEdits(product, [edit]), /amountRequired has 0 places of binary <</);
  });
});
