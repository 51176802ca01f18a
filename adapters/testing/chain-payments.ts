import assert from 'node:assert/strict';
import type { ChainCase } from './chain-harness.ts';
import { freshAddress } from './chain-sight.ts';
import { payoutOf, gotten, hotWallet, mined, payingSide, signPayment, stored } from './chain-till.ts';

/** Test cases for payouts without failures. */
export const chainPayments: readonly ChainCase[] = [
  {
    needs: null,
    title: 'the paying side says who it is: a hot address in its usual form, a coin for fees, the least it carries',
    run: async (world) => {
      const { chain, currency, units } = world;
      const payments = payingSide(chain);
      const { hotAddress, feeAsset, maxLines } = payments;
      const dust = payments.dust(currency);
      assert.equal(chain.normaliseAddress(hotAddress), hotAddress);
      assert.equal(payingSide(await world.reopen()).hotAddress, hotAddress);
      assert.ok(
        (await chain.deriveAddresses(0, 30)).every(({ address }) => address !== hotAddress),
        'the hot address is no deposit address',
      );
      assert.equal(feeAsset.chain, chain.code);
      assert.equal(feeAsset.kind, 'native');
      assert.ok(Number.isInteger(maxLines) && maxLines >= 1);
      assert.ok(dust >= 1n && dust < units);
    },
  },
  {
    needs: null,
    title: 'pricing and signing send nothing, and take no nonce',
    run: async (world) => {
      const payments = payingSide(world.chain);
      const payment = await signPayment(world);
      assert.ok(
        payment.priced.feeUnits >= 0n && payment.signed.feeUnits <= payment.priced.feeUnits,
        'what is signed costs no more than its price',
      );
      assert.equal((await payments.outcome(payment.payout)).kind, 'missing');
      await world.mine(2);
      assert.equal(await gotten(world, payment), 0n);
      assert.equal((await payments.outcome(payment.payout)).kind, 'missing');
      assert.equal(await payments.nextNonce(payment.source.address), payment.nonce);
    },
  },
  {
    needs: null,
    title: 'fault 40: the stored bytes are sent after a restart, and the receiver gets exactly what was signed',
    run: async (world) => {
      const payment = await signPayment(world);
      const again = payingSide(await world.reopen());
      await again.broadcast(stored(payment.signed));
      assert.ok(['pending', 'mined'].includes((await again.outcome(payment.payout)).kind));
      await world.mine(3);
      assert.equal(await gotten(world, payment), world.units);
      const outcome = await mined(world, payment.payout);
      const head = await world.chain.head();
      assert.equal(outcome.txid, payment.signed.txid);
      assert.equal(outcome.succeeded, true);
      assert.deepEqual(outcome.block, await world.chain.blockAt(outcome.block.height));
      assert.equal(outcome.confirmations, head.height - outcome.block.height + 1);
      assert.ok(
        outcome.feeUnits >= 0n && outcome.feeUnits <= payment.signed.feeUnits,
        `${outcome.feeUnits} of at most ${payment.signed.feeUnits}`,
      );
      assert.deepEqual(outcome.change, payment.signed.change);
    },
  },
  {
    needs: null,
    title:
      'what is signed can come to an end: it has a nonce, coins or an expiry of its own, and two of it never pay both',
    run: async (world) => {
      const payments = payingSide(world.chain);
      const payment = await signPayment(world);
      const { source, priced, nonce, line, signed } = payment;
      assert.ok(
        nonce !== null || priced.coins.length > 0 || signed.expiresAt !== null,
        'otherwise its end can never be proven',
      );
      // Without nonce and coins, the core waits until the payment has expired before it signs again.
      if (nonce === null && priced.coins.length === 0) return;
      const twin = await payments.sign({ source, lines: [line], priced, nonce });
      assert.equal(twin.feeUnits, signed.feeUnits);
      await Promise.allSettled([payments.broadcast(signed), payments.broadcast(twin)]);
      await world.mine(2);
      assert.equal(await gotten(world, payment), world.units);
      const attempts = twin.txid === signed.txid ? [signed] : [signed, twin];
      const outcome = await mined(world, payoutOf(payment, ...attempts));
      assert.ok(attempts.some(({ txid }) => txid === outcome.txid));
    },
  },
  {
    needs: 'sweep',
    title: 'a deposit address pays into the hot wallet, whose balance grows by exactly that',
    run: async (world) => {
      const { chain, currency, units } = world;
      const payments = payingSide(chain);
      const { address, index } = await freshAddress(world);
      const hot = hotWallet(chain);
      const before = await payments.balance(hot.address, currency);
      const { signed, payout } = await signPayment(
        world,
        { address, index },
        { address: hot.address, key: '', index: -1 },
      );
      await payments.broadcast(stored(signed));
      await world.mine(2);
      assert.equal((await mined(world, payout)).succeeded, true);
      assert.equal((await payments.balance(hot.address, currency)) - before, units);
    },
  },
  {
    needs: null,
    title: 'custody is the balance on chain: what was funded, counted once, less what was paid',
    run: async (world) => {
      const { chain, currency } = world;
      const payments = payingSide(chain);
      const payment = await signPayment(world);
      const coins =
        payment.coins.length > 0
          ? payment.coins.map(({ ref, address }) => ({ ref, address, currency }))
          : [{ ref: '', address: payment.source.address, currency }];
      const expected = payments.model === 'account' ? [...coins, ...coins] : coins;
      const before = (await payments.custody(expected)).get(currency) ?? 0n;
      assert.ok(before >= world.units * 2n, `${before} units are shown`);
      if (payments.model === 'account') assert.equal(before, await payments.balance(payment.source.address, currency));
      await payments.broadcast(stored(payment.signed));
      await world.mine(2);
      const after = (await payments.custody(expected)).get(currency) ?? 0n;
      assert.ok(before - after >= world.units, `${before} units before, ${after} after`);
      assert.deepEqual([...(await payments.custody([]))], []);
    },
  },
  {
    needs: null,
    title: 'a payment to no address of the chain is not priced',
    run: async ({ chain, currency, units }) => {
      await assert.rejects(
        payingSide(chain).price({
          source: hotWallet(chain),
          lines: [{ to: 'junk', currency, units }],
          coins: [],
          replaces: null,
        }),
      );
    },
  },
];
