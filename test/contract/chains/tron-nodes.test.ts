import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type { ErrorCode } from '../../../core/index.ts';
import { FakeClock } from '../../support/fakes.ts';
import { FakeTronNetwork } from '../../support/tron/fake-tron-network.ts';
import { startTronNode } from '../../support/tron/fake-tron-node.ts';
import { openFixture, watching } from '../../support/tron/tron-fixture.ts';
import type { TronFixture } from '../../support/tron/tron-fixture.ts';

const failsWith = (code: ErrorCode, pattern: RegExp) => (error: unknown) =>
  isTillgateError(error, code) && pattern.test(error.message);

describe("Tron's nodes", () => {
  let fixture: TronFixture;

  before(async () => {
    fixture = await openFixture({ nodes: 2 });
  });
  beforeEach(() => {
    for (const node of fixture.nodes) Object.assign(node, { lag: 0, intercept: () => null });
  });
  after(async () => {
    await fixture.stop();
  });

  test('a network is named by its first block', async () => {
    assert.equal(await fixture.chain.identify(), `tron:${fixture.network.genesis}`);
  });

  test('fault 56: a node of another network is refused where the main one is wanted', async () => {
    const chain = await fixture.open({ network: 'main', tokens: undefined });
    await assert.rejects(
      chain.identify(),
      failsWith('CHAIN_HALTED', /configured for 00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc/),
    );
    await assert.rejects(chain.head(), failsWith('CHAIN_HALTED', /127\.0\.0\.1/));
  });

  test('fault 56: the second node of another network is never believed', async () => {
    const other = new FakeTronNetwork(new FakeClock());
    Object.assign(other.blocks[0] as object, { id: `${'0'.repeat(16)}${'77'.repeat(24)}` });
    other.produce(500);
    const stranger = await startTronNode(other);
    const chain = await fixture.open({ apiUrls: [fixture.node.url, stranger.url] });
    const head = await chain.head();
    fixture.node.intercept = () => ({ status: 503, text: '' });
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /HTTP 503.*is on the Tron network/));
    fixture.node.intercept = () => null;
    assert.deepEqual(await chain.head(), head);
    await stranger.stop();
  });

  for (const [what, status, text] of [
    ['an error page', 200, '<html>504</html>'],
    ['null', 200, 'null'],
    ['a number', 200, '17'],
    ['an error of its own', 200, '{"Error":"class java.lang.NullPointerException : null"}'],
    ['HTTP 503', 503, '{}'],
    ['HTTP 429', 429, '{}'],
    ['HTTP 403', 403, '{"Error":"The key exceeds the frequency limit"}'],
    ['a redirect', 302, ''],
  ] as const) {
    test(`when a node answers with ${what} the next one is asked`, async () => {
      const asked = fixture.nodes[1]?.asked.length ?? 0;
      const chain = await fixture.open({});
      fixture.node.intercept = () => ({ status, text });
      assert.equal((await chain.head()).height, fixture.network.head.header.number);
      assert.ok((fixture.nodes[1]?.asked.length ?? 0) > asked);
      Object.assign(fixture.nodes[1] as object, { intercept: () => ({ status, text }) });
      await assert.rejects(chain.head(), failsWith('NODE_FAILED', /No node answers: 127\.0\.0\.1:\d+.*; 127\.0\.0\.1/));
    });
  }

  for (const [what, text] of [
    ['nothing', '{}'],
    ['a block whose id has another number', null],
  ] as const) {
    test(`fault 56: a head that is ${what} is not believed`, async () => {
      const chain = await fixture.open({ apiUrls: [fixture.node.url] });
      const head = await chain.head();
      fixture.node.intercept = (path) => {
        if (path !== '/wallet/getnowblock') return null;
        const wrong = {
          blockID: `${'0'.repeat(16)}${head.hash.slice(16)}`,
          block_header: { raw_data: { number: head.height, parentHash: head.parentHash, timestamp: head.time } },
        };
        return { status: 200, text: text ?? JSON.stringify(wrong) };
      };
      await assert.rejects(chain.head(), failsWith('NODE_FAILED', /malformed/));
    });
  }

  test('fault 56: a head that goes back on the same chain is a lagging node; the next one is asked', async () => {
    fixture.network.produce(5);
    const chain = await fixture.open({});
    const head = await chain.head();
    await chain.scan(head.height - 4, head.height, watching());
    fixture.node.lag = 3;
    await assert.rejects(chain.head(), failsWith('NODE_FAILED', /went back/));
    assert.deepEqual(await chain.head(), head);
  });

  test('fault 56: a block that is missing below the head is not taken for the end of the chain', async () => {
    const chain = await fixture.open({ apiUrls: [fixture.node.url] });
    const head = await chain.head();
    assert.equal(await chain.blockAt(head.height + 1), null);
    fixture.node.lag = 2;
    await assert.rejects(chain.blockAt(head.height), failsWith('NODE_FAILED', /missing below the head/));
    await assert.rejects(
      chain.scan(head.height - 3, head.height, watching()),
      failsWith('NODE_FAILED', /asked for blocks/),
    );
  });

  test('a node that hangs is given up in time', async () => {
    const { createServer } = await import('node:http');
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const { TronClient } = await import('../../../adapters/chains/tron/tron-client.ts');
    const client = new TronClient({
      urls: [`http://127.0.0.1:${(silent.address() as { port: number }).port}`],
      logger: fixture.logger,
      timeoutMs: 100,
    });
    await assert.rejects(client.ask('/wallet/getnowblock', {}), failsWith('NODE_FAILED', /no answer in time/));
    await client.close();
    silent.closeAllConnections();
    await new Promise((resolve) => void silent.close(resolve));
  });

  test('a reply without end is cut off', async () => {
    const { TronClient } = await import('../../../adapters/chains/tron/tron-client.ts');
    const client = new TronClient({ urls: [fixture.node.url], logger: fixture.logger, maxBytes: 10_000 });
    fixture.node.intercept = () => ({ status: 200, text: JSON.stringify({ blockID: 'a'.repeat(20_000) }) });
    await assert.rejects(client.ask('/wallet/getnowblock', {}), failsWith('NODE_FAILED', /larger than 10000 bytes/));
    await client.close();
  });

  test('fault 73: the key goes with each request and into no error and no log', async () => {
    const key = 'a1b2c3d4-secret-key';
    const chain = await fixture.open({ apiKey: key, apiUrls: [`${fixture.node.url}/`] });
    await chain.head();
    assert.equal(fixture.node.keys.at(-1), key);
    fixture.node.intercept = () => ({
      status: 200,
      text: JSON.stringify({ Error: Buffer.from(`bad key ${key}`).toString('hex') }),
    });
    await assert.rejects(
      chain.head(),
      (error: unknown) =>
        isTillgateError(error, 'NODE_FAILED') && /bad key \*\*\*/.test(error.message) && !error.message.includes(key),
    );
    assert.ok(!JSON.stringify(fixture.logger.lines).includes(key));
  });

  test("a full node of one's own serves solidified blocks on another port", async () => {
    const full = await startTronNode(fixture.network, 'wallet');
    const solid = await startTronNode(fixture.network, 'walletsolidity');
    const chain = await fixture.open({ apiUrls: [full.url], solidityUrls: [solid.url] });
    const { address } = await fixture.deposit(0);
    const outcome = await chain.payments?.balance(address, 'TRX');
    assert.equal(outcome, 0n);
    const { fetchSolidHead } = await import('../../../adapters/chains/tron/blocks.ts');
    const { TronClient } = await import('../../../adapters/chains/tron/tron-client.ts');
    const client = new TronClient({ urls: [full.url], solidityUrls: [solid.url], logger: fixture.logger });
    assert.equal((await fetchSolidHead(client)).hash, fixture.network.solid.id);
    await client.close();
    await Promise.all([full.stop(), solid.stop()]);
  });
});
