import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPublicAddress } from '../../../../adapters/callbacks/index.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '2001:200::1',
  '64:ff9b::8.8.8.8',
  '64:ff9b::101:101',
];

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::', '::0.0.0.0'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fdff::1'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  'link-local and metadata': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  'site-local': ['fec0::1', 'feff::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '192.0.0.1', '192.88.99.1', '4000::1', '100::1', '5f00::1'],
  "a cloud's own services, multicast tunnels": ['168.63.129.16', '192.52.193.1', '64:ff9b::168.63.129.16'],
  'documentation and benchmarks': [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '198.19.255.255',
    '2001:db8::1',
    '3fff::1',
    '2001:2::1',
  ],
  'mapped and compatible': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:0:127.0.0.1',
  ],
  '6to4 and Teredo': ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'NAT64 of something refused': [
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b::',
    '64:ff9b::1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:0:0:0:0:10.0.0.1',
  ],
  'local NAT64': ['64:ff9b:1::8.8.8.8', '64:ff9b:1::7f00:1', '64:ff9b:1:a:0:0:808:808'],
  'no address': ['', 'localhost', 'example.org', '1.2.3', '2130706433', '0x7f.0.0.1', '[::1]'],
};

describe('fault 30: addresses that callbacks may go to', () => {
  test('public ones, up to the edges of what is refused', () => {
    for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address);
  });

  for (const [kind, addresses] of Object.entries(REFUSED)) {
    test(`not: ${kind}`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }
});
