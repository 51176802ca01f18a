import ts from 'typescript';

/**
 * Renames every local variable, parameter, unexported declaration and private member of a source file, and prints it in
 * the compiler's format, as renaming in an editor and formatting could.
 */
export function renameLocals(text: string): string {
  const tree = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true);
  const locals = localNames(tree);
  const renamed = (name: string): string => `renamed_${name}`;
  const result = ts.transform(tree, [
    (context) => (root) => {
      const { factory } = context;
      const visit = (node: ts.Node): ts.Node => {
        if (ts.isPrivateIdentifier(node)) return factory.createPrivateIdentifier(`#${renamed(node.text.slice(1))}`);
        if (ts.isShorthandPropertyAssignment(node) && locals.has(node.name.text))
          return factory.createPropertyAssignment(node.name.text, factory.createIdentifier(renamed(node.name.text)));
        if (
          ts.isBindingElement(node) &&
          ts.isIdentifier(node.name) &&
          node.propertyName === undefined &&
          node.dotDotDotToken === undefined &&
          ts.isObjectBindingPattern(node.parent)
        ) {
          return factory.createBindingElement(
            undefined,
            node.name.text,
            renamed(node.name.text),
            node.initializer === undefined ? undefined : ts.visitNode(node.initializer, visit, ts.isExpression),
          );
        }
        if (ts.isIdentifier(node) && locals.has(node.text) && !isMemberName(node))
          return factory.createIdentifier(renamed(node.text));
        return ts.visitEachChild(node, visit, context);
      };
      return ts.visitNode(root, visit, ts.isSourceFile);
    },
  ]);
  return ts.createPrinter({ removeComments: true }).printFile(result.transformed[0] ?? tree);
}

/** The names that are visible only inside the file. */
function localNames(tree: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (
      (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) &&
      ts.isIdentifier(node.name)
    )
      names.add(node.name.text);
    if (ts.isFunctionDeclaration(node) && node.name !== undefined && !isExported(node)) names.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  for (const statement of tree.statements) for (const name of exportedNames(statement)) names.delete(name);
  return names;
}

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

function exportedNames(node: ts.Statement): readonly string[] {
  if (!ts.isVariableStatement(node) || !isExported(node)) return [];
  return node.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
}

/** True for the name of a property, which belongs to a type that other files use. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (
    ts.isPropertyAccessExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isPropertySignature(parent)
  )
    return parent.name === node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  return (
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isTypeReferenceNode(parent) ||
    ts.isImportSpecifier(parent) ||
    ts.isQualifiedName(parent)
  );
}
