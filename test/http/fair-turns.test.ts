import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { z } from 'zod';
import { toFetch } from '../../adapters/http/fetch/index.ts';
import { TURN_LIMITS } from '../../adapters/http/fair-turns.ts';
import { dataOperation, merchant } from '../../adapters/http/index.ts';
import type { HttpRequest, Operation, OperationAuth } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { OpenSession } from '../../core/index.ts';
import type { Reply } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';
import { ACCOUNT, startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

const MANY = 200;

/** An operation whose calls end when the test says so. */
class Gate {
  /** The accounts, in the order in which their calls began. */
  readonly begun: string[] = [];
  #open: () => void = () => undefined;
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  readonly operation: Operation;

  constructor(auth: OperationAuth = merchant('read')) {
    this.operation = dataOperation({
      id: 'held',
      method: 'GET',
      path: '/held',
      tag: 'Test',
      summary: 'Held',
      description: 'Held.',
      auth,
      data: z.object({}),
      handler: async ({ principal, session }) => {
        await this.pass(principal?.accountId ?? session?.account.id ?? '');
        return {};
      },
    });
  }

  async pass(name: string): Promise<void> {
    this.begun.push(name);
    await this.#opened;
  }

  open(): void {
    this.#open();
  }
}

const until = (condition: () => boolean, describe: string): Promise<boolean> =>
  waitFor(async () => condition(), { timeoutMs: 20_000, intervalMs: 5, describe });

async function severalThenAnother(edge: FakeEdge, gate: Gate, come: () => number): Promise<void> {
  try {
    const replies: Promise<Reply>[] = Array.from({ length: MANY }, () => edge.client.get('/held'));
    await until(() => come() === MANY, 'all requests to have come');
    assert.deepEqual(gate.begun, Array(TURN_LIMITS.alone).fill(ACCOUNT));
    replies.push(edge.client.with({ 'API-Key': 'other' }).get('/held'));
    await until(() => gate.begun.length > TURN_LIMITS.alone, 'the request of the other account to begin');
    assert.notEqual(gate.begun[TURN_LIMITS.alone], ACCOUNT);
    gate.open();
    for (const { status } of await Promise.all(replies)) assert.equal(status, 200);
  } finally {
    await edge.close();
  }
}

describe('fair turns of accounts', () => {
  test('fault 121: an account with many requests at once has few of them before the first of another', async () => {
    const gate = new Gate();
    const edge = await startFakeEdge({ extra: [gate.operation] });
    await severalThenAnother(edge, gate, () => edge.asked.authenticated.length);
  });

  test('fault 121: so has one with many requests by its session', async () => {
    let admitted = 0;
    const admit = async ({ headers }: HttpRequest): Promise<OpenSession> => {
      admitted += 1;
      return {
        account: { id: headers.get('api-key')?.[0] === 'good' ? ACCOUNT : 'another' },
      } as unknown as OpenSession;
    };
    const gate = new Gate({ kind: 'session', admit });
    await severalThenAnother(await startFakeEdge({ extra: [gate.operation] }), gate, () => admitted);
  });

  test('fault 121: refused strangers take turns too, by their address', async () => {
    const gate = new Gate();
    let [asking, answer] = [0, (): void => undefined];
    const known = new Promise<void>((resolve) => (answer = resolve));
    const authenticate = {
      withoutBody: async () => undefined,
      run: async () => {
        asking += 1;
        await known;
        throw new TillgateError('CREDENTIAL_INVALID', 'nobody');
      },
    };
    const edge = await startFakeEdge({ extra: [gate.operation], deps: { authenticate } });
    try {
      const replies = Array.from({ length: MANY }, () => edge.client.get('/held'));
      await until(() => asking === MANY, 'all requests to have come');
      answer();
      await turnOfLoop();
      assert.equal(edge.logger.lines.length, TURN_LIMITS.alone);
      for (const { status } of await Promise.all(replies)) assert.equal(status, 401);
    } finally {
      await edge.close();
    }
  });

  for (const when of ['while it waited', 'before it waited'] as const) {
    test(`a request whose client left ${when} is never handled`, async () => {
      const gate = new Gate();
      const known = new Gate();
      let closed = 0;
      const edge = await startFakeEdge({
        extra: [gate.operation],
        deps: {
          authenticate: {
            withoutBody: async () => undefined,
            run: async ({ headers }) => {
              if (headers.has('x-late')) await known.pass('');
              return { accountId: ACCOUNT, credentialId: null, via: 'api-key' };
            },
          },
        },
        app: (app) => {
          app.use((_request, response, next) => {
            response.once('close', () => (closed += 1));
            next();
          });
        },
      });
      try {
        const replies = Array.from({ length: TURN_LIMITS.alone }, () => edge.client.get('/held'));
        await until(() => gate.begun.length === TURN_LIMITS.alone, 'the account to have what it may');
        const leaving = new AbortController();
        const left = fetch(new URL('/held', edge.url), { headers: { 'X-Late': '1' }, signal: leaving.signal });
        await until(() => known.begun.length === 1, 'the last one to come');
        if (when === 'while it waited') known.open();
        await turnOfLoop();
        leaving.abort();
        await assert.rejects(left);
        await until(() => closed === 1, 'the server to see that the client has left');
        known.open();
        await turnOfLoop();
        gate.open();
        await Promise.all(replies);
        assert.equal((await edge.client.get('/held')).status, 200);
        assert.equal(gate.begun.length, TURN_LIMITS.alone + 1);
      } finally {
        await edge.close();
      }
    });
  }

  test('a refused request ends its turn', async () => {
    const edge = await startFakeEdge();
    try {
      for (let n = 0; n <= TURN_LIMITS.alone; n++)
        assert.equal((await edge.client.get('/api/v2/order/detail/1')).status, 404);
    } finally {
      await edge.close();
    }
  });

  test('over fetch: too many at once are 42900 with Retry-After, and an aborted one is never handled', async () => {
    const gate = new Gate();
    const edge = await startFakeEdge();
    try {
      const handle = toFetch(edge.deps, { facts: () => ({ peer: '192.0.2.7' }), extra: [gate.operation] });
      const ask = (signal: AbortSignal | null = null): Promise<Response> =>
        handle(new Request('https://till.example/held', { headers: { 'API-Key': 'good' }, signal }));
      const leaving = new AbortController();
      const held = TURN_LIMITS.alone + TURN_LIMITS.waiting - 1;
      const replies = Array.from({ length: held }, () => ask());
      const left = ask(leaving.signal);
      const refused = await ask();
      assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [429, '1']);
      leaving.abort();
      assert.equal((await left).status, 400);
      gate.open();
      for (const { status } of await Promise.all(replies)) assert.equal(status, 200);
      assert.equal(gate.begun.length, held);
    } finally {
      await edge.close();
    }
  });
});
