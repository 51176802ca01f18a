import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Api } from '../../../host/dashboard/app/api/api.ts';
import { ApiError, STEP_UP_CANCELLED } from '../../../host/dashboard/app/api/api-error.ts';
import { IdempotencyKeys } from '../../../host/dashboard/app/api/idempotency-keys.ts';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Answer {
  readonly status: number;
  readonly data?: unknown;
  readonly reason?: string;
  readonly msg?: string;
}

const OK = { status: 200, data: { done: true } };
const STEP_UP = { status: 403, reason: 'step_up_required', msg: 'raise it' };

/** A server that answers by a function of what was sent, and what the client sends it. */
function talk(answer: (sent: Sent, sentBefore: number) => Answer | Promise<Answer>, stepUp?: () => Promise<void>) {
  const sent: Sent[] = [];
  const waited: number[] = [];
  const places: string[] = [];
  const api = new Api({
    base: 'http://till.test/manage/v1/',
    wait: async (milliseconds) => void waited.push(milliseconds),
    goTo: (place) => void places.push(place),
    stepUp: stepUp ?? (() => Promise.reject(new Error('nobody is asked'))),
    fetch: async (url, init) => {
      const one = {
        method: init.method ?? 'GET',
        url: url.slice('http://till.test/manage/v1/'.length),
        headers: init.headers as Record<string, string>,
        body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
      };
      sent.push(one);
      const { status, data = null, ...rest } = await answer(one, sent.length - 1);
      return new Response(JSON.stringify({ data, ...rest }), { status });
    },
  });
  return { api, sent, waited, places };
}

const isRefused = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;

describe('the client of the management API in the browser', () => {
  test('sends the CSRF token of the login with every change, and with no read', async () => {
    const { api, sent } = talk(({ url }) => (url === 'session' ? { status: 200, data: { csrf_token: 'one' } } : OK));
    await api.renew('session', { email: 'a@example.com', password: 'secret', cookie: true });
    await api.post('orders', { price: '1' });
    await api.get('orders', { q: 'a b', status: '', chain: null });
    assert.deepEqual(
      sent.map(({ method, url, headers }) => [method, url, headers['X-CSRF-Token']]),
      [
        ['POST', 'session', undefined],
        ['POST', 'orders', 'one'],
        ['GET', 'orders?q=a+b', undefined],
      ],
    );
  });

  test('sends a change again while the till is not ready, and no change that would then be made twice', async () => {
    const { api, sent, waited } = talk((_sent, before) => (before < 2 ? { status: 503, msg: 'not ready' } : OK));
    assert.deepEqual(await api.request('PATCH', 'security', { body: { data_security: true } }), OK.data);
    assert.deepEqual([sent.length, waited], [3, [1_000, 3_000]]);

    const refusing = talk(() => ({ status: 503, msg: 'not ready' }));
    await assert.rejects(refusing.api.post('credentials'), isRefused(503));
    assert.equal(refusing.sent.length, 1);
    await assert.rejects(refusing.api.post('payouts', {}, { idempotencyKey: 'one' }), isRefused(503));
    assert.equal(refusing.sent.length, 4);
  });

  test('asks for a step-up once, and then sends the same request with the same idempotency key', async () => {
    let asked = 0;
    let raised = false;
    const { api, sent } = talk(
      () => (raised ? OK : STEP_UP),
      async () => {
        asked += 1;
        raised = true;
      },
    );
    assert.deepEqual(await api.post('payouts', { amount: '1' }, { idempotencyKey: 'k' }), { done: true });
    assert.equal(asked, 1);
    assert.equal(sent.length, 2);
    assert.deepEqual(sent[0], sent[1]);
    assert.equal(sent[1]?.headers['Idempotency-Key'], 'k');
  });

  test('sends nothing again when the person does not want to, or when the server still refuses', async () => {
    const cancelled = talk(
      () => STEP_UP,
      () => Promise.reject(new ApiError(403, 'no', STEP_UP_CANCELLED)),
    );
    await assert.rejects(
      cancelled.api.post('payouts'),
      (error) => error instanceof ApiError && error.reason === STEP_UP_CANCELLED,
    );
    assert.equal(cancelled.sent.length, 1);
    const refused = talk(
      () => STEP_UP,
      async () => undefined,
    );
    await assert.rejects(refused.api.post('payouts'), isRefused(403));
    assert.equal(refused.sent.length, 2);
  });

  test('waits while the session gets a new token, so that no request goes out with the former one', async () => {
    let renewed = (): void => undefined;
    const { api, sent } = talk(async ({ url }) => {
      if (url !== 'session/step-up') return OK;
      await new Promise<void>((resolve) => (renewed = resolve));
      return { status: 200, data: { csrf_token: 'two' } };
    });
    const raising = api.renew('session/step-up', { totp: '123456' });
    const waiting = api.post('orders');
    assert.deepEqual(
      sent.map(({ url }) => url),
      ['session/step-up'],
    );
    renewed();
    await Promise.all([raising, waiting]);
    assert.equal(sent[1]?.headers['X-CSRF-Token'], 'two');
  });

  test('fault 221: a CSRF token that another window has made outdated is read anew, and the change is sent once more', async () => {
    const { api, sent } = talk(({ method, headers }) => {
      if (method === 'GET') return { status: 200, data: { csrf_token: 'new' } };
      return headers['X-CSRF-Token'] === 'new'
        ? OK
        : { status: 403, msg: 'The header X-CSRF-Token is missing or wrong.' };
    });
    assert.deepEqual(await api.post('orders'), { done: true });
    assert.deepEqual(
      sent.map(({ method, url }) => `${method} ${url}`),
      ['POST orders', 'GET session', 'POST orders'],
    );
  });

  test('a refusal that no token explains is not sent again', async () => {
    const { api, sent } = talk(({ method }) =>
      method === 'GET' ? { status: 200, data: {} } : { status: 403, msg: 'no' },
    );
    await assert.rejects(api.post('orders'), isRefused(403));
    assert.equal(sent.filter(({ method }) => method === 'POST').length, 1);
  });

  test('fault 222: where the session has ended, the answer is 401 after one more question', async () => {
    const { api, sent } = talk(() => ({ status: 401, msg: 'The session is not valid.' }));
    await assert.rejects(api.get('orders'), isRefused(401));
    assert.deepEqual(
      sent.map(({ url }) => url),
      ['orders', 'session'],
    );
  });

  test('a refusal that says what must be done first leads to its page, whoever asked; every other one does not', async () => {
    const reasons = ['password_change_required', 'second_factor_required', 'step_up_cancelled', undefined];
    const { api, places } = talk((_sent, before) => ({
      status: 403,
      ...(reasons[before] === undefined ? {} : { reason: reasons[before] }),
    }));
    for (const _reason of reasons) await assert.rejects(api.get('overview'), isRefused(403));
    assert.deepEqual(places, ['/password?demanded', '/security?demanded']);
  });

  test('a wrong password is no ended session: it is answered at once', async () => {
    const { api, sent } = talk(() => ({ status: 401, msg: 'Wrong username or password.' }));
    await assert.rejects(api.renew('session', {}), isRefused(401));
    assert.equal(sent.length, 1);
  });

  test('problems of fields are those of the form, and no answer at all is an error with status 0', async () => {
    const problem = new ApiError(400, 'bad', null, [{ path: 'price', message: 'is required' }]);
    assert.deepEqual(problem.body.errors, { price: 'is required' });
    const api = new Api({
      base: '',
      stepUp: async () => undefined,
      goTo: () => undefined,
      wait: async () => undefined,
      fetch: () => Promise.reject(new TypeError('away')),
    });
    await assert.rejects(api.get('orders'), isRefused(0));
  });

  test('one thing that is asked for has one idempotency key, another one has another', () => {
    let byte = 0;
    const keys = new IdempotencyKeys((bytes) => bytes.fill((byte += 1)));
    assert.equal(keys.of({ amount: '1' }), keys.of({ amount: '1' }));
    assert.notEqual(keys.of({ amount: '1' }), keys.of({ amount: '2' }));
    const former = keys.of({ amount: '1' });
    keys.done({ amount: '1' });
    assert.notEqual(keys.of({ amount: '1' }), former, 'the same once more is another thing');
    assert.match(keys.of({}), /^[0-9a-f]{32}$/);
  });
});
