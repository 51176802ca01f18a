import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connectRequest, redirectOf } from '../../../host/dashboard/app/connect-request.ts';

const VIEW = 'btcpay.store.canviewinvoices';
const CREATE = 'btcpay.store.cancreateinvoice';

const read = (query: readonly (readonly [string, string])[], isSecure = true) =>
  connectRequest(new URLSearchParams(query.map(([name, value]) => [name, value])), isSecure);

describe('the request of a shop plugin for a key', () => {
  test('has its name, its permissions in their order, each once, and the page that gets the key', () => {
    const asked = read([
      ['permissions', CREATE],
      ['permissions', VIEW],
      ['permissions', CREATE],
      ['applicationName', ' A shop '],
      ['strict', 'true'],
      ['redirect', 'https://shop.example/?callback'],
    ]);
    assert.ok(!('problem' in asked));
    assert.deepEqual([asked.application, asked.permissions], ['A shop', [CREATE, VIEW]]);
    assert.equal(asked.redirect?.href, 'https://shop.example/?callback');
    const plain = read([['permissions[]', VIEW]]);
    assert.deepEqual(plain, { application: '', permissions: [VIEW], redirect: null });
  });

  test('with a permission that nobody knows is refused by its name, unless the application can do without (fault 473)', () => {
    const query = [
      ['permissions', VIEW],
      ['permissions', 'btcpay.store.canfly'],
    ] as const;
    assert.deepEqual(read(query), { problem: 'unknownPermissions', about: 'btcpay.store.canfly' });
    assert.deepEqual(read([...query, ['strict', 'True']]), {
      problem: 'unknownPermissions',
      about: 'btcpay.store.canfly',
    });
    const without = read([...query, ['strict', 'false']]);
    assert.deepEqual('permissions' in without && without.permissions, [VIEW]);
    assert.equal((read([['permissions', 'constructor']]) as { problem: string }).problem, 'unknownPermissions');
    assert.deepEqual(
      read([
        ['permissions', 'x'],
        ['strict', 'false'],
      ]),
      { problem: 'noPermissions', about: '' },
    );
    assert.deepEqual(read([]), { problem: 'noPermissions', about: '' });
    const many = Array.from({ length: 40 }, (_, at) => ['permissions', `${VIEW}${at}`] as const);
    assert.equal((read([...many, ['strict', 'false']]) as { problem: string }).problem, 'unknownPermissions');
  });

  test('with a name that is too long, or that cannot be seen, is refused', () => {
    for (const name of ['x'.repeat(256), 'a\u202Eb', 'a\nb'])
      assert.equal(
        (
          read([
            ['permissions', VIEW],
            ['applicationName', name],
          ]) as { problem: string }
        ).problem,
        'badName',
      );
  });

  test('sends a key only to a web page, and never from https to http but on this machine (fault 474)', () => {
    const bad = [
      ...[
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        '//shop.example/x',
        '/dashboard',
        'shop.example',
      ],
      ...[
        'https:shop.example',
        'https:///shop.example',
        'https://user:pass@shop.example/',
        'https://shop.example\\@evil.example/',
      ],
      ...[
        'java\nscript:alert(1)',
        'ftp://shop.example/',
        `https://shop.example/${'x'.repeat(2100)}`,
        'http://shop.example/',
      ],
    ];
    for (const redirect of bad)
      assert.equal(
        (
          read([
            ['permissions', VIEW],
            ['redirect', redirect],
          ]) as { problem: string }
        ).problem,
        'badRedirect',
        redirect,
      );
    for (const good of ['https://shop.example:8443/a?b#c', 'http://localhost:8080/x', 'http://127.0.0.1/x'])
      assert.equal(redirectOf(good, true)?.href, good);
    assert.equal(redirectOf('http://shop.example/', false)?.origin, 'http://shop.example');
  });
});
