import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { writeDocuments } from '../../.ci/package-documents.mjs';
import { PACKAGES, manifestOf } from '../../.ci/packages.mjs';
import type { Package } from '../../.ci/packages.mjs';

const ADDRESS = 'https://forge.example/tillgate/blob/main';
/** A link in Markdown, with its target. */
const LINK = /\]\(([^)\s]+)\)/g;

function written(t: TestContext, each: Package, address: string | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-documents-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeDocuments(each, folder, address);
  return folder;
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/** The anchors that a document's headings have on the usual hosts. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(
    ([, title = '']) =>
      `#${title
        .toLowerCase()
        .replaceAll(/[^\p{L}\d _-]/gu, '')
        .replaceAll(' ', '-')}`,
  );

/** The links of a document that lead to nothing. */
function broken(folder: string, document: string): readonly string[] {
  const text = readFileSync(join(folder, document), 'utf8');
  return [...text.matchAll(LINK)]
    .map(([, target = '']) => target)
    .filter((target) => {
      if (/^(?:https:|mailto:)/.test(target)) return false;
      const [path = '', fragment] = target.split('#');
      const file = join(folder, dirname(document), path);
      const meant = path === '' ? join(folder, document) : file;
      if (!existsSync(meant)) return true;
      return fragment !== undefined && !anchorsOf(readFileSync(meant, 'utf8')).includes(`#${fragment}`);
    });
}

describe('the documents of each package', () => {
  for (const each of PACKAGES) {
    test(`fault 506: every link of ${each.name} leads to a file of the package or to an address`, (t) => {
      for (const address of [null, ADDRESS]) {
        const folder = written(t, each, address);
        const found = filesIn(folder)
          .filter((name) => name.endsWith('.md'))
          .map((name) => [name, broken(folder, name)] as const);
        assert.ok(found.length >= 3);
        assert.deepEqual(
          found.filter(([, links]) => links.length > 0),
          [],
        );
      }
    });

    test(`${each.name} is packed with all of them`, (t) => {
      const { files } = manifestOf(each) as unknown as { readonly files: readonly string[] };
      const packed = (name: string): boolean =>
        name === 'README.md' || files.some((path) => name === path || name.startsWith(`${path}/`));
      assert.deepEqual(
        filesIn(written(t, each, null)).filter((name) => !packed(name)),
        [],
      );
    });
  }

  test('an operator who installed the server has the units, the proxies and the rules, which name the installed program', (t) => {
    const server = PACKAGES.find(({ bin }) => bin !== null);
    assert.ok(server !== undefined);
    const folder = join(written(t, server, null), 'examples/self-host');
    for (const name of [
      'tillgate.service',
      'nginx.conf',
      'Caddyfile',
      'prometheus/tillgate.rules.yml',
      'grafana/tillgate.json',
    ])
      assert.ok(existsSync(join(folder, name)), name);
    for (const name of ['tillgate.service', 'tillgate-signer.service', 'tillgate-command', 'README.md']) {
      const text = readFileSync(join(folder, name), 'utf8');
      assert.ok(text.includes('node_modules/@tillgate/server/dist/bin.js'), name);
      assert.doesNotMatch(text, /(?<!server\/)dist\/server\/dist|git clone|install -m \d+ (?:-o \S+ )?examples/);
    }
  });
});
