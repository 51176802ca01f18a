import { createHash } from 'node:crypto';
import { SourceMap } from 'node:module';
import type { SourceMapPayload } from 'node:module';
import ts from 'typescript';
import { nodesOf } from '../support/syntax.ts';
import type { TextChange } from '../support/syntax.ts';
import { isLeftOut, replacementsOf } from './operators.ts';

/** One small fault in one compiled file. */
export interface Mutant extends TextChange {
  /** File, line, operator, and which of those on the line. */
  readonly id: string;
  /** The source, relative to the repository. */
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  /** The function or method that it is in: `OrderStateMachine.settle`. */
  readonly declaration: string;
  /** Which of the declaration's places for this operator, 1 for the first. */
  readonly nth: number;
  /** The text that is replaced. */
  readonly was: string;
}

/**
 * All mutants of a source.
 *
 * @param compiled - its compiled text: without types, and at the offsets that coverage speaks of
 */
export function mutantsOf(file: string, compiled: string): readonly Mutant[] {
  const tree = ts.createSourceFile(file, compiled, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const lineOf = sourceLines(tree, compiled);
  const count = counter();
  return nodesOf(tree, isLeftOut)
    .flatMap(replacementsOf)
    .map(({ operator, node, text }) => {
      const [start, end] = [node.getStart(tree), node.getEnd()];
      const [line, declaration] = [lineOf(start), declarationOf(node)];
      const id = `${file}:${line} ${operator}`;
      const [same, nth] = [count(id), count(`${declaration} ${operator}`)];
      const was = compiled.slice(start, end);
      return { id: same === 1 ? id : `${id} ${same}`, file, line, operator, declaration, nth, start, end, text, was };
    });
}

/**
 * A sample that follows from the seed. It is chosen by declarations, not lines, so most of it stays the same when other
 * code changes.
 *
 * @param count - at most so many
 */
export function sampleOf(mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  const rank = ({ file, declaration, operator, nth }: Mutant): string =>
    createHash('sha1').update(`${seed} ${file} ${declaration} ${operator} ${nth}`).digest('hex');
  return mutants
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

function counter(): (key: string) => number {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
}

const SOURCE_MAP = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/;

/** From offsets of the compiled text to lines of the source, 1 for the first. */
function sourceLines(tree: ts.SourceFile, compiled: string): (offset: number) => number {
  const encoded = SOURCE_MAP.exec(compiled)?.[1];
  if (encoded === undefined) return (offset) => tree.getLineAndCharacterOfPosition(offset).line + 1;
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload);
  return (offset) => {
    const { line, character } = tree.getLineAndCharacterOfPosition(offset);
    const entry = map.findEntry(line, character);
    return 'originalLine' in entry ? entry.originalLine + 1 : line + 1;
  };
}

/** The names of the functions, classes and methods around a node, the outermost first. */
function declarationOf(node: ts.Node): string {
  const names: string[] = [];
  for (let each = node; !ts.isSourceFile(each); each = each.parent) {
    if (
      ts.isFunctionDeclaration(each) ||
      ts.isClassDeclaration(each) ||
      ts.isClassElement(each) ||
      (ts.isVariableDeclaration(each) && ts.isSourceFile(each.parent.parent.parent))
    )
      names.unshift(ts.isConstructorDeclaration(each) ? 'constructor' : (each.name?.getText() ?? ''));
  }
  return names.join('.');
}
