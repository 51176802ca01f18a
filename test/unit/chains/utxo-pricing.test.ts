import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Transaction } from '@scure/btc-signer';
import fc from 'fast-check';
import { AccountKey, segwitAddress } from '../../../adapters/chains/index.ts';
import { definition as bitcoin } from '../../../plugins/bitcoin/definition.ts';
import { sumOf } from '../../../adapters/chains/utxo/coin-selection.ts';
import type { FeeRates } from '../../../adapters/chains/utxo/fee-rates.ts';
import { MAX_INPUTS, Pricing } from '../../../adapters/chains/utxo/price-payment.ts';
import { Signing } from '../../../adapters/chains/utxo/sign-payment.ts';
import { feeOf, virtualSizeOf } from '../../../adapters/chains/utxo/transaction-size.ts';
import { UtxoAddresses } from '../../../adapters/chains/utxo/utxo-addresses.ts';
import { UtxoKeys } from '../../../adapters/chains/utxo/utxo-keys.ts';
import type { UtxoNode } from '../../../adapters/chains/utxo/utxo-node.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import type { PaymentLine, PricedPayment, SignedTransaction, SpendableCoin } from '../../../core/index.ts';
import { MemoryLogger } from '../../support/fakes.ts';
import { MNEMONIC } from './utxo-fixtures.ts';

const { ownDust } = bitcoin;
const RECEIVERS = [
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
  '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
  'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
];
const INCREMENT = 1_000n;
const MAX_RATE = 500_000n;

const anyRate = fc.bigInt({ min: 1_000n, max: 200_000n });
const anyUnits = fc.array(fc.bigInt({ min: 1_000n, max: 10n ** 9n }), { minLength: 1, maxLength: 12 });
const anyLines = fc.array(fc.record({ to: fc.constantFrom(...RECEIVERS), share: fc.bigInt({ min: 1n, max: 100n }) }), {
  minLength: 1,
  maxLength: 6,
});

describe('pricing and signing together', () => {
  let keys: UtxoKeys;
  let signing: Signing;
  let deposits: readonly string[];
  const addresses = new UtxoAddresses(bitcoin, 'main');
  const source = { address: '', index: null };

  before(async () => {
    const signer = new MnemonicWallet(MNEMONIC);
    const terms = bitcoin.networks.main;
    keys = new UtxoKeys(
      terms,
      await signer.extendedPublicKey(terms.accounts.hot),
      await signer.extendedPublicKey(terms.accounts.deposit),
    );
    const account = new AccountKey(await signer.extendedPublicKey(terms.accounts.deposit));
    deposits = Array.from(
      { length: 12 },
      (_, index) => segwitAddress(account.publicKey(index), terms.addresses).address,
    );
    signing = new Signing({ chain: 'BTC', network: terms.addresses, signer, keys, addresses, ownDust });
  });

  /** A node on which all of these coins are unspent. */
  const pricing = (coins: readonly SpendableCoin[], rate: bigint): Pricing => {
    const node = {
      height: async () => 800_000,
      waiting: async () => null,
      unspent: async (refs: readonly string[]) =>
        refs.map((ref) => {
          const coin = coins.find((each) => each.ref === ref);
          return coin === undefined
            ? null
            : { units: coin.units, script: addresses.read(coin.address)?.key, confirmations: 9, bestBlock: '' };
        }),
    } as unknown as UtxoNode;
    const rates = {
      now: async () => ({ rate, increment: INCREMENT }),
      checkBound: (asked: bigint) => assert.ok(asked <= MAX_RATE),
      checkLow: () => undefined,
    } as unknown as FeeRates;
    return new Pricing({ node, rates, addresses, logger: new MemoryLogger(), ownDust, ownScriptBytes: 22 });
  };
  const coinsOf = (units: readonly bigint[]): readonly SpendableCoin[] =>
    units.map((each, at) => {
      const index = at % 3 === 0 ? null : at;
      const address = index === null ? keys.hot.address : (deposits[index] as string);
      return { ref: `${(at + 1).toString(16).padStart(64, '0')}:${at}`, address, index, units: each };
    });
  const netsOf = (
    lines: readonly PaymentLine[],
    { feeUnits }: Pick<PricedPayment, 'feeUnits'>,
  ): readonly PaymentLine[] => {
    const share = feeUnits / BigInt(lines.length);
    return lines.map((line, at) => ({
      ...line,
      units: line.units - (at === 0 ? feeUnits - share * BigInt(lines.length - 1) : share),
    }));
  };

  /** Inputs are outputs and fee; the fee is that of the rate, up to a change that was not worth an output; no dust comes back. */
  const check = (signed: SignedTransaction, priced: PricedPayment, nets: readonly PaymentLine[]): number => {
    const transaction = Transaction.fromRaw(Buffer.from(signed.raw, 'hex'));
    const outputs = Array.from(
      { length: transaction.outputsLength },
      (_, at) => transaction.getOutput(at).amount ?? 0n,
    );
    assert.equal(sumOf(priced.coins), outputs.reduce((sum, units) => sum + units, 0n) + signed.feeUnits);
    assert.deepEqual(
      outputs.slice(0, nets.length),
      nets.map(({ units }) => units),
    );
    assert.equal(outputs.length, nets.length + (signed.change === null ? 0 : 1));
    assert.ok(signed.change === null || signed.change.units >= ownDust);
    assert.ok(signed.feeUnits >= priced.feeUnits && signed.feeUnits < priced.feeUnits + ownDust);
    return transaction.vsize;
  };

  test('property: what is signed costs its rate, pays each receiver exactly and brings no dust back; a bump outbids it', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRate,
        anyUnits,
        anyLines,
        fc.bigInt({ min: 1n, max: 100n }),
        async (rate, units, shares, part) => {
          const coins = coinsOf(units);
          const total = (sumOf(coins) * part) / 100n;
          const shareSum = shares.reduce((sum, { share }) => sum + share, 0n);
          const gross = shares.map(({ to, share }) => ({ to, currency: 'BTC', units: (total * share) / shareSum }));
          const priced = await pricing(coins, rate).price({ source, lines: gross, coins, replaces: null });
          const nets = netsOf(gross, priced);
          fc.pre(nets.every(({ units: each }) => each >= 546n));
          const signed = await signing.sign({ source, lines: nets, priced, nonce: null });
          const vsize = check(signed, priced, nets);
          assert.ok(signed.feeUnits * 1_000n >= rate * BigInt(vsize));
          // Signatures may be shorter than was supposed by two bytes of witness each, and the rounding is a unit.
          const supposed = BigInt(vsize + priced.coins.length);
          assert.ok(priced.feeUnits * 1_000n < rate * supposed + 1_000n);
          await checkBump(signed, priced, nets, rate, vsize);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('property: required coins are all spent, never more than the limit, and others only for what they lack', async () => {
    const manyUnits = fc.array(fc.bigInt({ min: 1_000n, max: 10n ** 6n }), { minLength: 2, maxLength: 260 });
    await fc.assert(
      fc.asyncProperty(
        anyRate,
        manyUnits,
        fc.nat(250),
        fc.bigInt({ min: 1n, max: 100n }),
        async (rate, units, first, part) => {
          const all = coinsOf(units);
          const [required, coins] = [all.slice(0, first), all.slice(first)];
          const total = (sumOf(all) * part) / 100n;
          fc.pre(total > 0n);
          const lines = [{ to: RECEIVERS[0] as string, currency: 'BTC', units: total }];
          const request = { source, lines, coins, required, replaces: null };
          const room = Math.max(0, MAX_INPUTS - required.length);
          const reach = sumOf(required) + sumOf([...coins].sort((a, b) => (a.units < b.units ? 1 : -1)).slice(0, room));
          if (reach < total || required.length > MAX_INPUTS) {
            await assert.rejects(pricing(all, rate).price(request), (error) =>
              isTillgateError(error, 'INSUFFICIENT_BALANCE'),
            );
            return;
          }
          const priced = await pricing(all, rate).price(request);
          const sum = sumOf(priced.coins);
          assert.ok(sum >= total && required.every((coin) => priced.coins.includes(coin)));
          assert.equal(new Set(priced.coins.map(({ ref }) => ref)).size, priced.coins.length);
          assert.ok(priced.coins.length <= MAX_INPUTS);
          if (sumOf(required) >= total) assert.equal(priced.coins.length, required.length);
          const outputs = sum - total >= ownDust ? [22, 22] : [22];
          assert.equal(priced.feeUnits, feeOf(rate, virtualSizeOf(priced.coins.length, outputs)));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('property: coins that are put together come back as one, less their fee, and a bump outbids it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 1_000n, max: 5_000n }), anyUnits, async (rate, units) => {
        const required = coinsOf(units);
        const fee = feeOf(rate, virtualSizeOf(required.length, [22]));
        const request = { source, lines: [], coins: [], required, replaces: null };
        if (sumOf(required) < fee + ownDust) {
          await assert.rejects(pricing(required, rate).price(request), (error) =>
            isTillgateError(error, 'STATE_CONFLICT'),
          );
          return;
        }
        const priced = await pricing(required, rate).price(request);
        assert.deepEqual([priced.coins, priced.feeUnits], [required, fee]);
        const signed = await signing.sign({ source, lines: [], priced, nonce: null });
        const vsize = check(signed, priced, []);
        assert.deepEqual(signed.change?.units, sumOf(required) - fee);
        await checkBump(signed, priced, [], rate, vsize);
      }),
      { numRuns: 20 },
    );
  });

  async function checkBump(
    first: SignedTransaction,
    before: PricedPayment,
    nets: readonly PaymentLine[],
    rate: bigint,
    vsize: number,
  ): Promise<void> {
    const { coins } = before;
    try {
      const priced = await pricing(coins, rate).price({ source, lines: nets, coins, replaces: first });
      const second = await signing.sign({ source, lines: nets, priced, nonce: null });
      const size = check(second, priced, nets);
      assert.ok(second.feeUnits >= first.feeUnits + (INCREMENT * BigInt(size)) / 1_000n, 'BIP-125, rule 4');
      assert.ok(second.feeUnits * BigInt(vsize) > first.feeUnits * BigInt(size), 'a higher rate');
    } catch (error) {
      assert.ok(isTillgateError(error, 'STATE_CONFLICT'), String(error));
      // Only where next to nothing would come back.
      assert.ok((first.change?.units ?? 0n) < ownDust + INCREMENT + first.feeUnits);
    }
  }
});
