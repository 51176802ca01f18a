import assert from 'node:assert/strict';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isInNetwork, readIpAddress, readIpNetwork, readIpv4, readIpv6 } from '../../../core/kernel/index.ts';

const isIn = (address: string, network: string): boolean => {
  const [read, block] = [readIpAddress(address), readIpNetwork(network)];
  assert.ok(read !== null && block !== null, `${address} ${network}`);
  return isInNetwork(read, block);
};

describe('addresses and networks', () => {
  test('what is an address is what Node says, whatever the text', () => {
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.stringMatching(/^[0-9a-f:.]{0,20}$/),
      fc
        .array(fc.constantFrom('0', '1', '01', '255', '256', 'ff', ':', '::', '.'), { maxLength: 14 })
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (each) => {
        assert.equal((readIpv4(each) === null ? 0 : 4) || (readIpv6(each) === null ? 0 : 6), isIP(each), each);
      }),
      { numRuns: 3_000 },
    );
    for (const [strange, is] of [
      ['1.2.3.4::', false],
      ['::1.2.3.4', true],
      ['1::2::3', false],
      ['1:2:3:4:5:6:7::', true],
      ['1:2:3:4:5:6:7:8::', false],
      ['::1%eth0', false],
      ['', false],
      ['::' + '0'.repeat(100), false],
    ] as const)
      assert.equal(readIpv6(strange) !== null, is, strange);
  });

  test('a network holds the addresses that Node says it holds', () => {
    const v4 = fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }));
    const v6 = fc.tuple(fc.ipV6(), fc.ipV6(), fc.integer({ min: 0, max: 128 }));
    fc.assert(
      fc.property(fc.oneof(v4, v6), fc.boolean(), ([address, other, prefix], near) => {
        const [family, bits] = isIPv6(address) ? (['ipv6', 128n] as const) : (['ipv4', 32n] as const);
        const value = family === 'ipv6' ? readIpv6(address) : readIpv4(address);
        const free = bits - BigInt(prefix);
        const first = ((value as bigint) >> free) << free;
        // Node counts IPv4 addresses that are mapped into IPv6 as both.
        fc.pre(family === 'ipv4' || (first >> 32n !== 0xffffn && (value as bigint) >> 32n !== 0xffffn));
        const list = new BlockList();
        list.addSubnet(address, prefix, family);
        const asked = near ? address : other;
        assert.equal(isIn(asked, `${textOf(first, family)}/${prefix}`), list.check(asked, family));
      }),
      { numRuns: 2_000 },
    );
  });

  test('IPv4 in IPv6 is IPv4; a family holds nothing of the other; an address is a network of its own', () => {
    for (const [address, network, is] of [
      ['::ffff:203.0.113.9', '203.0.113.0/24', true],
      ['::FFFF:cb00:7109', '203.0.113.0/24', true],
      ['203.0.113.9', '::ffff:203.0.113.0/120', true],
      ['203.0.113.9', '::/0', false],
      ['2001:db8::1', '0.0.0.0/0', false],
      ['::203.0.113.9', '203.0.113.0/24', false],
      ['203.0.113.9', '203.0.113.9', true],
      ['203.0.113.8', '203.0.113.9', false],
      ['fe80::1%eth0', 'fe80::/10', true],
      ['2001:DB8:0:0::1', '2001:db8::/32', true],
      ['9.9.9.9', '0.0.0.0/0', true],
    ] as const)
      assert.equal(isIn(address, network), is, `${address} ${network}`);
  });

  test('other text is no network, nor is one with bits behind its prefix', () => {
    for (const text of [
      ...['', '/', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.1/8', '10.0.0/8'],
      ...['2001:db8::1/32', '::/129', 'fe80::%eth0/10', '010.0.0.0/8', 'localhost', '10.0.0.0/8 ', '0x0a000000/8'],
    ])
      assert.equal(readIpNetwork(text), null, text);
    for (const text of ['', '1.2.3', '1.2.3.4:80', '[::1]', 'unknown']) assert.equal(readIpAddress(text), null, text);
  });
});

function textOf(value: bigint, family: 'ipv4' | 'ipv6'): string {
  const parts = family === 'ipv4' ? 4 : 8;
  const width = family === 'ipv4' ? 8n : 16n;
  const all = Array.from(
    { length: parts },
    (_, at) => (value >> (width * BigInt(parts - 1 - at))) & ((1n << width) - 1n),
  );
  return family === 'ipv4' ? all.join('.') : all.map((part) => part.toString(16)).join(':');
}
