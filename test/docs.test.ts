import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { DERIVED_PARTS, withPart } from './support/derived-documents.ts';
import { documents } from './support/guides.ts';
import { repository } from './support/source-tree.ts';

const FOLDERS = ['core', 'adapters', 'plugins', 'host', 'examples', 'test'];
/** A path from the repository's root, in text or code; `host/bin.js` of the built package is none. */
const ROOTED = new RegExp(String.raw`(?<![\w./@-])(?:${FOLDERS.join('|')})/[\w./-]*[\w/]`, 'g');
const LINK = /\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g;
const SCRIPT = /\bnpm run (?:--silent )?([\w:-]+)/g;

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** Every path that a document names, relative to the repository. */
function pathsIn(document: string, text: string): string[] {
  const links = [...text.matchAll(LINK)].map(([, target = '']) => normalize(join(dirname(document), target)));
  const rooted = [...text.matchAll(ROOTED)].map(([path]) => path);
  // NAME stands for a name that the reader chooses.
  return [...links, ...rooted].filter((path) => !/\b[A-Z]+\b(?!\.md)/.test(path));
}

function scriptsIn(text: string): string[] {
  return [...text.matchAll(SCRIPT)].map(([, name = '']) => name);
}

describe('the documents', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const document of documents()) {
    it(`${document} names files and npm scripts that exist`, () => {
      const text = read(document);
      assert.deepEqual(
        pathsIn(document, text).filter((path) => !existsSync(join(repository, path))),
        [],
      );
      assert.deepEqual(
        scriptsIn(text).filter((name) => !(name in scripts)),
        [],
      );
    });
  }
});

describe('the parts of documents that are made from the sources', () => {
  for (const part of DERIVED_PARTS)
    it(`${part.document} has the present ${part.name}; else: npm run generate`, () => {
      const text = read(part.document);
      assert.equal(text, withPart(text, part));
    });
});

describe('the checker of documents', () => {
  it('finds rooted paths and links, and leaves placeholders and other packages out', () => {
    const text =
      'see `core/index.ts`, [the guide](../host/main.ts#top), https://example.com/core/x.ts, dist/server/dist/bin.js, `test/fuzz/NAME`';
    assert.deepEqual(pathsIn('core/README.md', text).sort(), ['core/index.ts', 'host/main.ts']);
  });

  it('finds npm scripts', () => {
    assert.deepEqual(scriptsIn('`npm run --silent tillgate -- migrate`, npm run bench -- NAME'), ['tillgate', 'bench']);
  });
});
