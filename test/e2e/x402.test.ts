import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { durableEngines } from '../support/each-storage.ts';
import { ExactEvmScheme } from '@x402/evm';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import type { Address } from 'viem';
import { read } from '../support/contracts.ts';
import { CONFIRMATIONS, PAYER } from './till-on-anvil.ts';
import type { TillOnAnvil } from './till-on-anvil.ts';
import { demanded, get, HOT, chargesSent, sendsByItself, signed, startChargingTill } from './x402-payer.ts';
import type { Forgery } from './x402-payer.ts';

/** Orders paid by x402 through the real host, on a real EVM node and a real database. */
function x402Suite(engine: 'sqlite' | 'pg'): void {
  describe(`x402 on anvil and ${engine}`, { concurrency: 1 }, () => {
    let till: TillOnAnvil;

    const held = (address: Address): Promise<bigint> => read(till.anvil, till.tokens.honest, 'balanceOf', [address]);
    before(async () => {
      till = await startChargingTill(engine);
    });
    after(() => till.close());

    test('@x402/fetch pays an order: its own address gets the exact units, and the order is SUCCESS', async () => {
      const { id, page } = await till.hostedOrder();
      const terms = await demanded(page);
      assert.deepEqual([terms.amount, terms.network], ['250000000', `eip155:${till.anvil.chainId}`]);
      const scheme = { network: `eip155:${till.anvil.chainId}` as const, client: new ExactEvmScheme(PAYER) };
      const client = x402Client.fromConfig({ schemes: [scheme], spendControls: false });
      const reply = await wrapFetchWithPayment(fetch, client)(`${page}/x402`);
      const record = (await reply.json()) as Record<string, unknown>;
      assert.equal(reply.status, 200, `${JSON.stringify(record)} ${till.log.slice(-2000)}`);
      const settled = decodePaymentResponseHeader(reply.headers.get('payment-response') ?? '');
      assert.deepEqual([settled.success, settled.transaction], [true, record['transaction']]);
      assert.equal(await held(terms.payTo), 250_000_000n);
      await till.anvil.mine(CONFIRMATIONS);
      await till.becomes(id, 'SUCCESS');
      const { data } = await till.detail(id);
      assert.deepEqual([data['obtained'], data['tx_hash']], ['250', settled.transaction]);
    });

    test('fault 247: the same signature again asks for the outcome, also after the payment is final; nothing is sent twice', async () => {
      const { id, page } = await till.hostedOrder();
      const terms = await demanded(page);
      const header = await signed(terms);
      const replies = await Promise.all([get(page, header), get(page, header), get(page, header)]);
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
      const sent = await chargesSent(till);
      await till.anvil.mine(6);
      await till.becomes(id, 'SUCCESS');
      const again = await get(page, header);
      assert.deepEqual([again.status, again.body['transaction']], [200, replies[0]?.body['transaction']]);
      assert.equal(await chargesSent(till), sent);
      assert.equal(await held(terms.payTo), 250_000_000n);
    });

    for (const stop of ['before', 'after'] as const)
      test(`fault 253: kill -9 ${stop} the signed transaction is sent; after a restart it is paid once`, async () => {
        const { id, page } = await till.hostedOrder();
        const terms = await demanded(page);
        const header = await signed(terms);
        const before = await chargesSent(till);
        const reached = till.gate.hold(stop, ({ method }) => method === 'eth_sendRawTransaction');
        const broken = get(page, header).then(
          () => 'answered',
          () => 'broken',
        );
        await reached;
        await till.kill();
        assert.equal(await broken, 'broken');
        await till.startServer();
        const { pathname } = new URL(page);
        const again = await get(`${await till.url()}${pathname}`, header);
        assert.equal(again.status, 200, JSON.stringify(again.body));
        await till.anvil.mine(6);
        await till.becomes(id, 'SUCCESS');
        assert.deepEqual([await chargesSent(till), await held(terms.payTo)], [before + 1, 250_000_000n]);
      });

    test('faults 248 and 249: what is not exactly the payment of this order is refused, and nothing is sent', async () => {
      const { page } = await till.hostedOrder();
      const terms = await demanded(page);
      const now = BigInt(Math.floor(Date.now() / 1000));
      const before = await chargesSent(till);
      const forgeries: readonly (readonly [string, Forgery])[] = [
        ['another amount', { value: 249_999_999n }],
        ['another receiver', { to: PAYER.address }],
        ['another chain', { chainId: 1 }],
        ['another payer', { from: HOT }],
        ['expired', { validBefore: now - 1n }],
        ['about to expire', { validBefore: now + 3n }],
        ['not valid yet', { validAfter: now + 300n }],
        ['valid for longer than the order', { validBefore: now + 86_400n }],
      ];
      for (const [name, forgery] of forgeries) {
        const { status, headers, body } = await get(page, await signed(terms, forgery));
        assert.equal(status, 402, `${name}: ${JSON.stringify(body)}`);
        assert.notEqual(headers.get('payment-required'), null, name);
      }
      const elsewhere = await signed({ ...terms, network: 'eip155:1' });
      assert.equal((await get(page, elsewhere)).status, 402);
      assert.equal((await get(page, 'not base64 of JSON')).status, 402);
      assert.deepEqual([await chargesSent(till), await held(terms.payTo)], [before, 0n]);
    });

    test('faults 250 and 251: an authorization of another order, or one that somebody else has sent, is refused', async () => {
      const [one, other] = [await till.hostedOrder(), await till.hostedOrder()];
      const header = await signed(await demanded(one.page));
      const before = await chargesSent(till);
      assert.equal((await get(other.page, header)).status, 402);
      await sendsByItself(till, header);
      const { status, body } = await get(one.page, header);
      assert(status === 409 || status === 402, JSON.stringify(body));
      assert.equal(await chargesSent(till), before);
      await till.anvil.mine(CONFIRMATIONS);
      await till.becomes(one.id, 'SUCCESS');
    });

    test('fault 252: an amount of which the gas would be more than a twentieth is refused, and nothing is sent', async () => {
      const { page } = await till.hostedOrder('USDT-ERC20', '0.5');
      const terms = await demanded(page);
      const before = await chargesSent(till);
      const { status, body } = await get(page, await signed(terms));
      assert.equal(status, 409, JSON.stringify(body));
      assert.match(JSON.stringify(body), /too large a share/);
      assert.deepEqual([await chargesSent(till), await held(terms.payTo)], [before, 0n]);
    });
  });
}

for (const engine of durableEngines()) x402Suite(engine);
