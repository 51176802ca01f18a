import assert from 'node:assert/strict';
import { formatUnits, isTillgateError, present } from '../../core/index.ts';
import { trick } from './chain-sight.ts';
import type { ChainCase } from './chain-harness.ts';

/** More digits than a double can hold. */
const LARGE = 12_345_678_901_234_567_891n;

/** Test cases for the chain's identity and addresses. */
export const chainFacts: readonly ChainCase[] = [
  {
    needs: null,
    title: 'its identity is the same each time, also after a restart',
    run: async (world) => {
      const { chain } = world;
      const identity = await chain.identify();
      assert.ok(identity.length > 0);
      assert.equal(await chain.identify(), identity);
      assert.equal(await (await world.reopen()).identify(), identity);
    },
  },
  {
    needs: 'otherNetwork',
    title: 'fault 56: a node of another network is refused, or known by another identity',
    run: async (world) => {
      const stranger = await trick(world, 'otherNetwork')();
      const identity = await stranger.identify().catch((error: unknown) => error);
      if (typeof identity === 'string') assert.notEqual(identity, await world.chain.identify());
      else assert.ok(isTillgateError(identity, 'CHAIN_HALTED'), `CHAIN_HALTED was expected, not ${String(identity)}`);
    },
  },
  {
    needs: null,
    title: 'its assets and its policy are fit for use',
    run: async ({ chain, currency, units }) => {
      const asset = present(
        chain.assets.find((one) => one.currency === currency),
        `the currency ${currency} among the chain's assets`,
      );
      assert.ok(
        chain.assets.every((one) => one.chain === chain.code && Number.isInteger(one.decimals) && one.decimals >= 0),
      );
      assert.equal(new Set(chain.assets.map((one) => one.currency)).size, chain.assets.length);
      assert.equal(chain.contractAddress(currency) === '', asset.kind === 'native', 'a contract for tokens only');
      const { spendableConfirmations, finalityBlocks, pollIntervalMs, maxScanBlocks } = chain.policy;
      const confirmations = chain.policy.confirmations(currency, units);
      for (const number of [confirmations, spendableConfirmations, finalityBlocks, pollIntervalMs, maxScanBlocks])
        assert.ok(Number.isInteger(number) && number >= 1);
      assert.ok(spendableConfirmations >= confirmations, 'spendable only after it is credited');
    },
  },
  {
    needs: null,
    title: 'derived addresses are all different, and the same in parts and after a restart',
    run: async (world) => {
      const { chain } = world;
      const all = await chain.deriveAddresses(0, 30);
      assert.deepEqual(
        all.map(({ index }) => index),
        Array.from({ length: 30 }, (_, at) => at),
      );
      assert.equal(new Set(all.map(({ address }) => address)).size, 30);
      assert.equal(new Set(all.map(({ key }) => key)).size, 30);
      assert.deepEqual([...(await chain.deriveAddresses(0, 11)), ...(await chain.deriveAddresses(11, 19))], all);
      const again = await world.reopen();
      assert.deepEqual(await again.deriveAddresses(0, 30), all);
      assert.equal(again.walletId, chain.walletId);
      assert.ok(chain.walletId.length > 0);
    },
  },
  {
    needs: null,
    title: 'an address in its usual form stays as it is, and junk is none',
    run: async ({ chain }) => {
      const [{ address, key } = { address: '', key: '' }] = await chain.deriveAddresses(3, 1);
      assert.equal(chain.normaliseAddress(address), address);
      assert.equal(chain.keyOf(address), key);
      for (const text of [
        '',
        'junk',
        ` ${address}`,
        `${address}x`,
        address.slice(0, -1),
        `${address}\n`,
        `${address} ${address}`,
      ]) {
        assert.equal(chain.normaliseAddress(text), null, JSON.stringify(text));
      }
    },
  },
  {
    needs: null,
    title: 'a payment URI has the address and the exact amount, or is the plain address',
    run: async ({ chain, currency }) => {
      const { decimals } = present(
        chain.assets.find((one) => one.currency === currency),
        currency,
      );
      const [{ address } = { address: '' }] = await chain.deriveAddresses(4, 1);
      for (const units of [1n, 10n ** BigInt(decimals), LARGE]) {
        const uri = chain.paymentUri({ address, currency, units });
        if (uri === address) continue;
        assert.ok(uri.includes(address), uri);
        const amounts = (uri.match(/(?<=[=?&])\d[\d.]*(?=&|$)/g) ?? []).filter(
          (text) => text === `${units}` || text === formatUnits(units, decimals),
        );
        assert.equal(amounts.length, 1, `${uri} names ${units} units once`);
      }
    },
  },
];
