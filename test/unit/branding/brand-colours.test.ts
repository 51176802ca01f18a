import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandColours, contrastOf } from '../../../host/checkout/brand-colours.ts';

const GROUNDS = { light: ['#ffffff', '#f6f8fa', '#f2f4f7'], dark: ['#181f28', '#11171e', '#0e1319'] } as const;

test('whatever colour a merchant has, it is the colour of buttons, and all text can be read in both schemes', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(colour, (given) => {
      for (const scheme of ['light', 'dark'] as const) {
        const { fill, onFill, text } = brandColours(given, scheme);
        assert.equal(fill, given);
        assert.ok(contrastOf(fill, onFill) >= 4.5, `${onFill} on ${fill}`);
        if (text === null) continue;
        assert.equal(text, given);
        for (const ground of GROUNDS[scheme]) assert.ok(contrastOf(text, ground) >= 4.5, `${text} on ${ground}`);
      }
    }),
    { numRuns: 2_000, examples: [['#ffffff'], ['#000000'], ['#ffd700'], ['#767676']] },
  );
});

test('yellow stays yellow, with dark text on it, and is the colour of links only where it can be read', () => {
  assert.deepEqual(brandColours('#ffd700', 'light'), { fill: '#ffd700', onFill: '#000000', text: null });
  assert.deepEqual(brandColours('#ffd700', 'dark'), { fill: '#ffd700', onFill: '#000000', text: '#ffd700' });
  assert.deepEqual(brandColours('#0a5bab', 'light'), { fill: '#0a5bab', onFill: '#ffffff', text: '#0a5bab' });
  assert.equal(Math.round(contrastOf('#ffffff', '#000000')), 21);
});
