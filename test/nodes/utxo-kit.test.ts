// @parts: bitcoind litecoind
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeChain } from '../../adapters/testing/index.ts';
import type { ChainHarness, ChainTricks } from '../../adapters/testing/index.ts';
import { present } from '../../core/index.ts';
import type { ChainAdapter, SpendableCoin } from '../../core/index.ts';
import { chosenParts } from '../support/parts.ts';
import type { DaemonKind } from './daemons.ts';
import { UtxoFixture, toAmount } from './utxo-fixture.ts';

const UNITS = 1_000_000n;

/**
 * How the kit makes things happen on a UTXO chain: a real daemon, and a door before it that can close.
 *
 * @param nodes - how many nodes have to agree
 */
function utxoHarness(kind: DaemonKind, nodes: 1 | 2 = 1): ChainHarness {
  return {
    lacks: {
      batch: 'a wallet pays an address once in a transaction',
      failure: 'what is mined has taken effect',
      byContract: 'the outputs of blocks show everything that an address receives',
      blockDependent: 'a transaction’s id commits to its outputs',
      counterfeit: 'there is one coin',
      replacement: 'the daemon’s purse has no command for it; the deposit tests spend its coins twice by hand',
      lag: 'a daemon cannot be told to; the reader’s own tests have nodes that go back',
      lies: 'a daemon cannot be told to; the reader’s own tests have blocks that do not follow each other',
      forgetting: 'a daemon keeps what waits until it is stopped',
      expiry: 'what was signed stays good as long as its coins are there',
      sweep: 'coins are spent where they lie',
      ...(kind === 'litecoind' ? { bump: 'Litecoin’s network replaces nothing that waits' } : {}),
    },
    open: async () => {
      const fixture = await UtxoFixture.start(kind);
      const manners = { down: false, losesReplies: false };
      const door = await openDoor(new URL(fixture.daemon.url).port, manners);
      const opened: ChainAdapter[] = [];
      const open = async (options: Readonly<Record<string, unknown>> = {}): Promise<ChainAdapter> => {
        // By another name it is another node.
        const second = door.url.replace('127.0.0.1', 'localhost');
        const { chain } = await fixture.reopen({ rpcUrls: [door.url, second].slice(0, nodes), ...options });
        opened.push(chain);
        return chain;
      };
      const chain = await open();
      return {
        chain,
        currency: fixture.currency,
        units: UNITS,
        reopen: () => open(),
        pay: (to, units) => fixture.daemon.pay(to, toAmount(units)),
        mine: async (blocks) => {
          await fixture.daemon.mine(blocks);
        },
        tricks: {
          ...tricksOf(fixture, chain),
          otherNetwork: () => open({ network: 'main' }),
          outage: (on) => void (manners.down = on),
          lostReplies: (on) => void (manners.losesReplies = on),
        },
        close: async () => {
          await Promise.all(opened.map((one) => one.close()));
          await Promise.all([door.stop(), fixture.stop()]);
        },
      };
    },
  };
}

function tricksOf(fixture: UtxoFixture, chain: ChainAdapter): Partial<ChainTricks> {
  const funded = new Map<string, SpendableCoin>();
  const { daemon } = fixture;
  return {
    reorganisation: async (depth, outcome) => {
      if (outcome === 'gone') return fixture.forkEmpty(depth);
      await daemon.rpc('invalidateblock', await daemon.rpc('getblockhash', (await daemon.height()) - depth + 1));
      // To another receiver: the same block as before would be the invalid one.
      await daemon.rpc('generatetoaddress', depth + 1, await fixture.foreign());
    },
    fund: async ({ address, index }, units) => {
      const txid = await daemon.pay(address, toAmount(units));
      await daemon.mine();
      const coin = await fixture.coin(txid, address, index);
      funded.set(coin.ref, coin);
      return [coin];
    },
    rival: async ({ source, coins: refs }) => {
      const payments = present(chain.payments, 'the paying side');
      const coins = refs.map((ref) => present(funded.get(ref), 'a funded coin'));
      const line = { to: payments.hotAddress, currency: fixture.currency, units: UNITS / 2n };
      const priced = await payments.price({ source, lines: [line], coins, replaces: null });
      const signed = await payments.sign({ source, lines: [line], priced, nonce: null });
      await daemon.rpc('sendrawtransaction', signed.raw);
      await daemon.mine();
      return signed.txid;
    },
  };
}

/** Passes everything on to the daemon, or nothing, or everything but what it says to a transaction. */
async function openDoor(
  port: string,
  manners: { down: boolean; losesReplies: boolean },
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      if (manners.down) return void response.writeHead(503).end();
      const reply = await fetch(`http://127.0.0.1:${port}${request.url ?? '/'}`, {
        method: request.method ?? 'POST',
        headers: { authorization: request.headers.authorization ?? '' },
        body,
      });
      const answer = await reply.text();
      if (manners.losesReplies && body.includes('"sendrawtransaction"')) return void request.socket.destroy();
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(answer);
    })().catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

for (const kind of chosenParts(['bitcoind', 'litecoind'])) {
  describeChain(kind, utxoHarness(kind));
  if (kind === 'bitcoind') describeChain('bitcoind by two nodes', utxoHarness(kind, 2));
}
