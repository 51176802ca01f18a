import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isMailAddress, nameKey, nameProblem, supportProblem, usualName } from '../../../core/orders/brand-texts.ts';

describe('the name of a merchant', () => {
  test('is taken in any language', () => {
    for (const name of ['Corner Shop', 'Söhne & Cie. (2)', 'Пекарня № 1', '商店', 'متجر الزاوية', 'Магазин Apple', 'B'])
      assert.equal(nameProblem(usualName(name)), null, name);
    assert.equal(usualName('  Corner   Shop '), 'Corner Shop');
  });

  test('fault 229: has no controls, bidirectional or invisible characters, and no word of two alphabets that look alike', () => {
    const hidden = [
      '\n',
      '\u0000',
      '\u202e',
      '\u2066',
      '\u200b',
      '\u200d',
      '\ufeff',
      '\u00ad',
      '\ue000',
      '\u2028',
      '\ud800',
    ];
    for (const character of hidden)
      assert.match(nameProblem(`Shop${character}x`) ?? '', /visible/, JSON.stringify(character));
    assert.match(nameProblem('e\u0301\u0301\u0301\u0301') ?? '', /visible/);
    for (const name of ['\u0410pple', 'Pay\u0440al', '\u039fmega', 'Shop \u0410pple'])
      assert.match(nameProblem(name) ?? '', /mix/, name);
    for (const name of ['', '--', 'x'.repeat(65)]) assert.notEqual(nameProblem(name), null, name);
  });

  test('names that a payer would take for the same have the same key', () => {
    const key = nameKey('Corner Shop');
    for (const name of ['corner shop', 'CornerShop', 'Corner-Shop!', '\uff23orner Shop', 'Córner Shop'])
      assert.equal(nameKey(name), key, name);
    assert.notEqual(nameKey('Corner Shops'), key);
  });
});

test('fault 229: a support address is a mail address or an https URL in plain ASCII, and leads where it reads', () => {
  for (const good of [
    'help@shop.example',
    'a.b+c@x-y.example',
    'https://shop.example',
    'https://shop.example:8443/help?a=1&b=%20',
  ])
    assert.equal(supportProblem(good), null, good);
  const bad = [
    'javascript:alert(1)',
    'http://shop.example',
    'https://shop.example@evil.example',
    'https://sh\u043ep.example',
    'https://shop.example/\u202e',
    'https://shop.example/#x',
    'https://localhost',
    'help@shop.example?subject=x',
    'help@localhost',
    '"a b"@shop.example',
    'help@shop.example\nBcc: x@y.example',
    `${'x'.repeat(250)}@shop.example`,
    '',
  ];
  for (const each of bad) assert.notEqual(supportProblem(each), null, each);
  assert.ok(isMailAddress('help@shop.example') && !isMailAddress('https://shop.example'));
});
