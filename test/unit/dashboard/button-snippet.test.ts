import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buttonSnippet } from '../../../host/dashboard/app/pages/links/button-snippet.ts';

test('the button of a payment link is a plain link with its style, and a title of any characters is text in it', () => {
  const html = buttonSnippet('https://pay.example/l/0a1b', `<b onclick="x">Tea & 'cake'</b>`);
  assert.match(html, /^<a href="https:\/\/pay\.example\/l\/0a1b" rel="noopener" style="[^"<>]+">[^<>]*<\/a>$/);
  assert.ok(html.includes(`&lt;b onclick=&quot;x&quot;&gt;Tea &amp; 'cake'&lt;/b&gt;`));
  assert.ok(!html.includes('script'));
});
