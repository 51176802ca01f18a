import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MnemonicWallet, NoWallet } from '../../../adapters/wallet/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import type { ChainAdapter, PluginContext, Signer } from '../../../core/index.ts';
import { bitcoin } from '../../../plugins/bitcoin/index.ts';
import { litecoin } from '../../../plugins/litecoin/index.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';

/** Published test vector of BIP-84. */
const BIP84 = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const URL_ONLY = { rpcUrl: 'http://127.0.0.1:1' };
const COIN = 100_000_000n;
type UtxoPlugin = typeof bitcoin;

async function setUp(
  { plugin }: UtxoPlugin,
  input: unknown,
  wallet: PluginContext<unknown>['wallet'] = new MnemonicWallet(BIP84),
  signer: Signer | null = null,
): Promise<ChainAdapter> {
  const chains: ChainAdapter[] = [];
  await plugin.setup({
    options: plugin.options(input),
    logger: new MemoryLogger(),
    clock: new FakeClock(),
    wallet,
    signer,
    documents: { read: async () => null, write: async () => false },
    addChain: (chain) => void chains.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  assert.ok(chains[0] !== undefined);
  return chains[0];
}

function problems({ plugin }: UtxoPlugin, input: unknown): readonly string[] {
  try {
    plugin.options(input);
  } catch (error) {
    assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
    return (error.details.fields ?? []).map(({ path }) => path).sort();
  }
  return [];
}

describe('the bitcoin and litecoin plugins', () => {
  test('confirmations grow with the amount on Bitcoin, and are six on Litecoin', async () => {
    const [btc, ltc] = [(await setUp(bitcoin, URL_ONLY)).policy, (await setUp(litecoin, URL_ONLY)).policy];
    const at = (units: bigint): number => btc.confirmations('BTC', units);
    assert.deepEqual([at(1n), at(COIN), at(COIN + 1n), at(COIN * 10n), at(COIN * 10n + 1n)], [1, 1, 3, 3, 6]);
    assert.deepEqual([btc.spendableConfirmations, btc.finalityBlocks], [6, 100]);
    assert.deepEqual(
      [ltc.confirmations('LTC', COIN * 100n), ltc.spendableConfirmations, ltc.finalityBlocks],
      [6, 12, 100],
    );
  });

  test('the head may be two hours old on the main network, and as old as it is where nobody mines', async () => {
    const lag = async (options: object) => (await setUp(bitcoin, { ...URL_ONLY, ...options })).policy.maxLagMs;
    assert.deepEqual(
      [await lag({}), await lag({ network: 'regtest' }), await lag({ network: 'regtest', maxLagSeconds: 60 })],
      [7_200_000, null, 60_000],
    );
    assert.equal(await lag({ maxLagSeconds: null }), null);
  });

  test('a configured number of confirmations holds for every amount, and for spending too', async () => {
    const { policy } = await setUp(bitcoin, { ...URL_ONLY, confirmations: 2 });
    assert.deepEqual([policy.confirmations('BTC', COIN * 50n), policy.spendableConfirmations], [2, 2]);
    assert.deepEqual(problems(bitcoin, { ...URL_ONLY, confirmations: 7, spendableConfirmations: 6 }), [
      'spendableConfirmations',
    ]);
  });

  test('each network has addresses and accounts of its own; on the main one, those that the wallet documents', async () => {
    const signer = new MnemonicWallet(BIP84);
    const btc = await setUp(bitcoin, URL_ONLY, signer, signer);
    // The hot account of Bitcoin is the account of the published vector.
    assert.equal(btc.payments?.hotAddress, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    const seen = new Set<string>();
    for (const [plugin, network, prefix] of [
      [bitcoin, 'main', 'bc1q'],
      [bitcoin, 'test', 'tb1q'],
      [bitcoin, 'regtest', 'bcrt1q'],
      [litecoin, 'main', 'ltc1q'],
      [litecoin, 'test', 'tltc1q'],
      [litecoin, 'regtest', 'rltc1q'],
    ] as const) {
      const chain = await setUp(plugin, { ...URL_ONLY, network }, signer, signer);
      const [derived] = await chain.deriveAddresses(0, 1);
      assert.ok(derived !== undefined && chain.payments !== null);
      assert.ok(derived.address.startsWith(prefix), derived.address);
      assert.ok(chain.payments.hotAddress.startsWith(prefix));
      assert.notEqual(chain.payments.hotAddress, derived.address);
      assert.deepEqual(
        [chain.normaliseAddress(derived.address), chain.keyOf(derived.address)],
        [derived.address, derived.key],
      );
      // No key serves two coins: test and regtest of one coin may share.
      seen.add(`${derived.key} ${plugin.name}`);
    }
    assert.equal(new Set([...seen].map((entry) => entry.split(' ')[0])).size, seen.size);
  });

  test('addresses of other networks and of Litecoin’s extension are refused, the latter with its reason', async () => {
    const ltc = await setUp(litecoin, URL_ONLY);
    const mweb = `ltcmweb1qq${'q'.repeat(100)}`;
    for (const text of [
      mweb,
      mweb.toUpperCase(),
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
      '3P14159f73E4gFr7JterCCQh9QjiTjiZrG',
      '',
      'ltc1qqqqqqqqq',
    ]) {
      assert.equal(ltc.normaliseAddress(text), null);
    }
    assert.match(ltc.addressProblem?.(mweb) ?? '', /^is an address of the MimbleWimble extension/);
    assert.match(ltc.addressProblem?.('nonsense') ?? '', /^is not an address of Litecoin/);
    const btc = await setUp(bitcoin, URL_ONLY);
    const upper = 'BC1QCR8TE4KR609GCAWUTMRZA0J4XV80JY8Z306FYU';
    assert.deepEqual([btc.normaliseAddress(upper), btc.addressProblem?.(upper)], [upper.toLowerCase(), null]);
    for (const usual of [
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    ]) {
      assert.equal(btc.normaliseAddress(usual), usual);
    }
  });

  test('a payment is written as BIP-21 has it, the amount in coins', async () => {
    const [btc, ltc] = [await setUp(bitcoin, URL_ONLY), await setUp(litecoin, URL_ONLY)];
    assert.equal(
      btc.paymentUri({ address: 'bc1qx', currency: 'BTC', units: 123_456_000n }),
      'bitcoin:bc1qx?amount=1.23456',
    );
    assert.equal(
      ltc.paymentUri({ address: 'ltc1qx', currency: 'LTC', units: 1n }),
      'litecoin:ltc1qx?amount=0.00000001',
    );
    assert.equal(btc.contractAddress('BTC'), '');
  });

  test('fault 88: a deposit is worth spending from the cost of one input on, at a rate that does not follow the market', async () => {
    const least = async (plugin: UtxoPlugin, options = {}): Promise<bigint | undefined> =>
      (await setUp(plugin, { ...URL_ONLY, ...options })).assets[0]?.minDeposit;
    assert.deepEqual([await least(bitcoin), await least(litecoin)], [680n, 3_400n]);
    assert.equal(await least(bitcoin, { dustFeeRate: 2.5 }), 170n);
    assert.equal(await least(bitcoin, { minFeeRate: 20, fallbackFeeRate: 30 }), 680n);
    assert.deepEqual(problems(bitcoin, { ...URL_ONLY, dustFeeRate: 0 }), ['dustFeeRate']);
    assert.deepEqual(problems(bitcoin, { ...URL_ONLY, dustFeeRate: 5, consolidateFeeRate: 6 }), ['consolidateFeeRate']);
    assert.deepEqual(problems(bitcoin, { ...URL_ONLY, dustFeeRate: 2 }), []);
  });

  test('every wrong option is named, and no value of one is repeated', () => {
    assert.deepEqual(problems(bitcoin, {}), ['rpcUrl']);
    assert.deepEqual(problems(bitcoin, { rpcUrl: 'ftp://s3cr3t', network: 'moon', colour: 1 }), [
      'colour',
      'network',
      'rpcUrl',
    ]);
    assert.deepEqual(problems(bitcoin, { ...URL_ONLY, rpcUrls: ['http://127.0.0.1:2'] }), ['rpcUrl']);
    assert.deepEqual(problems(bitcoin, { ...URL_ONLY, minFeeRate: 20, maxFeeRate: 10 }), ['minFeeRate']);
    assert.deepEqual(problems(bitcoin, { ...URL_ONLY, rpcPassword: 'a', rpcPasswordFile: 'b' }), ['rpcPasswordFile']);
    assert.deepEqual(problems(bitcoin, { ...URL_ONLY, rpcPasswordFile: '/does/not/exist' }), ['rpcPasswordFile']);
    assert.throws(
      () => bitcoin.plugin.options({ rpcUrl: 'ftp://s3cr3t' }),
      (error: unknown) => !(error as Error).message.includes('s3cr3t'),
    );
  });

  test('user and password are taken from options or files and put into each URL', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tillgate-options-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'password');
    writeFileSync(file, 'p@ss/word\n');
    const { rpcUrls } = bitcoin.plugin.options({
      rpcUrls: ['http://one:8332', 'http://other:pw@two:8332/path'],
      rpcUser: 'till',
      rpcPasswordFile: file,
    });
    assert.deepEqual(rpcUrls, ['http://till:p%40ss%2Fword@one:8332/', 'http://till:p%40ss%2Fword@two:8332/path']);
    assert.deepEqual(bitcoin.plugin.options({ rpcUrl: 'http://u:p@h:1' }).rpcUrls, ['http://u:p@h:1/']);
  });

  test('without a seed an xpub watches; without both the missing one is named', async () => {
    const xpub = await new MnemonicWallet(BIP84).extendedPublicKey("m/84'/0'/1'");
    const chain = await setUp(bitcoin, { ...URL_ONLY, xpub }, new NoWallet());
    assert.equal(chain.payments, null);
    assert.equal(chain.walletId, (await setUp(bitcoin, URL_ONLY)).walletId);
    await assert.rejects(setUp(bitcoin, URL_ONLY, new NoWallet()), (error: unknown) =>
      isTillgateError(error, 'CONFIG_INVALID'),
    );
  });

  test('extended keys are read in the spellings of their own network, and private ones never', async () => {
    const { balances } = await setUp(bitcoin, URL_ONLY);
    assert.ok(balances !== null);
    const zpub =
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
    assert.equal(balances.readExtendedKey(zpub), zpub);
    const zprv =
      'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE';
    for (const text of [zprv, zpub.slice(0, -1), 'xpub', '']) assert.equal(balances.readExtendedKey(text), null);
  });
});
