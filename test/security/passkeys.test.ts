import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { present } from '../../core/index.ts';
import type { PasskeyCreationOptions, PasskeyRequestOptions, PasskeyResponse } from '../../core/index.ts';
import { assertRefused, assertStepUp, managed, renewed, stepUp, STEP_UP, tokenOf } from '../manage/fixture.ts';
import type { List } from '../manage/fixture.ts';
import { SoftwareAuthenticator } from '../support/authenticator.ts';
import type { Forged } from '../support/authenticator.ts';
import type { HttpClient } from '../support/http.ts';
import type { Reply } from '../support/openapi.ts';
import type { TestStorage } from '../support/storage.ts';
import type { TestTill } from '../support/till.ts';
import { codeAt } from '../support/totp.ts';
import { SITE, startProductionTill } from './production-till.ts';
import type { ProductionTill } from './production-till.ts';

const SESSION = '/manage/v1/session';
const PASSKEYS = '/manage/v1/security/passkeys';
const TOTP = '/manage/v1/security/totp';

/** An account whose only second factor is a passkey, and a session of it that is not raised. */
interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly client: HttpClient;
  readonly authenticator: SoftwareAuthenticator;
  readonly passkey: string;
}

describe('fault 122: passkeys under attack, in production mode', () => {
  let production: ProductionTill;
  let store: TestStorage;
  let till: TestTill;
  before(async () => {
    production = await startProductionTill();
    ({ store, till } = production);
  });
  after(() => production.close());

  const login = (email: string, password: string, more: object = {}) =>
    till.client.post(SESSION, { email, password, ...more });
  const clientOf = (reply: Reply): HttpClient => production.client(tokenOf(reply));
  const bare = async (): Promise<Pick<Person, 'id' | 'email' | 'password' | 'client'>> => {
    const [email, password] = [`person-${production.clients}@example.com`, 'a password for a test'];
    const { id } = await till.accounts.createAccount.run({ email, password });
    return { id, email, password, client: clientOf(await login(email, password)) };
  };
  const creation = async (client: HttpClient): Promise<PasskeyCreationOptions> =>
    managed<PasskeyCreationOptions>(await client.request('POST', `${PASSKEYS}/options`));
  const add = (client: HttpClient, passkey: PasskeyResponse, name = 'Key'): Promise<Reply> =>
    client.post(PASSKEYS, { name, passkey });
  const raising = async (client: HttpClient): Promise<PasskeyRequestOptions> =>
    managed<PasskeyRequestOptions>(await client.request('POST', `${STEP_UP}/passkey`));
  const raise = (client: HttpClient, passkey: PasskeyResponse): Promise<Reply> => client.post(STEP_UP, { passkey });
  const loggingIn = async ({ email, password }: Pick<Person, 'email' | 'password'>): Promise<PasskeyRequestOptions> =>
    managed<PasskeyRequestOptions>(await till.client.post(`${SESSION}/passkey`, { email, password }));
  const person = async (): Promise<Person> => {
    const { client: first, ...account } = await bare();
    await stepUp(first, { password: account.password });
    const authenticator = new SoftwareAuthenticator(SITE);
    const { id: passkey } = managed<{ id: string }>(await add(first, authenticator.create(await creation(first))), 201);
    const answer = authenticator.get(await loggingIn(account));
    const client = clientOf(await login(account.email, account.password, { passkey: answer }));
    return { ...account, client, authenticator, passkey };
  };
  const raised = async (of: Person): Promise<HttpClient> => {
    renewed(of.client, await raise(of.client, of.authenticator.get(await raising(of.client))));
    return of.client;
  };
  const passkeysOf = async (client: HttpClient): Promise<readonly Record<string, unknown>[]> =>
    managed<List>(await client.get(PASSKEYS)).items;
  const actions = async (account: string): Promise<readonly string[]> => {
    await till.till.refusedAttempts.flush();
    const rows = await store.sql('SELECT action, changes FROM audit_trail WHERE account_id = ? ORDER BY id', [account]);
    return rows.map(({ action, changes }) => {
      const attempt = /"attempt":\{"from":null,"to":"(\w+)"/.exec(String(changes))?.[1];
      return attempt === undefined ? String(action) : `${String(action)} ${attempt}`;
    });
  };

  test('a stolen session alone neither adds nor removes one, whatever the account has', async () => {
    const victim = await person();
    const other = await bare();
    for (const thief of [victim.client, other.client]) {
      assertStepUp(await thief.request('POST', `${PASSKEYS}/options`));
      const options: PasskeyCreationOptions = {
        ...(await creationBeforeTheft()),
        challenge: Buffer.alloc(32).toString('base64url'),
      };
      assertStepUp(await add(thief, new SoftwareAuthenticator(SITE).create(options)));
      assertStepUp(await thief.request('DELETE', `${PASSKEYS}/${victim.passkey}`));
      // Nor another kind of factor beside it.
      if (thief === victim.client) {
        assertStepUp(await thief.request('POST', TOTP));
        assertStepUp(await thief.post(`${TOTP}/confirm`, { verify_code: '123456' }));
        assertRefused(await thief.post(STEP_UP, { password: victim.password }), 400, 'passkey');
        assertRefused(await thief.post(STEP_UP, { totp: '123456' }), 400, 'passkey');
        assertRefused(await raise(thief, new SoftwareAuthenticator(SITE).get(await raising(thief))), 400, 'passkey');
        assertStepUp(await thief.post('/manage/v1/credentials', {}));
      }
    }
    assert.deepEqual(
      (await passkeysOf(victim.client)).map(({ id }) => id),
      [victim.passkey],
    );
    assert.deepEqual(await passkeysOf(other.client), []);

    async function creationBeforeTheft(): Promise<PasskeyCreationOptions> {
      const owner = await person();
      return creation(await raised(owner));
    }
  });

  test('the password alone logs in no more, and a code of nobody neither', async () => {
    const victim = await person();
    assertRefused(await login(victim.email, victim.password), 400, 'passkey');
    assertRefused(await login(victim.email, victim.password, { totp: '123456' }), 400, 'passkey');
    assertRefused(
      await till.client.post(`${SESSION}/passkey`, { email: victim.email, password: 'a wrong password' }),
      401,
    );
  });

  test('an assertion is taken only as it was asked for: challenge, page, address, person, type and frame', async () => {
    const victim = await person();
    const forgeries: readonly Forged[] = [
      { challenge: Buffer.alloc(32, 1).toString('base64url') },
      { origin: 'https://pay.example.net' },
      { origin: 'http://pay.example.com' },
      { origin: 'https://pay.example.com:8443' },
      { origin: 'https://evil.pay.example.com' },
      { rpId: 'example.com' },
      { rpId: 'pay.example.net' },
      { userVerified: false },
      { userPresent: false },
      { type: 'webauthn.create' },
      { crossOrigin: true },
      { userHandle: 'another account' },
    ];
    for (const forged of forgeries) {
      const what = JSON.stringify(forged);
      const answer = victim.authenticator.get(await raising(victim.client), forged);
      const reply = await raise(victim.client, answer);
      assert.equal(reply.status, 400, what);
      assertRefused(reply, 400, 'passkey');
      const atLogin = victim.authenticator.get(await loggingIn(victim), forged);
      assertRefused(await login(victim.email, victim.password, { passkey: atLogin }), 400, 'passkey');
    }
    assertStepUp(await victim.client.post('/manage/v1/credentials', {}));
    assert((await actions(victim.id)).includes('security.refused passkey'));
    // A changed signature, and one by another key under the same name.
    const options = await raising(victim.client);
    const honest = victim.authenticator.get(options);
    const stranger = new SoftwareAuthenticator(SITE).get(options);
    const spliced = { ...honest, response: stranger.response };
    assertRefused(await raise(victim.client, spliced), 400, 'passkey');
    renewed(victim.client, await raise(victim.client, victim.authenticator.get(await raising(victim.client))));
  });

  test('the Host of the request says nothing about the address', async () => {
    const victim = await person();
    const reply = await victim.client.request('POST', `${STEP_UP}/passkey`, { headers: { Host: 'pay.example.net' } });
    assert.equal(managed<PasskeyRequestOptions>(reply).rpId, 'pay.example.com');
  });

  test('a challenge is answered once, by a right answer or a wrong one', async () => {
    const victim = await person();
    const once = victim.authenticator.get(await raising(victim.client));
    renewed(victim.client, await raise(victim.client, once));
    assertRefused(await raise(victim.client, once), 400, 'passkey');
    const options = await raising(victim.client);
    assertRefused(
      await raise(victim.client, victim.authenticator.get(options, { userVerified: false })),
      400,
      'passkey',
    );
    assertRefused(await raise(victim.client, victim.authenticator.get(options)), 400, 'passkey');
    const atOnce = victim.authenticator.get(await loggingIn(victim));
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => login(victim.email, victim.password, { passkey: atOnce })),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array<number>(7).fill(400)]);
  });

  test('a challenge ends after five minutes, and is deleted', async () => {
    const victim = await person();
    const late = victim.authenticator.get(await raising(victim.client));
    till.clock.advance(5 * 60_000);
    assertRefused(await raise(victim.client, late), 400, 'passkey');
    const unanswered = await raising(victim.client);
    till.clock.advance(5 * 60_000 - 1);
    renewed(victim.client, await raise(victim.client, victim.authenticator.get(unanswered)));
    await raising(victim.client);
    till.clock.advance(5 * 60_000);
    const { length } = await store.sql('SELECT hash FROM passkey_challenges');
    assert(length > 0);
    await raising(victim.client);
    assert.equal((await store.sql('SELECT hash FROM passkey_challenges')).length, 1);
  });

  test('a challenge is for one purpose, one session and one account', async () => {
    const [victim, thief] = [await person(), await person()];
    const atLogin = victim.authenticator.get(await loggingIn(victim));
    assertRefused(await raise(victim.client, atLogin), 400, 'passkey');
    const atStepUp = victim.authenticator.get(await raising(victim.client));
    assertRefused(await login(victim.email, victim.password, { passkey: atStepUp }), 400, 'passkey');
    const second = clientOf(
      await login(victim.email, victim.password, { passkey: victim.authenticator.get(await loggingIn(victim)) }),
    );
    const ofOther = victim.authenticator.get(await raising(second));
    assertRefused(await raise(victim.client, ofOther), 400, 'passkey');
    // Asked for by the token that a step-up replaced meanwhile.
    const [used, left] = [await raising(second), await raising(second)];
    renewed(second, await raise(second, victim.authenticator.get(used)));
    assertRefused(await raise(second, victim.authenticator.get(left)), 400, 'passkey');
    // What the thief's own login was asked for, signed by the victim.
    const ofThief = victim.authenticator.get(await loggingIn(thief));
    assertRefused(await login(victim.email, victim.password, { passkey: ofThief }), 400, 'passkey');
    // Made for an assertion, answered by a registration; and the other way round.
    await raised(thief);
    const request = await raising(thief.client);
    const fresh = new SoftwareAuthenticator(SITE);
    const answer = fresh.create({ ...(await creation(thief.client)), challenge: request.challenge });
    assertRefused(await add(thief.client, answer), 400, 'passkey');
    const { challenge, rp } = await creation(thief.client);
    const signed = thief.authenticator.get({ ...request, challenge, rpId: rp.id });
    assertRefused(await raise(thief.client, signed), 400, 'passkey');
    // Another account's passkey, for its own challenge and for the victim's.
    assertRefused(await raise(victim.client, thief.authenticator.get(await raising(victim.client))), 400, 'passkey');
    assertRefused(await raise(victim.client, thief.authenticator.get(await raising(thief.client))), 400, 'passkey');
    assertStepUp(await victim.client.post('/manage/v1/credentials', {}));
  });

  test('a counter that does not go up is of a copy: refused, and on record', async () => {
    const victim = await person();
    renewed(
      victim.client,
      await raise(victim.client, victim.authenticator.get(await raising(victim.client), { counter: 40 })),
    );
    for (const counter of [40, 39, 0])
      assertRefused(
        await raise(victim.client, victim.authenticator.get(await raising(victim.client), { counter })),
        400,
        'passkey',
      );
    assert((await actions(victim.id)).includes('security.refused passkey_counter'));
    renewed(
      victim.client,
      await raise(victim.client, victim.authenticator.get(await raising(victim.client), { counter: 41 })),
    );
  });

  test('an authenticator that does not count is taken', async () => {
    const victim = await person();
    const uncounted = new SoftwareAuthenticator(SITE);
    const client = await raised(victim);
    managed(await add(client, uncounted.create(await creation(client), { counter: 0 })), 201);
    for (let times = 0; times < 2; times++)
      renewed(client, await raise(client, uncounted.get(await raising(client), { counter: 0 })));
  });

  test('two answers with the same counter at once are one', async () => {
    const victim = await person();
    const passkey = victim.authenticator.get(await loggingIn(victim));
    const sessions = [victim.client, clientOf(await login(victim.email, victim.password, { passkey }))];
    const asked = await Promise.all(
      sessions.map(async (client) => victim.authenticator.get(await raising(client), { counter: 90 })),
    );
    const replies = await Promise.all(
      sessions.map((client, index) => raise(client, present(asked[index], 'an answer'))),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 400]);
  });

  test('a registration is taken only as it was asked for, and a credential is of one account', async () => {
    const [owner, thief] = [await person(), await person()];
    const client = await raised(thief);
    const before = await passkeysOf(client);
    const forgeries: readonly Forged[] = [
      { challenge: Buffer.alloc(32, 1).toString('base64url') },
      { origin: 'https://pay.example.net' },
      { rpId: 'pay.example.net' },
      { userVerified: false },
      { type: 'webauthn.get' },
      { crossOrigin: true },
    ];
    for (const forged of forgeries)
      assertRefused(
        await add(client, new SoftwareAuthenticator(SITE).create(await creation(client), forged)),
        400,
        'passkey',
      );
    assertRefused(await add(client, owner.authenticator.create(await creation(client))), 409);
    assertRefused(await add(client, thief.authenticator.create(await creation(client))), 409);
    const renamed = new SoftwareAuthenticator(SITE).create(await creation(client));
    const other = { ...renamed, id: owner.authenticator.id, rawId: owner.authenticator.id };
    assertRefused(await add(client, other), 400, 'passkey');
    const twice = new SoftwareAuthenticator(SITE).create(await creation(client));
    managed(await add(client, twice), 201);
    assertRefused(await add(client, twice), 400, 'passkey');
    assert.equal((await passkeysOf(client)).length, before.length + 1);
    renewed(owner.client, await raise(owner.client, owner.authenticator.get(await raising(owner.client))));
  });

  test('the last second factor stays; with a code generator beside it, it goes', async () => {
    const owner = await person();
    const client = await raised(owner);
    const remove = () => client.request('DELETE', `${PASSKEYS}/${owner.passkey}`);
    assertRefused(await remove(), 409);
    const { secret } = managed<{ secret: string }>(await client.request('POST', TOTP));
    // Not confirmed, it does not count.
    assertRefused(await remove(), 409);
    const code = (steps = 0): string => codeAt(secret, till.clock.now() + steps * 30_000);
    managed(await client.post(`${TOTP}/confirm`, { verify_code: code(-1) }));
    assert.deepEqual(
      assertRefused(await login(owner.email, owner.password), 400).errors?.map(({ path }) => path),
      ['totp', 'passkey'],
      'both factors are named, so that a client offers both',
    );
    managed(await login(owner.email, owner.password, { totp: code() }));
    managed(await login(owner.email, owner.password, { passkey: owner.authenticator.get(await loggingIn(owner)) }));
    managed(await remove());
    assertRefused(await till.client.post(`${SESSION}/passkey`, { email: owner.email, password: owner.password }), 409);
    assert.deepEqual(
      assertRefused(await login(owner.email, owner.password), 400).errors?.map(({ path }) => path),
      ['totp'],
      'a passkey is not offered to an account without one',
    );
    const rows = await actions(owner.id);
    assert.deepEqual(
      rows.filter((action) => action.startsWith('security.passkey')),
      ['security.passkey_add', 'security.passkey_remove'],
    );
  });

  test('the first one ends the other sessions, and what a thief enrolled before and did not confirm', async () => {
    const victim = await bare();
    const thief = clientOf(await login(victim.email, victim.password));
    const { secret } = managed<{ secret: string }>(await thief.request('POST', TOTP));
    await stepUp(victim.client, { password: victim.password });
    managed(await add(victim.client, new SoftwareAuthenticator(SITE).create(await creation(victim.client))), 201);
    assertRefused(await thief.get(SESSION), 401);
    managed(await victim.client.get(SESSION));
    const totp = codeAt(secret, till.clock.now());
    assertRefused(await login(victim.email, victim.password, { totp }), 400, 'passkey');
  });

  test('an account has at most ten', async () => {
    const owner = await person();
    const client = await raised(owner);
    const [first, second] = [await creation(client), await creation(client)];
    for (let count = 1; count < 9; count++)
      managed(await add(client, new SoftwareAuthenticator(SITE).create(await creation(client))), 201);
    const late = await Promise.all(
      [first, second].map((options) => add(client, new SoftwareAuthenticator(SITE).create(options))),
    );
    assert.deepEqual(late.map(({ status }) => status).toSorted(), [201, 409]);
    assertRefused(await client.request('POST', `${PASSKEYS}/options`), 409);
    assert.equal((await passkeysOf(client)).length, 10);
  });

  test('neither challenges nor keys are logged or shown', async () => {
    const owner = await person();
    const options = await raising(owner.client);
    const answer = owner.authenticator.get(options, { origin: 'https://pay.example.net' });
    assertRefused(await raise(owner.client, answer), 400, 'passkey');
    const [stored] = await store.sql('SELECT public_key FROM passkeys WHERE account_id = ?', [owner.id]);
    const shown = JSON.stringify([await passkeysOf(owner.client), till.logger.lines]);
    const audit = JSON.stringify(await store.sql('SELECT * FROM audit_trail'));
    for (const secret of [options.challenge, String(stored?.['public_key']), owner.authenticator.id])
      assert(!`${shown}${audit}`.includes(secret), secret);
    const challenges = JSON.stringify(await store.sql('SELECT * FROM passkey_challenges'));
    assert(!challenges.includes((await raising(owner.client)).challenge));
  });
});
