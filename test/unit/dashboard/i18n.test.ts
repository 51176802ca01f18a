import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES, preferredLocale } from '../../../host/dashboard/app/i18n.ts';
import { en } from '../../../host/dashboard/app/messages/en.ts';
import { LANGUAGES as PAYERS_LANGUAGES } from '../../../host/checkout/languages.ts';

/** Forms of a plural, where they are not two. */
const PLURAL_FORMS: Readonly<Record<string, number>> = { ar: 6, ru: 3, ja: 1, ko: 1, zh: 1 };

/** One form of a plural may say the count in words, or the name of one record only. */
const MAY_LACK: readonly string[] = ['%{smart_count}', '%{recordRepresentation}'];

/** Each text with the way to it. */
function textsOf(part: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof part === 'string') return [[path, part]];
  return Object.entries(part as object).flatMap(([key, value]) => textsOf(value, `${path}.${key}`));
}

const placeholders = (text: string): readonly string[] => [...new Set(text.match(/%\{\w+\}/g))].sort();
const forms = (text: string): number => text.split('||||').length;

test('a browser’s first known language is taken, and English where none is known', () => {
  assert.equal(preferredLocale(['pt-BR', 'de']), 'pt');
  assert.equal(preferredLocale(['nl', 'zh-Hant-TW']), 'zh');
  assert.equal(preferredLocale([]), 'en');
  assert.equal(preferredLocale(['__proto__', 'constructor']), 'en');
});

test('the dashboard has the languages of the payer’s page', () => {
  assert.deepEqual(
    LANGUAGES.map(({ locale, name, direction }) => [locale, name, direction]),
    PAYERS_LANGUAGES.map(({ tag, name, direction }) => [tag, name, direction]),
  );
});

for (const { locale, name, load } of LANGUAGES)
  test(`${name} has each text with its placeholders, in as many forms as its plural has`, async () => {
    const english = new Map(textsOf(en));
    const texts = textsOf(await load());
    const plural = PLURAL_FORMS[locale] ?? 2;
    assert.deepEqual(texts.map(([key]) => key).sort(), [...english.keys()].sort());
    for (const [key, text] of texts) {
      const source = english.get(key) ?? '';
      // Of a value that is neither yes nor no react-admin says nothing.
      assert.equal(text.trim() === '', source.trim() === '', key);
      const [has, wants] = [placeholders(text), placeholders(source)];
      assert.deepEqual(
        has.filter((each) => !wants.includes(each)),
        [],
        `${key} has a placeholder that nothing fills`,
      );
      assert.deepEqual(
        wants.filter((each) => !has.includes(each) && !MAY_LACK.includes(each)),
        [],
        `${key} leaves out what is to be read`,
      );
      assert.ok(forms(text) === plural || (forms(text) === 1 && (forms(source) === 1 || plural === 1)), key);
    }
  });
