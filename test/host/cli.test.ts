import { randomBytes } from 'node:crypto';
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { FINDINGS } from '../../host/cli/findings.ts';
import { freshDirectory, killAll, run } from './till-process.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';

describe('the command line', () => {
  const directory = freshDirectory();
  afterEach(killAll);
  after(() => directory.remove());
  const json = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await run(directory.path, [...args, '--json']);
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, unknown>;
  };

  test('makes an account and a credential, in the given form', async () => {
    const account = await json(
      'account',
      'create',
      '--email',
      'Shop@example.com',
      '--password',
      'a good password',
      '--verified',
      '*',
    );
    assert.match(String(account['id']), /^\d{18,19}$/);
    const credential = await json('credential', 'create', '--account', String(account['id']));
    assert.deepEqual(Object.keys(credential), [
      'api_key',
      'api_token',
      'signing_secret',
      'callback_key',
      'callback_token',
      'callback_secret',
    ]);
    assert.match(String(credential['callback_secret']), /^whsec_/);
    const narrow = ['--scopes', 'create,read', '--expires-at', '2999-01-31T00:00:00Z'];
    const less = await json('credential', 'create', '--account', String(account['id']), ...narrow);
    assert.match(String(less['api_key']), /^tak_/);
    for (const [option, wrong] of [
      ['--scopes', 'read,all'],
      ['--expires-at', 'tomorrow'],
    ] as const) {
      const refused = await run(directory.path, [
        'credential',
        'create',
        '--account',
        String(account['id']),
        option,
        wrong,
      ]);
      assert.equal(refused.code, 1);
      assert.match(refused.err, new RegExp(option));
    }
    assert.deepEqual(await json('security', 'data-security', '--account', String(account['id']), '--on'), {
      id: account['id'],
      data_security: true,
    });
  });

  test('takes passwords from standard input, and warns of one on the command line', async () => {
    const create = ['account', 'create', '--email', 'secret@example.com', '--json'];
    const shown = await run(directory.path, [...create, '--password', 'a good password']);
    assert.match(shown.err, /--password-stdin/);
    const { id } = JSON.parse(shown.out) as { id: string };
    const reset = ['account', 'reset-password', '--account', id, '--password-stdin', '--json'];
    const common = await run(directory.path, reset, {}, undefined, 'password1234\n');
    assert.deepEqual([common.code, /common/.test(common.err)], [1, true], common.err);
    const done = await run(directory.path, reset, {}, undefined, 'a better password\n');
    assert.deepEqual([done.code, done.err], [0, ''], done.err);
    const { password_expires_at: until, ...rest } = JSON.parse(done.out) as Record<string, unknown>;
    assert.deepEqual(rest, { id, password_reset: true });
    assert.match(String(until), /^\d{4}-\d{2}-\d{2}T/);
    const both = await run(directory.path, [...reset, '--password', 'x'], {}, undefined, 'a better password');
    assert.deepEqual([both.code, /either/.test(both.err)], [1, true]);
    const nobody = await run(
      directory.path,
      ['account', 'reset-password', '--account', '123', '--password-stdin'],
      {},
      undefined,
      'a better password',
    );
    assert.match(nobody.err, /There is no such account/);
  });

  test("an account's first password is temporary where the operator makes it for somebody else", async () => {
    const create = (name: string, ...more: string[]) =>
      json('account', 'create', '--email', `${name}@example.com`, '--password', 'a good password', ...more);
    assert.equal('password_expires_at' in (await create('own')), false);
    assert.match(String((await create('other', '--temporary-password'))['password_expires_at']), /^\d{4}-\d{2}-\d{2}T/);
  });

  test('says in words, on standard error, what is wrong', async () => {
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [
        ['account', 'create', '--email', 'nobody', '--password', 'short'],
        1,
        /email: must be an email address[\s\S]*password/,
      ],
      [['account', 'create', '--email', 'a@b.c'], 1, /--password-stdin/],
      [['credential', 'create', '--account', '123'], 1, /There is no such account/],
      [['order', 'show', '1530217733414232064'], 1, /There is no order/],
      [['order', 'list', '--status', 'PAID'], 1, /--status: must be one of PENDING/],
      [['order', 'list', '--limit', '0'], 1, /limit: must be a whole number from 1 to 100/],
      [['order', 'list', '--cursor', 'x'], 1, /cursor: must be the next cursor/],
      [['chain', 'resume', 'DOGE'], 1, /chain DOGE is not configured/],
      [['frobnicate'], 2, /There is no command "frobnicate"/],
    ];
    for (const [args, expected, words] of cases) {
      const { code, out, err } = await run(directory.path, args);
      assert.equal(code, expected, args.join(' '));
      assert.match(err, words);
      assert.equal(out, '');
    }
  });

  test('shows a new seed once, and the address that it pays out from', async (t) => {
    // A directory of its own: in the sandbox, whatever opens the whole till makes a wallet where there is none.
    const fresh = freshDirectory();
    t.after(() => fresh.remove());
    const made = await run(fresh.path, ['wallet', 'init', '--json']);
    assert.equal(made.code, 0, made.err);
    const { mnemonic } = JSON.parse(made.out) as { mnemonic: string };
    assert.equal(mnemonic.split(' ').length, 24);
    const again = await run(fresh.path, ['wallet', 'init']);
    assert.equal(again.code, 1);
    assert.match(again.err, /There is a wallet already/);
    const asked = await run(fresh.path, ['wallet', 'init', '--json']);
    assert.deepEqual([asked.code, asked.out], [1, '']);
    const message = 'There is a wallet already; its words are not shown again.';
    assert.deepEqual(JSON.parse(asked.err), { error: { code: 'STATE_CONFLICT', message } });
    fresh.write('wrong.json', { mode: 'sandbox', plugins: [], orders: { timeoutSeconds: 0 } });
    const wrong = await run(fresh.path, ['migrate', '--json'], { TILLGATE_CONFIG: 'wrong.json' });
    const { error } = JSON.parse(wrong.err) as { error: { code: string; fields: { path: string }[] } };
    assert.deepEqual([error.code, error.fields.map(({ path }) => path)], ['CONFIG_INVALID', ['orders.timeoutSeconds']]);
    // The address that every tool derives from these words at m/44'/60'/0'/0/0.
    const shown = await run(directory.path, ['wallet', 'show'], { TILLGATE_MNEMONIC: MNEMONIC });
    assert.match(shown.out, /ETH\s+m\/44'\/60'\/0'\/0\/0\s+0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266/);
    for (const line of [
      /^BSC +m\/44'\/60'\/2'\/0\/0 +0x/m,
      /^BTC +m\/84'\/1'\/0'\/0\/0 +bcrt1q/m,
      /^LTC +m\/84'\/1'\/2'\/0\/0 +rltc1q/m,
      /^TRX +m\/44'\/195'\/0'\/0\/0 +T/m,
    ])
      assert.match(shown.out, line);
    // With no chain configured: those of the main networks.
    directory.write('bare.json', { mode: 'sandbox', plugins: [] });
    const bare = await run(directory.path, ['wallet', 'show'], {
      TILLGATE_MNEMONIC: MNEMONIC,
      TILLGATE_CONFIG: 'bare.json',
    });
    assert.match(bare.out, /^BTC +m\/84'\/0'\/0'\/0\/0 +bc1q/m);
    assert.match(bare.out, /^LTC +m\/84'\/2'\/0'\/0\/0 +ltc1q/m);
  });

  test('goes on with a chain from a block that is named, if there is such a chain and such a block', async () => {
    for (const [args, words] of [
      [['DOGE', '--from', '17'], /chain DOGE is not configured/],
      [['ETH', '--from', 'latest'], /the height of a block/],
    ] as const) {
      const { code, out, err } = await run(directory.path, ['chain', 'resume', ...args]);
      assert.equal(code, 1);
      assert.match(err, words);
      assert.equal(out, '');
    }
  });

  test('has a doctor who finds nothing wrong, and one who does', async () => {
    const { code, out } = await run(directory.path, ['doctor']);
    assert.equal(code, 0, out);
    for (const check of ['configuration', 'database', 'plugins', 'chain ETH', 'rates'])
      assert.match(out, new RegExp(`^ok +${check}`, 'm'));
    directory.write('sick.json', {
      mode: 'sandbox',
      plugins: [{ use: 'ethereum', options: { rpcUrls: ['http://127.0.0.1:9'], chainId: 31_337 } }],
      rates: { sources: [{ use: 'static', prices: { USDT: '1' } }] },
    });
    const sick = await run(directory.path, ['doctor'], { TILLGATE_CONFIG: 'sick.json' });
    assert.equal(sick.code, 1);
    assert.match(sick.out, /^WRONG chain ETH: /m);
    assert.match(sick.out, /^WRONG rates: no usable price of ETH/m);
    for (const finding of ['node-unusable', 'price-missing'] as const)
      for (const text of Object.values(FINDINGS[finding])) assert.ok(sick.out.includes(text), text);
    directory.write('weak.json', {
      mode: 'production',
      baseUrl: 'https://pay.example.com',
      dataDir: './weak',
      plugins: [],
      rates: { sources: [{ use: 'static', prices: { USD: '1' } }] },
    });
    const weak = await run(directory.path, ['doctor'], {
      TILLGATE_CONFIG: 'weak.json',
      TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'),
    });
    assert.equal(weak.code, 0, weak.out);
    assert.match(weak.out, /^weak +settings: rates\.sources has "static"/m);
    assert.ok(weak.out.includes(FINDINGS['setting-weak'].advice));
  });
});
