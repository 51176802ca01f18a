import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { waitFor } from '../support/wait.ts';
import { addressOf, branch, ChainNode, hashOf, RpcClient } from './chain-node.ts';
import { KEY, keyView, OTHER_KEY, routeOf, startGateway } from './support.ts';
import type { TestGateway } from './support.ts';

const names = (letter: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `${letter}${from + at}`);
const logNames = (letter: string, from: number, to: number, log: number): string[] =>
  names(letter, from, to).map((name) => `${name}.${log}`);
const backwards = (list: readonly string[]): string[] => list.toReversed().map((name) => `-${name}`);

describe('shared subscriptions', () => {
  let first: ChainNode;
  let second: ChainNode;
  let gate: TestGateway;
  const clients: RpcClient[] = [];
  /** The chain that both nodes have at the begin. */
  const base = branch('a', 1, 40, 'genesis');

  beforeEach(async () => {
    first = await new ChainNode(base).start();
    second = await new ChainNode(base).start();
    gate = await startGateway([routeOf([first.url, second.url], { protocol: 'websocket' })], {
      subscriptionSilenceMs: 60_000,
    });
    gate.directory.set(OTHER_KEY, keyView());
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.terminate();
    await gate.close();
    await Promise.all([first.stop(), second.stop()]);
  });

  const open = async (key?: string, path?: string): Promise<RpcClient> => {
    const client = await RpcClient.open(gate.port, key, path);
    clients.push(client);
    return client;
  };
  /** The node that the shared subscription is at, and the other one. */
  const nodes = (): readonly [ChainNode, ChainNode] => (first.following > 0 ? [first, second] : [second, first]);
  const sees = (client: RpcClient, id: string, expected: readonly string[]): Promise<boolean> =>
    waitFor(() => client.seen(id).length >= expected.length, {
      timeoutMs: 10_000,
      describe: () => `${expected.join(' ')}, got ${client.seen(id).join(' ')}`,
    }).then(() => {
      assert.deepEqual(client.seen(id), expected);
      return true;
    });

  test('equal ones of all clients are one at a node, and each client has its own id', async () => {
    const all = await Promise.all([open(), open(OTHER_KEY), open()]);
    const heads = await Promise.all(all.map((client) => client.subscribe('newHeads')));
    const filters = [
      { address: addressOf('1') },
      { address: [addressOf('1')], topics: [] },
      { address: addressOf('2') },
    ];
    const logs = await Promise.all(all.map((client, at) => client.subscribe('logs', filters[at])));
    assert.equal(new Set([...heads, ...logs]).size, 6);
    for (const id of [...heads, ...logs]) assert.match(id, /^0x[0-9a-f]{32}$/);
    const [at] = nodes();
    at.mine(branch('a', 41, 43, 'a40'));
    for (const [index, client] of all.entries()) {
      await sees(client, heads[index]!, names('a', 41, 43));
      await sees(client, logs[index]!, logNames('a', 41, 43, index < 2 ? 0 : 1));
    }
    assert.equal(first.count('eth_subscribe') + second.count('eth_subscribe'), 1);
    assert.equal(at.count('eth_getLogs'), 3);
    const [head] = all.flatMap(({ notifications }) => notifications);
    assert.deepEqual(Object.keys(head?.result as object).sort(), ['hash', 'number', 'parentHash']);
  });

  test('eth_unsubscribe ends a subscription of the own connection alone; with the last one the feed ends', async () => {
    const [client, other] = [await open(), await open()];
    const [id, kept] = [await client.subscribe('newHeads'), await other.subscribe('newHeads')];
    assert.equal((await other.ask('eth_unsubscribe', id)).error?.message, 'subscription not found');
    assert.equal((await client.ask('eth_unsubscribe', id)).result, true);
    assert.equal((await client.ask('eth_unsubscribe', id)).error?.message, 'subscription not found');
    const [at] = nodes();
    for (const node of [first, second]) node.mine(branch('a', 41, 41, 'a40'));
    await sees(other, kept, ['a41']);
    assert.deepEqual(client.seen(id), []);
    const before = at.sockets.size;
    assert.equal((await other.ask('eth_unsubscribe', kept)).result, true);
    await waitFor(() => at.following === 0 && at.sockets.size === before - 1);
    const again = await other.subscribe('newHeads');
    nodes()[0].mine(branch('a', 42, 42, 'a41'));
    await sees(other, again, ['a42']);
    other.socket.close();
    await waitFor(() => first.following + second.following === 0);
  });

  test('fault 425: after the end of its node each client sees every block and log once, the reorganised ones too', async () => {
    const [client, other] = [await open(), await open()];
    const [heads, logs] = [
      await client.subscribe('newHeads'),
      await other.subscribe('logs', { address: addressOf('1') }),
    ];
    const [at, next] = nodes();
    const more = branch('a', 41, 45, 'a40');
    at.mine(more);
    await sees(other, logs, logNames('a', 41, 45, 0));
    // Meanwhile the other node has another branch, from the block 44 on.
    next.mine([...more.slice(0, 3), ...branch('b', 44, 60, 'a43')]);
    await at.stop();
    await sees(client, heads, [...names('a', 41, 45), ...names('b', 44, 60)]);
    await sees(other, logs, [
      ...logNames('a', 41, 45, 0),
      ...backwards(logNames('a', 44, 45, 0)),
      ...logNames('b', 44, 60, 0),
    ]);
    next.mine(branch('b', 61, 62, 'b60'));
    await sees(client, heads, [...names('a', 41, 45), ...names('b', 44, 62)]);
    assert.deepEqual([client.closed, other.closed], [null, null]);
  });

  test('fault 425: a node that ends in the middle of a block does so for nobody twice', async () => {
    const client = await open();
    const [heads, logs] = [await client.subscribe('newHeads'), await client.subscribe('logs', {})];
    const [at, next] = nodes();
    const more = branch('a', 41, 44, 'a40');
    at.answer = ({ method, params }, socket) => {
      const { blockHash } = (params[0] ?? {}) as { readonly blockHash?: string };
      if (method !== 'eth_getLogs' || blockHash !== hashOf('a43')) return undefined;
      socket.terminate();
      void at.stop();
      return null;
    };
    next.mine(more);
    at.mine(more);
    await sees(client, heads, names('a', 41, 44));
    await sees(
      client,
      logs,
      names('a', 41, 44).flatMap((name) => [`${name}.0`, `${name}.1`]),
    );
  });

  test('fault 426: a node that takes over and is behind delivers nothing until it has caught up', async () => {
    const client = await open();
    const heads = await client.subscribe('newHeads');
    const [at, next] = nodes();
    const more = branch('a', 41, 50, 'a40');
    at.mine(more);
    await sees(client, heads, names('a', 41, 50));
    await at.stop();
    await waitFor(() => next.following === 1);
    next.mine([...more.slice(0, 5), ...branch('s', 45, 47, 'a44')]);
    next.mine([...more.slice(4), ...branch('a', 51, 51, 'a50')]);
    await sees(client, heads, names('a', 41, 51));
  });

  test('fault 429: a gap that cannot be filled closes the clients with 1013', async () => {
    const client = await open();
    await client.subscribe('newHeads');
    const [at, next] = nodes();
    next.mine(branch('a', 41, 1_042, 'a40'));
    await at.stop();
    await waitFor(() => client.closed);
    assert.deepEqual(client.closed, { code: 1013, reason: 'subscription_lost' });
    const again = await open();
    const heads = await again.subscribe('newHeads');
    next.mine(branch('a', 1_043, 1_043, 'a1042'));
    await sees(again, heads, ['a1043']);
  });

  test('a gap of a thousand blocks is filled', async () => {
    const client = await open();
    const heads = await client.subscribe('newHeads');
    const [at, next] = nodes();
    next.mine(branch('a', 41, 1_040, 'a40'));
    await at.stop();
    await sees(client, heads, names('a', 41, 1_040));
  });

  const liars: readonly (readonly [string, (node: ChainNode) => void])[] = [
    ['announces what is no block', (node) => node.announce('0x1')],
    ['announces a block without a parent', (node) => node.announce({ number: '0x29', hash: hashOf('x') })],
    [
      'announces a block whose parent nobody has',
      (node) => node.announce({ number: '0x2a', hash: hashOf('x'), parentHash: hashOf('y') }),
    ],
    [
      'announces a block far ahead',
      (node) => node.announce({ number: '0xffffff', hash: hashOf('x'), parentHash: hashOf('a40') }),
    ],
    [
      'announces an old number without its branch',
      (node) => node.announce({ number: '0x3', hash: hashOf('x'), parentHash: hashOf('y') }),
    ],
    [
      'announces a number that does not follow its parent',
      (node) => node.announce({ number: '0x2f', hash: hashOf('x'), parentHash: hashOf('a40') }),
    ],
    [
      'gives another block for a hash',
      (node) => {
        node.answer = ({ method }) => (method === 'eth_getBlockByHash' ? { result: base[5] } : undefined);
        node.announce({ number: '0x2a', hash: hashOf('x'), parentHash: hashOf('y') });
      },
    ],
    [
      'gives logs of another block',
      (node) => {
        node.answer = ({ method }) => (method === 'eth_getLogs' ? { result: base[5]!.logs } : undefined);
        node.mine(branch('a', 41, 41, 'a40'));
      },
    ],
    ['sends what is no JSON', (node) => node.followers.forEach((socket) => socket.send('{"'))],
    ['sends nothing but null', (node) => node.followers.forEach((socket) => socket.send('null'))],
  ];
  for (const [what, lie] of liars)
    test(`fault 427: a node that ${what} misleads nobody`, async () => {
      const client = await open();
      const [heads, logs] = [await client.subscribe('newHeads'), await client.subscribe('logs', {})];
      const [at, next] = nodes();
      next.mine(branch('a', 41, 41, 'a40'));
      lie(at);
      // It is left, or goes on as if nothing had been said.
      await waitFor(() => next.following === 1 || at.count('eth_getBlockByNumber', 'latest') > 1);
      next.mine(branch('a', 42, 42, 'a41'));
      at.mine(branch('a', 41, 42, 'a40'));
      await sees(client, heads, ['a41', 'a42']);
      await sees(client, logs, ['a41.0', 'a41.1', 'a42.0', 'a42.1']);
    });

  test('an announced block that a reorganisation has taken from its node meanwhile is no fault of the node', async () => {
    const client = await open();
    const [heads] = [await client.subscribe('newHeads'), await client.subscribe('logs', {})];
    const [at] = nodes();
    const [gone] = branch('g', 41, 41, 'a40');
    at.announces = false;
    at.mine(branch('a', 41, 42, 'a40'));
    at.announce(gone);
    await sees(client, heads, ['a41', 'a42']);
    assert.equal(first.count('eth_subscribe') + second.count('eth_subscribe'), 1);
  });

  test('fault 427: announcements that come again, that nobody asked for, and without end change nothing', async () => {
    const client = await open();
    const heads = await client.subscribe('newHeads');
    const [at] = nodes();
    const more = branch('a', 41, 43, 'a40');
    at.mine(more);
    for (const each of [base[20], base[39], more[0], more[2]]) at.announce(each);
    for (const socket of at.followers) {
      socket.send('{"method":"eth_subscription","params":{"subscription":"0xdead","result":{}}}');
      socket.send('{"method":"eth_subscription","params":null}');
      socket.send('{"method":"eth_other"}');
      socket.send('{"id":123456,"result":1}');
    }
    const many = branch('a', 44, 400, 'a43');
    at.mine(many);
    await sees(client, heads, names('a', 41, 400));
  });

  test('fault 430: a client that reads too slowly is closed with 1013, and the others see everything in time', async () => {
    const [slow, quick] = [await open(), await open()];
    const [, logs] = [await slow.subscribe('logs', {}), await quick.subscribe('logs', {})];
    slow.socket.pause();
    const [at] = nodes();
    const data = `0x${'00'.repeat(100_000)}`;
    const metric = 'tillgate_gateway_websockets{route="eth.gate.example"} 1';
    let seen = 0;
    for (let number = 41, left = false; !left; number += 5) {
      at.mine(branch('a', number, number + 4, `a${number - 1}`, data));
      seen += 10;
      await waitFor(() => quick.seen(logs).length === seen);
      left = (await gate.metrics()).includes(metric);
      assert(number < 1_000, 'the client that does not read is still there');
    }
    slow.socket.resume();
    await waitFor(() => slow.closed);
    assert.deepEqual(slow.closed, { code: 1013, reason: 'too_slow' });
    assert(slow.notifications.length < seen);
    assert.equal(quick.closed, null);
  });

  test('fault 433: a connection may have a thousand subscriptions, and a route a thousand filters', async () => {
    const client = await open();
    const asked = Array.from({ length: 1_000 }, () => client.ask('eth_subscribe', 'newHeads'));
    const ids = (await Promise.all(asked)).map(({ result }) => result);
    assert.equal(new Set(ids).size, 1_000);
    const { error } = await client.ask('eth_subscribe', 'newHeads');
    assert.equal(error?.code, -32005);
    await client.ask('eth_unsubscribe', ids[0]);
    assert.match(await client.subscribe('newHeads'), /^0x/);
    const more = await open();
    const filters = Array.from({ length: 1_000 }, (_, at) => ({ topics: [hashOf(String(at))] }));
    await Promise.all(filters.map((filter) => more.subscribe('logs', filter)));
    const third = await open();
    assert.equal((await third.ask('eth_subscribe', 'logs', { topics: [hashOf('one more')] })).error?.code, -32005);
    assert.match(await third.subscribe('logs', filters[0]), /^0x/);
  });

  test('other kinds, and what only a node can judge, are at the own node, and end with it', async () => {
    for (const params of [['syncing'], ['logs', { fromBlock: '0x1' }], ['newHeads', { more: true }]]) {
      const client = await open();
      const id = await client.subscribe(...params);
      assert.match(id, /^0x\w{1,2}$/);
      const node = [first, second].find((each) => each.count('eth_subscribe', params[0]) > 0)!;
      node.notify(params[0] as string, '0x1');
      await sees(client, id, ['0x1']);
      for (const socket of node.sockets) socket.terminate();
      await waitFor(() => client.closed?.code === 1011);
      for (const each of [first, second]) each.calls.length = 0;
    }
  });

  test('pending transactions are shared, by whether they are wanted in full, and go on at another node', async () => {
    const [client, other] = [await open(), await open()];
    const hashes = [
      await client.subscribe('newPendingTransactions'),
      await other.subscribe('newPendingTransactions', false),
    ];
    const full = await other.subscribe('newPendingTransactions', true);
    const [at, next] = nodes();
    assert.equal(at.count('eth_subscribe', 'newPendingTransactions'), 2);
    await at.stop();
    await waitFor(() => next.count('eth_subscribe', 'newPendingTransactions') === 2);
    next.notify('newPendingTransactions', '0xabc');
    await sees(client, hashes[0]!, ['0xabc']);
    await sees(other, hashes[1]!, ['0xabc']);
    await sees(other, full, ['0xabc']);
    await other.ask('eth_unsubscribe', full);
    await waitFor(() => next.count('eth_unsubscribe') === 1);
  });

  test('a kind that no node offers is answered with the words of the node', async () => {
    for (const node of [first, second])
      node.answer = ({ method, params }) =>
        method === 'eth_subscribe' && params[0] === 'newPendingTransactions'
          ? { error: { code: -32601, message: 'no such subscription' } }
          : undefined;
    const client = await open();
    assert.deepEqual((await client.ask('eth_subscribe', 'newPendingTransactions')).error, {
      code: -32601,
      message: 'no such subscription',
    });
    for (const node of [first, second])
      node.answer = ({ method }) =>
        method === 'eth_subscribe' ? { error: { code: -32601, message: 'notifications not supported' } } : undefined;
    await waitFor(() => first.following + second.following === 0);
    assert.equal((await client.ask('eth_subscribe', 'newHeads')).error?.message, 'notifications not supported');
    assert.equal(client.closed, null);
  });

  test('fault 431: calls that a node owes when it ends are asked of another one where they are reads, else refused', async () => {
    const client = await open();
    const owning = first.sockets.size > 0 ? first : second;
    const other = owning === first ? second : first;
    owning.answer = ({ method }) => (method === 'eth_chainId' ? undefined : null);
    const read = client.ask('eth_getBalance', addressOf('1'), 'latest');
    const write = client.ask('eth_sendRawTransaction', '0x00');
    await waitFor(() => owning.calls.length === 2);
    await owning.stop();
    assert.equal((await read).result, '0x1');
    const { error } = await write;
    assert.match(error?.message ?? '', /try again/);
    assert.equal(other.count('eth_sendRawTransaction'), 0);
    assert.equal((await client.ask('eth_chainId')).result, '0x1');
    assert.equal(client.closed, null);
    await other.stop();
    await waitFor(() => client.closed?.code === 1011);
  });

  test('a node that is back soon is used again, and what is asked meanwhile waits', async () => {
    gate.setRoutes([routeOf([first.url], { protocol: 'websocket' })]);
    const client = await open();
    const heads = await client.subscribe('newHeads');
    await first.stop();
    const answer = client.ask('eth_blockNumber');
    await first.start();
    assert.equal((await answer).result, '0x28');
    await waitFor(() => first.following === 1);
    first.mine(branch('a', 41, 42, 'a40'));
    await sees(client, heads, ['a41', 'a42']);
  });

  test('fault 432: a node that announces nothing while another one goes on is left', async () => {
    await gate.close();
    gate = await startGateway([routeOf([first.url, second.url], { protocol: 'websocket' })], {
      subscriptionSilenceMs: 50,
    });
    const client = await open();
    const heads = await client.subscribe('newHeads');
    const [at, next] = nodes();
    next.mine(branch('a', 41, 45, 'a40'));
    await sees(client, heads, names('a', 41, 45));
    await waitFor(() => at.following === 0);
  });

  test('an upstream that the route no longer has is left, by calls too', async () => {
    gate.setRoutes([routeOf([first.url], { protocol: 'websocket' })]);
    const client = await open();
    const heads = await client.subscribe('newHeads');
    assert.equal(first.sockets.size, 2);
    gate.setRoutes([routeOf([second.url], { protocol: 'websocket' })]);
    await waitFor(() => first.sockets.size === 0 && second.following === 1);
    second.mine(branch('a', 41, 41, 'a40'));
    await sees(client, heads, ['a41']);
    assert.equal((await client.ask('eth_blockNumber')).result, '0x29');
    gate.setRoutes([routeOf([second.url], { protocol: 'websocket', enabled: false })]);
    await waitFor(() => client.closed?.code === 1001);
  });

  test('a cordoned upstream is left as long as there is another one', async () => {
    const client = await open();
    const heads = await client.subscribe('newHeads');
    const [at, next] = nodes();
    const route = routeOf([first.url, second.url], { protocol: 'websocket' });
    gate.setRoutes([route], [first.url, second.url]);
    next.mine(branch('a', 41, 41, 'a40'));
    at.mine(branch('a', 41, 41, 'a40'));
    await sees(client, heads, ['a41']);
    gate.setRoutes([route], [at.url]);
    await waitFor(() => at.sockets.size === 0 && next.following === 1);
    next.mine(branch('a', 42, 42, 'a41'));
    await sees(client, heads, ['a41', 'a42']);
    assert.equal((await client.ask('eth_blockNumber')).result, '0x2a');
  });

  test('a revoked key ends its subscriptions at once, and those of others go on', async () => {
    const [client, other] = [await open(OTHER_KEY), await open(KEY)];
    const [, heads] = [await client.subscribe('newHeads'), await other.subscribe('newHeads')];
    gate.directory.set(OTHER_KEY, keyView({ state: 'revoked' }));
    await waitFor(() => client.closed?.code === 4401);
    nodes()[0].mine(branch('a', 41, 41, 'a40'));
    await sees(other, heads, ['a41']);
    assert.equal(client.notifications.length, 0);
  });

  test('nothing is shared by a client with a query, nor of a subscription in a batch', async () => {
    const client = await open(KEY, '/?plan=1');
    assert.match(await client.subscribe('newHeads'), /^0x\w{1,2}$/);
    assert.equal(first.following + second.following, 1);
  });

  test('the methods of the route hold for subscriptions, and each is a call', async () => {
    gate.setRoutes([
      routeOf([first.url], { protocol: 'websocket', methods: { allow: ['*'], deny: ['eth_subscribe'] } }),
    ]);
    const client = await open();
    assert.match((await client.ask('eth_subscribe', 'newHeads')).error?.message ?? '', /eth_subscribe is not allowed/);
    assert.equal(first.count('eth_subscribe'), 0);
  });
});
