import { join } from 'node:path';
import ts from 'typescript';
import { PACKAGES } from '../../.ci/packages.mjs';
import { repository } from '../support/source-tree.ts';

/** The names that each entry point exports, in order; a name that is only a type has `type` before it. */
export function publicNames(): ReadonlyMap<string, readonly string[]> {
  const sources = PACKAGES.flatMap(({ name, entries }) =>
    Object.entries(entries).map(([entry, source]) => [`${name}${entry.slice(1)}`, join(repository, source)] as const),
  );
  const { config } = ts.readConfigFile(join(repository, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
  const files = sources.map(([, source]) => source);
  const program = ts.createProgram(files, { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  return new Map(sources.map(([entry, source]) => [entry, namesOf(program.getSourceFile(source), checker)]));
}

function namesOf(file: ts.SourceFile | undefined, checker: ts.TypeChecker): readonly string[] {
  const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${file?.fileName ?? 'an entry point'} exports nothing`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => `${isType(symbol, checker) ? 'type ' : ''}${symbol.name}`)
    .sort();
}

function isType(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  if (symbol.declarations?.some((each) => ts.isExportSpecifier(each) && ts.isTypeOnlyExportDeclaration(each)) === true)
    return true;
  const meant = (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  return (meant.flags & ts.SymbolFlags.Value) === 0;
}

/** The file of all names as text. */
export function apiReport(names: ReadonlyMap<string, readonly string[]>): string {
  const parts = [...names].map(
    ([entry, list]) => `${entry}: ${list.length}\n${list.map((each) => `  ${each}\n`).join('')}`,
  );
  return `What the packages export; \`npm run api\` writes this file.\n\n${parts.join('\n')}`;
}

export const API_REPORT = join(repository, 'test/package/api.txt');
