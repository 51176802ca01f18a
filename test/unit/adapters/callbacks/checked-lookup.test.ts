import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import {
  checkedLookup,
  isCallableHost,
  leadsToRefused,
  REFUSED_ADDRESS,
} from '../../../../adapters/callbacks/checked-lookup.ts';
import type { LookUpAll } from '../../../../adapters/callbacks/checked-lookup.ts';

const PUBLIC = '93.184.215.14';
const METADATA = ['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254', '100.100.100.200'];
const PRIVATE = ['127.0.0.1', '10.1.2.3', '192.168.0.1', '::1', 'fd12::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'];

/** A name server that answers each question with the next of these. */
const answering = (...answers: readonly (readonly string[])[]): LookUpAll => {
  const left = [...answers];
  return (_hostname, _options, callback) => {
    const found = left.shift() ?? [];
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
};

/** What a connection would be made to, or the code of the error. */
const asked = (lookup: ReturnType<typeof checkedLookup>, all = true): Promise<unknown> =>
  new Promise((resolve) => {
    lookup('node.example', { all }, (error, found) =>
      resolve(error === null ? found : (error as { code?: string }).code),
    );
  });

describe('fault 390: a name of an upstream is checked each time that it is connected to', () => {
  test('a public address is passed on, in both forms that Node asks for', async () => {
    assert.deepEqual(await asked(checkedLookup(false, answering([PUBLIC]))), [{ address: PUBLIC, family: 4 }]);
    assert.equal(await asked(checkedLookup(false, answering([PUBLIC])), false), PUBLIC);
  });

  test('private addresses are passed on only where they are allowed; link-local and metadata addresses never', async () => {
    for (const address of PRIVATE) {
      assert.equal(await asked(checkedLookup(false, answering([address]))), REFUSED_ADDRESS, address);
      assert.deepEqual(await asked(checkedLookup(true, answering([address]))), [
        { address, family: address.includes(':') ? 6 : 4 },
      ]);
    }
    for (const address of [...METADATA, 'fe80::1%2', 'no address'])
      for (const allowPrivate of [true, false])
        assert.equal(await asked(checkedLookup(allowPrivate, answering([address]))), REFUSED_ADDRESS, address);
  });

  test('one refused address refuses the name, and so does a later answer of the same name', async () => {
    const [refused = ''] = METADATA;
    assert.equal(await asked(checkedLookup(true, answering([PUBLIC, refused]))), REFUSED_ADDRESS);
    const rebound = checkedLookup(false, answering([PUBLIC], ['127.0.0.1'], []));
    assert.deepEqual(await asked(rebound), [{ address: PUBLIC, family: 4 }]);
    assert.equal(await asked(rebound), REFUSED_ADDRESS);
    assert.equal(await asked(rebound), REFUSED_ADDRESS, 'a name without an address');
  });

  test('an error of the name server stays what it is', async () => {
    const failing: LookUpAll = (_hostname, _options, callback) =>
      callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []);
    assert.equal(await asked(checkedLookup(true, failing)), 'ENOTFOUND');
    assert.equal(await leadsToRefused('node.example', false, failing), false);
  });

  test('no byte reaches a server at a refused address; the same server is reached where it is allowed', async (t) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const outcome = (allowPrivate: boolean): Promise<string> =>
      new Promise((resolve) => {
        const lookup = checkedLookup(allowPrivate, answering(['127.0.0.1']));
        const socket = connect({ host: 'node.example', port, lookup });
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
        socket.once('close', (failed) => (failed ? undefined : resolve('connected')));
        socket.resume();
      });
    assert.equal(await outcome(false), REFUSED_ADDRESS);
    assert.equal(connections, 0);
    assert.equal(await outcome(true), 'connected');
    assert.equal(connections, 1);
  });

  test('an address in a URL is checked as it is written there; a name waits for its connection', () => {
    for (const [host, allowPrivate, callable] of [
      [PUBLIC, false, true],
      ['127.0.0.1', false, false],
      ['127.0.0.1', true, true],
      ['[::1]', false, false],
      ['[fe80::1]', true, false],
      ['169.254.169.254', true, false],
      ['node.example', false, true],
    ] as const)
      assert.equal(isCallableHost(host, allowPrivate), callable, `${host} ${allowPrivate}`);
  });

  test('a name that leads to one is recognised when it is configured', async () => {
    assert.equal(await leadsToRefused('node.example', false, answering(['10.1.2.3'])), true);
    assert.equal(await leadsToRefused('node.example', true, answering(['10.1.2.3'])), false);
    assert.equal(await leadsToRefused('node.example', true, answering([PUBLIC, '169.254.169.254'])), true);
    assert.equal(await leadsToRefused('node.example', false, answering([PUBLIC])), false);
  });
});
