import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createHost } from '../../host/index.ts';
import { freePort } from '../support/free-port.ts';
import { freshDirectory } from './till-process.ts';

for (const [baseUrl, header] of [
  ['https://pay.example.com', 'max-age=31536000; includeSubDomains'],
  ['http://pay.example.com', null],
] as const) {
  test(`a production server at ${baseUrl} sends ${header === null ? 'no' : 'a'} Strict-Transport-Security`, async (t) => {
    const directory = freshDirectory();
    const port = await freePort();
    const host = createHost(
      {
        mode: 'production',
        baseUrl,
        listen: { host: '127.0.0.1', port },
        rates: { sources: [{ use: 'static', prices: { EUR: '1.08' } }] },
      },
      { directory: directory.path, environment: { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64') } },
    );
    t.after(async () => {
      await host.stop();
      directory.remove();
    });
    await host.start();
    for (const path of ['/livez', '/manage/v1/session', '/nowhere']) {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
      assert.equal(headers.get('strict-transport-security'), header, path);
    }
  });
}
