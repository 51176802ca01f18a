import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { csvTable } from '../../adapters/http/csv.ts';
import { signedAmount } from '../../adapters/http/manage/reply-fields.ts';
import { DAY_MS, HOUR_MS } from '../../core/index.ts';
import type { AppId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { START } from '../support/fakes.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

interface Usage {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const [MAIN, TEST] = ['eth.gateway.test', 'test.gateway.test'];

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  let app: string;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, {});
    user = await fixture.newMember();
    app = managed<{ id: string }>(await user.client.post('/manage/v1/apps', { name: 'Shop', chains: ['ETH'] }), 201).id;
    const row = (hours: number, route: string, method: string, requests: number) => ({
      appId: app as AppId,
      hour: START + hours * HOUR_MS,
      route,
      method,
      requests,
      units: 20 * requests,
      errors: 1,
      bytesIn: 10,
      bytesOut: 1000,
    });
    const rows = [
      row(0, MAIN, 'eth_call', 5),
      row(0, TEST, 'eth_call', 7),
      row(-2, MAIN, 'other', 11),
      row(-13, MAIN, 'eth_call', 13),
      row(-24 * 40, MAIN, 'eth_call', 17),
    ];
    await store.storage.usage.add({ instance: 'one', number: 1, rows });
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const usage = (query: string, headers: Readonly<Record<string, string>> = {}, by = user) =>
    by.client.request('GET', `/manage/v1/apps/${app}/usage${query}`, { headers });
  const rowsOf = async (query: string) =>
    managed<Usage>(await usage(query)).rows.map(({ at, route, method, requests }) => [at ?? route ?? method, requests]);
  const instant = (at: number): string => new Date(at).toISOString();

  test('usage is summed up by day, hour, method or route; what it is not summed up by is null', async () => {
    assert.deepEqual(managed<Usage>(await usage('')).rows, [
      {
        at: '2026-02-28T00:00:00.000Z',
        route: null,
        method: null,
        requests: 13,
        units: 260,
        errors: 1,
        bytes_in: 10,
        bytes_out: 1000,
      },
      {
        at: '2026-03-01T00:00:00.000Z',
        route: null,
        method: null,
        requests: 23,
        units: 460,
        errors: 3,
        bytes_in: 30,
        bytes_out: 3000,
      },
    ]);
    assert.deepEqual(await rowsOf('?by=hour'), [
      [instant(START - 13 * HOUR_MS), 13],
      [instant(START - 2 * HOUR_MS), 11],
      [instant(START), 12],
    ]);
    assert.deepEqual(await rowsOf('?by=method'), [
      ['eth_call', 25],
      ['other', 11],
    ]);
    assert.deepEqual(await rowsOf('?by=route'), [
      [MAIN, 29],
      [TEST, 7],
    ]);
  });

  test('a range begins with an hour and ends before one', async () => {
    const range = (from: number, to: number) => `?by=hour&from=${instant(from)}&to=${instant(to)}`;
    assert.deepEqual(await rowsOf(range(START - 2 * HOUR_MS, START)), [[instant(START - 2 * HOUR_MS), 11]]);
    assert.deepEqual(await rowsOf(range(START - 2 * HOUR_MS + 1, START + 1)), [[instant(START), 12]]);
    assert.deepEqual(await rowsOf(`?from=${instant(START - 50 * DAY_MS)}`), [
      ['2026-01-20T00:00:00.000Z', 17],
      ['2026-02-28T00:00:00.000Z', 13],
      ['2026-03-01T00:00:00.000Z', 23],
    ]);
    assert.deepEqual(await rowsOf(`?to=${instant(START - 39 * DAY_MS)}`), [['2026-01-20T00:00:00.000Z', 17]]);
  });

  test('a wrong range names its field', async () => {
    for (const [query, field] of [
      ['?from=yesterday', 'from'],
      ['?to=2026-02-30T00:00:00Z', 'to'],
      [`?from=${instant(START)}&to=${instant(START)}`, 'from'],
      [`?from=${instant(START + DAY_MS)}`, 'from'],
      [`?by=hour&from=${instant(START - 32 * DAY_MS)}`, 'from'],
      [`?from=${instant(START - 401 * DAY_MS)}`, 'from'],
      ['?by=week', 'by'],
      ['?format=xml', 'format'],
    ] as const)
      assertRefused(await usage(query), 400, field);
  });

  test("an account reads its own Apps' usage, an admin everybody's", async () => {
    const other = await fixture.newMember();
    assertRefused(await usage('', {}, other), 404);
    assertRefused(await user.client.get('/manage/v1/apps/1/usage'), 404);
    assert.equal((await usage('', {}, fixture.admin)).status, 200);
    assertRefused(await fixture.client.get(`/manage/v1/apps/${app}/usage`), 401);
  });

  test('CSV is the same rows, by format or by Accept', async () => {
    const text = [
      'at,route,method,requests,units,errors,bytes_in,bytes_out',
      `,${MAIN},,29,580,3,30,3000`,
      `,${TEST},,7,140,1,10,1000`,
      '',
    ].join('\r\n');
    for (const reply of [
      await usage('?by=route&format=csv'),
      await usage('?by=route', { Accept: 'text/html, Text/CSV;q=0.9' }),
    ]) {
      assert.equal(reply.text, text);
      assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8');
      assert.equal(reply.headers['content-disposition'], 'attachment; filename="usage.csv"');
    }
    assert.equal(managed<Usage>(await usage('?by=route&format=json', { Accept: 'text/csv' })).rows.length, 2);
    assertRefused(await usage('?by=week&format=csv'), 400, 'by');
  });
});

test('fault 138: what a spreadsheet would run as a formula is written as text', () => {
  const texts = ['=1+1', '+1', '-1', '@a', '\ta', '\ra', 'a=1', 'a,"b"\n', -5, null, ''];
  const table = csvTable(z.object({ text: z.union([z.string(), z.number()]).nullable() }));
  assert.equal(
    table.header + table.lines(texts.map((text) => ({ text }))),
    `text\r\n'=1+1\r\n'+1\r\n'-1\r\n'@a\r\n'\ta\r\n"'\ra"\r\na=1\r\n"a,""b""\n"\r\n-5\r\n\r\n\r\n`,
  );
});

test('fault 174: a plain decimal below zero in a column of amounts is a number, and anything else there is text', () => {
  const table = csvTable(z.object({ amount: signedAmount(''), remark: z.string() }));
  const rows = ['-1.5', '-0', '-1e5', '-1+1', '=-1', '-', '-.5', '12'].map((text) => ({ amount: text, remark: text }));
  assert.deepEqual(table.lines(rows).split('\r\n'), [
    `-1.5,'-1.5`,
    `-0,'-0`,
    `'-1e5,'-1e5`,
    `'-1+1,'-1+1`,
    `'=-1,'=-1`,
    `'-,'-`,
    `'-.5,'-.5`,
    `12,12`,
    '',
  ]);
});
