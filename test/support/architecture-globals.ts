import ts from 'typescript';
import type { Violation } from './architecture-imports.ts';
import { lineOf, walk } from './source-tree.ts';
import type { SourceFile, SourceTree } from './source-tree.ts';

/** Globals that core must not use, so that a simulator can drive it, with their replacements. */
const bannedInCore: Readonly<Record<string, string>> = {
  setTimeout: 'time comes through the Clock',
  setInterval: 'time comes through the Clock',
  setImmediate: 'time comes through the Clock',
  performance: 'time comes through the Clock',
  crypto: 'chance and secrets come through ports',
  process: 'core knows no runtime',
  Buffer: 'core knows no runtime; use Uint8Array',
  require: 'core knows no runtime',
  globalThis: 'core knows no runtime',
  fetch: 'core does no I/O',
  WebSocket: 'core does no I/O',
  console: 'core does no I/O; use the Logger',
};

type Finding = Pick<Violation, 'rule' | 'message'> | undefined;

/** Rule 2: the globals that core must not use, and the one file that may read the environment. */
export function checkGlobals(tree: SourceTree): Violation[] {
  return findings(tree, (file, node) => {
    if (file.path.startsWith('core/')) return hiddenInput(tree, node);
    if (/^(adapters|plugins|host)\//.test(file.path) && file.path !== 'host/settings/config.ts')
      return environment(tree, file, node);
    return undefined;
  });
}

/** Rule 3: only the composition root resolves parts from the container. */
export function checkContainer(tree: SourceTree): Violation[] {
  const allowed = new Set(['host/boot/container.ts']);
  return findings(tree, (file, node) => {
    if (allowed.has(file.path) || /^(test|examples)\//.test(file.path)) return undefined;
    if (
      ts.isImportDeclaration(node) &&
      ts.isStringLiteral(node.moduleSpecifier) &&
      node.moduleSpecifier.text === 'inversify'
    ) {
      const names = node.importClause?.namedBindings;
      const single =
        names && ts.isNamedImports(names)
          ? names.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
          : ['*'];
      return single.some((name) => name === '*' || name === 'Container')
        ? containerFinding('imports the container class; take what you need as a constructor argument')
        : undefined;
    }
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
    const { expression: owner, name: method } = node.expression;
    const ownerName = ts.isIdentifier(owner) ? owner.text : ts.isPropertyAccessExpression(owner) ? owner.name.text : '';
    return /container$/i.test(ownerName) && /^(get|getAsync|getAll|getAllAsync|resolve)$/.test(method.text)
      ? containerFinding(`${ownerName}.${method.text}() takes something out of the container`)
      : undefined;
  });
}

function containerFinding(message: string): Finding {
  return { rule: 'container', message: `${message} (only host/boot/container.ts may)` };
}

function findings(tree: SourceTree, look: (file: SourceFile, node: ts.Node) => Finding): Violation[] {
  const violations: Violation[] = [];
  for (const file of tree.files.values()) {
    walk(file.syntax, (node) => {
      const finding = look(file, node);
      if (finding) violations.push({ file: file.path, line: lineOf(node), ...finding });
    });
  }
  return violations;
}

function hiddenInput(tree: SourceTree, node: ts.Node): Finding {
  if (!ts.isIdentifier(node) || !refersToValueOrType(node)) return undefined;
  const name = node.text;
  const suspicious = name === 'Date' || name === 'Math' || Object.hasOwn(bannedInCore, name);
  if (!suspicious || !tree.isGlobal(node)) return undefined;
  const rule = 'core-has-no-hidden-input';
  if (name === 'Date')
    return dateIsGiven(node) ? undefined : { rule, message: `${readable(node)}: time comes through the Clock` };
  if (name === 'Math') {
    const { parent } = node;
    const harmless =
      ts.isPropertyAccessExpression(parent) && parent.expression === node && parent.name.text !== 'random';
    return harmless ? undefined : { rule, message: `${readable(node)}: chance comes through a port` };
  }
  return { rule, message: `${name}: ${bannedInCore[name] ?? ''}` };
}

/** A date made from an argument is allowed, and so is the bare type. */
function dateIsGiven(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isTypeReferenceNode(parent)) return true;
  if (ts.isNewExpression(parent)) return parent.expression === node && (parent.arguments?.length ?? 0) > 0;
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text === 'UTC' || parent.name.text === 'parse';
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
}

function readable(node: ts.Identifier): string {
  const { parent } = node;
  const whole =
    ts.isPropertyAccessExpression(parent) || ts.isNewExpression(parent) || ts.isElementAccessExpression(parent)
      ? parent
      : node;
  return whole.getText().slice(0, 60);
}

/** Excludes names that only look like a global: those of properties, declarations, imports and exports. */
function refersToValueOrType(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isExportSpecifier(parent)) return false;
  const named = parent as { name?: ts.Node; propertyName?: ts.Node; right?: ts.Node };
  return named.name !== node && named.propertyName !== node && !(ts.isQualifiedName(parent) && named.right === node);
}

function environment(tree: SourceTree, file: SourceFile, node: ts.Node): Finding {
  const finding: Finding = { rule: 'environment', message: 'only host/settings/config.ts reads process.env' };
  if (ts.isImportDeclaration(node) && /^["'](node:)?process["']$/.test(node.moduleSpecifier.getText())) {
    return /\benv\b/.test(node.importClause?.getText() ?? '') ? finding : undefined;
  }
  const isProcess = (each: ts.Expression): boolean =>
    ts.isIdentifier(each)
      ? (each.text === 'process' && tree.isGlobal(each)) || importsProcess(file, each.text)
      : ts.isPropertyAccessExpression(each) && each.name.text === 'process';
  if (ts.isPropertyAccessExpression(node))
    return node.name.text === 'env' && isProcess(node.expression) ? finding : undefined;
  if (ts.isElementAccessExpression(node)) {
    return /^["'`]env["'`]$/.test(node.argumentExpression.getText()) && isProcess(node.expression)
      ? finding
      : undefined;
  }
  if (
    ts.isVariableDeclaration(node) &&
    ts.isObjectBindingPattern(node.name) &&
    node.initializer &&
    isProcess(node.initializer)
  ) {
    return node.name.elements.some((each) => (each.propertyName ?? each.name).getText() === 'env')
      ? finding
      : undefined;
  }
  return undefined;
}

function importsProcess(file: SourceFile, name: string): boolean {
  return file.syntax.statements.some(
    (each) =>
      ts.isImportDeclaration(each) &&
      /^["'](node:)?process["']$/.test(each.moduleSpecifier.getText()) &&
      new RegExp(`(^|\\bas )${name}$`).test(each.importClause?.getText() ?? ''),
  );
}
