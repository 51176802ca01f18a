import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey, networkOf } from '../../../core/index.ts';

test('an IPv4 address is itself, its network the /24, also where it is mapped into IPv6', () => {
  for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:203.0.113.7'])
    assert.deepEqual([addressKey(address), networkOf(address)], ['203.0.113.7', '203.0.113.0/24']);
  assert.notEqual(networkOf('203.0.114.7'), networkOf('203.0.113.7'));
});

test('an IPv6 address is its /64, however it is written', () => {
  for (const address of [
    '2001:db8:0:1::7',
    '2001:0DB8:0000:0001:ffff:ffff:ffff:ffff',
    '2001:db8:0:1:0:0:0:8',
    '2001:db8::1:0:0:0:9',
    '2001:db8:0:1::7%eth0',
  ])
    assert.deepEqual([addressKey(address), networkOf(address)], ['2001:db8:0:1::/64', '2001:db8:0:1::/64'], address);
  assert.notEqual(addressKey('2001:db8:0:2::7'), addressKey('2001:db8:0:1::7'));
  assert.deepEqual([addressKey('::1'), addressKey('::')], ['0:0:0:0::/64', '0:0:0:0::/64']);
  assert.equal(addressKey('2001:db8::1'), '2001:db8:0:0::/64');
});

test('what is no address is itself, and not longer than one', () => {
  assert.deepEqual([addressKey(''), networkOf('unknown')], ['', 'unknown']);
  assert.equal(addressKey('x'.repeat(1000)).length, 64);
});
