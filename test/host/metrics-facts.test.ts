import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PromMetrics } from '../../adapters/metrics/index.ts';
import { readMetrics } from '../../host/support/metrics-facts.ts';
import { silentLogger } from '../support/storage.ts';

describe('metrics in a bundle for support', () => {
  test('are those with labels of the till’s own, as it writes them', async () => {
    const metrics = new PromMetrics(silentLogger);
    metrics.count('tillgate_transfers_total', { chain: 'ETH', kind: 'sweep', status: 'CONFIRMED' }, 3);
    metrics.observe('tillgate_http_request_seconds', 0.25, { operation: 'create-order' });
    metrics.gauge('tillgate_clock_difference_seconds', -0.5);
    metrics.count('tillgate_node_disagreements_total', { chain: 'ETH', node: 'key.node.example' });
    metrics.gauge('tillgate_gateway_upstream_up', 1, { route: 'gate.example', upstream: 'key.node.example' });
    metrics.count('tillgate_gateway_units_total', { route: 'gate.example', app: '123456789012345678' }, 5);
    const found = readMetrics(await metrics.text());
    assert.equal(found['tillgate_transfers_total{chain=ETH,kind=sweep,status=CONFIRMED}'], 3);
    assert.equal(found['tillgate_http_request_seconds_sum{operation=create-order}'], 0.25);
    assert.equal(found['tillgate_http_request_seconds_count{operation=create-order}'], 1);
    assert.equal(found['tillgate_clock_difference_seconds'], -0.5);
    assert.doesNotMatch(JSON.stringify(found), /example|123456789|_bucket|le=/);
  });

  test('fault 286: are nothing else that a program at that port may say', () => {
    const said = [
      'password 1',
      'tillgate_password{kind="a"} 1',
      'tillgate_alerts_total{secret="a"} 1',
      'tillgate_alerts_total{kind="https://node.example/v3/key?x=1"} 1',
      'tillgate_alerts_total{kind="https://node.example/v3/key"} 1',
      'tillgate_alerts_total{kind="a@example.com"} 1',
      'tillgate_alerts_total{kind="loss"} secret',
      'tillgate_alerts_total{kind="loss"} 1 secret',
      '<html>tillgate_alerts_total 1</html>',
    ];
    assert.deepEqual(readMetrics(said.join('\n')), {});
  });
});
