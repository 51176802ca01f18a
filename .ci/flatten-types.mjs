// Writes the declarations of a module with its types expanded, so that they need no other file and no package.
//
// The merchant's client derives its records from the schemas of the HTTP API; a merchant has neither those nor zod.

import { writeFileSync } from 'node:fs';
import ts from 'typescript';

const FORMAT = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;

/**
 * @param source - the module's TypeScript file
 * @param target - the file to write
 */
export function flattenTypes(source, target, tsconfig) {
  const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ts.sys.resolvePath(`${tsconfig}/..`));
  const program = ts.createProgram([source], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(source);
  if (file === undefined) throw new Error(`${source} cannot be read`);
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(file));
  writeFileSync(target, `${exported.map((symbol) => declarationOf(symbol, file, checker)).join('\n')}\n`);
}

function declarationOf(symbol, file, checker) {
  const [declared] = symbol.declarations;
  if (ts.isInterfaceDeclaration(declared)) return declared.getFullText(file).trim();
  const type = checker.getDeclaredTypeOfSymbol(
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  );
  const comment = ts.isTypeAliasDeclaration(declared)
    ? declared.getFullText(file).split('export type', 1)[0].trim()
    : '';
  const written = (each) => checker.typeToString(each, file, FORMAT);
  if (!(type.flags & ts.TypeFlags.Object)) return `${comment}\nexport type ${symbol.name} = ${written(type)};`;
  const fields = type.getProperties().map((property) => {
    const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
    return `    readonly ${property.name}${optional}: ${written(checker.getTypeOfSymbol(property))};`;
  });
  return [comment, `export interface ${symbol.name} {`, ...fields, '}'].join('\n');
}
