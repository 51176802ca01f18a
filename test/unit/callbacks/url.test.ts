import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkMerchantUrl } from '../../../core/index.ts';

const FORM = 'must be an absolute http or https URL';
const SCHEME = 'must be an http or https URL';
const PRIVATE = 'must not point to a private, local or reserved address';

describe('a merchant URL', () => {
  for (const url of [
    'https://shop.example/callback',
    'http://shop.example:8080/a?b=c&d=%20#e',
    'https://münchen.example/',
    'HTTPS://SHOP.EXAMPLE',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://localhost.example/',
    `https://shop.example/${'x'.repeat(2048 - 21)}`,
  ]) {
    test(`may be ${url.slice(0, 60)}`, () => assert.equal(checkMerchantUrl(url, false), null));
  }

  const refused: Readonly<Record<string, string>> = {
    '': FORM,
    'shop.example/callback': FORM,
    '/callback': FORM,
    '//shop.example/': FORM,
    'https://': FORM,
    'https://[::1': FORM,
    ' https://shop.example/': FORM,
    'https://shop.example/\n': FORM,
    'https:shop.example': FORM,
    'http:8.8.8.8': FORM,
    'http:/shop.example/x': FORM,
    'http:///8.8.8.8/': FORM,
    'https:////shop.example': FORM,
    'java\tscript:alert(1)': FORM,
    'https://shop.example\\@127.0.0.1/': FORM,
    'https://sh\0p.example/': FORM,
    'javascript:alert(1)': SCHEME,
    'JavaScript:alert(1)': SCHEME,
    'data:text/html,x': SCHEME,
    'file:///etc/passwd': SCHEME,
    'ftp://shop.example/': SCHEME,
    'wss://shop.example/': SCHEME,
    'blob:https://shop.example/1': SCHEME,
    'https://user:password@shop.example/': 'must not carry a user name or password',
    'https://user@shop.example/': 'must not carry a user name or password',
  };
  for (const [url, problem] of Object.entries(refused)) {
    test(`fault 37: may not be ${JSON.stringify(url)}`, () => {
      assert.equal(checkMerchantUrl(url, false), problem);
      assert.equal(checkMerchantUrl(url, true), problem);
    });
  }

  test('may have 2048 characters and no more', () => {
    assert.equal(
      checkMerchantUrl(`https://shop.example/${'x'.repeat(2028)}`, true),
      'must have at most 2048 characters',
    );
  });
});

describe('fault 30: a literal address inside', () => {
  for (const host of [
    '127.0.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.2.1',
    '168.63.129.16',
    '192.52.193.1',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '255.255.255.255',
    '１２７.0.0.1',
    '127.0.0.1.',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    '[::]',
    '[::1]',
    '[2001:db8:1:2:3:4:5:6]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:8.8.8.8]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::169.254.169.254]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001:0:1::1]',
    '[2001:db8::1]',
    '[fc00::1]',
    '[fdff::1]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[0:0:0:0:0:0:0:1]',
    '[100::1]',
  ]) {
    test(`${host} is refused, and allowed where private networks are`, () => {
      assert.equal(checkMerchantUrl(`https://${host}/x`, false), PRIVATE);
      assert.equal(checkMerchantUrl(`https://${host}:8443/x`, true), null);
    });
  }

  test('with a mark of direction or another invisible character is refused, also where only a browser follows it', () => {
    for (const code of [0x202e, 0x202a, 0x2066, 0x2069, 0x200f, 0x061c, 0x200b, 0xfeff, 0xad])
      for (const allowPrivate of [false, true]) {
        const text = `https://shop.example/a${String.fromCodePoint(code)}b`;
        assert.match(checkMerchantUrl(text, allowPrivate) ?? '', /invisible|absolute/, code.toString(16));
      }
    assert.equal(checkMerchantUrl('https://shop.example/a%E2%80%AEb', false), null);
    assert.equal(checkMerchantUrl('https://shop.example/caf\u00e9', false), null);
  });

  test('is refused in every block it can lie in, however it is written', () => {
    const inside = fc.oneof(
      fc.nat({ max: 0xff_ffff }).map((low) => 0x0a00_0000 + low),
      fc.nat({ max: 0xff_ffff }).map((low) => 0x7f00_0000 + low),
      fc.nat({ max: 0xffff }).map((low) => 0xc0a8_0000 + low),
      fc.nat({ max: 0xf_ffff }).map((low) => 0xac10_0000 + low),
    );
    const writings = [
      (n: number) => String(n),
      (n: number) => `0x${n.toString(16)}`,
      (n: number) => `${n >>> 24}.${(n >>> 16) & 255}.${n & 0xffff}`,
      (n: number) => `[::ffff:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}]`,
    ];
    fc.assert(
      fc.property(inside, fc.constantFrom(...writings), (n, write) =>
        assert.equal(checkMerchantUrl(`http://${write(n)}/`, false), PRIVATE),
      ),
    );
  });

  test('any text is answered, never thrown at', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.ipV6().map((ip) => `http://[${ip}]/`),
    );
    fc.assert(fc.property(text, fc.boolean(), (url, allow) => void checkMerchantUrl(url, allow)));
  });
});
