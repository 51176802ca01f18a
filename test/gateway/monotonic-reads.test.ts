import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  DEFAULT_READS,
  DEFAULT_TIMEOUTS,
  homeOf,
  newAppKeyText,
  seedOf,
  ShownBlock,
  ShownBlocks,
  ShownBlockSync,
  UpstreamHealth,
} from '../../core/index.ts';
import type { AppId, GatewayRoute, Home, ReadRules, ShownBlockReport, ShownBlockStore } from '../../core/index.ts';
import { SeededRandom } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { appView, ask, bothPaths, keyView, KEY, routeOf, startGateway, startNode } from './support.ts';
import type { Answer, FakeNode, TestGateway } from './support.ts';

/** A node with a newest block; the state that calls read is the number of that block. */
interface ChainNode extends FakeNode {
  head: number;
  /** Set to answer calls in another way. */
  refuses: ((res: ServerResponse) => void) | null;
  /** The same for all requests. */
  refusesAll: ((res: ServerResponse) => void) | null;
  /** How often its newest block was read by a call or by its number. */
  reads(): number;
}

const call = (method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const STATE = call('eth_call', { to: '0x1' }, 'latest');
const NUMBER = call('eth_blockNumber');
const hex = (block: number): string => `0x${block.toString(16)}`;
const resultOf = ({ status, text }: Answer): number => {
  assert.equal(status, 200, text);
  return Number((JSON.parse(text) as { result: string }).result);
};

/** The home of {@link KEY}'s App first. */
function homeFirst([one, two]: readonly [ChainNode, ChainNode]): readonly [ChainNode, ChainNode] {
  const home = (node: ChainNode): Home & { readonly node: ChainNode } => ({
    node,
    seed: seedOf(JSON.stringify([node.url, {}])),
    ...{ shown: new ShownBlock(), health: new UpstreamHealth(), cordoned: false },
  });
  return homeOf([home(one), home(two)], seedOf(appView().id))?.node === one ? [one, two] : [two, one];
}

bothPaths('fault 462: an App is not answered from an older block than before', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });

  const chainNode = async (head: number): Promise<ChainNode> => {
    const answer = (req: IncomingMessage, res: ServerResponse, body: string): void => {
      if (node.refusesAll !== null) {
        node.refusesAll(res);
        return;
      }
      const { method } = JSON.parse(body) as { method: string };
      if (node.refuses !== null && method === 'eth_call') {
        node.refuses(res);
        return;
      }
      const result =
        method === 'eth_getBlockByNumber'
          ? { hash: `0x${'ab'.repeat(32)}`, logsBloom: `0x${'0'.repeat(512)}`, number: hex(node.head) }
          : hex(node.head);
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
      const packed = req.headers['accept-encoding'] === 'gzip';
      res.writeHead(200, { 'content-type': 'application/json', ...(packed ? { 'content-encoding': 'gzip' } : {}) });
      res.end(packed ? gzipSync(text) : text);
    };
    const base = await startNode(answer);
    const reads = (): number => base.seen.filter(({ body }) => body === STATE).length;
    const node: ChainNode = Object.assign(base, { head, refuses: null, refusesAll: null, reads });
    started.push(node);
    return node;
  };

  const run = async (
    nodes: readonly FakeNode[],
    reads: Partial<ReadRules> = {},
    changes: Partial<GatewayRoute> = {},
    healthIntervalMs = 0,
  ): Promise<TestGateway> => {
    const urls = nodes.map(({ url }) => url);
    const route = routeOf(urls, { reads: { ...DEFAULT_READS, ...reads }, ...changes });
    const gate = await startGateway([route], { healthIntervalMs }, path);
    started.push(gate);
    return gate;
  };

  /** Starts two nodes with the same block, and tells the home of {@link KEY}'s App from the other one. */
  const pair = async (
    reads: Partial<ReadRules> = {},
    changes: Partial<GatewayRoute> = {},
  ): Promise<{ gate: TestGateway; home: ChainNode; other: ChainNode }> => {
    const nodes = [await chainNode(0x40), await chainNode(0x40)] as const;
    const gate = await run(nodes, reads, changes);
    const [home, other] = homeFirst(nodes);
    return { gate, home, other };
  };

  /** More Apps, with the keys that they use. */
  const moreApps = (gate: TestGateway, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => {
      const key = newAppKeyText(new SeededRandom(`app ${index}`));
      gate.directory.set(key, keyView({ app: appView({ id: String(2_000_000 + index) as AppId }) }));
      return key;
    });

  test('its reads of the newest block stay with one node, the same one on every instance; Apps are spread', async () => {
    const nodes = [await chainNode(0x40), await chainNode(0x40)] as const;
    const gates = [await run(nodes), await run(nodes)];
    for (let n = 0; n < 10; n++) for (const { port } of gates) await ask(port, { body: STATE });
    assert.deepEqual(nodes.map((node) => node.reads()).sort(), [0, 20]);
    const keys = moreApps(gates[0] as TestGateway, 32);
    for (const key of keys) await ask(gates[0]?.port ?? 0, { key, body: STATE });
    assert.ok(
      nodes.every((node) => node.reads() > 5 && node.reads() < 47),
      'a fair share each',
    );
  });

  test('reads that name an older block go to every node that has it', async () => {
    const { gate, home, other } = await pair();
    const old = call('eth_call', { to: '0x1' }, '0x10');
    const asked = ({ seen }: FakeNode): boolean => seen.some(({ body }) => body === old);
    await waitFor(async () => {
      await ask(gate.port, { body: old });
      return asked(home) && asked(other);
    });
  });

  test('where the route says so, its reads are spread', async () => {
    const { gate, home, other } = await pair({ monotonic: false });
    await waitFor(async () => {
      await ask(gate.port, { body: STATE });
      return home.reads() > 0 && other.reads() > 0;
    });
  });

  for (const [name, body, headers] of [
    ['its number', NUMBER, {}],
    ['its number in a compressed answer', NUMBER, { 'accept-encoding': 'gzip' }],
    ['the block itself', call('eth_getBlockByNumber', 'latest', false), {}],
  ] as const)
    test(`a node that was shown by ${name} ends: the next one is asked when it has that block`, async () => {
      const { gate, home, other } = await pair();
      home.head = 0x43;
      assert.equal((await ask(gate.port, { body, headers })).status, 200);
      await home.close();
      const reply = ask(gate.port, { body: STATE });
      await waitFor(() => other.seen.length >= 2);
      assert.equal(other.reads(), 0, 'it is behind');
      other.head = 0x43;
      assert.equal(resultOf(await reply), 0x43);
      assert.equal(resultOf(await ask(gate.port, { body: STATE })), 0x43);
    });

  test('a number in the replies to a batch is not taken for a block', async () => {
    const { gate, home, other } = await pair();
    const batch = `[${NUMBER},${call('eth_getBalance', '0x1', 'latest').replace('"id":1', '"id":2')}]`;
    home.refusesAll = (res) =>
      void res.end('[{"jsonrpc":"2.0","id":2,"result":"0xffff"},{"jsonrpc":"2.0","id":1,"result":"0x40"}]');
    assert.equal((await ask(gate.port, { body: batch })).status, 200);
    await home.close();
    assert.equal(resultOf(await ask(gate.port, { body: STATE })), 0x40);
    assert.equal(other.reads(), 1);
  });

  test('no node reaches that block in time: the answer says so, and not an older state', async () => {
    const { gate, home, other } = await pair({}, { timeouts: { ...DEFAULT_TIMEOUTS, connectMs: 300 } });
    home.head = 0x43;
    await ask(gate.port, { body: NUMBER });
    await home.close();
    const reply = await ask(gate.port, { body: STATE });
    assert.equal(reply.status, 503);
    assert.equal(reply.headers['retry-after'], '1');
    assert.match(reply.text, /behind a block that was answered already/);
    assert.equal(other.reads(), 0);
  });

  test('a node that refuses to answer is left for the other one only when that one has the block', async () => {
    const { gate, home, other } = await pair();
    home.head = 0x43;
    await ask(gate.port, { body: NUMBER });
    home.refuses = (res) => void res.writeHead(401).end();
    const reply = ask(gate.port, { body: STATE });
    await waitFor(() => other.seen.length >= 2);
    assert.equal(other.reads(), 0);
    other.head = 0x43;
    assert.equal(resultOf(await reply), 0x43);
  });

  test('the node that refused gets no further read before it has what the other one has answered', async () => {
    const { gate, home, other } = await pair();
    home.refusesAll = (res) => void res.writeHead(401).end();
    other.head = 0x45;
    assert.equal(resultOf(await ask(gate.port, { body: STATE })), 0x45);
    // A state does not say which block it is of: the home would be asked for its number too where it has been quicker.
    assert.equal(resultOf(await ask(gate.port, { body: NUMBER })), 0x45);
    home.refusesAll = null;
    const before = home.reads();
    for (let n = 0; n < 10; n++) assert.equal(resultOf(await ask(gate.port, { body: STATE })), 0x45);
    assert.equal(home.reads(), before);
  });

  test('a second request beside a slow one goes only to a node that has the block', async () => {
    const { gate, home, other } = await pair({ hedgeAfterMs: 10 });
    home.head = 0x43;
    await waitFor(async () => resultOf(await ask(gate.port, { body: NUMBER })) === 0x43);
    const refusals = async (): Promise<number> =>
      Number(/outcome="no_upstream"\} (\d+)/.exec(await gate.metrics())?.[1] ?? 0);
    const before = await refusals();
    const held: ServerResponse[] = [];
    home.refuses = (res) => void held.push(res);
    const reply = ask(gate.port, { body: STATE });
    const res = await waitFor(() => held[0]);
    await waitFor(async () => (await refusals()) > before);
    assert.equal(other.reads(), 0);
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":"0x43"}');
    assert.equal(resultOf(await reply), 0x43);
  });

  test('equal reads are shared only among Apps of the same home', async () => {
    const nodes = [await chainNode(0x40), await chainNode(0x40)] as const;
    const gate = await run(nodes, { dedupe: true });
    const keys = moreApps(gate, 16);
    const homes: ChainNode[] = [];
    for (const key of keys) {
      const before = nodes[0].reads();
      await ask(gate.port, { key, body: STATE });
      homes.push(nodes[0].reads() > before ? nodes[0] : nodes[1]);
    }
    const [one] = keys;
    const far = keys[homes.findIndex((home) => home !== homes[0])];
    const near = keys[homes.findLastIndex((home) => home === homes[0])];
    assert.ok(one !== undefined && far !== undefined && near !== undefined && near !== one);
    const held: { readonly node: ChainNode; readonly res: ServerResponse }[] = [];
    for (const node of nodes) node.refuses = (res) => void held.push({ node, res });
    const replies = [ask(gate.port, { key: one, body: STATE })];
    await waitFor(() => held.length === 1);
    replies.push(ask(gate.port, { key: near, body: STATE }), ask(gate.port, { key: far, body: STATE }));
    await waitFor(() => held.length === 2);
    assert.notEqual(held[0]?.node, held[1]?.node);
    for (const { res } of held)
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":"0x40"}');
    for (const reply of replies) assert.equal(resultOf(await reply), 0x40);
  });

  /** Two instances before the same nodes, and how they tell each other which blocks they answered. */
  const twoInstances = async (): Promise<{
    gates: readonly [TestGateway, TestGateway];
    home: ChainNode;
    other: ChainNode;
    exchange: () => Promise<void>;
  }> => {
    const said = new Map<string, readonly ShownBlockReport[]>();
    const store: ShownBlockStore = {
      exchange: (instance, reports) => {
        said.set(instance, reports);
        return Promise.resolve([...said].flatMap(([name, each]) => (name === instance ? [] : each)));
      },
    };
    const nodes = [await chainNode(0x40), await chainNode(0x40)] as const;
    const syncs: ShownBlockSync[] = [];
    const open = async (instance: string): Promise<TestGateway> => {
      const blocks = new ShownBlocks();
      syncs.push(new ShownBlockSync({ blocks, store, instance, now: () => performance.now() }));
      const route = routeOf(
        nodes.map(({ url }) => url),
        { reads: DEFAULT_READS },
      );
      const gate = await startGateway([route], { shownBlocks: blocks }, path);
      started.push(gate);
      return gate;
    };
    const gates = [await open('one'), await open('two')] as const;
    for (const { port } of gates) await ask(port, { body: STATE });
    const [home, other] = homeFirst(nodes);
    const exchange = async (): Promise<void> => {
      for (const sync of syncs) await sync.run();
    };
    return { gates, home, other, exchange };
  };

  test('a node that was shown on another instance ends: the next one is asked when it has that block', async () => {
    const { gates, home, other, exchange } = await twoInstances();
    const [one, two] = gates;
    home.head = 0x43;
    await ask(one.port, { body: NUMBER });
    await exchange();
    await home.close();
    const reply = ask(two.port, { body: STATE });
    await waitFor(() => other.seen.length > 0);
    assert.equal(other.reads(), 0, 'it is behind');
    other.head = 0x43;
    assert.equal(resultOf(await reply), 0x43);
  });

  test('a node that one instance has left answers on the others only with what was answered elsewhere', async () => {
    const { gates, home, other, exchange } = await twoInstances();
    const [one, two] = gates;
    home.refuses = (res) => void res.writeHead(401).end();
    other.head = 0x45;
    assert.equal(resultOf(await ask(one.port, { body: STATE })), 0x45);
    assert.equal(resultOf(await ask(one.port, { body: NUMBER })), 0x45);
    home.refuses = null;
    await exchange();
    assert.equal(resultOf(await ask(two.port, { body: STATE })), 0x45);
  });

  test('a chain that grows on nodes that are now and then behind, stop and come back: no client sees it go back', async () => {
    const nodes = [await chainNode(0x40), await chainNode(0x40), await chainNode(0x40)] as const;
    const gate = await run(nodes, { headLagBlocks: 3 }, {}, 20);
    const keys = [KEY, ...moreApps(gate, 5)];
    const random = new SeededRandom(`lag ${path}`);
    const draw = (below: number): number => (random.bytes(1)[0] ?? 0) % below;
    let over = false;
    const client = async (key: string): Promise<number> => {
      let last = 0;
      let answers = 0;
      while (!over) {
        const body = draw(2) === 0 ? NUMBER : STATE;
        const reply = await ask(gate.port, { key, body });
        if (reply.status === 503) continue;
        const seen = resultOf(reply);
        assert.ok(seen >= last, `${seen} after ${last}`);
        // Of a state nobody is told which block it is of.
        if (body === NUMBER) last = seen;
        answers += 1;
      }
      return answers;
    };
    const clients = keys.map(client);
    const settled = Promise.all(clients);
    try {
      let chain = 0x40;
      for (let block = 0; block < 150; block++) {
        chain += 1;
        const behind = nodes[draw(3)];
        for (const node of nodes) if (node !== behind) node.head = chain;
        const stopped = draw(4) === 0 ? nodes[draw(3)] : undefined;
        if (stopped !== undefined) stopped.refuses = (res) => void res.writeHead(503).end();
        await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, 10))]);
        for (const node of nodes) {
          node.refuses = null;
          node.head = Math.max(node.head, chain - 2);
        }
      }
    } finally {
      over = true;
    }
    const answers = await settled;
    assert.ok(
      answers.every((count) => count > 10),
      `${answers.join(' ')} answers`,
    );
  });
});
