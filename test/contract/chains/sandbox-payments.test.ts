import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTillgateError, present } from '../../../core/index.ts';
import type { ChainPayments, SpendableCoin, WatchList } from '../../../core/index.ts';
import type { SandboxChain } from '../../../plugins/sandbox/sandbox-chain.ts';
import { SlowDocuments, sandboxChains } from './sandbox-support.ts';

const everything: WatchList = { has: () => true, nativeKeys: () => [] };

interface Paying {
  readonly chain: SandboxChain;
  readonly payments: ChainPayments;
  /** A deposit of this amount, as a spendable coin. */
  coin(currency: string, units: bigint): Promise<SpendableCoin>;
}

async function paying(code: string, documents = new SlowDocuments()): Promise<Paying> {
  const chain = present((await sandboxChains(documents)).get(code), code);
  return {
    chain,
    payments: present(chain.payments, 'the paying side'),
    coin: async (currency, units) => {
      const [to] = await chain.deriveAddresses(0, 1);
      const txid = await chain.simulator.pay(to!.address, currency, units);
      const { height } = await chain.head();
      const [deposit] = (await chain.scan(height, height, everything)).transfers;
      assert.equal(deposit?.txid, txid);
      return { ref: `${txid}:${deposit?.index}`, address: to!.address, index: 0, units };
    },
  };
}

async function pay({ chain, payments }: Paying, coins: readonly SpendableCoin[], currency: string, units: bigint) {
  const source = { address: payments.hotAddress, index: null };
  const [, receiver] = await chain.deriveAddresses(500, 2);
  const line = { to: receiver!.address, currency, units };
  const priced = await payments.price({ source, lines: [line], coins, replaces: null });
  const fee = currency === payments.feeAsset.currency ? priced.feeUnits : 0n;
  const signed = await payments.sign({ source, lines: [{ ...line, units: units - fee }], priced, nonce: null });
  const payout = { source, nonce: null, coins: priced.coins.map(({ ref }) => ref), attempts: [signed] };
  return { line, priced, signed, payout, receiver: receiver! };
}

describe('the sandbox pays', () => {
  for (const [code, currency] of [
    ['BTC', 'BTC'],
    ['ETH', 'USDT-ERC20'],
    ['ETH', 'ETH'],
    ['TRX', 'USDT-TRC20'],
    ['LTC', 'LTC'],
    ['BSC', 'BNB'],
  ] as const) {
    test(`${currency} on ${code}: coins, change and what arrives add up`, async () => {
      const till = await paying(code);
      const [one, two] = [await till.coin(currency, 10_000_000_000_000_000n), await till.coin(currency, 7_000n)];
      const { signed, payout, priced, receiver } = await pay(till, [one, two], currency, 9_000_000_000_000_000n);
      assert.deepEqual(payout.coins, [one.ref]);
      assert.equal((await till.payments.outcome(payout)).kind, 'missing');
      await till.payments.broadcast(signed);
      const outcome = await till.payments.outcome(payout);
      const head = await till.chain.head();
      const isNative = currency === till.payments.feeAsset.currency;
      assert.deepEqual(outcome, {
        kind: 'mined',
        txid: signed.txid,
        block: head,
        confirmations: 1,
        succeeded: true,
        feeUnits: isNative ? priced.feeUnits : 0n,
        change: signed.change,
      });
      assert.deepEqual(
        [signed.change?.units, signed.change?.address, signed.change?.index],
        [1_000_000_000_000_000n, till.payments.hotAddress, null],
      );
      const { transfers } = await till.chain.scan(head.height, head.height, {
        has: (key) => key === receiver.key,
        nativeKeys: () => [],
      });
      assert.deepEqual(
        transfers.map(({ units, txid }) => [units, txid]),
        [[9_000_000_000_000_000n - (isNative ? priced.feeUnits : 0n), signed.txid]],
      );
      assert.equal(till.chain.normaliseAddress(till.payments.hotAddress), till.payments.hotAddress);
      const custody = await till.payments.custody(
        [one, two, signed.change!].map(({ ref, address }) => ({ ref, address, currency })),
      );
      assert.deepEqual([...custody], [[currency, 7_000n + 1_000_000_000_000_000n]]);
    });
  }

  test('fault 39: sending twice is sending once, also after a restart', async () => {
    const documents = new SlowDocuments();
    const till = await paying('ETH', documents);
    const { signed, payout } = await pay(till, [await till.coin('ETH', 10n ** 18n)], 'ETH', 10n ** 17n);
    await till.payments.broadcast(signed);
    const { height } = await till.chain.head();
    await till.payments.broadcast(signed);
    await till.chain.close();
    const again = await paying('ETH', documents);
    await again.payments.broadcast(signed);
    assert.equal((await again.chain.head()).height, height);
    await again.chain.simulator.mine(2);
    const outcome = await again.payments.outcome(payout);
    assert.ok(outcome.kind === 'mined' && outcome.confirmations === 3);
  });

  test('a coin is spent once: another payment of it is refused, and has a conflict', async () => {
    const till = await paying('BTC');
    const coin = await till.coin('BTC', 50_000_000n);
    const [one, two] = [await pay(till, [coin], 'BTC', 20_000_000n), await pay(till, [coin], 'BTC', 30_000_000n)];
    await till.payments.broadcast(one.signed);
    await assert.rejects(till.payments.broadcast(two.signed), (error: unknown) =>
      isTillgateError(error, 'NODE_FAILED'),
    );
    assert.deepEqual(await till.payments.outcome(two.payout), {
      kind: 'conflicted',
      txid: one.signed.txid,
      confirmations: 1,
    });
  });

  test('fault 51: a reorganisation takes a payment away, or mines it again', async () => {
    const till = await paying('LTC');
    const { signed, payout } = await pay(till, [await till.coin('LTC', 50_000_000n)], 'LTC', 20_000_000n);
    await till.payments.broadcast(signed);
    await till.chain.reorganise(1, { remine: true });
    assert.equal((await till.payments.outcome(payout)).kind, 'mined');
    await till.chain.reorganise(3);
    assert.equal((await till.payments.outcome(payout)).kind, 'missing');
    await till.payments.broadcast(signed);
    assert.equal((await till.payments.outcome(payout)).kind, 'mined');
  });

  test('too few coins and junk addresses are refused', async () => {
    const till = await paying('ETH');
    const coin = await till.coin('ETH', 5n);
    const price = (to: string, units: bigint) =>
      till.payments.price({
        source: { address: till.payments.hotAddress, index: null },
        lines: [{ to, currency: 'ETH', units }],
        coins: [coin],
        replaces: null,
      });
    await assert.rejects(price(till.payments.hotAddress, 6n), (error: unknown) =>
      isTillgateError(error, 'INSUFFICIENT_BALANCE'),
    );
    await assert.rejects(price('junk', 1n), (error: unknown) => isTillgateError(error, 'STATE_CONFLICT'));
    await assert.rejects(till.payments.balance(till.payments.hotAddress, 'ETH'), (error: unknown) =>
      isTillgateError(error, 'NODE_FAILED'),
    );
    assert.equal(await till.payments.nextNonce(till.payments.hotAddress), null);
  });

  test('without a signer the simulated chains are watch-only', async () => {
    for (const chain of (await sandboxChains(new SlowDocuments(), { signer: false })).values())
      assert.equal(chain.payments, null);
  });
});
