import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isHostPattern, isListedHost } from '../../../core/index.ts';

const HOSTS = [
  'shop.example',
  '*.pay.example',
  'till.example:8443',
  '*.own.example:8080',
  '[2606:4700::1]',
  '93.184.215.14',
];

describe('a list of hosts', () => {
  for (const url of [
    'https://shop.example/paid',
    'http://SHOP.example./paid',
    'https://a.pay.example/',
    'https://a.b.pay.example/',
    'https://till.example:8443/',
    'http://x.own.example:8080/',
    'https://[2606:4700:0:0::1]/',
    'http://0x5db8d70e/',
  ])
    test(`has ${url}`, () => assert.ok(isListedHost(new URL(url), HOSTS)));

  for (const url of [
    'https://other.example/',
    'https://shop.example:8443/',
    'https://shop.example.evil.example/',
    'https://notshop.example/',
    'https://pay.example/',
    'https://evilpay.example/',
    'https://till.example/',
    'https://x.own.example/',
    'https://[2606:4700::2]/',
    'https://a.shop.example/',
  ])
    test(`has not ${url}`, () => assert.equal(isListedHost(new URL(url), HOSTS), false));

  test('that is empty has none', () => assert.equal(isListedHost(new URL('https://shop.example/'), []), false));

  test('takes names, names below one, addresses and ports', () => {
    for (const host of HOSTS) assert.ok(isHostPattern(host), host);
    for (const text of [
      '',
      '*',
      '*.',
      'https://shop.example',
      'shop.example/',
      'Shop.example',
      'a.*.example',
      'shop.example:0',
      'shop.example:',
      'shop example',
      '.example',
      'a@shop.example',
    ])
      assert.equal(isHostPattern(text), false, text);
  });
});
