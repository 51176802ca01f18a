import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { isTillgateError } from '../../core/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import { resolveConfig } from '../../host/index.ts';
import { startRangeService } from '../support/range-service.ts';
import type { FakeRangeService } from '../support/range-service.ts';
import { freshDirectory, killAll, run } from './till-process.ts';

const BREACHED = 'a password that leaked';
const FRESH = 'a password that did not';

describe('the setting auth.breachedPasswords', () => {
  const environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64') };
  const rates = { sources: [{ use: 'static', prices: { ETH: '1' } }] };
  const of = (mode: string, auth: object = {}): string | null =>
    resolveConfig({ mode, auth, rates }, { environment }).auth.breachedPasswords;

  test('is the public service in production, nothing in the sandbox, and what is written in both', () => {
    assert.equal(of('production'), 'https://api.pwnedpasswords.com/range');
    assert.equal(of('sandbox'), null);
    assert.equal(of('production', { breachedPasswords: null }), null);
    assert.equal(of('sandbox', { breachedPasswords: 'https://own.example/range' }), 'https://own.example/range');
  });

  test('is an https address, or one of this machine', () => {
    assert.equal(of('sandbox', { breachedPasswords: 'http://localhost:8000' }), 'http://localhost:8000');
    for (const breachedPasswords of ['http://own.example/range', 'own.example', '', 5])
      assert.throws(() => of('sandbox', { breachedPasswords }), /auth\.breachedPasswords/, String(breachedPasswords));
  });
});

describe('a till that asks for breached passwords', () => {
  const directory = freshDirectory();
  let fake: FakeRangeService;
  before(async () => {
    fake = await startRangeService({ [BREACHED]: 5 });
    directory.write('tillgate.config.json', { mode: 'sandbox', auth: { breachedPasswords: fake.url } });
  });
  afterEach(killAll);
  after(async () => {
    await fake.close();
    directory.remove();
  });
  const create = (password: string) =>
    run(directory.path, ['account', 'create', '--email', 'shop@example.com', '--password', password, '--json']);

  test('refuses them at the command line', async () => {
    const refused = await create(BREACHED);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /password: was found in a data breach/);
    const made = await create(FRESH);
    assert.equal(made.code, 0, made.err);
    const { id } = JSON.parse(made.out) as { id: string };
    const reset = await run(directory.path, ['account', 'reset-password', '--account', id, '--password', BREACHED]);
    assert.equal(reset.code, 1);
    assert.match(reset.err, /password: was found in a data breach/);
    fake.answer = (response) => response.writeHead(503).end();
    assert.equal(
      (await run(directory.path, ['account', 'reset-password', '--account', id, '--password', BREACHED])).code,
      0,
    );
    fake.answer = null;
  });

  test('refuses them to an application that embeds it', async (t) => {
    const till = await createTillgate({
      database: 'sqlite::memory:',
      masterKey: randomBytes(32),
      baseUrl: 'https://shop.example',
      mode: 'sandbox',
      auth: { breachedPasswords: fake.url },
    });
    t.after(() => till.close());
    const asked = fake.asked.length;
    const made = (password: string) => till.accounts.create({ email: 'one@example.com', password });
    await assert.rejects(made('Password1234'), /password/);
    assert.equal(fake.asked.length, asked, 'a password that does not fit is not asked for');
    await assert.rejects(made(BREACHED), (error) => isTillgateError(error, 'INVALID_FIELDS'));
    await made(FRESH);
  });
});
