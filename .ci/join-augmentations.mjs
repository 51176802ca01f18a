// The rooms of core add members to interfaces of the kernel by `declare module`, which a bundle of types cannot hold: its
// modules have other names. So in the emitted declarations each block becomes an interface that the kernel's extends.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** Rewrites the declarations of a folder. */
export function joinAugmentations(folder) {
  const additions = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts'))
    .flatMap((path) => exportBlocks(join(folder, path)));
  for (const target of new Set(additions.map((each) => each.target)))
    extend(
      target,
      additions.filter((each) => each.target === target),
    );
}

/** Replaces the blocks of a file by exported interfaces. Answers with what they add to which interface of which file. */
function exportBlocks(path) {
  const text = readFileSync(path, 'utf8');
  if (!/^declare module '\./m.test(text)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const blocks = source.statements.filter((each) => ts.isModuleDeclaration(each) && ts.isStringLiteral(each.name));
  const additions = blocks.flatMap((block) => {
    const target = resolve(dirname(path), block.name.text.replace(/\.ts$/, '.d.ts'));
    return block.body.statements.map((added) => ({ target, path, added, block }));
  });
  const nameOf = ({ added, target }) =>
    `${added.name.text}Of${relative(dirname(dirname(target)), path)
      .replace(/\.d\.ts$/, '')
      .replace(/[^a-z]+(.)/g, (_, next) => next.toUpperCase())}`;
  let rewritten = text;
  for (const block of [...blocks].reverse()) {
    const interfaces = additions
      .filter((each) => each.block === block)
      .map((each) => `export interface ${nameOf(each)} {${text.slice(each.added.members.pos, each.added.end)}`);
    rewritten = rewritten.slice(0, block.getStart()) + interfaces.join('\n') + rewritten.slice(block.end);
  }
  writeFileSync(path, rewritten);
  return additions.map((each) => ({ target: each.target, path, to: each.added.name.text, name: nameOf(each) }));
}

function extend(target, additions) {
  const from = (path) => relative(dirname(target), path).replace(/\.d\.ts$/, '.ts');
  const imports = additions.map(({ name, path }) => `import type { ${name} } from '${from(path)}';\n`).join('');
  const text = readFileSync(target, 'utf8').replaceAll(/^export interface (\w+) \{/gm, (whole, to) => {
    const bases = additions.filter((each) => each.to === to).map(({ name }) => name);
    return bases.length === 0 ? whole : `export interface ${to} extends ${bases.join(', ')} {`;
  });
  writeFileSync(target, imports + text);
}
