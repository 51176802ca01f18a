import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import type { Notice, NoticeId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture, stepUp } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const PATH = '/manage/v1/notifications';
const NOTICES = '/manage/v1/notices';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const patch = ({ client }: Member, body: object, query = '') => client.request('PATCH', `${PATH}${query}`, { body });
  const rowsOf = async ({ client }: Member): Promise<readonly unknown[]> =>
    managed<{ items: Fields[] }>(await client.get('/manage/v1/audit'))
      .items.filter(({ action }) => String(action).startsWith('notifications.'))
      .map(({ action, changes }) => [action, changes]);

  test('an account is told of held withdrawals and no summary, and chooses; each change has its row in the audit log', async () => {
    const user = await fixture.newMember();
    const usual = { account: user.id, security: true, payouts: true, summary: false };
    assert.deepEqual(managed(await user.client.get(PATH)), usual);
    assert.deepEqual(managed(await patch(user, { summary: true })), { ...usual, summary: true });
    assert.deepEqual(managed(await patch(user, { summary: true, security: true })), { ...usual, summary: true });
    assert.deepEqual(managed(await patch(user, { payouts: false })), {
      ...usual,
      summary: true,
      payouts: false,
    });
    assert.deepEqual(managed(await user.client.get(PATH)), { ...usual, summary: true, payouts: false });
    assert.deepEqual(await rowsOf(user), [
      ['notifications.update', { payouts: { from: true, to: false } }],
      ['notifications.summary', { summary: { from: false, to: true } }],
    ]);
  });

  test('fault 205: notices of security cannot be switched off, and those of held withdrawals only in a raised session', async () => {
    const user = await fixture.newMember('user', { raised: false });
    assertRefused(await patch(user, { security: false }), 400, 'security');
    const refused = await patch(user, { payouts: false });
    assertRefused(refused, 403);
    assert.ok(refused.text.includes('step_up_required'));
    managed(await patch(user, { payouts: true, summary: true }));
    assert.equal(managed<Fields>(await user.client.get(PATH))['payouts'], true);
    await stepUp(user.client, { password: user.password });
    managed(await patch(user, { payouts: false }));
    assertRefused(await patch(user, { summary: 'yes' }), 400, 'summary');
  });

  test('another account is not there for a user; an admin changes it in a raised session', async () => {
    const [user, other] = [await fixture.newMember(), await fixture.newMember()];
    const query = `?account=${user.id}`;
    assertRefused(await other.client.get(`${PATH}${query}`), 404);
    assertRefused(await patch(other, { summary: true }, query), 404);
    const calm = await fixture.newMember('admin', { raised: false });
    assertRefused(await patch(calm, { summary: true }, query), 403);
    assert.equal(managed<Fields>(await patch(fixture.admin, { summary: true }, query))['account'], user.id);
    assert.equal(managed<Fields>(await user.client.get(PATH))['summary'], true);
    assertRefused(await fixture.admin.client.get(`${PATH}?account=nobody`), 404);
  });

  test('an admin reads what was sent, newest first, by status and page; a merchant does not', async () => {
    const { ids, clock } = fixture.till.till;
    const user = await fixture.newMember();
    const at = clock.now();
    const notices = (['SENT', 'DEAD', 'SENT'] as const).map((status): Notice => ({
      ...{ id: ids.next() as NoticeId, notifier: 'smtp', accountId: user.account.id, type: 'security.changed' },
      ...{ subject: 'A passkey was added', text: 'for its owner', status, attempts: 1, nextAt: at, createdAt: at },
      ...{ sentAt: status === 'SENT' ? at : null, lastError: status === 'DEAD' ? 'timeout' : null, day: null },
    }));
    await store.storage.transaction((tx) => tx.notices.add(notices));
    type Page = { readonly items: readonly Fields[]; readonly next_cursor: string | null };
    const read = async (query: string): Promise<Page> =>
      managed<Page>(await fixture.admin.client.get(`${NOTICES}${query}`));
    const [first, second] = [await read('?limit=2'), await read('?status=DEAD')];
    assert.deepEqual(
      first.items.map(({ id }) => id),
      [notices[2]!.id, notices[1]!.id],
    );
    const rest = await read(`?limit=2&cursor=${String(first.next_cursor)}`);
    assert.deepEqual([rest.items.map(({ id }) => id), rest.next_cursor], [[notices[0]!.id], null]);
    const [{ error, status, next_attempt_at: next, ...dead } = {} as Fields] = second.items;
    assert.deepEqual([error, status, next, dead['account']], ['timeout', 'DEAD', null, user.id]);
    assert.ok(!JSON.stringify(first).includes('for its owner'));
    assertRefused(await user.client.get(NOTICES), 403);
    assertRefused(await fixture.admin.client.get(`${NOTICES}?cursor=${String(first.next_cursor)}x`), 400, 'cursor');
    assertRefused(await fixture.admin.client.get(`${NOTICES}?status=DEAD&cursor=${String(first.next_cursor)}`), 400);
  });
});
