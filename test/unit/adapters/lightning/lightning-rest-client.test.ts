import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LightningRestClient } from '../../../../adapters/lightning/lightning-rest-client.ts';
import { isTillgateError } from '../../../../core/index.ts';
import { serveFake } from '../../../support/lightning/fake-server.ts';
import type { FakeReply, FakeRequest, FakeServer } from '../../../support/lightning/fake-server.ts';
import { selfSigned } from '../callbacks/certificate.ts';

const SECRET = 'macaroon-of-64-digits';
const GET = { method: 'GET', path: '/' } as const;
const NEVER = new AbortController().signal;
const LONG_MS = 60_000;

async function withServer(
  answer: (request: FakeRequest) => FakeReply,
  work: (client: LightningRestClient, server: FakeServer) => Promise<void>,
  certificate?: string,
): Promise<void> {
  const server = await serveFake(true, answer, () => false);
  const client = new LightningRestClient({
    url: server.url,
    headers: { 'grpc-metadata-macaroon': SECRET },
    certificate: certificate ?? server.certificate,
  });
  try {
    await work(client, server);
  } finally {
    await client.close();
    await server.close();
  }
}

const fails = (work: Promise<unknown>, words: RegExp): Promise<void> =>
  assert.rejects(
    work,
    (error: unknown) =>
      (isTillgateError(error, 'NODE_FAILED') && words.test(error.message) && !error.message.includes(SECRET)) ||
      assert.fail(String(error)),
  );

async function all(client: LightningRestClient, signal = NEVER, idleMs = LONG_MS): Promise<readonly unknown[]> {
  const messages: unknown[] = [];
  for await (const { body } of client.stream(GET, signal, idleMs)) messages.push(body);
  return messages;
}

describe('the client of a Lightning node', () => {
  test('trusts the pinned certificate whatever name the server goes by, and no other', async () => {
    const answer = (): FakeReply => ({ status: 200, body: {} });
    await withServer(answer, async (client) => assert.equal((await client.request(GET)).status, 200));
    await withServer(
      answer,
      (client) => fails(client.request(GET), /cannot be reached \(DEPTH_ZERO_SELF_SIGNED_CERT/),
      selfSigned('lightning.test').cert,
    );
    const server = await serveFake(true, answer, () => false);
    const trusting = new LightningRestClient({ url: server.url, headers: {}, certificate: null });
    await fails(trusting.request(GET), /cannot be reached \(DEPTH_ZERO_SELF_SIGNED_CERT/);
    await trusting.close();
    await server.close();
  });

  test('leaves every number as its digits', async () => {
    const text = '{"msat":9007199254740993,"small":0.1,"told":"7","yes":true}';
    await withServer(
      () => ({ status: 200, body: text }),
      async (client) => {
        assert.deepEqual((await client.request(GET)).body, {
          msat: '9007199254740993',
          small: '0.1',
          told: '7',
          yes: true,
        });
      },
    );
  });

  test('fault 73: its errors name the host, and neither the secret nor a path', async () => {
    await withServer(
      () => ({ status: 500, body: { message: `bad macaroon ${SECRET}` } }),
      async (client, server) => {
        const { body } = await client.request({ method: 'POST', path: '/v1/secret-path', body: {} });
        assert.equal(
          client.refusal('a call', (body as { message: string }).message).message,
          `The Lightning node at ${client.host} refused a call: bad macaroon ***.`,
        );
        server.manners.down = true;
        await fails(
          client.request({ method: 'GET', path: '/v1/secret-path' }),
          /^The Lightning node at 127\.0\.0\.1:\d+ cannot be reached \(UND_ERR_SOCKET\)\.$/,
        );
      },
    );
  });

  test('gives up on a node that does not answer in time', async () => {
    await withServer(
      () => ({ follow: () => () => undefined }),
      (client) => fails(client.request({ ...GET, timeoutMs: 1_000 }), /did not answer in time/),
    );
  });

  test('reads a stream line by line, however it is cut into pieces, to its end', async () => {
    const follow = (write: (message: unknown) => void, end: () => void): (() => void) => {
      for (const size of [1, 70_000, 3]) write({ text: 'ü'.repeat(size) });
      end();
      return () => undefined;
    };
    await withServer(
      () => ({ follow }),
      async (client) => {
        assert.deepEqual(
          (await all(client)).map((message) => (message as { text: string }).text.length),
          [1, 70_000, 3],
        );
      },
    );
  });

  test('a stream that is cut is an error; one that is silent for too long ends', async () => {
    const follow = (write: (message: unknown) => void): (() => void) => {
      write({ first: true });
      return () => undefined;
    };
    await withServer(
      () => ({ follow }),
      async (client, server) => {
        const cut = (async () => {
          for await (const message of client.stream(GET, NEVER, LONG_MS)) {
            assert.deepEqual(message.body, { first: true });
            server.cut();
          }
        })();
        await fails(cut, /cannot be reached/);
        assert.deepEqual(await all(client, NEVER, 1_000), [{ first: true }]);
      },
    );
  });

  test('fault 28: a line without an end is not read to its end', async () => {
    const follow = (write: (message: unknown) => void): (() => void) => {
      write('x'.repeat(17 * 1024 * 1024));
      return () => undefined;
    };
    await withServer(
      () => ({ follow }),
      async (client) => fails(all(client), /reply that is too large/),
    );
  });

  test('a stream that is refused tells its refusal as its only message', async () => {
    await withServer(
      () => ({ status: 404, body: { code: 5, message: 'not here' } }),
      async (client) => assert.deepEqual(await all(client), [{ code: '5', message: 'not here' }]),
    );
  });
});
