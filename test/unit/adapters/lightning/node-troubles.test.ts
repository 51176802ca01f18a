import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClnNode } from '../../../../adapters/lightning/cln/cln-node.ts';
import { LndNode } from '../../../../adapters/lightning/lnd/lnd-node.ts';
import { placeOf } from '../../../../adapters/lightning/lnd/lnd-settlements.ts';
import { PhoenixdNode } from '../../../../adapters/lightning/phoenixd/phoenixd-node.ts';
import { isTillgateError } from '../../../../core/index.ts';
import type { LightningNode } from '../../../../core/index.ts';
import { FakeClock, MemoryLogger } from '../../../support/fakes.ts';
import { FakeLightningNode } from '../../../support/lightning/fake-node.ts';
import { servePhoenixd } from '../../../support/lightning/fake-phoenixd.ts';
import { serveFake } from '../../../support/lightning/fake-server.ts';
import type { FakeReply, FakeRequest } from '../../../support/lightning/fake-server.ts';
import { waitFor } from '../../../support/wait.ts';

const HASHES = Array.from({ length: 9 }, (_, at) => `${at}`.repeat(64));
const ok = (body: unknown): FakeReply => ({ status: 200, body });

/** What lnd says of an invoice with this settle index; 0 for an open one. */
const invoice = (index: number, more: Readonly<Record<string, unknown>> = {}): object => ({
  r_hash: Buffer.from(HASHES[index] ?? '', 'hex').toString('base64'),
  state: index === 0 ? 'OPEN' : 'SETTLED',
  settle_index: String(index),
  settle_date: '1700000000',
  amt_paid_msat: String(1000 + index),
  ...more,
});

type Script = (request: FakeRequest) => FakeReply;

async function withLnd(script: Script, work: (node: LndNode) => Promise<void>): Promise<void> {
  const server = await serveFake(true, script, () => false);
  const node = new LndNode(
    { restUrl: server.url, macaroon: '00ff', certificate: server.certificate, network: null, privateChannels: false },
    new MemoryLogger(),
  );
  try {
    await work(node);
  } finally {
    await node.close();
    await server.close();
  }
}

async function withCln(clock: FakeClock, script: Script, work: (node: ClnNode) => Promise<void>): Promise<void> {
  const server = await serveFake(true, script, () => false);
  const node = new ClnNode(
    { restUrl: server.url, rune: 'a-rune', certificate: server.certificate, network: null },
    clock,
    new MemoryLogger(),
  );
  try {
    await work(node);
  } finally {
    await node.close();
    await server.close();
  }
}

async function withPhoenixd(
  work: (node: PhoenixdNode, fake: FakeLightningNode, other: FakeLightningNode) => Promise<void>,
): Promise<void> {
  const graph = new Map<string, FakeLightningNode>();
  const [fake, other] = [new FakeLightningNode(graph), new FakeLightningNode(graph)];
  const server = await servePhoenixd(fake, 'a-password');
  const node = new PhoenixdNode({ url: server.url, password: 'a-password', certificate: null, network: 'regtest' });
  try {
    await work(node, fake, other);
  } finally {
    await node.close();
    await server.close();
  }
}

const nodeFails = (work: Promise<unknown>): Promise<void> =>
  assert.rejects(work, (error: unknown) => isTillgateError(error, 'NODE_FAILED') || assert.fail(String(error)));

describe('what a Lightning node holds', () => {
  test('only channels that payments go through count, without what payments under way may take', async () => {
    const channel = (state: string, toUs: number, htlcs: readonly object[] = []): object => ({
      ...{ state, to_us_msat: toUs, total_msat: 10_000, htlcs },
    });
    const channels = [
      channel('CHANNELD_NORMAL', 5_000, [
        { direction: 'out', amount_msat: 300 },
        { direction: 'in', amount_msat: 20 },
      ]),
      channel('CHANNELD_AWAITING_SPLICE', 1_000),
      ...['OPENINGD', 'CHANNELD_AWAITING_LOCKIN', 'CHANNELD_SHUTTING_DOWN', 'FUNDING_SPEND_SEEN', 'ONCHAIN'].map(
        (state) => channel(state, 7_000, [{ direction: 'out', amount_msat: 1 }]),
      ),
    ];
    await withCln(
      new FakeClock(),
      () => ok({ channels }),
      async (node) =>
        assert.deepEqual(await node.balance(), { localMsat: 5_700n, remoteMsat: 14_000n, unsettledMsat: 320n }),
    );
  });

  test('phoenixd rounds each balance down, so each may have almost a satoshi more', async () => {
    await withPhoenixd(async (node, fake) => {
      fake.localMsat = 12_345_678n;
      const { localMsat, unsettledMsat } = await node.balance();
      assert.deepEqual([localMsat, unsettledMsat], [12_345_000n, 999n]);
    });
  });

  test('an lnd that does not show the last known settlement again does not say that there is no newer one', async () => {
    await withLnd(
      () => ({
        follow: (write) => {
          write({ result: invoice(0) });
          return () => undefined;
        },
      }),
      (node) => nodeFails(node.hasSettledAfter('7')),
    );
  });
});

async function cursors(node: LightningNode, from: string, count: number): Promise<readonly string[]> {
  const found = await waitFor(async () => {
    const settled = await node.settledAfter(from, 100);
    return settled.length >= count && settled;
  });
  return found.map(({ cursor }) => placeOf(cursor).index.toString());
}

describe('lnd in trouble', () => {
  test('an invoice that is settled behind the page being read is not left out of the first settlements', async () => {
    let looks = 0;
    const script: Script = ({ path }) => {
      looks += 1;
      // On the first look 1 was open when its page went by, and 2 was settled after it.
      return path === '/v1/invoices'
        ? ok({ invoices: looks === 1 ? [invoice(0), invoice(2)] : [invoice(1), invoice(2)], last_index_offset: '2' })
        : null;
    };
    await withLnd(script, async (node) =>
      assert.deepEqual(
        (await node.settledAfter(null, 10)).map(({ cursor }) => cursor),
        [`1 ${HASHES[1]}`],
      ),
    );
  });

  test('first settlements are found on whichever page of the list they stand', async () => {
    const script: Script = ({ query }) => {
      const offset = Number(query.get('index_offset'));
      return ok(
        offset === 0
          ? { invoices: Array.from({ length: 1_000 }, () => invoice(0)), last_index_offset: '1000' }
          : { invoices: [invoice(1)], last_index_offset: '1001' },
      );
    };
    await withLnd(script, async (node) => assert.equal((await node.settledAfter(null, 10))[0]?.paymentHash, HASHES[1]));
  });

  test('until something is settled, the list of all invoices is read once and not again for each new invoice; the watchers hear of settlements alone', async () => {
    let [lists, hints] = [0, 0];
    const settled: object[] = [];
    const streams: { write: (message: unknown) => void; end: () => void }[] = [];
    const script: Script = ({ path }) => {
      if (path === '/v2/router/payments') return { follow: () => () => undefined };
      if (path !== '/v1/invoices') {
        return {
          follow: (write, end) => {
            streams.push({ write, end });
            write({ result: invoice(0) });
            return () => undefined;
          },
        };
      }
      lists += 1;
      return ok({ invoices: [invoice(0), ...settled], last_index_offset: '1' });
    };
    const first = (node: LightningNode) => node.settledAfter(null, 100);
    await withLnd(script, async (node) => {
      node.watch(() => (hints += 1));
      // Once a stream has brought a message, a list is enough.
      const listedOnce = async (): Promise<boolean> => {
        const before = lists;
        await first(node);
        return lists === before;
      };
      await waitFor(listedOnce);
      const before = lists;
      for (let n = 0; n < 20; n++) streams.at(-1)?.write({ result: invoice(0) });
      for (let n = 0; n < 20; n++) assert.deepEqual(await first(node), []);
      assert.deepEqual([lists - before, hints], [0, 0]);
      // What was settled while no stream was open is found although none reports it.
      settled.push(invoice(1));
      streams.at(-1)?.end();
      // Sooner than the list would be read again without it.
      await waitFor(async () => (await first(node)).length === 1, { timeoutMs: 20_000 });
      await waitFor(() => streams.length === 2);
      assert.equal(hints, 0);
      streams[1]?.write({ result: invoice(2) });
      await waitFor(() => hints === 1);
    });
  });

  test('what a stream tells twice is told once; open and half-paid invoices are no settlements; a broken stream goes on where it was', async () => {
    const asked: string[] = [];
    const script: Script = ({ query }) => {
      asked.push(query.get('settle_index') ?? '');
      const rest =
        asked.length === 1
          ? [invoice(3), invoice(0), invoice(3), invoice(4), invoice(5, { state: 'ACCEPTED' })]
          : [invoice(4), invoice(5), invoice(6)];
      return {
        follow: (write, end) => {
          for (const one of rest) write({ result: one });
          if (asked.length === 1) end();
          return () => undefined;
        },
      };
    };
    await withLnd(script, async (node) => {
      assert.deepEqual(await cursors(node, '2', 4), ['3', '4', '5', '6']);
      assert.deepEqual(asked, ['2', '4']);
      assert.deepEqual(await cursors(node, '5', 1), ['6']);
      assert.equal(asked.length, 2, 'what has arrived is not asked for again');
    });
  });

  test('an error inside of a stream is no settlement, and is asked past', async () => {
    let asked = 0;
    const script: Script = () => ({
      follow: (write, end) => {
        asked += 1;
        write(
          asked === 1
            ? { error: { code: 2, message: 'the RPC server is in the process of starting up' } }
            : { result: invoice(1) },
        );
        if (asked === 1) end();
        return () => undefined;
      },
    });
    await withLnd(script, async (node) => assert.deepEqual(await cursors(node, '0', 1), ['1']));
  });

  test('fault 56: an answer about another payment, a state without an amount and a page that is no JSON are failures of the node', async () => {
    const answers: readonly unknown[] = [
      { result: { payment_hash: HASHES[2], status: 'SUCCEEDED', fee_msat: '0' } },
      { result: { payment_hash: HASHES[1], status: 'SUCCEEDED', fee_msat: '-1' } },
      { result: { payment_hash: HASHES[1], status: 'SUCCEEDED' } },
      { result: {} },
      'x',
    ];
    for (const answer of answers)
      await withLnd(
        () => ok(answer),
        (node) => nodeFails(node.payment(HASHES[1] ?? '')),
      );
    for (const answer of [invoice(1, { amt_paid_msat: '1e3' }), invoice(2), { state: 'NEW' }, 'nonsense'])
      await withLnd(
        () => ok(answer),
        (node) => nodeFails(node.invoice(HASHES[1] ?? '')),
      );
  });

  test('fault 57: a state that is not known is in flight, and a path that is not there is no unknown payment', async () => {
    await withLnd(
      () => ok({ result: { payment_hash: HASHES[1], status: 'SOMETHING_NEW', fee_msat: '0' } }),
      async (node) => assert.deepEqual(await node.payment(HASHES[1] ?? ''), { state: 'in-flight' }),
    );
    await withLnd(
      () => null,
      async (node) => {
        await nodeFails(node.payment(HASHES[1] ?? ''));
        await nodeFails(node.invoice(HASHES[1] ?? ''));
      },
    );
  });

  test('a node on a network that is none of Bitcoin’s is refused', async () => {
    await withLnd(
      () => ok({ identity_pubkey: `02${HASHES[1] ?? ''}`, chains: [{ chain: 'litecoin', network: 'sidenet' }] }),
      (node) => assert.rejects(node.identify(), (error: unknown) => isTillgateError(error, 'CHAIN_HALTED')),
    );
  });
});

describe('Core Lightning in trouble', () => {
  const pays = (...all: readonly object[]): FakeReply => ({ status: 201, body: { pays: all } });
  const [hash = ''] = HASHES;

  test('fault 57: attempts that failed just now may be followed by another: the payment is in flight until none can be', async () => {
    const clock = new FakeClock();
    const at = Math.floor(clock.now() / 1000);
    await withCln(
      clock,
      () => pays({ payment_hash: hash, status: 'failed', created_at: at, amount_sent_msat: 0 }),
      async (node) => {
        assert.deepEqual(await node.payment(hash), { state: 'in-flight' });
        clock.advance(179_000);
        assert.deepEqual(await node.payment(hash), { state: 'in-flight' });
        clock.advance(2_000);
        assert.equal((await node.payment(hash))?.state, 'failed');
      },
    );
  });

  test('one attempt that went through makes the payment settled, one under way in flight, whatever became of the others', async () => {
    const clock = new FakeClock();
    const failed = { payment_hash: hash, status: 'failed', created_at: 1, amount_sent_msat: 0 };
    await withCln(
      clock,
      () => pays(failed, { payment_hash: hash, status: 'pending', created_at: 2 }),
      async (node) => assert.deepEqual(await node.payment(hash), { state: 'in-flight' }),
    );
    const complete = {
      payment_hash: hash,
      status: 'complete',
      created_at: 2,
      amount_msat: '5000msat',
      amount_sent_msat: 5_010,
    };
    await withCln(
      clock,
      () => pays(failed, complete),
      async (node) => assert.deepEqual(await node.payment(hash), { state: 'settled', msat: 5_000n, feeMsat: 10n }),
    );
  });

  test('a rune that may not ask, and an unknown command, are failures of the node', async () => {
    for (const reply of [
      { status: 401, body: { code: 1501, message: 'Not authorized' } },
      { status: 404, body: { code: -32601, message: 'Unknown command' } },
    ]) {
      await withCln(
        new FakeClock(),
        () => reply,
        async (node) => {
          await nodeFails(node.payment(hash));
          await nodeFails(node.settledAfter(null, 10));
        },
      );
    }
  });
});

describe('phoenixd in trouble', () => {
  test('fault 58: a payment whose price is above the limit is not begun', async () => {
    await withPhoenixd(async (node, fake, other) => {
      const { paymentHash, paymentRequest } = other.addInvoice({ msat: 10_000_000n });
      // 0.4 % and 4 sat.
      const view = await node.pay({ paymentHash, paymentRequest, msat: null, maxFeeMsat: 43_999n });
      assert.equal(view.state, 'failed');
      assert.equal(fake.payments.size, 0);
      await node.pay({ paymentHash, paymentRequest, msat: null, maxFeeMsat: 44_000n });
      assert.equal(fake.payments.size, 1);
    });
  });

  test('an invoice of a fraction of a satoshi asks for the next whole one, and a payment of one is not begun', async () => {
    await withPhoenixd(async (node, fake, other) => {
      const { paymentRequest } = await node.createInvoice({ msat: 1_001n, memo: 'x'.repeat(500), expirySeconds: 60 });
      assert.equal((await node.decode(paymentRequest)).msat, 2_000n);
      const open = other.addInvoice({ msat: null });
      assert.equal((await node.pay({ ...open, msat: 20_001n, maxFeeMsat: 10_000n })).state, 'failed');
      assert.equal(fake.payments.size, 0);
    });
  });

  test('settlements of one millisecond are told one by one, and none is left out that comes in it later', async () => {
    await withPhoenixd(async (node, fake) => {
      const settle = (at: number): string => {
        const made = fake.addInvoice({ msat: 1_000n });
        Object.assign(made, { state: 'settled', receivedMsat: 1_000n, settledAt: at });
        return made.paymentHash;
      };
      const hashes = [settle(5), settle(5), settle(5), settle(4), settle(6)];
      const seen: string[] = [];
      let cursor: string | null = null;
      const walk = async (): Promise<void> => {
        for (;;) {
          const page = await node.settledAfter(cursor, 1);
          if (page.length === 0) return;
          seen.push(...page.map(({ paymentHash }) => paymentHash));
          cursor = page.at(-1)?.cursor ?? null;
        }
      };
      await walk();
      assert.deepEqual([...seen].sort(), [...hashes].sort());
      assert.deepEqual([seen[0], seen.at(-1)], [hashes[3], hashes[4]]);
      const late = [settle(6), settle(6)];
      await walk();
      assert.deepEqual(seen.slice(hashes.length).sort(), late.sort());
    });
  });

  test('a payment that has ended without its proof has failed, whatever it is called', async () => {
    const server = await serveFake(
      false,
      () => ok({ paymentHash: HASHES[1], isPaid: true, completedAt: 5, createdAt: 1, fees: 0, sent: 1 }),
      () => false,
    );
    const node = new PhoenixdNode({ url: server.url, password: 'a-password', certificate: null, network: null });
    assert.equal((await node.payment(HASHES[1] ?? ''))?.state, 'failed');
    await node.close();
    await server.close();
  });
});
