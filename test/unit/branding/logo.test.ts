import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_LOGO_BYTES, readLogo } from '../../../core/orders/logo.ts';
import { jpeg, png, webp } from '../../support/pictures.ts';

describe('a logo', () => {
  test('is what its bytes are: PNG, JPEG, or WebP of each kind', () => {
    assert.deepEqual(readLogo(png(64, 32)), { type: 'image/png' });
    assert.deepEqual(readLogo(jpeg(1024, 1)), { type: 'image/jpeg' });
    for (const kind of ['VP8 ', 'VP8L', 'VP8X'] as const)
      assert.deepEqual(readLogo(webp(kind, 1024, 1024)), { type: 'image/webp' }, kind);
  });

  test('fault 230: anything else is refused, SVG and HTML first of all, whatever it begins with', () => {
    const others = [
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      '<html><script>alert(1)</script>',
      'GIF89a\u0001\u0000\u0001\u0000',
      '\u0089PNG\r\n\u001a\n<script>alert(1)</script><script>alert(1)</script>',
      'RIFF0000WEBPhtml<script>alert(1)</script>',
      '\u00ff\u00d8\u00ff<script>alert(1)</script>',
      '\u00ff\u00d8\u00ff',
      '',
    ];
    for (const text of others) assert.ok('problem' in readLogo(Buffer.from(text, 'latin1')), JSON.stringify(text));
    for (let length = 0; length < 33; length++) assert.ok('problem' in readLogo(png(64, 64).subarray(0, length)));
    for (let length = 0; length < 29; length++) assert.ok('problem' in readLogo(jpeg(64, 64).subarray(0, length)));
    for (let length = 0; length < 30; length++)
      assert.ok('problem' in readLogo(webp('VP8L', 64, 64).subarray(0, length)));
  });

  test('fault 230: too many bytes, or too many pixels in few bytes, are refused', () => {
    const padded = Buffer.concat([png(64, 64), Buffer.alloc(MAX_LOGO_BYTES)]);
    assert.ok('problem' in readLogo(padded));
    for (const wide of [
      png(1025, 1),
      png(1, 100_000),
      jpeg(1025, 1),
      jpeg(1, 1025),
      webp('VP8X', 1025, 1),
      webp('VP8L', 1, 1025),
    ])
      assert.match((readLogo(wide) as { problem: string }).problem, /1024 pixels/);
    for (const none of [png(0, 1), jpeg(0, 1), webp('VP8 ', 0, 1)])
      assert.match((readLogo(none) as { problem: string }).problem, /pixels/);
  });
});
