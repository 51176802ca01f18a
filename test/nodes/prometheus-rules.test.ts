import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repository } from '../support/source-tree.ts';
import { programOf } from './daemons.ts';

const FOLDER = join(repository, 'examples/self-host/prometheus');
const RULES = 'tillgate.rules.yml';
const TESTS = 'tillgate.rules.test.yml';
const rules = readFileSync(join(FOLDER, RULES), 'utf8');

/** A change of one alert that would let it fire at another time, or not at all. */
interface Change {
  readonly what: string;
  readonly rules: string;
}

/** The rules of each alert, from its name to the next. */
function alertsOf(text: string): readonly (readonly [name: string, rule: string])[] {
  return text
    .split(/^(?= +- alert: )/m)
    .slice(1)
    .map((rule) => [/alert: (\w+)/.exec(rule)?.[1] ?? '', rule]);
}

function changesOf(rule: string): Change[] {
  const expr = /expr: (.+)/.exec(rule)?.[1] ?? '';
  const changed = (what: string, to: string): Change[] =>
    to === rule ? [] : [{ what, rules: rules.replace(rule, () => to) }];
  const branches = expr.split(' or ');
  return [
    ...changed('it is not there', ''),
    ...changed(
      'it fires always',
      rule.replace(expr, () => 'vector(1)'),
    ),
    ...(rule.includes('for: ')
      ? [
          ...changed('it does not wait', rule.replace(/for: .+/, 'for: 0s')),
          ...changed('it waits longer', rule.replace(/for: (\d)m/, 'for: 1$1m')),
        ]
      : changed('it waits', rule.replace(/( +)labels: /, '$1for: 1m\n$1labels: '))),
    ...(branches.length > 1
      ? branches.flatMap((branch) =>
          changed(
            `it has no branch ${branch}`,
            rule.replace(expr, () => branches.filter((each) => each !== branch).join(' or ')),
          ),
        )
      : []),
    ...[...expr.matchAll(/([<>]) ([\d.]+)/g)].flatMap(([bound = '', sign = '', limit = '']) =>
      [Number(limit) - 1, Number(limit) * 2, Number(limit) / 2]
        .filter((each) => each !== Number(limit))
        .flatMap((other) =>
          changed(
            `its limit is ${other}`,
            rule.replace(bound, () => `${sign} ${other}`),
          ),
        ),
    ),
    ...changed('it counts everything', rule.replace(/\{status=~[^}]+\}/, '')),
    ...changed('it looks at the sign', rule.replace(/abs\((.+)\)/, '$1')),
    ...changed('it takes the oldest', rule.replace(/min\((.+)\)/, 'max($1)')),
    ...changed('it looks at every target', rule.replace('{job="tillgate"}', '')),
  ];
}

describe('the rules of Prometheus, by promtool', () => {
  let promtool = '';
  let directory = '';
  const judge = (text: string): { readonly ok: boolean; readonly said: string } => {
    writeFileSync(join(directory, RULES), text);
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', TESTS], {
      cwd: directory,
      encoding: 'utf8',
    });
    return { ok: status === 0, said: stdout + stderr };
  };

  before(() => {
    promtool = programOf('promtool', 'PROMTOOL');
    directory = mkdtempSync(join(tmpdir(), 'tillgate-rules-'));
    writeFileSync(join(directory, TESTS), readFileSync(join(FOLDER, TESTS)));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  test('can be read by it', () => {
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', join(FOLDER, RULES)], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
  });

  test('fault 289: every alert fires when it should, not before, and not on what is usual', () => {
    const { ok, said } = judge(rules);
    assert.ok(ok, said);
  });

  for (const [name, rule] of alertsOf(rules))
    test(`fault 289: the tests of ${name} notice whatever lets it fire at another time`, () => {
      const changes = changesOf(rule);
      assert.ok(changes.length >= 3);
      for (const { what, rules: changed } of changes) {
        const { ok, said } = judge(changed);
        assert.ok(!ok, `nothing notices that ${what}`);
        assert.match(said, new RegExp(`alertname: ?${name}`), `${what}: ${said}`);
      }
    });
});
