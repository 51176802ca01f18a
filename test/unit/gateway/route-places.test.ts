import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostProblem, isTillgateError, placeErrors, readRoute, shownUpstreamUrl } from '../../../core/index.ts';
import type { RouteInput } from '../../../core/index.ts';

const input = (more: Partial<RouteInput>): RouteInput => ({
  ...{ host: 'eth.gate.example', chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc' as const },
  upstreams: [{ url: 'https://node.example/', headers: {} }],
  ...more,
});
const upstream = (url: string): Partial<RouteInput> => ({ upstreams: [{ url, headers: {} }] });
const pathsOf = (more: Partial<RouteInput>, allowPrivateUpstreams = false): readonly string[] =>
  placeErrors(readRoute(input(more)), { ownHosts: () => ['Pay.example', 'till.internal'], allowPrivateUpstreams }).map(
    ({ path }) => path,
  );

describe('fault 366: a gateway of the management API', () => {
  test('has no name or address of the till itself', () => {
    for (const host of [
      'pay.example',
      'PAY.example',
      'till.internal',
      'localhost',
      'a.localhost',
      '127.0.0.1',
      '203.0.113.9',
    ])
      assert.deepEqual(pathsOf({ host }), ['host'], host);
    for (const host of ['eth.pay.example', 'pay.example.org', 'eth']) assert.deepEqual(pathsOf({ host }), [], host);
    assert.equal(hostProblem('eth.gate.example', { ownHosts: () => [] }), null);
  });

  test('leads to private networks only where the operator says so', () => {
    for (const url of [
      'http://127.0.0.1:8545/',
      'http://10.1.2.3/',
      'http://[fd12::1]/',
      'http://localhost:1/',
      'http://0x7f.1/',
    ]) {
      assert.deepEqual(pathsOf(upstream(url)), ['upstreams.0.url'], url);
      assert.deepEqual(pathsOf(upstream(url), true), [], url);
    }
  });

  test('never leads to a link-local address or the metadata of a cloud, of the settings file neither', () => {
    for (const host of [
      ...['169.254.169.254', '0xa9fea9fe', '[fe80::1]', '[fd00:ec2::254]', '[::ffff:169.254.169.254]'],
      ...[
        '[64:ff9b::a9fe:a9fe]',
        '168.63.129.16',
        '100.100.100.200',
        'metadata.google.internal',
        'metadata.google.internal.',
      ],
    ])
      assert.throws(
        () => readRoute(input(upstream(`http://${host}/latest`))),
        (error) => isTillgateError(error, 'INVALID_FIELDS') && error.details.fields?.[0]?.path === 'upstreams.0.url',
        host,
      );
  });

  test('is shown with the origins of its upstreams, since keys of providers are in the rest', () => {
    assert.equal(shownUpstreamUrl('https://node.example/v3/key'), 'https://node.example/…');
    assert.equal(shownUpstreamUrl('https://node.example/?key=x'), 'https://node.example/…');
    assert.equal(shownUpstreamUrl('https://user:word@node.example:8545'), 'https://node.example:8545/…');
    assert.equal(shownUpstreamUrl('wss://node.example'), 'wss://node.example/');
  });
});
