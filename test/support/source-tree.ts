import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The folder of the repository, without a slash at its end. */
export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Paths relative to the repository, with slashes, mapped to the text of each file. */
export type SourceTexts = ReadonlyMap<string, string>;

/** One import, export-from, `import()` or `require()`. */
export interface SourceImport {
  /** As written. */
  readonly specifier: string;
  /** The file of the tree for a relative specifier; undefined for a package and for a missing file. */
  readonly target: string | undefined;
  readonly line: number;
}

/** One parsed file. */
export interface SourceFile {
  readonly path: string;
  readonly syntax: ts.SourceFile;
  readonly imports: readonly SourceImport[];
}

/** All files, with their names resolved. */
export interface SourceTree {
  readonly files: ReadonlyMap<string, SourceFile>;
  /** True for an identifier that its file neither declares nor imports. */
  isGlobal(identifier: ts.Identifier): boolean;
}

/** Reads every program file below the given folders; missing folders have none. */
export function readSources(folders: readonly string[]): SourceTexts {
  const texts = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(repository, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) visit(path);
      else if (entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
        texts.set(path, readFileSync(join(repository, path), 'utf8'));
    }
  };
  const present = new Set(readdirSync(repository));
  for (const folder of folders) if (present.has(folder)) visit(folder);
  return texts;
}

/**
 * Parses and binds without library and packages: the compiler then knows exactly the names that a file declares itself,
 * which distinguishes a parameter called `process` from the global one.
 */
export function parseSources(texts: SourceTexts): SourceTree {
  const options: ts.CompilerOptions = {
    noLib: true,
    noResolve: true,
    allowJs: true,
    types: [],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    jsx: ts.JsxEmit.Preserve,
  };
  const host: ts.CompilerHost = {
    getSourceFile: (path, language) => parse(path, texts.get(path), language),
    fileExists: (path) => texts.has(path),
    readFile: (path) => texts.get(path),
    writeFile: () => undefined,
    getDefaultLibFileName: () => 'none.d.ts',
    getCurrentDirectory: () => '',
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
  };
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host });
  const checker = program.getTypeChecker();
  const files = new Map<string, SourceFile>();
  for (const path of texts.keys()) {
    const syntax = program.getSourceFile(path);
    if (!syntax) throw new Error(`${path} could not be parsed`);
    files.set(path, { path, syntax, imports: importsOf(syntax, path, texts) });
  }
  return {
    files,
    isGlobal: (identifier) => {
      const symbol = ts.isShorthandPropertyAssignment(identifier.parent)
        ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
        : checker.getSymbolAtLocation(identifier);
      return !symbol?.declarations?.length;
    },
  };
}

function parse(
  path: string,
  text: string | undefined,
  language: ts.ScriptTarget | ts.CreateSourceFileOptions,
): ts.SourceFile | undefined {
  return text === undefined ? undefined : ts.createSourceFile(path, text, language, true);
}

/** The line that a node begins on, counted from 1. */
export function lineOf(node: ts.Node): number {
  const file = node.getSourceFile();
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

/** Calls the visitor with every node below, in the order of the text. */
export function walk(node: ts.Node, visitor: (node: ts.Node) => void): void {
  node.forEachChild((child) => {
    visitor(child);
    walk(child, visitor);
  });
}

function importsOf(syntax: ts.SourceFile, path: string, texts: SourceTexts): SourceImport[] {
  const imports: SourceImport[] = [];
  walk(syntax, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    const meant = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
    imports.push({
      specifier,
      target: meant !== undefined && texts.has(meant) ? meant : undefined,
      line: lineOf(node),
    });
  });
  return imports;
}

function specifierOf(node: ts.Node): string | undefined {
  let from: ts.Node | undefined;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) from = node.moduleSpecifier;
  else if (ts.isExternalModuleReference(node)) from = node.expression;
  else if (ts.isImportTypeNode(node)) from = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  else if (ts.isCallExpression(node)) {
    const loads =
      node.expression.kind === ts.SyntaxKind.ImportKeyword ||
      (ts.isIdentifier(node.expression) && node.expression.text === 'require');
    from = loads ? node.arguments[0] : undefined;
  }
  return from && ts.isStringLiteralLike(from) ? from.text : undefined;
}
