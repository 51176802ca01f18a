import assert from 'node:assert/strict';
import { createServer, get } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import express from 'express';
import { writeParts } from '../../adapters/http/express/write-parts.ts';
import { fetchBinding } from '../../adapters/http/fetch/index.ts';
import {
  ANYBODY,
  createHttpServer,
  createOperations,
  expressBinding,
  HttpApi,
  RequestsInProgress,
  textOperation,
} from '../../adapters/http/index.ts';
import type { Operation } from '../../adapters/http/index.ts';
import { waitFor } from '../support/wait.ts';
import { startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

/** More than any socket buffers, if all of it were written at once. */
const ENDLESS = 400;
const PART = `${'x'.repeat(256 * 1024 - 1)}\n`;

/** A source of parts, and what became of it. */
class Source implements AsyncIterable<string> {
  asked = 0;
  over = false;
  readonly #parts: number;
  readonly #text: string;
  readonly #breaks: boolean;

  constructor(parts: number, text: string, breaks = false) {
    this.#parts = parts;
    this.#text = text;
    this.#breaks = breaks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    try {
      while (this.asked < this.#parts) {
        this.asked += 1;
        yield this.#text;
      }
      if (this.#breaks) throw new Error('the database is away');
    } finally {
      this.over = true;
    }
  }
}

async function listening(t: Pick<TestContext, 'after'>, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => (server.closeAllConnections(), server.close()));
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

/** What a plain connection gets, and how it ends. */
function exchange(port: number, version: string): Promise<{ readonly text: string; readonly ended: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET /parts HTTP/${version}\r\nHost: x\r\n\r\n`));
    let text = '';
    let ended = false;
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.endsWith('\r\n0\r\n\r\n')) socket.end();
    });
    socket.on('end', () => (ended = true));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ text, ended }));
  });
}

function open(port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) =>
    get({ host: '127.0.0.1', port, path: '/parts' }, resolve).on('error', reject),
  );
}

describe('a reply of parts', () => {
  let edge: FakeEdge;
  let source: Source;
  let api: HttpApi;
  let operation: Operation;
  let port: number;
  let close: () => void;
  before(async () => {
    edge = await startFakeEdge();
    operation = textOperation({
      id: 'parts',
      method: 'GET',
      path: '/parts',
      summary: '',
      description: '',
      tag: 'Test',
      auth: ANYBODY,
      type: 'text/plain',
      handler: () => Promise.resolve({ status: 200, headers: {}, body: '', parts: source }),
    });
    api = new HttpApi(createOperations(edge.deps.settings, [operation]), edge.deps);
    const app = express();
    app.use(expressBinding(api));
    const server = createHttpServer(app, api).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    port = (server.address() as AddressInfo).port;
    close = () => (server.closeAllConnections(), void server.close());
  });
  after(async () => {
    close();
    await edge.close();
  });
  beforeEach(() => {
    edge.logger.lines.length = 0;
  });

  const byFetch = (method = 'GET'): Promise<Response> =>
    fetchBinding(api, { facts: () => ({ peer: '' }) })(new Request('http://till.example/parts', { method }));

  test('arrives whole, by chunks, over HTTP/1.0 and as a Response', async () => {
    source = new Source(3, 'a line\n');
    const { text } = await exchange(port, '1.1');
    assert.match(text, /transfer-encoding: chunked/i);
    assert.equal(text.split('a line\n').length, 4);
    source = new Source(3, 'a line\n');
    const old = await exchange(port, '1.0');
    assert.deepEqual([old.text.split('\r\n\r\n')[1], old.ended], ['a line\n'.repeat(3), true]);
    source = new Source(3, 'a line\n');
    assert.equal(await (await byFetch()).text(), 'a line\n'.repeat(3));
    assert.deepEqual([source.over, edge.logger.lines.filter(({ level }) => level === 'error')], [true, []]);
  });

  for (const version of ['1.1', '1.0'])
    test(`fault 175: a reply over HTTP/${version} whose source breaks is never taken for a whole one`, async () => {
      source = new Source(2, 'a line\n', true);
      const { text, ended } = await exchange(port, version);
      assert.doesNotMatch(text, /\r\n0\r\n\r\n$/);
      if (version === '1.0') assert.equal(ended, false, 'a clean end');
      assert.match(JSON.stringify(edge.logger.lines), /a reply was interrupted.*the database is away/);
    });

  test('fault 175: the body of a Response whose source breaks is an error', async () => {
    source = new Source(2, 'a line\n', true);
    const response = await byFetch();
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), /the database is away/);
    assert.match(JSON.stringify(edge.logger.lines), /a reply was interrupted/);
  });

  test('a Response is in progress until its parts are taken, break, or are wanted no more', async () => {
    const ends: Readonly<Record<string, (response: Response) => Promise<unknown>>> = {
      taken: (response) => response.text(),
      broken: (response) => assert.rejects(response.text()),
      unwanted: (response) => (response.body as ReadableStream).cancel(),
    };
    for (const [name, end] of Object.entries(ends)) {
      const requests = new RequestsInProgress();
      const { settings } = edge.deps;
      const counted = new HttpApi(createOperations(settings, [operation]), { ...edge.deps, requests });
      source = new Source(3, 'a line\n', name === 'broken');
      const response = await fetchBinding(counted, { facts: () => ({ peer: '' }) })(
        new Request('http://till.example/parts'),
      );
      const events: string[] = [];
      const closing = requests.close().then(() => events.push('closed'));
      await new Promise(setImmediate);
      events.push(name);
      await end(response);
      await closing;
      assert.deepEqual(events, [name, 'closed']);
    }
  });

  test('a HEAD asks for no part', async () => {
    source = new Source(3, 'a line\n');
    assert.equal((await edgeHead(port)).statusCode, 200);
    const response = await byFetch('HEAD');
    assert.deepEqual([response.status, response.body, source.asked], [200, null, 0]);
  });

  test('fault 192: a client that leaves ends the reading', async () => {
    source = new Source(ENDLESS, PART);
    const response = await open(port);
    await new Promise((resolve) => response.once('data', resolve));
    response.destroy();
    await waitFor(() => source.over);
    assert.ok(source.asked < ENDLESS, `${source.asked} parts`);
    source = new Source(ENDLESS, PART);
    const reader = ((await byFetch()).body as ReadableStream<Uint8Array>).getReader();
    assert.equal(source.asked, 0);
    await reader.read();
    await reader.read();
    assert.equal(source.asked, 2);
    await reader.cancel();
    assert.deepEqual([source.over, source.asked], [true, 2]);
  });

  test('fault 192: no part is read for a client that does not take the former ones, and it is not waited for without end', async (t) => {
    source = new Source(ENDLESS, PART);
    const slow = await listening(t, (req, res) => void writeParts(req, res, 200, {}, source, 200));
    const response = await open(slow);
    await waitFor(() => source.over);
    assert.ok(source.asked < ENDLESS / 2, `${source.asked} parts`);
    await assert.rejects(async () => {
      for await (const chunk of response) assert.ok(chunk);
    });
  });

  test('a client that takes its time gets all of it', async () => {
    source = new Source(40, PART);
    let bytes = 0;
    for await (const chunk of await open(port)) {
      bytes += (chunk as Buffer).length;
      await new Promise(setImmediate);
    }
    assert.deepEqual([bytes, source.asked, source.over], [40 * PART.length, 40, true]);
  });
});

function edgeHead(port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) =>
    get({ host: '127.0.0.1', port, path: '/parts', method: 'HEAD' }, (response) => resolve(response.resume())).on(
      'error',
      reject,
    ),
  );
}
