import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandColours, contrastOf } from '../../../host/checkout/brand-colours.ts';

const GROUNDS = { light: ['#ffffff', '#f6f8fa', '#f2f4f7'], dark: ['#181f28', '#11171e', '#0e1319'] } as const;

test('whatever colour a merchant has, links and buttons are readable in both schemes', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(colour, (given) => {
      for (const scheme of ['light', 'dark'] as const) {
        const { mark, onMark } = brandColours(given, scheme);
        assert.match(mark + onMark, /^(?:#[0-9a-f]{6}){2}$/);
        for (const ground of GROUNDS[scheme]) assert.ok(contrastOf(mark, ground) >= 4.5, `${mark} on ${ground}`);
        assert.ok(contrastOf(mark, onMark) >= 4.5, `${onMark} on ${mark}`);
      }
    }),
    { numRuns: 2_000, examples: [['#ffffff'], ['#000000'], ['#ffd700'], ['#767676']] },
  );
});

test('a colour that can be read is left as it is', () => {
  assert.equal(brandColours('#0a5bab', 'light').mark, '#0a5bab');
  assert.equal(brandColours('#ffd700', 'dark').mark, '#ffd700');
  assert.equal(Math.round(contrastOf('#ffffff', '#000000')), 21);
});
