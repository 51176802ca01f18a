import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { resolveByDns, resolveBySystem } from '../../../../adapters/callbacks/index.ts';

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** A name server that answers each query type with these addresses' bytes, or with silence. */
async function nameServer(
  t: TestContext,
  answers: Readonly<Record<number, readonly (readonly number[])[]>> | null,
): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    if (answers === null) return;
    const type = query.readUInt16BE(query.length - 4 - additionalLength(query));
    const question = query.subarray(12, query.length - additionalLength(query));
    const found = answers[type] ?? [];
    const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, found.length, 0, 0, 0, 0]);
    const records = found.map((bytes) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, question, ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

/** The bytes of an EDNS record (RFC 6891) that may follow the question. */
function additionalLength(query: Buffer): number {
  return query.readUInt16BE(10) === 0 ? 0 : query.length - (query.indexOf(0, 12) + 5);
}

const never = new AbortController().signal;

describe('resolveByDns', () => {
  test('finds addresses of both kinds', async (t) => {
    const ipv6 = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    const server = await nameServer(t, {
      [TYPE_A]: [
        [192, 0, 2, 1],
        [192, 0, 2, 2],
      ],
      [TYPE_AAAA]: [ipv6],
    });
    assert.deepEqual(await resolveByDns([server])('shop.example', never), ['192.0.2.1', '192.0.2.2', '2606:4700::1']);
  });

  test('one kind is enough, and none is an empty list', async (t) => {
    const one = await nameServer(t, { [TYPE_A]: [[192, 0, 2, 1]] });
    assert.deepEqual(await resolveByDns([one])('shop.example', never), ['192.0.2.1']);
    const none = await nameServer(t, {});
    assert.deepEqual(await resolveByDns([none])('shop.example', never), []);
  });

  test('a silent name server is given up with the signal', async (t) => {
    const server = await nameServer(t, null);
    const signal = AbortSignal.timeout(50);
    assert.deepEqual(await resolveByDns([server])('shop.example', signal), []);
    assert.equal(signal.aborted, true);
  });
});

test('resolveBySystem knows the names of the hosts file', async () => {
  const found = await resolveBySystem('localhost', never);
  assert.ok(found.includes('127.0.0.1') || found.includes('::1'));
});
