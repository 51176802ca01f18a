import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkContainer, checkGlobals } from './support/architecture-globals.ts';
import { checkCircles, checkImports, layers, rooms } from './support/architecture-imports.ts';
import type { Violation } from './support/architecture-imports.ts';
import { parseSources, readSources, repository } from './support/source-tree.ts';
import type { SourceTree } from './support/source-tree.ts';

const folders = Object.keys(layers);
const readable = ({ file, line, rule, message }: Violation): string =>
  `${file}${line ? `:${line}` : ''} [${rule}] ${message}`;

describe('the architecture', () => {
  const tree = parseSources(readSources(folders));
  const holds = (rule: string, check: (tree: SourceTree) => Violation[]): void => {
    it(rule, () => {
      const violations = check(tree).map(readable);
      assert.equal(violations.length, 0, `\n  ${violations.join('\n  ')}`);
    });
  };

  it('sees the sources', () => {
    for (const path of ['core/index.ts', 'test/architecture.test.ts'])
      assert.ok(tree.files.has(path), `${path} was not read`);
  });
  holds('rule 1: core is alone, and every import points the right way', checkImports);
  holds('rule 2: no import circles', checkCircles);
  holds('rule 2: core has no hidden input, and only host/settings/config.ts reads the environment', checkGlobals);
  holds('rule 3: only host/boot/container.ts takes parts out of the container', checkContainer);

  it('the top-level folders are exactly those of the plan', () => {
    assert.deepEqual(topLevelFolders(), [...folders].sort());
  });

  it('core has no folders but its rooms and its decisions, and no source file beside index.ts', () => {
    const entries = readdirSync(join(repository, 'core'), { withFileTypes: true });
    const inCore = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    assert.deepEqual(inCore.sort(), [...rooms, 'decisions'].sort());
    const sources = entries.filter(({ name }) => name.endsWith('.ts')).map(({ name }) => name);
    assert.deepEqual(sources, ['index.ts']);
  });

  it('package.json exports nothing that has no source', () => {
    const { exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      exports: Record<string, { default?: string }>;
    };
    for (const [name, { default: built }] of Object.entries(exports)) {
      if (built === undefined) continue;
      const source = built.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts');
      const [before = '', after] = source.split('*');
      const found = [...tree.files.keys()].some((path) =>
        after === undefined ? path === source : path.startsWith(before) && path.endsWith(after),
      );
      assert.ok(found, `"${name}" is exported, but there is no ${source}`);
    }
  });
});

/** What git would keep: neither hidden folders nor those that .gitignore names, nor empty ones. */
function topLevelFolders(): string[] {
  const ignored = new Set(
    readFileSync(join(repository, '.gitignore'), 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('/')),
  );
  return readdirSync(repository, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !ignored.has(`${entry.name}/`))
    .map(({ name }) => name)
    .filter((name) => readdirSync(join(repository, name)).length > 0)
    .sort();
}

describe('the checker of the architecture', () => {
  const check = (texts: Record<string, string>): string[] => {
    const tree = parseSources(new Map(Object.entries(texts)));
    return [checkImports, checkCircles, checkGlobals, checkContainer].flatMap((rule) => rule(tree)).map(readable);
  };

  const planted: [what: string, text: string, expected: RegExp, path?: string][] = [
    [
      'a package in core',
      "import { z } from 'zod';",
      /^core\/a\.ts:1 \[core-is-alone\] core imports only core, not zod$/,
    ],
    ['a type of a package in core', "import type { Knex } from 'knex';", /\[core-is-alone\].*knex/],
    ['an inline type of a package in core', "export type K = import('knex').Knex;", /\[core-is-alone\].*knex/],
    ['a dynamic import in core', "\nexport const k = () => import('knex');", /^core\/a\.ts:2 \[core-is-alone\].*knex/],
    ['a re-export of an adapter from core', "export * from '../adapters/b.ts';", /\[core-is-alone\].*adapters\/b\.ts/],
    ['a node: module in core', "import { join } from 'node:path';", /\[core-is-alone\].*node:path/],
    [
      'a file outside every folder in core',
      "import manifest from '../package.json';",
      /\[core-is-alone\].*package\.json/,
    ],
    [
      'a plugin in an adapter',
      "import '../plugins/b.ts';",
      /\[layers\] adapters may import core, adapters, not plugins\/b\.ts/,
      'adapters/a.ts',
    ],
    [
      'the host in a plugin',
      "import '../host/b.ts';",
      /\[layers\] plugins may import .* not host\/b\.ts/,
      'plugins/a.ts',
    ],
    [
      'the inside of core in a plugin',
      "import '../core/b.ts';",
      /\[plugins-use-the-surface\].*core\/b\.ts/,
      'plugins/a.ts',
    ],
    [
      'the inside of the package in an example',
      "import '../host/b.ts';",
      /\[layers\] examples may import examples, not host\/b\.ts/,
      'examples/a.ts',
    ],
    ['the build in the host', "import '../.ci/packages.mjs';", /\[imports-exist\]/, 'host/a.ts'],
    ['a test in the host', "import '../test/b.ts';", /\[layers\] host may import .* not test\/b\.ts/, 'host/a.ts'],
    [
      'the inside of the fast path in the gateway',
      "import './fast-path/b.ts';",
      /\[one-entrance\] import host\/gateway\/fast-path\/index\.ts, not host\/gateway\/fast-path\/b\.ts/,
      'host/gateway/a.ts',
    ],
    [
      'a room above in a room of core',
      "import '../payouts/index.ts';",
      /\[rooms\] orders may import kernel, .*, chain, not core\/payouts\/index\.ts/,
      'core/orders/a.ts',
    ],
    [
      'a file past the door of a room',
      "import '../kernel/b.ts';",
      /\[rooms\] import core\/kernel\/index\.ts, not core\/kernel\/b\.ts/,
      'core/orders/a.ts',
    ],
    ['this package by its name', "import 'tillgate';", /\[layers\] tillgate is this package/, 'host/a.ts'],
    ['an import of nothing', "import './nowhere.ts';", /\[imports-exist\] there is no core\/nowhere\.ts/],
    ['an import without .ts', "import './b.js';", /\[imports-exist\] there is no core\/b\.js/],
    ['an import of itself', "import './a.ts';", /\[no-circles\] imports itself: core\/a\.ts → core\/a\.ts$/],
    ['Date.now', 'export const t = () => Date.now();', /^core\/a\.ts:1 \[core-has-no-hidden-input\] Date\.now: time/],
    ['new Date()', 'export const t = () => new Date();', /\[core-has-no-hidden-input\] new Date\(\): time/],
    ['new Date', 'export const t = () => new Date;', /\[core-has-no-hidden-input\] new Date: time/],
    ['Date taken apart', 'const { now } = Date; export const t = now;', /\[core-has-no-hidden-input\] Date: time/],
    ['Math.random', 'export const r = () => Math.random();', /\[core-has-no-hidden-input\] Math\.random: chance/],
    [
      "Math['random']",
      "export const r = () => Math['random']();",
      /\[core-has-no-hidden-input\] Math\['random'\]: chance/,
    ],
    ['a timer', 'setTimeout(() => undefined, 1);', /\[core-has-no-hidden-input\] setTimeout: time/],
    ['a timer passed on', 'export const timers = { setInterval };', /\[core-has-no-hidden-input\] setInterval: time/],
    ['crypto', 'export const id = () => crypto.randomUUID();', /\[core-has-no-hidden-input\] crypto: chance/],
    ['a Buffer', "export const b = Buffer.from('');", /\[core-has-no-hidden-input\] Buffer: core/],
    ['a Buffer as a type', 'export type B = Buffer;', /\[core-has-no-hidden-input\] Buffer: core/],
    ['process in core', 'export const cwd = () => process.cwd();', /\[core-has-no-hidden-input\] process: core/],
    [
      'a way round by globalThis',
      'export const p = globalThis.process;',
      /\[core-has-no-hidden-input\] globalThis: core/,
    ],
    [
      'the environment in an adapter',
      'export const home = process.env.HOME;',
      /\[environment\] only host\/settings\/config\.ts/,
      'adapters/a.ts',
    ],
    ['the environment by its index', "export const home = process['env'].HOME;", /\[environment\]/, 'host/main.ts'],
    ['the environment taken apart', 'const { env } = process; export default env;', /\[environment\]/, 'host/main.ts'],
    [
      'the environment imported',
      "import { env } from 'node:process'; export default env;",
      /\[environment\]/,
      'host/main.ts',
    ],
    [
      'the environment of an imported process',
      "import me from 'node:process';\nexport default me.env;",
      /^host\/main\.ts:2 \[environment\]/,
      'host/main.ts',
    ],
    [
      'a container in a worker',
      "import type { Container } from 'inversify';",
      /\[container\] imports the container class/,
      'host/workers/workers.ts',
    ],
    [
      'something taken out by a server',
      'export const run = (container: never) => container.get(1);',
      /\[container\] container\.get\(\)/,
      'host/http/server.ts',
    ],
  ];
  for (const [what, text, expected, path = 'core/a.ts'] of planted) {
    it(`catches ${what}`, () => {
      const others = [
        'core/b.ts',
        'core/kernel/b.ts',
        'core/payouts/index.ts',
        'adapters/b.ts',
        'plugins/b.ts',
        'host/b.ts',
        'host/gateway/fast-path/b.ts',
        'test/b.ts',
      ].map((other) => [other, 'export {};'] as const);
      const violations = check({ ...Object.fromEntries(others), [path]: text });
      assert.equal(violations.length, 1, violations.join('\n'));
      assert.match(violations[0]!, expected);
    });
  }

  it('catches a circle of three once, and names the way round', () => {
    const circle = {
      'core/a.ts': "import './b.ts';",
      'core/b.ts': "import './c.ts';",
      'core/c.ts': "import type {} from './a.ts';",
    };
    assert.deepEqual(check(circle), [
      'core/a.ts [no-circles] imports itself: core/a.ts → core/b.ts → core/c.ts → core/a.ts',
    ]);
  });

  it('lets pass what only looks like a breach', () => {
    const innocent = `
      import { at } from './b.ts';
      interface Task { process: string; crypto(): void }
      export function run(process: Task, { setTimeout: wait }: { setTimeout: number }): Date | boolean {
        const Buffer = [process.process, wait, at.now(), Math.max(1, 2), Date.UTC(2020, 1)];
        process.crypto();
        return Buffer.length > 0 ? new Date(0) : (process as unknown) instanceof Date;
      }`;
    const texts = {
      'core/a.ts': innocent,
      'core/b.ts': 'export const at = { now: () => 0 };',
      'core/index.ts': "export { run } from './a.ts';",
      'adapters/a.ts':
        "import { run } from '../core/a.ts'; import knex from 'knex'; import 'node:fs'; export default [run, knex, process.pid];",
      'plugins/a.ts':
        "import '../core/index.ts'; import '../adapters/a.ts'; const env = { env: 1 }; export default env.env;",
      'host/gateway/a.ts': "import './fast-path/index.ts';",
      'host/gateway/fast-path/index.ts': "import './b.ts';",
      'host/gateway/fast-path/b.ts': 'export {};',
      'test/unit/b.test.ts': "import '../../host/gateway/fast-path/b.ts';",
      'host/settings/config.ts': 'export const read = () => process.env;',
      'host/boot/container.ts':
        "import { Container } from 'inversify'; const container = new Container(); export const root = container.get('x');",
      'host/bin.ts': "import './boot/container.ts'; import './page.css';",
      'examples/a.ts': "import 'tillgate'; export default process.env;",
      'test/a.ts': "import '../host/bin.ts'; import '../examples/a.ts'; export default Date.now();",
    };
    assert.deepEqual(check(texts), []);
  });
});
