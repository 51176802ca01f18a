import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buttonSnippet } from '../../../host/dashboard/app/pages/links/button-snippet.ts';

test('the button of a payment link is a plain link with its style, and a title of any characters is text in it', () => {
  const html = buttonSnippet('https://pay.example/l/0a1b', `<b onclick="x">Tea & 'cake'</b>`);
  assert.match(html, /^<a href="https:\/\/pay\.example\/l\/0a1b" rel="noopener" style="[^"<>]+">[^<>]*<\/a>$/);
  assert.ok(html.includes(`&lt;b onclick=&quot;x&quot;&gt;Tea &amp; 'cake'&lt;/b&gt;`));
  assert.ok(!html.includes('script'));
});

test('the button has the colour of the account, with text that can be read; what is no colour is not written into it', () => {
  const of = (colour: string | null): string => buttonSnippet('https://pay.example/l/0a1b', 'Tea', colour);
  assert.match(of('#ffd700'), /background:#ffd700;color:#000000;/);
  assert.match(of('#8a1253'), /background:#8a1253;color:#ffffff;/);
  assert.match(of(null), /background:#0a5bab;color:#ffffff;/);
  assert.match(of('red"onclick="x'), /background:#0a5bab;/);
});
