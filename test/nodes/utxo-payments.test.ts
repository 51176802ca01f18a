// @parts: bitcoind litecoind
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../core/index.ts';
import type { PayoutOutcome, ErrorCode } from '../../core/index.ts';
import { MnemonicWallet } from '../../adapters/wallet/index.ts';
import { chosenParts } from '../support/parts.ts';
import type { DaemonKind } from './daemons.ts';
import { COIN, UtxoFixture } from './utxo-fixture.ts';

const failsWith = (code: ErrorCode, words: RegExp) => (error: unknown) =>
  isTillgateError(error, code) && words.test(error.message);

/** Payments as a real node takes, mines, replaces and refuses them. */
function describePayments(kind: DaemonKind): void {
  describe(`payments on ${kind}`, () => {
    let fixture: UtxoFixture;
    before(async () => {
      fixture = await UtxoFixture.start(kind, { minFeeRate: 2, maxFeeRate: 200 });
    });
    after(() => fixture.stop());

    const send = ({ signed }: { signed: { txid: string; raw: string } }): Promise<void> =>
      fixture.payments.broadcast(signed);
    const mined = (outcome: PayoutOutcome): Extract<PayoutOutcome, { kind: 'mined' }> => {
      assert.equal(
        outcome.kind,
        'mined',
        JSON.stringify(outcome, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      );
      return outcome;
    };

    test('signed, stored, sent, mined: each step can be seen, and after a restart too', async () => {
      const coin = await fixture.deposit('1');
      const to = await fixture.foreign();
      const payment = await fixture.sign([{ to, units: COIN / 4n }], [coin]);
      const payout = fixture.payout(payment);
      assert.deepEqual(await fixture.payments.outcome(payout), { kind: 'missing' });
      await send(payment);
      assert.deepEqual(await fixture.payments.outcome(payout), { kind: 'pending' });
      await fixture.daemon.mine(2);
      const outcome = mined(await fixture.payments.outcome(payout));
      assert.deepEqual(
        [outcome.txid, outcome.confirmations, outcome.succeeded, outcome.feeUnits],
        [payment.signed.txid, 2, true, payment.signed.feeUnits],
      );
      assert.deepEqual(outcome.block, await fixture.chain.blockAt((await fixture.daemon.height()) - 1));
      assert.deepEqual(outcome.change, payment.signed.change);
      const restarted = await fixture.reopen();
      assert.deepEqual(await restarted.chain.payments?.outcome(payout), outcome);
      await restarted.chain.close();
    });

    test('the receiver gets the amount less the fee, and the change comes back to the hot address', async () => {
      const coin = await fixture.deposit('2');
      const to = await fixture.foreign();
      const payment = await fixture.sign([{ to, units: COIN }], [coin]);
      await send(payment);
      await fixture.daemon.mine();
      assert.equal(await fixture.received(to), COIN - payment.signed.feeUnits);
      assert.deepEqual(
        payment.signed.change,
        await fixture.coin(payment.signed.txid, fixture.payments.hotAddress, null),
      );
      assert.equal(payment.signed.change?.units, COIN);
    });

    test('the node finds the fee and the size that were computed', async () => {
      const coins = [await fixture.deposit('0.3'), await fixture.deposit('0.4')];
      const payment = await fixture.sign(
        [
          { to: await fixture.foreign('legacy'), units: COIN / 2n },
          { to: await fixture.foreign('p2sh-segwit'), units: COIN / 10n },
        ],
        coins,
      );
      const { vsize, weight } = await fixture.daemon.rpc<{ vsize: number; weight: number }>(
        'decoderawtransaction',
        payment.signed.raw,
      );
      const { rate } = { rate: 2n };
      assert.ok(payment.signed.feeUnits >= rate * BigInt(vsize), `${payment.signed.feeUnits} for ${vsize}`);
      await send(payment);
      const { fees } = await fixture.daemon.rpc<{ fees: { base: string } }>('getmempoolentry', payment.signed.txid);
      assert.equal(BigInt(Number(fees.base) * 1e8), payment.signed.feeUnits);
      assert.ok(weight <= vsize * 4);
      await fixture.daemon.mine();
    });

    test('fault 40: the same bytes may be sent twice, waiting or mined', async () => {
      const payment = await fixture.sign(
        [{ to: await fixture.foreign(), units: COIN / 2n }],
        [await fixture.deposit('1')],
      );
      await send(payment);
      await send(payment);
      await fixture.daemon.mine();
      await send(payment);
      assert.equal(mined(await fixture.payments.outcome(fixture.payout(payment))).confirmations, 1);
    });

    test('three payments go out in one transaction, from deposits and from change', async () => {
      const first = await fixture.sign(
        [{ to: await fixture.foreign(), units: COIN / 10n }],
        [await fixture.deposit('0.5')],
      );
      await send(first);
      await fixture.daemon.mine();
      assert.ok(first.signed.change !== null);
      const to = [await fixture.foreign(), await fixture.foreign('legacy'), await fixture.foreign('p2sh-segwit')];
      const lines = to.map((address, at) => ({ to: address, units: COIN / 4n + BigInt(at) }));
      const batch = await fixture.sign(lines, [first.signed.change, await fixture.deposit('0.6')]);
      assert.equal(batch.coins.length, 2);
      await send(batch);
      await fixture.daemon.mine();
      for (const { to: address, units } of batch.nets) assert.equal(await fixture.received(address), units);
      assert.equal(mined(await fixture.payments.outcome(fixture.payout(batch))).feeUnits, batch.signed.feeUnits);
    });

    test('a higher fee is offered where the network takes it', () => {
      assert.equal(fixture.payments.bumpAfterMs, kind === 'bitcoind' ? 1_800_000 : null);
    });

    test('a higher fee replaces a waiting transaction and wins', async () => {
      const to = await fixture.foreign();
      const first = await fixture.sign([{ to, units: COIN / 2n }], [await fixture.deposit('1')]);
      await send(first);
      const second = await fixture.bump(first);
      assert.ok(second.signed.feeUnits > first.signed.feeUnits);
      await send(second);
      const payout = fixture.payout(first, second);
      assert.deepEqual(await fixture.payments.outcome(payout), { kind: 'pending' });
      await fixture.daemon.mine();
      const outcome = mined(await fixture.payments.outcome(payout));
      assert.deepEqual(
        [outcome.txid, outcome.feeUnits, outcome.change],
        [second.signed.txid, second.signed.feeUnits, second.signed.change],
      );
      // What the receiver gets stays as it was signed first.
      assert.equal(await fixture.received(to), first.nets[0]?.units);
    });

    test('fault 81: a cancel takes the place of a payment, also above the bounds on fees, and brings all of its coins back', async () => {
      const to = await fixture.foreign();
      const coin = await fixture.deposit('1');
      const payment = await fixture.sign([{ to, units: COIN / 2n }], [coin]);
      // On a network that replaces nothing, only what no node has can be cancelled.
      if (kind === 'bitcoind') await send(payment);
      const raised = { ...payment.signed, feeUnits: payment.signed.feeUnits + 200n * 200n };
      const cancel = await fixture.cancel({ ...payment, signed: kind === 'bitcoind' ? raised : payment.signed });
      assert.ok(kind !== 'bitcoind' || cancel.signed.feeUnits > raised.feeUnits, 'above 200 satoshi a byte');
      await send(cancel);
      const payout = fixture.payout(payment, cancel);
      await fixture.daemon.mine();
      const outcome = mined(await fixture.payments.outcome(payout));
      assert.equal(outcome.txid, cancel.signed.txid);
      assert.deepEqual(outcome.change?.units, COIN - cancel.signed.feeUnits, 'all of it comes back');
      assert.equal(await fixture.received(to), 0n);
      await assert.rejects(send(payment), failsWith('NODE_FAILED', /sendrawtransaction/));
    });

    test('fault 82: a higher fee that a restored database does not know is the payment, at its own fee and change', async () => {
      const to = await fixture.foreign();
      const first = await fixture.sign([{ to, units: COIN / 2n }], [await fixture.deposit('1')]);
      await send(first);
      const second = await fixture.bump(first);
      await send(second);
      await fixture.daemon.mine(2);
      const known = fixture.payout(first);
      const outcome = await fixture.payments.outcome(known);
      assert.ok(outcome.kind === 'conflicted' && outcome.rival?.pays === 'same', outcome.kind);
      const adopted = { ...outcome.rival.attempt, txid: outcome.txid, expiresAt: null };
      const found = mined(await fixture.payments.outcome({ ...known, attempts: [...known.attempts, adopted] }));
      assert.deepEqual(
        [found.txid, found.feeUnits, found.change],
        [second.signed.txid, second.signed.feeUnits, second.signed.change],
      );
      const unspent = (await fixture.payments.unspent?.(fixture.payments.hotAddress)) ?? [];
      assert.deepEqual(
        unspent.filter(({ ref }) => ref === second.signed.change?.ref),
        [second.signed.change],
      );
    });

    test('fault 43: where the first of two was mined after all, that one counts', async () => {
      const first = await fixture.sign(
        [{ to: await fixture.foreign(), units: COIN / 2n }],
        [await fixture.deposit('1')],
      );
      const second = await fixture.bump(first);
      await send(first);
      await fixture.daemon.mine();
      await assert.rejects(send(second), failsWith('NODE_FAILED', /sendrawtransaction/));
      const outcome = mined(await fixture.payments.outcome(fixture.payout(first, second)));
      assert.deepEqual(
        [outcome.txid, outcome.feeUnits, outcome.change],
        [first.signed.txid, first.signed.feeUnits, first.signed.change],
      );
    });

    test('a payment whose outputs are all spent again is found in its block', async () => {
      const { address, index } = await fixture.address();
      const payment = await fixture.sign([{ to: address, units: COIN }], [await fixture.deposit('1')]);
      assert.equal(payment.signed.change, null);
      await send(payment);
      await fixture.daemon.mine();
      const onward = await fixture.sign(
        [{ to: await fixture.foreign(), units: payment.nets[0]?.units ?? 0n }],
        [{ ref: `${payment.signed.txid}:0`, address, index, units: payment.nets[0]?.units ?? 0n }],
      );
      await send(onward);
      await fixture.daemon.mine(3);
      for (const { payments } of [fixture.chain, (await fixture.reopen()).chain]) {
        const outcome = mined((await payments?.outcome(fixture.payout(payment))) ?? { kind: 'missing' });
        assert.deepEqual([outcome.txid, outcome.confirmations, outcome.change], [payment.signed.txid, 4, null]);
      }
    });

    test('fault 43: a coin taken by another transaction of the same seed is a conflict, once it is in a block', async () => {
      const coin = await fixture.deposit('1');
      const ours = await fixture.sign([{ to: await fixture.foreign(), units: COIN / 2n }], [coin]);
      const other = await fixture.reopen();
      const theirs = await fixture.sign([{ to: await fixture.foreign(), units: COIN / 3n }], [coin]);
      await other.chain.payments?.broadcast(theirs.signed);
      const waiting = await fixture.payments.outcome(fixture.payout(ours));
      assert.equal(waiting.kind, 'unclear');
      await assert.rejects(send(ours), failsWith('NODE_FAILED', /sendrawtransaction/));
      await fixture.daemon.mine(3);
      assert.deepEqual(await fixture.payments.outcome(fixture.payout(ours)), {
        kind: 'conflicted',
        txid: theirs.signed.txid,
        confirmations: 3,
      });
      await fixture.daemon.mine();
      assert.deepEqual(await fixture.payments.outcome(fixture.payout(ours)), {
        kind: 'conflicted',
        txid: theirs.signed.txid,
        confirmations: 4,
      });
      await other.chain.close();
    });

    test('fault 42: a reorganisation turns a mined payment into a waiting one, and it is mined again', async () => {
      const payment = await fixture.sign(
        [{ to: await fixture.foreign(), units: COIN / 2n }],
        [await fixture.deposit('1')],
      );
      await send(payment);
      await fixture.daemon.mine();
      const first = mined(await fixture.payments.outcome(fixture.payout(payment)));
      await fixture.forkEmpty(1);
      assert.deepEqual(await fixture.payments.outcome(fixture.payout(payment)), { kind: 'pending' });
      await fixture.daemon.mine();
      const second = mined(await fixture.payments.outcome(fixture.payout(payment)));
      assert.deepEqual([second.txid, second.block.height], [first.txid, first.block.height + 2]);
    });

    test('custody is what of the expected coins is unspent, and only at our own addresses', async () => {
      const [kept, spent] = [await fixture.deposit('0.5'), await fixture.deposit('0.25')];
      const expected = [kept, spent].map(({ ref, address }) => ({ ref, address, currency: fixture.currency }));
      assert.deepEqual(await fixture.payments.custody(expected), new Map([[fixture.currency, 75_000_000n]]));
      const payment = await fixture.sign([{ to: await fixture.foreign(), units: spent.units }], [spent]);
      await send(payment);
      // It lies there until the payment is mined.
      assert.deepEqual(await fixture.payments.custody(expected), new Map([[fixture.currency, 75_000_000n]]));
      await fixture.daemon.mine();
      assert.deepEqual(await fixture.payments.custody(expected), new Map([[fixture.currency, 50_000_000n]]));
      const elsewhere = [{ ref: kept.ref, address: spent.address, currency: fixture.currency }];
      assert.deepEqual(await fixture.payments.custody(elsewhere), new Map([[fixture.currency, 0n]]));
      assert.deepEqual(await fixture.payments.custody([]), new Map());
    });

    test('the balance of an address is what lies there', async () => {
      const coin = await fixture.deposit('0.125');
      assert.equal(await fixture.payments.balance(coin.address, fixture.currency), 12_500_000n);
      assert.equal(await fixture.payments.nextNonce(coin.address), null);
    });

    test('dust: a node carries the least amount of each form of address and nothing below the least of all', async () => {
      const dust = fixture.payments.dust(fixture.currency);
      const accepted = async (to: string, units: bigint): Promise<boolean> => {
        const coin = await fixture.deposit('0.01');
        const source = { address: fixture.payments.hotAddress, index: null };
        const priced = await fixture.payments.price({
          source,
          lines: fixture.lines([{ to, units }]),
          coins: [coin],
          replaces: null,
        });
        const signed = await fixture.payments.sign({
          source,
          lines: fixture.lines([{ to, units }]),
          priced,
          nonce: null,
        });
        const [answer] = await fixture.daemon.rpc<{ allowed: boolean }[]>('testmempoolaccept', [signed.raw]);
        return answer?.allowed === true;
      };
      for (const type of ['bech32', 'legacy', 'p2sh-segwit'] as const)
        assert.ok(await accepted(await fixture.foreign(type), dust), type);
      assert.equal(await accepted(await fixture.foreign('legacy'), dust - 1n), false);
    });

    test('dust: change that is not worth an output goes to the miner', async () => {
      const coin = await fixture.deposit('0.1');
      const left = kind === 'bitcoind' ? 293n : 2_939n;
      const payment = await fixture.sign([{ to: await fixture.foreign(), units: coin.units - left }], [coin]);
      assert.equal(payment.signed.change, null);
      await send(payment);
      await fixture.daemon.mine();
      const outcome = mined(await fixture.payments.outcome(fixture.payout(payment)));
      assert.equal(outcome.feeUnits, coin.units - (payment.nets[0]?.units ?? 0n));
      const worth = await fixture.deposit('0.1');
      const kept = await fixture.sign([{ to: await fixture.foreign(), units: worth.units - left - 1n }], [worth]);
      assert.equal(kept.signed.change?.units, left + 1n);
      await send(kept);
    });

    test('coins that the node does not have are passed over, and too few are an insufficient balance', async () => {
      const there = await fixture.deposit('0.2');
      const gone = { ...there, ref: `${'ab'.repeat(32)}:0`, units: COIN };
      const overstated = { ...(await fixture.deposit('0.3')), units: COIN * 2n };
      const payment = await fixture.sign(
        [{ to: await fixture.foreign(), units: 15_000_000n }],
        [gone, overstated, there],
      );
      assert.deepEqual(payment.coins, [there]);
      await assert.rejects(
        fixture.sign([{ to: await fixture.foreign(), units: COIN }], [gone, overstated, there]),
        failsWith('INSUFFICIENT_BALANCE', /suffice/),
      );
      // A coin that is only supposed tells what a payment would cost.
      const supposed = {
        ref: `${'0'.repeat(64)}:0`,
        address: fixture.payments.hotAddress,
        index: null,
        units: COIN * 2n,
      };
      const source = { address: fixture.payments.hotAddress, index: null };
      const { feeUnits } = await fixture.payments.price({
        source,
        lines: fixture.lines([{ to: await fixture.foreign(), units: COIN }]),
        coins: [supposed],
        replaces: null,
      });
      assert.ok(feeUnits > 0n);
    });

    test('without change there is no room for a higher fee', async () => {
      const coin = await fixture.deposit('0.1');
      const payment = await fixture.sign([{ to: await fixture.foreign(), units: coin.units }], [coin]);
      await assert.rejects(fixture.bump(payment), failsWith('STATE_CONFLICT', /no room/));
    });

    test('a bump pays for what spent the replaced transaction’s outputs too', async () => {
      const { address, index } = await fixture.address();
      const first = await fixture.sign([{ to: address, units: COIN / 2n }], [await fixture.deposit('1')]);
      await send(first);
      const child = await fixture.coin(first.signed.txid, address, index);
      const spent = await fixture.sign([{ to: await fixture.foreign(), units: child.units }], [child]);
      await send(spent);
      const second = await fixture.bump(first);
      assert.ok(second.signed.feeUnits > first.signed.feeUnits + spent.signed.feeUnits);
      await send(second);
      await fixture.daemon.mine();
      assert.equal(mined(await fixture.payments.outcome(fixture.payout(first, second))).txid, second.signed.txid);
    });

    test('a chain whose key is not of the till’s seed only watches', async () => {
      const foreign = new MnemonicWallet('legal winner thank year wave sausage worth useful legal winner thank yellow');
      const xpub = await foreign.extendedPublicKey("m/84'/1'/1'");
      const { chain, logger } = await fixture.reopen({ xpub });
      assert.equal(chain.payments, null);
      assert.ok(logger.lines.some(({ message }) => message.includes('watch-only')));
      await chain.close();
    });

    test('an address of another chain is refused before anything is signed', async () => {
      for (const [to, words] of [
        ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', /not an address of/],
        ...(kind === 'litecoind' ? [['tmweb1qqexample', /MimbleWimble/] as const] : []),
      ] as const) {
        assert.equal(fixture.chain.normaliseAddress(to), null);
        assert.match(fixture.chain.addressProblem(to) ?? '', words);
        await assert.rejects(fixture.sign([{ to, units: COIN }], []), failsWith('STATE_CONFLICT', words));
      }
    });
  });
}

for (const kind of chosenParts(['bitcoind', 'litecoind'])) describePayments(kind);
