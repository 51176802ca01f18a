import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readResponseHead } from '../../../host/gateway/fast-path/http1/response-head.ts';
import { ResponseHeadCache } from '../../../host/gateway/fast-path/response-head-cache.ts';

/** What follows the head is the node's, too. */
const BODY = '9\r\nContent-Length: 7\r\n\r\n';

const read = (cache: ResponseHeadCache, text: string, method = 'POST'): ReturnType<ResponseHeadCache['read']> =>
  cache.read(Buffer.from(`??${text}${BODY}`, 'latin1'), 2, method);

test('a head is read the same way whatever came before it', () => {
  const value = fc.constantFrom('0', '1', '12', '0012', '', '-1', '+1', '1, 1', '1 ', '12345678901234567', 'x');
  const name = fc.constantFrom('Content-Length', 'content-length', 'X-Content-Length', 'Content-Lengths', 'X');
  const line = fc.tuple(name, fc.constantFrom(':', ': ', ':\t'), value).map((parts) => `${parts.join('')}\r\n`);
  const start = fc.constantFrom(
    'HTTP/1.1 200 OK',
    'HTTP/1.0 200 OK',
    'HTTP/1.1 204 None',
    'HTTP/1.1 304 x',
    'HTTP/1.1 100 x',
  );
  const text = fc
    .tuple(start, fc.array(line, { maxLength: 3 }))
    .map(([first, lines]) => `${first}\r\n${lines.join('')}\r\n`);
  const asked = fc.tuple(text, fc.constantFrom('POST', 'HEAD'));
  let alike = 0;
  fc.assert(
    fc.property(fc.array(asked, { minLength: 2, maxLength: 20 }), (all) => {
      const cache = new ResponseHeadCache();
      for (const [each, method] of all) {
        const plain = readResponseHead(each, method);
        const expected = typeof plain === 'number' || plain.status < 200 ? null : plain;
        assert.deepEqual(read(cache, each, method), expected, each);
        if (expected?.declaredLength != null) alike += 1;
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(alike > 1000, String(alike));
});

test('heads that differ in the length alone have the same fields, which are read once', () => {
  const cache = new ResponseHeadCache();
  const head = (length: string, more = ''): string =>
    `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nDate: now${more}\r\n\r\n`;
  const first = read(cache, head('5'));
  const longer = read(cache, head('1234'));
  assert.equal(longer?.fields, first?.fields);
  assert.deepEqual(first?.fields, ['Content-Type', 'text/plain', 'Date', 'now']);
  assert.deepEqual([longer?.contentLength, longer?.declaredLength], [1234, '1234']);
  assert.equal(longer?.length, head('1234').length);
  assert.notEqual(read(cache, head('5', '!'))?.fields, first?.fields);
});
