import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../core/index.ts';
import type { PayoutOutcome, ErrorCode } from '../../core/index.ts';
import { MnemonicWallet } from '../../adapters/wallet/index.ts';
import type { DaemonKind } from './daemons.ts';
import { COIN, UtxoYard } from './utxo-yard.ts';

const failsWith = (code: ErrorCode, words: RegExp) => (error: unknown) => isTillgateError(error, code) && words.test(error.message);

/** Payments as a real node takes, mines, replaces and refuses them. */
export function describePayments(kind: DaemonKind): void {
  describe(`payments on ${kind}`, () => {
    let yard: UtxoYard;
    before(async () => {
      yard = await UtxoYard.start(kind, { minFeeRate: 2, maxFeeRate: 200 });
    });
    after(() => yard.stop());

    const send = ({ signed }: { signed: { txid: string; raw: string } }): Promise<void> => yard.payments.broadcast(signed);
    const mined = (outcome: PayoutOutcome): Extract<PayoutOutcome, { kind: 'mined' }> => {
      assert.equal(outcome.kind, 'mined', JSON.stringify(outcome, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));
      return outcome;
    };

    test('signed, stored, sent, mined: each step can be seen, and after a restart too', async () => {
      const coin = await yard.deposit('1');
      const to = await yard.foreign();
      const payment = await yard.sign([{ to, units: COIN / 4n }], [coin]);
      const payout = yard.payout(payment);
      assert.deepEqual(await yard.payments.outcome(payout), { kind: 'missing' });
      await send(payment);
      assert.deepEqual(await yard.payments.outcome(payout), { kind: 'pending' });
      await yard.daemon.mine(2);
      const outcome = mined(await yard.payments.outcome(payout));
      assert.deepEqual([outcome.txid, outcome.confirmations, outcome.succeeded, outcome.feeUnits], [payment.signed.txid, 2, true, payment.signed.feeUnits]);
      assert.deepEqual(outcome.block, await yard.chain.blockAt((await yard.daemon.height()) - 1));
      assert.deepEqual(outcome.change, payment.signed.change);
      const restarted = await yard.reopen();
      assert.deepEqual(await restarted.chain.payments?.outcome(payout), outcome);
      await restarted.chain.close();
    });

    test('the receiver gets the amount less the fee, and the change comes back to the hot address', async () => {
      const coin = await yard.deposit('2');
      const to = await yard.foreign();
      const payment = await yard.sign([{ to, units: COIN }], [coin]);
      await send(payment);
      await yard.daemon.mine();
      assert.equal(await yard.received(to), COIN - payment.signed.feeUnits);
      assert.deepEqual(payment.signed.change, await yard.coin(payment.signed.txid, yard.payments.hotAddress, null));
      assert.equal(payment.signed.change?.units, COIN);
    });

    test('the node finds the fee and the size that were computed', async () => {
      const coins = [await yard.deposit('0.3'), await yard.deposit('0.4')];
      const payment = await yard.sign([{ to: await yard.foreign('legacy'), units: COIN / 2n }, { to: await yard.foreign('p2sh-segwit'), units: COIN / 10n }], coins);
      const { vsize, weight } = await yard.daemon.rpc<{ vsize: number; weight: number }>('decoderawtransaction', payment.signed.raw);
      const { rate } = { rate: 2n };
      assert.ok(payment.signed.feeUnits >= rate * BigInt(vsize), `${payment.signed.feeUnits} for ${vsize}`);
      await send(payment);
      const { fees } = await yard.daemon.rpc<{ fees: { base: string } }>('getmempoolentry', payment.signed.txid);
      assert.equal(BigInt(Number(fees.base) * 1e8), payment.signed.feeUnits);
      assert.ok(weight <= vsize * 4);
      await yard.daemon.mine();
    });

    test('fault 40: the same bytes may be sent twice, waiting or mined', async () => {
      const payment = await yard.sign([{ to: await yard.foreign(), units: COIN / 2n }], [await yard.deposit('1')]);
      await send(payment);
      await send(payment);
      await yard.daemon.mine();
      await send(payment);
      assert.equal(mined(await yard.payments.outcome(yard.payout(payment))).confirmations, 1);
    });

    test('three payments go out in one transaction, from deposits and from change', async () => {
      const first = await yard.sign([{ to: await yard.foreign(), units: COIN / 10n }], [await yard.deposit('0.5')]);
      await send(first);
      await yard.daemon.mine();
      assert.ok(first.signed.change !== null);
      const to = [await yard.foreign(), await yard.foreign('legacy'), await yard.foreign('p2sh-segwit')];
      const lines = to.map((address, at) => ({ to: address, units: COIN / 4n + BigInt(at) }));
      const batch = await yard.sign(lines, [first.signed.change, await yard.deposit('0.6')]);
      assert.equal(batch.coins.length, 2);
      await send(batch);
      await yard.daemon.mine();
      for (const { to: address, units } of batch.nets) assert.equal(await yard.received(address), units);
      assert.equal(mined(await yard.payments.outcome(yard.payout(batch))).feeUnits, batch.signed.feeUnits);
    });

    test('a higher fee is offered where the network takes it', () => {
      assert.equal(yard.payments.bumpAfterMs, kind === 'bitcoind' ? 1_800_000 : null);
    });

    test('a higher fee replaces a waiting transaction and wins', async () => {
      const to = await yard.foreign();
      const first = await yard.sign([{ to, units: COIN / 2n }], [await yard.deposit('1')]);
      await send(first);
      const second = await yard.bump(first);
      assert.ok(second.signed.feeUnits > first.signed.feeUnits);
      await send(second);
      const payout = yard.payout(first, second);
      assert.deepEqual(await yard.payments.outcome(payout), { kind: 'pending' });
      await yard.daemon.mine();
      const outcome = mined(await yard.payments.outcome(payout));
      assert.deepEqual([outcome.txid, outcome.feeUnits, outcome.change], [second.signed.txid, second.signed.feeUnits, second.signed.change]);
      // What the receiver gets stays as it was signed first.
      assert.equal(await yard.received(to), first.nets[0]?.units);
    });

    test('fault 43: where the first of two was mined after all, that one counts', async () => {
      const first = await yard.sign([{ to: await yard.foreign(), units: COIN / 2n }], [await yard.deposit('1')]);
      const second = await yard.bump(first);
      await send(first);
      await yard.daemon.mine();
      await assert.rejects(send(second), failsWith('NODE_FAILED', /sendrawtransaction/));
      const outcome = mined(await yard.payments.outcome(yard.payout(first, second)));
      assert.deepEqual([outcome.txid, outcome.feeUnits, outcome.change], [first.signed.txid, first.signed.feeUnits, first.signed.change]);
    });

    test('a payment whose outputs are all spent again is found in its block', async () => {
      const { address, index } = await yard.address();
      const payment = await yard.sign([{ to: address, units: COIN }], [await yard.deposit('1')]);
      assert.equal(payment.signed.change, null);
      await send(payment);
      await yard.daemon.mine();
      const onward = await yard.sign([{ to: await yard.foreign(), units: payment.nets[0]?.units ?? 0n }], [{ ref: `${payment.signed.txid}:0`, address, index, units: payment.nets[0]?.units ?? 0n }]);
      await send(onward);
      await yard.daemon.mine(3);
      for (const { payments } of [yard.chain, (await yard.reopen()).chain]) {
        const outcome = mined((await payments?.outcome(yard.payout(payment))) ?? { kind: 'missing' });
        assert.deepEqual([outcome.txid, outcome.confirmations, outcome.change], [payment.signed.txid, 4, null]);
      }
    });

    test('fault 43: a coin taken by another transaction of the same seed is a conflict, once it is in a block', async () => {
      const coin = await yard.deposit('1');
      const ours = await yard.sign([{ to: await yard.foreign(), units: COIN / 2n }], [coin]);
      const other = await yard.reopen();
      const theirs = await yard.sign([{ to: await yard.foreign(), units: COIN / 3n }], [coin]);
      await other.chain.payments?.broadcast(theirs.signed);
      const waiting = await yard.payments.outcome(yard.payout(ours));
      assert.equal(waiting.kind, 'unclear');
      await assert.rejects(send(ours), failsWith('NODE_FAILED', /sendrawtransaction/));
      await yard.daemon.mine(3);
      assert.deepEqual(await yard.payments.outcome(yard.payout(ours)), { kind: 'conflicted', txid: theirs.signed.txid, confirmations: 3 });
      await yard.daemon.mine();
      assert.deepEqual(await yard.payments.outcome(yard.payout(ours)), { kind: 'conflicted', txid: theirs.signed.txid, confirmations: 4 });
      await other.chain.close();
    });

    test('fault 42: a reorganisation turns a mined payment into a waiting one, and it is mined again', async () => {
      const payment = await yard.sign([{ to: await yard.foreign(), units: COIN / 2n }], [await yard.deposit('1')]);
      await send(payment);
      await yard.daemon.mine();
      const first = mined(await yard.payments.outcome(yard.payout(payment)));
      await yard.forkEmpty(1);
      assert.deepEqual(await yard.payments.outcome(yard.payout(payment)), { kind: 'pending' });
      await yard.daemon.mine();
      const second = mined(await yard.payments.outcome(yard.payout(payment)));
      assert.deepEqual([second.txid, second.block.height], [first.txid, first.block.height + 2]);
    });

    test('custody is what of the expected coins is unspent, and only at our own addresses', async () => {
      const [kept, spent] = [await yard.deposit('0.5'), await yard.deposit('0.25')];
      const expected = [kept, spent].map(({ ref, address }) => ({ ref, address, currency: yard.currency }));
      assert.deepEqual(await yard.payments.custody(expected), new Map([[yard.currency, 75_000_000n]]));
      const payment = await yard.sign([{ to: await yard.foreign(), units: spent.units }], [spent]);
      await send(payment);
      // It lies there until the payment is mined.
      assert.deepEqual(await yard.payments.custody(expected), new Map([[yard.currency, 75_000_000n]]));
      await yard.daemon.mine();
      assert.deepEqual(await yard.payments.custody(expected), new Map([[yard.currency, 50_000_000n]]));
      const elsewhere = [{ ref: kept.ref, address: spent.address, currency: yard.currency }];
      assert.deepEqual(await yard.payments.custody(elsewhere), new Map([[yard.currency, 0n]]));
      assert.deepEqual(await yard.payments.custody([]), new Map());
    });

    test('the balance of an address is what lies there', async () => {
      const coin = await yard.deposit('0.125');
      assert.equal(await yard.payments.balance(coin.address, yard.currency), 12_500_000n);
      assert.equal(await yard.payments.nextNonce(coin.address), null);
    });

    test('dust: a node carries the least amount of each form of address and nothing below the least of all', async () => {
      const dust = yard.payments.dust(yard.currency);
      const accepted = async (to: string, units: bigint): Promise<boolean> => {
        const coin = await yard.deposit('0.01');
        const source = { address: yard.payments.hotAddress, index: null };
        const priced = await yard.payments.price({ source, lines: yard.lines([{ to, units }]), coins: [coin], replaces: null });
        const signed = await yard.payments.sign({ source, lines: yard.lines([{ to, units }]), priced, nonce: null });
        const [answer] = await yard.daemon.rpc<{ allowed: boolean }[]>('testmempoolaccept', [signed.raw]);
        return answer?.allowed === true;
      };
      for (const type of ['bech32', 'legacy', 'p2sh-segwit'] as const) assert.ok(await accepted(await yard.foreign(type), dust), type);
      assert.equal(await accepted(await yard.foreign('legacy'), dust - 1n), false);
    });

    test('dust: change that is not worth an output goes to the miner', async () => {
      const coin = await yard.deposit('0.1');
      const left = kind === 'bitcoind' ? 293n : 2_939n;
      const payment = await yard.sign([{ to: await yard.foreign(), units: coin.units - left }], [coin]);
      assert.equal(payment.signed.change, null);
      await send(payment);
      await yard.daemon.mine();
      const outcome = mined(await yard.payments.outcome(yard.payout(payment)));
      assert.equal(outcome.feeUnits, coin.units - (payment.nets[0]?.units ?? 0n));
      const worth = await yard.deposit('0.1');
      const kept = await yard.sign([{ to: await yard.foreign(), units: worth.units - left - 1n }], [worth]);
      assert.equal(kept.signed.change?.units, left + 1n);
      await send(kept);
    });

    test('coins that the node does not have are passed over, and too few are an insufficient balance', async () => {
      const there = await yard.deposit('0.2');
      const gone = { ...there, ref: `${'ab'.repeat(32)}:0`, units: COIN };
      const overstated = { ...(await yard.deposit('0.3')), units: COIN * 2n };
      const payment = await yard.sign([{ to: await yard.foreign(), units: 15_000_000n }], [gone, overstated, there]);
      assert.deepEqual(payment.coins, [there]);
      await assert.rejects(yard.sign([{ to: await yard.foreign(), units: COIN }], [gone, overstated, there]), failsWith('INSUFFICIENT_BALANCE', /suffice/));
      // A coin that is only supposed tells what a payment would cost.
      const supposed = { ref: `${'0'.repeat(64)}:0`, address: yard.payments.hotAddress, index: null, units: COIN * 2n };
      const source = { address: yard.payments.hotAddress, index: null };
      const { feeUnits } = await yard.payments.price({ source, lines: yard.lines([{ to: await yard.foreign(), units: COIN }]), coins: [supposed], replaces: null });
      assert.ok(feeUnits > 0n);
    });

    test('without change there is no room for a higher fee', async () => {
      const coin = await yard.deposit('0.1');
      const payment = await yard.sign([{ to: await yard.foreign(), units: coin.units }], [coin]);
      await assert.rejects(yard.bump(payment), failsWith('STATE_CONFLICT', /no room/));
    });

    test('a bump pays for what spent the replaced transaction’s outputs too', async () => {
      const { address, index } = await yard.address();
      const first = await yard.sign([{ to: address, units: COIN / 2n }], [await yard.deposit('1')]);
      await send(first);
      const child = await yard.coin(first.signed.txid, address, index);
      const spent = await yard.sign([{ to: await yard.foreign(), units: child.units }], [child]);
      await send(spent);
      const second = await yard.bump(first);
      assert.ok(second.signed.feeUnits > first.signed.feeUnits + spent.signed.feeUnits);
      await send(second);
      await yard.daemon.mine();
      assert.equal(mined(await yard.payments.outcome(yard.payout(first, second))).txid, second.signed.txid);
    });

    test('a chain whose key is not of the till’s seed only watches', async () => {
      const foreign = new MnemonicWallet('legal winner thank year wave sausage worth useful legal winner thank yellow');
      const xpub = await foreign.extendedPublicKey("m/84'/1'/1'");
      const { chain, logger } = await yard.reopen({ xpub });
      assert.equal(chain.payments, null);
      assert.ok(logger.lines.some(({ message }) => message.includes('watch-only')));
      await chain.close();
    });

    test('an address of another chain is refused before anything is signed', async () => {
      for (const [to, words] of [
        ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', /no address of/],
        ...(kind === 'litecoind' ? [['tmweb1qqexample', /MimbleWimble/] as const] : []),
      ] as const) {
        assert.equal(yard.chain.normaliseAddress(to), null);
        assert.match(yard.chain.addressProblem(to) ?? '', words);
        await assert.rejects(yard.sign([{ to, units: COIN }], []), failsWith('STATE_CONFLICT', words));
      }
    });
  });
}
