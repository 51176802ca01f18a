import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { EVENT_BODIES } from '../../adapters/http/event-data.ts';
import { ACTIONS, OPERATOR } from '../../core/index.ts';
import type { ActionRow, Callback, PasskeyCreationOptions, WebhookEndpoint } from '../../core/index.ts';
import { SoftwareAuthenticator } from '../support/authenticator.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { dataIn, eventsFor, subscribe } from '../support/subscribe.ts';
import { codeAt } from '../support/totp.ts';
import { managed, PASSKEY_SITE, renewed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

const API = '/manage/v1';
const DAY_MS = 86_400_000;
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Every row of the audit log that an owner is told of, as the table of actions has them. */
const TELLS = Object.values<ActionRow>(ACTIONS).flatMap(({ tells = [] }) => tells.map(({ action }) => action));

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 1_000_000 });
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const subscribed = ({ account }: Member): Promise<WebhookEndpoint> =>
    subscribe(store.storage, account.id, { events: ['security.*'] });
  const told = (endpoint: WebhookEndpoint): Promise<readonly Callback[]> => eventsFor(store.storage, endpoint);
  const actionsOf = (events: readonly Callback[]): readonly unknown[] => events.map((event) => dataIn(event)['action']);

  test('fault 202: each change of what protects an account is an event, without a secret', async () => {
    const user = await fixture.newMember();
    const endpoint = await subscribed(user);
    const { client } = user;
    const secrets: string[] = [];
    /** What is answered; its texts that are secrets are looked for later. */
    const done = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const headers = { 'If-Match': '1' };
      const reply = await client.request(method, API + path, body === undefined ? {} : { body, headers });
      const { data } = JSON.parse(reply.text) as { readonly data: Record<string, unknown> };
      assert.ok(reply.status < 300, reply.text);
      for (const name of ['secret', 'api_key', 'api_token', 'signing_secret', 'callback_secret', 'callback_key'])
        if (typeof data[name] === 'string') secrets.push(data[name]);
      return data;
    };
    const hook = await done('POST', '/webhooks', { url: 'http://127.0.0.1:9/x', events: ['order.*'] });
    await done('PATCH', `/webhooks/${String(hook['id'])}`, { enabled: false });
    await done('POST', `/webhooks/${String(hook['id'])}/rotate`);
    await done('DELETE', `/webhooks/${String(hook['id'])}`);
    const made = await done('POST', '/credentials', {});
    await done('POST', `/credentials/${String(made['id'])}/reveal`);
    await done('POST', `/credentials/${String(made['id'])}/revoke`);
    await done('POST', '/credentials/callback/rotate');
    const { id: app } = await done('POST', '/apps', { name: 'Shop', chains: ['ETH'] });
    const { key } = (await done('POST', `/apps/${String(app)}/keys/rotate`, {})) as {
      readonly key: { readonly id: string };
    };
    await done('POST', `/apps/${String(app)}/keys/${key.id}/reveal`);
    await done('POST', '/payout-addresses', { chain: 'ETH', address: ADDRESS });
    const { id: payee } = await done('POST', '/payees', { chain: 'ETH', address: ADDRESS });
    await done('DELETE', `/payees/${String(payee)}`);
    await done('PATCH', '/notifications', { payouts: false, summary: true });
    await done('PATCH', '/notifications', { summary: false });
    await done('PATCH', '/branding', { support: 'help@shop.example' });
    await done('PATCH', '/security', { data_security: true });
    await done('PATCH', '/security', { data_security: false });
    await done('DELETE', '/security/pending/data_security');
    const authenticator = new SoftwareAuthenticator(PASSKEY_SITE);
    const options = (await done('POST', '/security/passkeys/options')) as unknown as PasskeyCreationOptions;
    const passkey = await done('POST', '/security/passkeys', { name: 'Key', passkey: authenticator.create(options) });
    const totp = await done('POST', '/security/totp');
    await done('POST', '/security/totp/confirm', {
      verify_code: codeAt(String(totp['secret']), fixture.till.clock.now()),
    });
    await done('DELETE', `/security/passkeys/${String(passkey['id'])}`);
    const next = 'another horse in the stable';
    renewed(client, await client.post(`${API}/password`, { current: user.password, new: next }));
    const { admin } = fixture;
    managed(await admin.client.post(`${API}/accounts/${user.id}/freeze`, { reason: 'A session was stolen.' }));
    managed(await admin.client.request('POST', `${API}/accounts/${user.id}/unfreeze`));
    await fixture.manage.passwords.reset(OPERATOR, user.account.id, 'a wholly new horse');
    const atOnce = { accountId: user.account.id, chain: 'BSC', address: ADDRESS };
    await fixture.manage.addresses.register(OPERATOR, atOnce, true);
    const events = await told(endpoint);
    assert.deepEqual(new Set(actionsOf(events)), new Set(TELLS), 'every row of the table of actions');
    const pending = events.filter(({ event }) => event === 'security.pending');
    assert.deepEqual(actionsOf(pending), ['withdrawal_address.set', 'payee.create', 'security.update']);
    const effective = new Date(fixture.till.clock.now() + DAY_MS).toISOString();
    assert.deepEqual(
      events.map((event) => dataIn(event)['effective_at']).filter((at) => at !== null),
      [effective, effective, effective],
    );
    assert.ok(events.every((event) => dataIn(event)['account'] === user.id));
    assert.ok(secrets.length >= 6);
    const bodies = events.map(({ body }) => body).join('\n');
    for (const secret of [...secrets, user.password, next]) assert.ok(!bodies.includes(secret), 'no secret');
    for (const { event, body } of events)
      EVENT_BODIES.find(({ type }) => type === event)?.schema.parse(JSON.parse(body ?? ''));
  });

  test('a refused request, a login and what an admin does with its own account are no events of this account', async () => {
    const [user, other] = [await fixture.newMember('user', { raised: false }), await fixture.newMember()];
    const endpoint = await subscribed(user);
    assert.equal((await user.client.post(`${API}/credentials`, {})).status, 403);
    assert.equal((await fixture.login(user.email, user.password)).status, 200);
    managed(await other.client.post(`${API}/credentials`, {}), 201);
    assert.deepEqual(await told(endpoint), []);
  });
});
