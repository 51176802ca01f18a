import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { durableEngines } from '../support/each-storage.ts';
import { ExactEvmScheme } from '@x402/evm';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import type { Address } from 'viem';
import type { SqlStorage } from '../../adapters/storage/knex/index.ts';
import type { AccountId, App, GateOfferView, OrderId } from '../../core/index.ts';
import { read } from '../support/contracts.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';
import { answered, asked, batchOf, BLOCK_NUMBER, call, CLOSED_HOST, HTTP_HOST, keyOf } from './paid-gate-fixture.ts';
import { PRICE, startPaidGate, UNITS } from './paid-gate-fixture.ts';
import type { GateCall, GateReply, GateRequirements } from './paid-gate-fixture.ts';
import { PAYER } from './till-on-anvil.ts';
import type { TillOnAnvil } from './till-on-anvil.ts';
import { authorizationOf, cancels, HOT, chargesSent, signed, unpack } from './x402-payer.ts';
import type { Forgery } from './x402-payer.ts';

/** The gate paid by the request, through the real host, on a real EVM node and a real database. */
function paidGateSuite(engine: 'sqlite' | 'pg'): void {
  describe(`a gate that is paid by the request, on anvil and ${engine}`, { concurrency: 1 }, () => {
    let till: TillOnAnvil;
    let agents: AccountId;
    let storage: SqlStorage;

    before(async () => {
      const started = await startPaidGate(engine);
      till = started.till;
      agents = started.agents as AccountId;
      const { databaseUrl } = till;
      storage = await openStorageAlone(
        databaseUrl === null
          ? { client: 'sqlite', filename: join(till.directory, 'data', 'tillgate.db') }
          : { client: 'pg', connection: databaseUrl },
        { logger: silentLogger },
      );
    });
    after(async () => {
      await storage.close();
      await till.close();
    });

    const gate = async (options: GateCall = {}): Promise<GateReply> => call(await till.url(), options);
    /** The same request until the payment is confirmed. */
    const through = async (options: GateCall, url?: string): Promise<GateReply> => {
      for (;;) {
        const reply = await call(url ?? (await till.url()), options);
        if (reply.status !== 202) return reply;
      }
    };
    const demanded = async (options: GateCall = {}): Promise<GateRequirements> => asked(await gate(options));
    const held = (address: Address): Promise<bigint> => read(till.anvil, till.tokens.honest, 'balanceOf', [address]);
    const agentApps = async (): Promise<readonly App[]> =>
      await storage.apps.list(agents, { before: null, limit: 100 });
    /** What an offer has become, by the ticket of its payer. */
    const offerOf = async ({ extra: { ticket } }: GateRequirements): Promise<GateOfferView> => {
      const offer = await storage.prepaid.gateOffer(ticket.split('.')[0] as OrderId);
      assert(offer !== null);
      return offer;
    };
    const boughtBy = async (terms: GateRequirements): Promise<number> => (await unitsOf(terms)).bought;
    const booksHold = async (): Promise<void> => {
      const { code, out, err } = await till.command('ledger', 'check', '--full');
      assert.equal(code, 0, `${out}${err}`);
    };
    const unitsOf = async (terms: GateRequirements): Promise<{ bought: number; used: number }> => {
      const { taken } = await offerOf(terms);
      const units = taken === null ? null : await storage.prepaid.find(taken.appId);
      return units ?? { bought: 0, used: 0 };
    };
    /** Uses what is left until there is nothing: what was read may not have all calls yet, and then the gate refuses the batch. */
    const useUp = (key: string, terms: GateRequirements): Promise<true> =>
      waitFor(
        async () => {
          const { bought, used } = await unitsOf(terms);
          return (await gate({ key, body: batchOf(Math.max(1, bought - used)) })).status === 402 && used >= bought;
        },
        { intervalMs: 200, describe: 'the units to be used up' },
      );

    test('an agent that begins without a key reads blocks through the gate by @x402/fetch, and goes on with its key', async () => {
      const scheme = { network: `eip155:${till.anvil.chainId}` as const, client: new ExactEvmScheme(PAYER) };
      const client = x402Client.fromConfig({ schemes: [scheme], spendControls: false });
      const { port } = new URL(await till.url());
      const had = await held(PAYER.address);
      const reply = await wrapFetchWithPayment(fetch, client)(`http://localhost:${port}/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: BLOCK_NUMBER,
      });
      const text = await reply.text();
      assert.equal(reply.status, 200, `${text} ${till.log.slice(-2000)}`);
      assert.match(text, /"id":7,"result":"0x[0-9a-f]+"/);
      assert.equal(decodePaymentResponseHeader(reply.headers.get('payment-response') ?? '').success, true);
      assert.equal(had - (await held(PAYER.address)), PRICE);
      const key = reply.headers.get('tillgate-key') ?? '';
      const again = await gate({ key });
      assert(answered(again), again.text);
      assert.deepEqual([again.headers['tillgate-key'], again.headers['payment-required']], [undefined, undefined]);
      const [app, ...others] = await agentApps();
      assert(app !== undefined);
      assert.deepEqual([app.prepaid, app.chains, others.length], [true, ['ETH'], 0]);
      assert.equal((await storage.prepaid.find(app.id))?.bought, UNITS);
      await booksHold();
    });

    test('faults 254 and 255: who has seen the signature gets no key, and one that is sent again is served no more than was paid', async () => {
      const terms = await demanded();
      const payment = await signed(terms);
      const first = await gate({ payment });
      assert(answered(first), first.text);
      const stranger = await signed(await demanded());
      const { payload } = unpack(payment) as { payload: object };
      for (const accepted of [
        unpack(stranger)['accepted'],
        { ...terms, extra: { ...terms.extra, ticket: undefined } },
      ]) {
        const forged = Buffer.from(JSON.stringify({ ...unpack(payment), accepted, payload })).toString('base64');
        const refused = await gate({ payment: forged });
        assert.deepEqual([refused.status, keyOf(refused)], [402, ''], refused.text);
      }
      const again = await gate({ payment });
      assert(answered(again), again.text);
      assert.equal(keyOf(again), keyOf(first));
      await useUp(keyOf(first), terms);
      const late = await gate({ payment });
      assert.equal(late.status, 402, late.text);
      assert.notEqual(late.headers['payment-required'], undefined);
      assert.equal(await boughtBy(terms), UNITS);
    });

    test('an App with nothing left pays with its request and goes on with its own key', async () => {
      const first = await demanded();
      const key = keyOf(await gate({ payment: await signed(first) }));
      const apps = (await agentApps()).length;
      await useUp(key, first);
      const terms = await demanded({ key });
      const paid = await gate({ key, payment: await signed(terms) });
      assert(answered(paid), paid.text);
      assert.equal(keyOf(paid), '');
      assert.deepEqual([await boughtBy(terms), (await agentApps()).length], [2 * UNITS, apps]);
      const next = await gate({ key });
      assert(answered(next), next.text);
    });

    test('fault 256: of two who pay one offer one gets a key, and the other has paid nothing', async () => {
      const [one, other] = [await demanded(), await demanded()];
      assert.equal(one.payTo, other.payTo);
      const sent = await chargesSent(till);
      const payments = [await signed(one), await signed(other)];
      const replies = await Promise.all(payments.map((payment) => gate({ payment })));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 402], replies.map(({ text }) => text).join());
      const loser = replies.find(({ status }) => status === 402);
      assert(loser !== undefined);
      assert.notEqual(asked(loser).payTo, one.payTo);
      assert.equal(keyOf(loser), '');
      assert.deepEqual([await held(one.payTo), (await chargesSent(till)) - sent], [PRICE, 1]);
    });

    test('fault 257: kill -9 once a payment is stored; after a restart the same request gets its key, and it is paid once', async () => {
      const terms = await demanded();
      const payment = await signed(terms);
      const [sent, apps] = [await chargesSent(till), (await agentApps()).length];
      const reached = till.gate.hold('before', ({ method }) => method === 'eth_sendRawTransaction');
      const broken = gate({ payment }).then(
        () => 'answered',
        () => 'broken',
      );
      await reached;
      await till.kill();
      assert.equal(await broken, 'broken');
      await till.startServer();
      // The killed one's lease has to end first.
      const again = await through({ payment });
      assert(answered(again), again.text);
      assert(answered(await gate({ key: keyOf(again) })));
      assert.deepEqual([(await chargesSent(till)) - sent, await held(terms.payTo)], [1, PRICE]);
      assert.deepEqual([await boughtBy(terms), (await agentApps()).length], [UNITS, apps + 1]);
    });

    test('fault 258: however many ask without a key, there is one order', async () => {
      await gate({ payment: await signed(await demanded()) });
      const orders = async (): Promise<number> =>
        (await storage.orders.list(till.demo?.account_id as AccountId, { page: 1, size: 1 })).total;
      await waitFor(async () => (await offerOf(await demanded())).taken === null);
      const before = await orders();
      const replies = await Promise.all(Array.from({ length: 200 }, () => gate()));
      const terms = replies.map(asked);
      assert.equal(new Set(terms.map(({ payTo }) => payTo)).size, 1);
      assert.equal(new Set(terms.map(({ extra }) => extra.ticket)).size, 200);
      assert.equal(await orders(), before);
    });

    test('fault 259: what is not exactly what was asked for is refused, and nothing is stored', async () => {
      const terms = await demanded();
      const now = BigInt(Math.floor(Date.now() / 1000));
      const [sent, apps] = [await chargesSent(till), (await agentApps()).length];
      const forgeries: readonly (readonly [string, Forgery])[] = [
        ['another amount', { value: PRICE - 1n }],
        ['another receiver', { to: PAYER.address }],
        ['another chain', { chainId: 1 }],
        ['another payer', { from: HOT }],
        ['expired', { validBefore: now - 1n }],
        ['valid for longer than the order', { validBefore: now + 86_400n }],
      ];
      for (const [name, forgery] of forgeries) {
        const refused = await gate({ payment: await signed(terms, forgery) });
        assert.equal(asked(refused).payTo, terms.payTo, name);
        assert.equal(keyOf(refused), '', name);
      }
      const hosted = await till.order('USDT-ERC20', '20');
      const elsewhere = await gate({ payment: await signed({ ...terms, payTo: hosted.address }) });
      const unknown = await gate({
        payment: await signed({ ...terms, extra: { ...terms.extra, ticket: `${hosted.id}.${'0'.repeat(32)}` } }),
      });
      for (const refused of [elsewhere, unknown, await gate({ payment: 'not base64 of JSON' })])
        assert.deepEqual([refused.status, keyOf(refused)], [402, ''], refused.text);
      assert.equal((await offerOf(terms)).taken, null);
      assert.deepEqual([await chargesSent(till), (await agentApps()).length], [sent, apps]);
    });

    test('a route without JSON-RPC is paid in the same way, and pages of other origins may read what to pay', async () => {
      const offered = await gate({ host: HTTP_HOST, origin: 'https://app.example' });
      assert.match(String(offered.headers['access-control-expose-headers']), /PAYMENT-REQUIRED.*Tillgate-Key/);
      const paid = await gate({ host: HTTP_HOST, payment: await signed(asked(offered)) });
      assert(answered(paid), paid.text);
      const other = await gate({ key: keyOf(paid) });
      assert(answered(other), other.text);
    });

    test('a route without plans asks for a key and takes no payment', async () => {
      const plain = await gate({ host: CLOSED_HOST });
      assert.deepEqual([plain.status, plain.headers['payment-required']], [401, undefined]);
      const terms = await demanded();
      const paid = await gate({ host: CLOSED_HOST, payment: await signed(terms) });
      assert.deepEqual([paid.status, keyOf(paid), (await offerOf(terms)).taken], [401, '', null]);
    });

    /** Sends a payment while no block is made; what comes of it once they are made again. */
    const whileStill = async (payment: string, act: (reply: Promise<GateReply>) => Promise<void>): Promise<void> => {
      await till.anvil.rpc('evm_setIntervalMining', [0]);
      try {
        await act(gate({ payment }));
      } finally {
        await till.anvil.rpc('evm_setIntervalMining', [1]);
      }
    };

    test('a payment that is not mined in time is answered with 202 and the key, and the same one again goes through', async () => {
      const terms = await demanded();
      const payment = await signed(terms);
      let given = '';
      await whileStill(payment, async (reply) => {
        // Others are not sent to an order that is paid.
        await waitFor(async () => (await demanded()).payTo !== terms.payTo);
        const pending = await reply;
        assert.deepEqual([pending.status, pending.headers['retry-after']], [202, '5'], pending.text);
        assert.match(pending.text, /payment_pending/);
        assert.equal(unpack(String(pending.headers['payment-response']))['success'], false);
        assert.equal(await boughtBy(terms), 0);
        given = keyOf(pending);
      });
      const again = await gate({ payment });
      assert(answered(again), again.text);
      assert.equal(keyOf(again), given);
      assert.equal(await boughtBy(terms), UNITS);
    });

    test('a payment that its payer takes back gets neither key nor units, and its sender is told so', async () => {
      const terms = await demanded();
      const payment = await signed(terms);
      const sent = await chargesSent(till);
      await whileStill(payment, async (reply) => {
        await waitFor(async () => (await chargesSent(till)) > sent, { timeoutMs: 20_000, describe: () => till.log });
        await cancels(till, payment);
        await till.anvil.mine(7);
        const failed = await reply;
        assert.deepEqual([failed.status, keyOf(failed)], [402, ''], failed.text);
        assert.equal(unpack(String(failed.headers['payment-response']))['success'], false);
        assert.notEqual(asked(failed).payTo, terms.payTo);
      });
      assert.deepEqual([await boughtBy(terms), await held(terms.payTo)], [0, 0n]);
      await booksHold();
    });

    test('fault 260: no log has a key, a ticket or a signature', async () => {
      const terms = await demanded();
      const payment = await signed(terms);
      const key = keyOf(await gate({ payment }));
      assert.notEqual(key, '');
      for (const secret of [key, terms.extra.ticket, terms.extra.ticket.split('.')[1] ?? '', payment])
        assert(!till.log.includes(secret), 'the log has a secret');
      assert(!till.log.includes(authorizationOf(payment).signature));
    });

    if (engine === 'pg')
      test('fault 257: an offer of one instance is paid at another, at both at once, and the key is good at both', async () => {
        const [terms, apps] = [await demanded(), (await agentApps()).length];
        const payment = await signed(terms);
        const sent = await chargesSent(till);
        const beside = await till.startBeside();
        try {
          const replies = await Promise.all([through({ payment }, beside.url), through({ payment })]);
          for (const reply of replies) assert(answered(reply), reply.text);
          const [key, same] = replies.map(keyOf);
          assert.equal(key, same);
          assert.deepEqual([(await chargesSent(till)) - sent, (await agentApps()).length], [1, apps + 1]);
          for (const url of [beside.url, await till.url()]) assert(answered(await call(url, { key: key ?? '' })));
          await useUp(key ?? '', terms);
          assert.notEqual(asked(await call(beside.url)).payTo, (await demanded()).payTo);
          let refusal = await call(beside.url, { key: key ?? '' });
          // What was used at another instance is known here within half a second.
          await waitFor(async () => (refusal = await call(beside.url, { key: key ?? '' })).status === 402, {
            intervalMs: 100,
          });
          const paid = await through({ key: key ?? '', payment: await signed(asked(refusal)) });
          assert(answered(paid), paid.text);
          assert.equal(await boughtBy(terms), 2 * UNITS);
          await waitFor(async () => answered(await call(beside.url, { key: key ?? '' })));
          await booksHold();
        } finally {
          await beside.stop();
        }
      });
  });
}

for (const engine of durableEngines()) paidGateSuite(engine);
