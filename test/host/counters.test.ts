import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { METRIC_TABLE } from '../../adapters/metrics/index.ts';
import { ALERT_KINDS, ORDER_STATUSES } from '../../core/index.ts';
import { createHost, metricsText } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory } from './till-process.ts';

/** Counters by what only a request or a payment names, which nothing knows before. */
const BY_REQUEST = /^tillgate_(http|gateway|upstream)_/;
/** Those of a part that a sandbox lacks: notifiers, nodes that could disagree, a mempool. */
const ABSENT = ['tillgate_notices_total', 'tillgate_node_disagreements_total', 'tillgate_unconfirmed_payments_total'];

/** Written once the till holds money. */
const BY_MONEY = ['tillgate_custody_shortfall'];

describe('metrics of a till that has done nothing', () => {
  const directory = freshDirectory();
  let host: Host;
  let text: string;
  before(async () => {
    host = createHost({ listen: { host: '127.0.0.1', port: 0 } }, { directory: directory.path, environment: {} });
    await host.start();
    ({ text } = await metricsText(host.till.metrics));
  });
  after(async () => {
    await host.stop();
    directory.remove();
  });

  test('fault 273: have their known labels at 0, so that the first event of a kind is an increase', () => {
    const counters = Object.entries(METRIC_TABLE).filter(([, { kind }]) => kind === 'counter');
    const expected = counters.map(([name]) => name).filter((name) => !BY_REQUEST.test(name) && !ABSENT.includes(name));
    assert.ok(expected.length >= 6, expected.join(', '));
    for (const name of expected) assert.match(text, new RegExp(`^${name}(\\{.*\\})? \\d`, 'm'), name);
  });

  test('fault 285: every gauge is written, so that no rule waits for a series that never comes', async () => {
    const gauges = Object.entries(METRIC_TABLE).filter(([, { kind }]) => kind === 'gauge');
    const expected = gauges.map(([name]) => name).filter((name) => !BY_REQUEST.test(name) && !BY_MONEY.includes(name));
    assert.ok(expected.includes('tillgate_rate_age_seconds') && expected.length >= 8, expected.join(', '));
    await host.till.chains.get('ETH')?.simulator?.mine(1);
    let missing: readonly string[] = expected;
    const allWritten = async (): Promise<boolean> => {
      const shown = (await metricsText(host.till.metrics)).text;
      missing = expected.filter((name) => !new RegExp(`^${name}(\\{.*\\})? -?\\d`, 'm').test(shown));
      return missing.length === 0;
    };
    await waitFor(allWritten, { timeoutMs: 60_000, describe: () => `the gauges ${missing.join(', ')}` });
  });

  test('alerts have every kind, orders every status', () => {
    for (const kind of ALERT_KINDS)
      assert.match(text, new RegExp(`^tillgate_alerts_total\\{kind="${kind}"\\} 0$`, 'm'));
    for (const status of ORDER_STATUSES)
      assert.match(text, new RegExp(`^tillgate_orders_total\\{status="${status}"\\} 0$`, 'm'));
  });
});
