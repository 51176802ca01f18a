import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PLAIN_HEAD, readPlainHead } from '../../../host/gateway/fast-path/http1/plain-request.ts';
import { PlainRequestReader } from '../../../host/gateway/fast-path/plain-request-reader.ts';
import { readWith } from './read-with.ts';

/** A request whose head has so many bytes. */
function request(headBytes: number, body: string): string {
  const lines = `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\nX: `;
  return `${lines.padEnd(headBytes - 4, 'a')}\r\n\r\n${body}`;
}

test('a head is read as a whole whatever its length, and what follows it is no part of it', () => {
  for (const body of ['', 'GET / HTTP/1.1\r\n\r\n', 'b'.repeat(3000)])
    for (const near of [100, 1024, 2048, MAX_PLAIN_HEAD]) {
      const reader = new PlainRequestReader();
      // The first is read anew, the others by what the reader knows of those before them.
      for (const size of [near, near - 1, near + 1, near]) {
        const text = request(size, body);
        const found = readWith(reader, Buffer.from(text, 'latin1'));
        assert.deepEqual(found, readPlainHead(text)?.request ?? null, String(size));
        assert.equal(found?.length ?? null, size > MAX_PLAIN_HEAD ? null : size);
        assert.equal(readWith(reader, Buffer.from(text.slice(0, size - 1), 'latin1')), null);
      }
    }
});
