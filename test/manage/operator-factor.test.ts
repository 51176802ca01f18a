import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { OPERATOR } from '../../core/index.ts';
import type { AccountId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { codeAt } from '../support/totp.ts';
import { assertRefused, assertStepUp, managed, renewed, startFixture, STEP_UP, tokenOf } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

const TOTP = '/manage/v1/security/totp';

eachStorage((_name, open) => {
  describe('fault 369: a second factor that the operator has set up', () => {
    let store: TestStorage;
    let fixture: Fixture;
    before(async () => {
      store = await open();
      fixture = await startFixture(store, { sessionTtlSeconds: 1_000_000, secondFactorOf: 'admins' });
    });
    after(async () => {
      await fixture.close();
      await store.close();
    });

    /** An admin that `init` or `security totp` gave a factor which nobody has used yet. */
    const enrolled = async (raised = false): Promise<Member & { readonly secret: string }> => {
      const member = await fixture.newMember('admin', { raised });
      const { secret } = await fixture.manage.security.enrol(OPERATOR, member.id as AccountId, true);
      return { ...member, secret };
    };
    const proofs = async (client: Member['client']): Promise<unknown> =>
      managed(await client.get('/manage/v1/session'))['step_up_with'];
    const code = (secret: string): string => codeAt(secret, fixture.till.clock.now());

    test('is demanded at the first login, whose code confirms it', async () => {
      const { email, password, secret } = await enrolled();
      assertRefused(await fixture.login(email, password), 400, 'totp');
      assertRefused(await fixture.login(email, password, { totp: '000000' }), 400, 'totp');
      const opened = await fixture.login(email, password, { totp: code(secret) });
      const client = fixture.client.with(tokenOf(opened));
      const security = managed(await client.get('/manage/v1/security'));
      assert.deepEqual([security['totp_enrolled'], security['totp_confirmed']], [true, true]);
      managed(await client.get('/manage/v1/accounts'));
      assertRefused(await fixture.login(email, password), 400, 'totp');
      client.close();
    });

    test('is not replaced by a session that was opened before by the password alone', async () => {
      const { client, password, secret, email } = await enrolled();
      assertStepUp(await client.request('POST', TOTP));
      assertStepUp(await client.post(`${TOTP}/confirm`, { verify_code: code(secret) }));
      assertStepUp(await client.request('POST', '/manage/v1/security/passkeys/options'));
      assertRefused(await client.post(STEP_UP, { password }), 400, 'totp');
      managed(await fixture.login(email, password, { totp: code(secret) }));
    });

    test('raises such a session by its first code, which confirms it; the others end', async () => {
      const { client, email, password, secret } = await enrolled();
      // Before there was a factor.
      assert.deepEqual(await proofs(client), ['totp']);
      renewed(client, await client.post(STEP_UP, { totp: code(secret) }));
      managed(await client.get('/manage/v1/accounts'));
      assertRefused(await fixture.login(email, password), 400, 'totp');
    });

    test('one that an account set up itself is demanded once it is confirmed, and can be set up anew until then', async () => {
      const { client, email, password } = await fixture.newMember();
      const first = managed<{ secret: string }>(await client.request('POST', TOTP)).secret;
      managed(await fixture.login(email, password));
      assert.deepEqual(await proofs(client), ['password']);
      const second = managed<{ secret: string }>(await client.request('POST', TOTP)).secret;
      assert.notEqual(first, second);
      managed(await client.post(`${TOTP}/confirm`, { verify_code: code(second) }));
      assertRefused(await fixture.login(email, password), 400, 'totp');
    });
  });
});
