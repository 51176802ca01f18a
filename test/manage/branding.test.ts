import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eachStorage } from '../support/each-storage.ts';
import { png } from '../support/pictures.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture, stepUp } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const PATH = '/manage/v1/branding';

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

  const patch = ({ client }: Member, version: number | null, body: object, query = '') =>
    client.request('PATCH', `${PATH}${query}`, {
      body,
      headers: version === null ? {} : { 'If-Match': `"${version}"` },
    });

  test('an account says how payers see it, by the version that it has read; each change is in the audit log', async () => {
    const user = await fixture.newMember();
    const nothing = { account: user.id, name: null, colour: null, support: null, logo: null, version: 1 };
    assert.deepEqual(managed(await user.client.get(PATH)), { ...nothing, updated_at: null });
    const named = managed<Fields>(await patch(user, 1, { name: '  Corner  Shop ', colour: '#FFD700' }));
    assert.deepEqual(
      { ...named, updated_at: null },
      {
        ...nothing,
        name: 'Corner Shop',
        colour: '#ffd700',
        version: 2,
        updated_at: null,
      },
    );
    assertRefused(await patch(user, null, { name: 'Other' }), 428);
    assertRefused(await patch(user, 1, { name: 'Other' }), 412);
    const picture = png(64, 64);
    const full = managed<Fields>(
      await patch(user, 2, { support: 'help@shop.example', logo: picture.toString('base64') }),
    );
    const { path, type } = full['logo'] as { path: string; type: string };
    assert.equal(type, 'image/png');
    assert.match(path, /^\/checkout\/logos\/[0-9a-f]{64}$/);
    assert.deepEqual((await store.storage.branding.logo(path.split('/').at(-1) ?? ''))?.bytes, picture);
    assert.equal(
      managed<Fields>(await patch(user, 3, { support: 'help@shop.example' }))['version'],
      3,
      'nothing changed',
    );
    assert.deepEqual((managed<Fields>(await patch(user, 3, { name: 'Shop' })) as { logo: object }).logo, full['logo']);
    managed(await patch(user, 4, { logo: null, name: null }));
    assert.equal(await store.storage.branding.logo(path.split('/').at(-1) ?? ''), null);
    const rows = managed<{ items: Fields[] }>(await user.client.get('/manage/v1/audit')).items.filter(
      ({ action }) => action === 'branding.update',
    );
    assert.equal(rows.length, 4);
    assert.ok(!JSON.stringify(rows).includes(picture.toString('base64')), 'the picture is not in the audit log');
  });

  test('fault 229: refuses names and addresses that read as something else, and a name that another account has', async () => {
    const [user, other] = [await fixture.newMember(), await fixture.newMember()];
    managed(await patch(user, 1, { name: 'Baker & Sons' }));
    assertRefused(await patch(other, 1, { name: 'BAKER - sons!' }), 409);
    assertRefused(await patch(other, 1, { name: 'Shop\u202e' }), 400, 'name');
    assertRefused(await patch(other, 1, { name: 'P\u0430ypal' }), 400, 'name');
    assertRefused(await patch(other, 1, { support: 'javascript:alert(1)' }), 400, 'support');
    assertRefused(await patch(other, 1, { colour: 'red;}' }), 400, 'colour');
    managed(await patch(user, 2, { name: 'Baker' }));
    managed(await patch(other, 1, { name: 'Baker & Sons' }));
    assertRefused(await patch(user, 3, { name: 'Baker & Sons' }), 409);
    assert.equal(managed<Fields>(await user.client.get(PATH))['name'], 'Baker');
  });

  test('fault 229: of accounts that want one name at the same moment one gets it', async () => {
    const members = [await fixture.newMember(), await fixture.newMember(), await fixture.newMember()];
    const replies = await Promise.all(members.map((member) => patch(member, 1, { name: 'Rush' })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
  });

  test('fault 230: a logo is a picture by its bytes, and small', async () => {
    const user = await fixture.newMember();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString('base64');
    assertRefused(await patch(user, 1, { logo: svg }), 400, 'logo');
    assertRefused(await patch(user, 1, { logo: 'no base64' }), 400, 'logo');
    assertRefused(await patch(user, 1, { logo: Buffer.alloc(33_000).toString('base64') }), 400, 'logo');
    assertRefused(await patch(user, 1, { logo: png(5_000, 5_000).toString('base64') }), 400, 'logo');
  });

  test('fault 231: a session that is not raised changes nothing that payers trust, nor does another account; the owner is told', async () => {
    const user = await fixture.newMember('user', { raised: false });
    const refused = await patch(user, 1, { support: 'thief@elsewhere.example' });
    assertRefused(refused, 403);
    assert.ok(refused.text.includes('step_up_required'));
    await stepUp(user.client, { password: user.password });
    managed(await patch(user, 1, { support: 'help@shop.example' }));
    const other = await fixture.newMember();
    const query = `?account=${user.id}`;
    assertRefused(await other.client.get(`${PATH}${query}`), 404);
    assertRefused(await patch(other, 2, { name: 'Theirs' }, query), 404);
    const calm = await fixture.newMember('admin', { raised: false });
    assertRefused(await patch(calm, 2, { name: 'Theirs' }, query), 403);
    assert.equal(managed<Fields>(await patch(fixture.admin, 2, { name: 'Named by an admin' }, query))['version'], 3);
  });
});
