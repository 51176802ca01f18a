import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from '../../../host/dashboard/app/pages/security/browser-name.ts';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const AGENTS: Readonly<Record<string, string>> = {
  'Chrome · Linux': `Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`,
  'Edge · Windows': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/140.0.0.0`,
  'Firefox · macOS': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Safari · iOS':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Samsung Internet · Android': `Mozilla/5.0 (Linux; Android 14; SM-S911B) ${CHROME} SamsungBrowser/27.0`,
  curl: 'curl/8.5.0',
  'my-shop/1.0': 'my-shop/1.0',
};

test('a browser is called as people call it, and an unknown program by what it says', () => {
  assert.deepEqual(Object.values(AGENTS).map(browserName), Object.keys(AGENTS));
});
