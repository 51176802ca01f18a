import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { signTestCallback } from '../../../adapters/client/index.ts';
import { freshDirectory } from '../../host/till-process.ts';
import { startShopTill } from '../shops/till.ts';
import type { ShopTill } from '../shops/till.ts';
import { freePort } from '../../support/free-port.ts';
import { endWithThisProcess, stopProcess } from '../../support/processes.ts';
import { repository } from '../../support/source-tree.ts';
import { waitFor } from '../../support/wait.ts';

const PATH = '/callbacks/till?shop=1';
const LAST_ORDER = '1530217733414239999';
const file = (name: string): string => join(repository, 'examples/receive-callbacks', name);
/** The commands of examples/receive-callbacks/README.md. */
const RECEIVERS: Readonly<Record<string, (port: number) => readonly [program: string, ...args: string[]]>> = {
  typescript: () => [process.execPath, '--import', import.meta.resolve('tsx'), file('typescript/main.ts')],
  python: () => ['python3', file('python/main.py')],
  go: () => ['go', 'run', file('go/main.go')],
  php: (port) => ['php', '-S', `127.0.0.1:${port}`, file('php/main.php')],
};

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Receiver {
  /** @returns the status of the answer */
  deliver(sent: Sent): Promise<number>;
  /** The orders that it has handled, each as often as that. */
  handled(): string[];
}

/** @throws Error with what it said, where the language is not on this machine */
async function startReceiver(t: TestContext, language: string, callbackSecret: string): Promise<Receiver> {
  const directory = freshDirectory();
  const port = await freePort();
  const [program, ...args] = RECEIVERS[language]?.(port) ?? [''];
  const env = { ...process.env, PORT: String(port), CALLBACK_SECRET: callbackSecret, GO111MODULE: 'off' };
  // A group of its own: `go run` leaves its program behind when it alone is ended.
  const child = spawn(program, args, { cwd: directory.path, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  let out = '';
  let failure: Error | null = null;
  child.once('error', (error) => (failure = error));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  endWithThisProcess(child, kill);
  t.after(async () => {
    if (failure === null && child.exitCode === null) {
      kill();
      await stopProcess(child);
    }
    directory.remove();
  });
  await waitFor(
    () => {
      if (failure !== null || child.exitCode !== null)
        throw new Error(`${language} does not run here: ${failure?.message ?? out}`);
      return /listens on|Development Server .* started/.test(out);
    },
    { timeoutMs: 120_000, describe: () => `${language} to listen; it said:\n${out}` },
  );
  return {
    deliver: async ({ headers, body }) => {
      const reply = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', headers, body });
      await reply.arrayBuffer();
      return reply.status;
    },
    handled: () => [...out.matchAll(/order (\d+) is [A-Z]+/g)].map(([, id = '']) => id),
  };
}

/** Passes on what the till sends, and keeps it. */
async function startRelay(t: TestContext, receiver: Receiver): Promise<{ url: string; sent: Sent[] }> {
  const sent: Sent[] = [];
  const server = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = req.headers;
      const each = { headers: headers as Record<string, string>, body: Buffer.concat(chunks).toString() };
      const status = await receiver.deliver(each);
      sent.push(each);
      res.writeHead(status).end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`, sent };
}

async function buy(till: ShopTill, callbackUrl: string): Promise<string> {
  const { id: orderId, payUrl } = await till.client.orders.create({
    currency: 'EUR',
    price: '12.50',
    callbackUrl,
    timeoutCallback: callbackUrl,
    enablePostCallback: true,
  });
  await till.pay({ payUrl, orderId });
  await till.mine(orderId);
  return orderId;
}

/** The headers of a callback that a till would send, with another secret or at another time. */
async function forged(callbackSecret: string, at: number, orderId?: string): Promise<Sent> {
  const order = orderId === undefined ? {} : { order_id: orderId };
  const url = `http://127.0.0.1${PATH}`;
  const { headers, body } = await signTestCallback({ url, callbackToken: 'cbt', callbackSecret, at, order });
  return { headers, body: body ?? '' };
}

describe('the receivers of examples/receive-callbacks', () => {
  let till: ShopTill;
  before(async () => (till = await startShopTill()));
  after(() => till.stop());

  for (const language of Object.keys(RECEIVERS)) {
    it(`${language}: takes a till's callback once, and none that is false or old`, async (t) => {
      const receiver = await startReceiver(t, language, till.callbackSecret);
      const relay = await startRelay(t, receiver);
      const orderId = await buy(till, relay.url);
      const [sent] = await waitFor(() => (relay.sent.length > 0 ? relay.sent : undefined), { timeoutMs: 60_000 });
      assert(sent !== undefined);
      await waitFor(() => receiver.handled().length > 0);
      assert.deepEqual(receiver.handled(), [orderId]);

      const { headers, body } = sent;
      const refused: Record<string, Sent> = {
        'a changed body': { headers, body: body.replace('SUCCESS', 'RESOLVED') },
        'another id': { headers: { ...headers, 'webhook-id': 'another' }, body },
        'a later time': {
          headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
          body,
        },
        'no signature': { headers: { ...headers, 'webhook-signature': '' }, body },
        'another secret': await forged(`whsec_${Buffer.alloc(32, 7).toString('base64')}`, Date.now()),
        'six minutes ago': await forged(till.callbackSecret, Date.now() - 360_000),
        'six minutes ahead': await forged(till.callbackSecret, Date.now() + 360_000),
      };
      for (const [name, each] of Object.entries(refused)) assert.equal(await receiver.deliver(each), 400, name);
      // A server may close the connection before it has read so much.
      const long = await receiver.deliver({ headers, body: 'x'.repeat(1_500_000) }).catch(() => 400);
      assert.equal(long, 400);
      // What is signed well and new is taken: the refusals have no other reason.
      const genuine = await forged(till.callbackSecret, Date.now());
      assert.equal(await receiver.deliver(genuine), 204);
      assert.deepEqual(await Promise.all([sent, sent, genuine].map((each) => receiver.deliver(each))), [204, 204, 204]);
      // What it has written of the last one comes after all that it has written of the others.
      const last = await forged(till.callbackSecret, Date.now(), LAST_ORDER);
      assert.equal(await receiver.deliver(last), 204);
      await waitFor(() => receiver.handled().includes(LAST_ORDER));
      const { order_id: second } = JSON.parse(genuine.body) as { order_id: string };
      assert.deepEqual(receiver.handled(), [orderId, second, LAST_ORDER]);
    });
  }
});
