import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { changedText, nodesOf } from '../../support/syntax.ts';
import type { TextChange } from '../../support/syntax.ts';
import type { Edit, EditContext } from './edits.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** A source file with its edits. */
export interface EditedFile {
  readonly path: string;
  readonly text: string;
}

/** Every source file of the product, by path. */
export function readProduct(): ReadonlyMap<string, string> {
  const files = ['core', 'adapters'].flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(REPOSITORY, folder, file),
    ),
  );
  return new Map(files.filter((path) => path.endsWith('.ts')).map((path) => [path, readFileSync(path, 'utf8')]));
}

/**
 * Applies edits to the files that contain their places.
 *
 * @throws Error naming the declaration when an edit matches no place, or more than one
 */
export function applyEdits(files: ReadonlyMap<string, string>, edits: readonly Edit[]): readonly EditedFile[] {
  const changes = new Map<ts.SourceFile, ReturnType<typeof changesOf>[number][]>();
  const trees = new Map<string, ts.SourceFile>();
  for (const edit of edits) {
    const { tree, node } = declarationOf(files, trees, edit.declaration);
    changes.set(tree, [...(changes.get(tree) ?? []), ...changesOf(edit, edit.wholeModule ? tree : node, tree)]);
  }
  return [...changes].map(([tree, each]) => ({ path: tree.fileName, text: changedText(tree.text, each) }));
}

function declarationOf(
  files: ReadonlyMap<string, string>,
  trees: Map<string, ts.SourceFile>,
  name: string,
): { tree: ts.SourceFile; node: ts.Node } {
  for (const [path, text] of files) {
    if (!text.includes(name)) continue;
    const tree = trees.get(path) ?? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    trees.set(path, tree);
    const node = tree.statements.find((each) => isExported(each) && declares(each, name));
    if (node !== undefined) return { tree, node };
  }
  throw new Error(`no module exports ${name}`);
}

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
const declares = (node: ts.Statement, name: string): boolean =>
  (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) && node.name?.text === name;

/** A node of the wanted kind and name, with its parts. */
interface Found {
  readonly node: ts.Node;
  readonly parts: object;
}

function changesOf(edit: Edit, within: ts.Node, tree: ts.SourceFile): readonly TextChange[] {
  const { kind, named, mentions, where, nth, every = false } = edit;
  const found = nodesOf(within).flatMap((node): readonly Found[] => {
    const parts = partsOf(kind, named, node, tree);
    if (parts === null || (mentions !== undefined && !doesMention(node, mentions))) return [];
    return where === undefined || where(parts as never) ? [{ node, parts }] : [];
  });
  const chosen = nth === undefined ? found : found.slice(nth - 1, nth);
  if (chosen.length === 0 || (chosen.length > 1 && !every))
    throw new Error(`${edit.declaration} has ${chosen.length} places of ${[kind, named, mentions].join(' ')}`);
  const context: EditContext = { dependency: (name) => dependencyOf(within, name, tree) };
  return chosen.map(({ node, parts }) => ({
    start: node.getStart(tree),
    end: node.getEnd(),
    text: edit.becomes(parts as never, context),
  }));
}

const doesMention = (node: ts.Node, name: string): boolean =>
  nodesOf(node).some(
    (each) =>
      (ts.isStringLiteral(each) && each.text === name) ||
      (ts.isPropertyAccessExpression(each) && each.name.text === name),
  );

/** The parts of a node of this kind and name; `null` for any other node. */
function partsOf(kind: Edit['kind'], named: string | null, node: ts.Node, tree: ts.SourceFile): object | null {
  const text = (part: ts.Node): string => part.getText(tree);
  const isNamed = (name: string): boolean => named === null || named === name;
  switch (kind) {
    case 'binary':
      return ts.isBinaryExpression(node) && isNamed(text(node.operatorToken))
        ? { left: text(node.left), right: text(node.right) }
        : null;
    case 'conditional':
      return ts.isConditionalExpression(node)
        ? { whenTrue: text(node.whenTrue), whenFalse: text(node.whenFalse) }
        : null;
    case 'call': {
      if (!ts.isCallExpression(node)) return null;
      const { expression } = node;
      const method = ts.isPropertyAccessExpression(expression) ? expression : null;
      const called = method?.name ?? expression;
      if (!ts.isIdentifier(called) || !isNamed(called.text)) return null;
      const receiver = method === null ? '' : text(method.expression);
      return { callee: text(expression), receiver, args: node.arguments.map(text) };
    }
    case 'spread':
      return ts.isSpreadElement(node) ? {} : null;
    case 'string':
      return ts.isStringLiteral(node) && isNamed(node.text) ? {} : null;
    case 'property': {
      if (!ts.isPropertyAssignment(node)) return null;
      if (!(ts.isStringLiteral(node.name) || ts.isIdentifier(node.name)) || !isNamed(node.name.text)) return null;
      return { key: text(node.name), value: text(node.initializer) };
    }
    case 'clause': {
      const label = labelOf(node);
      if (!ts.isCaseClause(node) || label === null || !isNamed(label)) return null;
      return {
        label: text(node.expression),
        bodies: Object.fromEntries(
          node.parent.clauses.map((each) => [labelOf(each) ?? '', each.statements.map(text).join('\n')]),
        ),
      };
    }
  }
}

const labelOf = (node: ts.Node): string | null =>
  ts.isCaseClause(node) && ts.isStringLiteral(node.expression) ? node.expression.text : null;

function dependencyOf(within: ts.Node, name: string, tree: ts.SourceFile): string {
  for (const node of nodesOf(within)) {
    if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name) || node.initializer === undefined)
      continue;
    if (node.name.elements.some((element) => (element.propertyName ?? element.name).getText(tree) === name))
      return `${node.initializer.getText(tree)}.${name}`;
  }
  throw new Error(`nothing destructures ${name}`);
}
