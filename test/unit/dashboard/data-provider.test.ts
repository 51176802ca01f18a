import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Api } from '../../../host/dashboard/app/api/api.ts';
import { ApiError } from '../../../host/dashboard/app/api/api-error.ts';
import { createDataProvider } from '../../../host/dashboard/app/api/data-provider.ts';
import { IdempotencyKeys } from '../../../host/dashboard/app/api/idempotency-keys.ts';

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function provide(answer: (target: URL) => unknown) {
  const sent: Sent[] = [];
  const api = new Api({
    base: 'http://till.test/manage/v1/',
    stepUp: async () => undefined,
    goTo: () => undefined,
    wait: async () => undefined,
    fetch: async (url, init) => {
      sent.push({
        method: init.method ?? 'GET',
        target: url.slice('http://till.test/manage/v1/'.length),
        headers: init.headers as Record<string, string>,
        body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
      });
      return new Response(JSON.stringify({ data: answer(new URL(url)) }));
    },
  });
  return { provider: createDataProvider(api), sent };
}

/** Pages of two orders each, by cursors `c2`, `c3`… */
function orders(target: URL, pages: number): unknown {
  const page = Number((target.searchParams.get('cursor') ?? 'c1').slice(1));
  return {
    items: [{ id: `${page}1` }, { id: `${page}2` }],
    next_cursor: page < pages ? `c${page + 1}` : null,
  };
}

const list = (page: number, filter: object = {}) => ({
  pagination: { page, perPage: 2 },
  sort: { field: 'id', order: 'DESC' as const },
  filter,
});

describe('the data of the dashboard', () => {
  test('pages of a list that knows cursors alone: forwards and back by what was seen, with its filters', async () => {
    const { provider, sent } = provide((target) => orders(target, 3));
    const first = await provider.getList('orders', list(1, { status: 'PENDING', q: '' }));
    assert.deepEqual(
      first.data.map(({ id }: { id: string }) => id),
      ['11', '12'],
    );
    assert.deepEqual(first.pageInfo, { hasNextPage: true, hasPreviousPage: false });
    assert.equal(first.total, undefined);
    await provider.getList('orders', list(2, { status: 'PENDING', q: '' }));
    const last = await provider.getList('orders', list(3, { status: 'PENDING', q: '' }));
    assert.equal(last.total, 6);
    assert.deepEqual(last.pageInfo, { hasNextPage: false, hasPreviousPage: true });
    await provider.getList('orders', list(2, { status: 'PENDING', q: '' }));
    assert.deepEqual(
      sent.map(({ target }) => target),
      [
        'orders?status=PENDING&limit=2',
        'orders?status=PENDING&limit=2&cursor=c2',
        'orders?status=PENDING&limit=2&cursor=c3',
        'orders?status=PENDING&limit=2&cursor=c2',
      ],
    );
  });

  test('a page that was opened by its address is reached from the first one', async () => {
    const { provider, sent } = provide((target) => orders(target, 5));
    const third = await provider.getList('orders', list(3));
    assert.deepEqual(
      third.data.map(({ id }: { id: string }) => id),
      ['31', '32'],
    );
    assert.equal(sent.length, 3);
    const beyond = await provider.getList('orders', list(9));
    assert.equal(beyond.pageInfo?.hasNextPage, false);
    assert.equal(sent.length, 5, 'from the page that was seen to the last one');
  });

  test('records without an id of their own are named by the fields that do so together', async () => {
    const { provider } = provide(() => ({
      items: [
        { entry: '7', line: 0 },
        { entry: '7', line: 1 },
      ],
      next_cursor: null,
    }));
    const { data } = await provider.getList('ledger', list(1));
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      ['7-0', '7-1'],
    );
  });

  test('lists that come whole', async () => {
    const { provider, sent } = provide(() => ({ items: [{ id: '7' }, { id: '8' }, { id: '9' }] }));
    assert.equal((await provider.getList('sessions', list(1))).total, 3);
    assert.deepEqual(
      sent.map(({ target }) => target),
      ['sessions'],
    );
  });

  test('fault 223: what is no id in a link reaches no other operation', async () => {
    const { provider, sent } = provide(() => ({}));
    for (const id of ['..', '../sessions', '%2e%2e', 'a/b', '', 'a?b', '1'.repeat(129)]) {
      await assert.rejects(
        provider.getOne('orders', { id }),
        (error) => error instanceof ApiError && error.status === 404,
        id,
      );
      await assert.rejects(provider.delete('webhooks', { id, previousData: { id } }), ApiError, id);
    }
    assert.deepEqual(sent, []);
  });

  test('a record that is made is asked for with one key, and a versioned one is changed with its version', async () => {
    const { provider, sent } = provide(() => ({ id: '5' }));
    const keys = new IdempotencyKeys((bytes) => bytes.fill(1));
    await provider.create('orders', { data: { price: '1' }, meta: { keys } });
    await provider.update('apps', { id: '5', data: { name: 'x' }, previousData: { id: '5', version: 3 } });
    assert.equal(sent[0]?.headers['Idempotency-Key'], '01'.repeat(16));
    assert.deepEqual(
      [sent[1]?.method, sent[1]?.target, sent[1]?.headers['If-Match'], sent[1]?.body],
      ['PATCH', 'apps/5', '3', { name: 'x' }],
    );
  });
});
