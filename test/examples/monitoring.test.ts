import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { METRIC_TABLE } from '../../adapters/metrics/index.ts';
import { ALERT_KINDS } from '../../core/index.ts';
import { repository } from '../support/source-tree.ts';

const read = (name: string): string => readFileSync(join(repository, 'examples/self-host', name), 'utf8');
const table = METRIC_TABLE as Readonly<Record<string, { readonly kind: string; readonly labels: readonly string[] }>>;

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

/** Every metric of ours in an expression; of a histogram the name of its declaration. */
function metricsIn(expression: string): string[] {
  return [...expression.matchAll(/\btillgate_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));
}

function assertKnown(expression: string, where: string): void {
  const names = metricsIn(expression);
  assert.ok(names.length > 0 || /\bup\{/.test(expression), where);
  for (const name of names) assert.ok(name in table, `${where}: there is no metric ${name}`);
  const labels = [...expression.matchAll(/\bby \(([^)]+)\)|\{(\w+)=/g)].flatMap(([, by, one]) =>
    (by ?? one ?? '').split(/,\s*/),
  );
  for (const label of labels.filter((each) => !['le', 'job'].includes(each)))
    assert.ok(
      names.every((name) => table[name]?.labels.includes(label)),
      `${where}: no label ${label}`,
    );
  // Only what counts up has a rate.
  for (const [, name = ''] of expression.matchAll(/\b(?:rate|increase)\((tillgate_\w+)/g))
    assert.notEqual(table[metricsIn(name)[0] ?? '']?.kind, 'gauge', `${where}: ${name} is a gauge`);
}

describe('examples/self-host: monitoring', () => {
  test('the rules of Prometheus ask for metrics and labels that there are', () => {
    const rules = read('prometheus/tillgate.rules.yml');
    const expressions = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression);
    assert.equal(expressions.length, [...rules.matchAll(/^ +- alert: /gm)].length);
    assert.ok(expressions.length >= 9);
    for (const expression of expressions) assertKnown(expression, expression);
    assert.ok(ALERT_KINDS.length > 5 && rules.includes('tillgate_alerts_total'));
  });

  test('every alert has a test by which it fires and one by which it does not, and words for whoever it wakes', () => {
    const names = [...read('prometheus/tillgate.rules.yml').matchAll(/^ +- alert: (\w+)$/gm)].map(
      ([, name = '']) => name,
    );
    const tests = read('prometheus/tillgate.rules.test.yml');
    const guide = read('README.md');
    for (const name of names) {
      assert.match(tests, new RegExp(`alertname: ${name}, eval_time: \\w+, exp_alerts: \\[\\]`), name);
      assert.match(tests, new RegExp(`alertname: ${name}\\n +eval_time: \\w+\\n +exp_alerts:\\n +- exp_labels`), name);
      assert.match(guide, new RegExp(`^\\| \`${name}\` \\| [^|]{20,} \\| [^|]{20,} \\|$`, 'm'), name);
    }
    const tested = [...tests.matchAll(/alertname: (\w+)/g)].map(([, name = '']) => name);
    assert.deepEqual([...new Set(tested)].sort(), names.sort());
  });

  test('the tests of the rules have series that a till has', () => {
    const tests = read('prometheus/tillgate.rules.test.yml');
    const series = [...tests.matchAll(/series: '(\w+)\{([^}]*)\}'/g)];
    assert.ok(series.length >= 20);
    for (const [, name = '', labels = ''] of series.filter(([, each]) => each !== 'up')) {
      assert.ok(name in table, `there is no metric ${name}`);
      for (const [, label = ''] of labels.matchAll(/(\w+)=/g))
        assert.ok(label === 'instance' || table[name]?.labels.includes(label), `${name} has no label ${label}`);
    }
  });

  test('the dashboard shows metrics and labels that there are, each panel once', () => {
    const { panels } = JSON.parse(read('grafana/tillgate.json')) as Dashboard;
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const { title, targets } of panels)
      for (const { expr, legendFormat } of targets) {
        assertKnown(expr, title);
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          assert.ok(table[metricsIn(expr)[0] ?? '']?.labels.includes(label), `${title}: no label ${label}`);
      }
  });

  test('compose mounts the files that there are, and publishes nothing beyond this machine', () => {
    const compose = read('compose.yaml');
    for (const [, name = ''] of compose.matchAll(/^ +- \.\/([\w./-]+):\//gm)) assert.ok(read(name).length > 0, name);
    for (const [, address = ''] of compose.matchAll(/^ +- '([\d.:]+:\d+)'$/gm)) assert.match(address, /^127\.0\.0\.1:/);
  });
});
