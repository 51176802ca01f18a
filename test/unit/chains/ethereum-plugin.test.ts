import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAddress } from 'viem';
import { MnemonicWallet, NoWallet } from '../../../adapters/wallet/index.ts';
import { SHIB_ERC20, isTillgateError } from '../../../core/index.ts';
import type { ChainAdapter, PluginContext } from '../../../core/index.ts';
import { ethereum } from '../../../plugins/ethereum/index.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';

type Options = ReturnType<typeof ethereum.plugin.options>;
const URLS = { rpcUrls: ['http://127.0.0.1:1'] };
const JUNK = 'test test test test test test test test test test test junk';

async function setUp(
  input: unknown,
  wallet: PluginContext<Options>['wallet'] = new MnemonicWallet(JUNK),
): Promise<ChainAdapter> {
  const chains: ChainAdapter[] = [];
  await ethereum.plugin.setup({
    options: ethereum.plugin.options(input),
    logger: new MemoryLogger(),
    clock: new FakeClock(),
    wallet,
    signer: wallet instanceof MnemonicWallet ? wallet : null,
    documents: { read: async () => null, write: async () => false },
    addChain: (chain) => void chains.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  return chains[0]!;
}

function problems(input: unknown): Record<string, string> {
  try {
    ethereum.plugin.options(input);
  } catch (error) {
    assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
    for (const { path } of error.details.fields!) assert.ok(error.message.includes(path));
    return Object.fromEntries(error.details.fields!.map(({ path, message }) => [path, message]));
  }
  return {};
}

describe('the ethereum plugin', () => {
  test('takes ETH and the main network’s stable coins unless told otherwise', async () => {
    const chain = await setUp(URLS);
    assert.deepEqual(
      chain.assets.map(({ currency, decimals }) => [currency, decimals]),
      [
        ['ETH', 18],
        ['USDT-ERC20', 6],
        ['USDC-ERC20', 6],
        ['DAI-ERC20', 18],
      ],
    );
    assert.equal(chain.contractAddress('USDT-ERC20'), '0xdAC17F958D2ee523a2206206994597C13D831ec7');
    assert.equal(chain.contractAddress('ETH'), '');
    for (const { kind, currency } of chain.assets)
      if (kind === 'token') assert.ok(isAddress(chain.contractAddress(currency), { strict: true }));
    const { policy } = chain;
    assert.deepEqual(
      [policy.confirmations('ETH', 1n), policy.spendableConfirmations, policy.finalityBlocks, policy.pollIntervalMs],
      [12, 64, 64, 4_000],
    );
    assert.equal(policy.maxLagMs, 144_000);
    assert.equal(chain.startHeight, null);
    assert.equal(chain.simulator, null);
  });

  test('derives deposits at account 1 of its own wallet', async () => {
    const chain = await setUp(URLS);
    const derived = await chain.deriveAddresses(40, 20);
    assert.deepEqual(
      derived.map(({ index }) => index),
      Array.from({ length: 20 }, (_, at) => 40 + at),
    );
    assert.equal(new Set(derived.map(({ key }) => key)).size, 20);
    for (const { address, key } of derived) assert.equal(address.slice(2).toLowerCase(), key);
    assert.deepEqual(await chain.deriveAddresses(41, 1), [derived[1]]);
    await assert.rejects(chain.deriveAddresses(0x7fffffff, 2), (error: unknown) =>
      isTillgateError(error, 'CONFIG_INVALID'),
    );
  });

  test('watches an extended public key when the till has no seed, and says so when it has neither', async () => {
    const xpub = await new MnemonicWallet(JUNK).extendedPublicKey("m/44'/60'/1'");
    const watching = await setUp({ ...URLS, xpub }, new NoWallet());
    assert.equal(watching.walletId, (await setUp(URLS)).walletId);
    await assert.rejects(setUp(URLS, new NoWallet()), (error: unknown) => isTillgateError(error, 'CONFIG_INVALID'));
  });

  test('shows SHIB among balances on the main network, and elsewhere only where it is configured', async () => {
    const shown = async (input: object): Promise<unknown> =>
      (await setUp({ ...URLS, ...input })).balances?.assets.map(({ currency }) => currency);
    assert.deepEqual(await shown({}), ['ETH', 'USDT-ERC20', 'USDC-ERC20', 'DAI-ERC20', 'SHIB-ERC20']);
    assert.deepEqual(await shown({ native: false }), ['ETH', 'USDT-ERC20', 'USDC-ERC20', 'DAI-ERC20', 'SHIB-ERC20']);
    assert.deepEqual(await shown({ chainId: 31337 }), ['ETH']);
  });

  test('pays from account 0 with the till’s seed, also where no order takes ETH', async () => {
    const { payments } = await setUp({ ...URLS, native: false, bumpAfterSeconds: 60 });
    assert.equal(payments?.hotAddress, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    assert.deepEqual(
      [payments.model, payments.maxLines, payments.feeAsset.currency, payments.bumpAfterMs, payments.dust('ETH')],
      ['account', 1, 'ETH', 60_000, 1n],
    );
    const xpub = await new MnemonicWallet(JUNK).extendedPublicKey("m/44'/60'/1'");
    assert.notEqual((await setUp({ ...URLS, xpub })).payments, null);
    assert.equal((await setUp({ ...URLS, xpub }, new NoWallet())).payments, null);
    const foreign = await new MnemonicWallet(JUNK).extendedPublicKey("m/44'/60'/5'");
    assert.equal((await setUp({ ...URLS, xpub: foreign })).payments, null);
  });

  test('reads the limit of the gas price in gwei, exactly', () => {
    const limit = (maxFeePerGasGwei?: number): bigint =>
      ethereum.plugin.options({ ...URLS, ...(maxFeePerGasGwei === undefined ? {} : { maxFeePerGasGwei }) }).maxGasPrice;
    assert.deepEqual(
      [limit(), limit(0.1), limit(1.005), limit(1_000_000)],
      [500_000_000_000n, 100_000_000n, 1_005_000_000n, 10n ** 15n],
    );
    assert.ok('maxFeePerGasGwei' in problems({ ...URLS, maxFeePerGasGwei: 0 }));
    assert.ok('bumpAfterSeconds' in problems({ ...URLS, bumpAfterSeconds: 1 }));
  });

  test('given tokens replace the main network’s; SHIB is known by its code', async () => {
    const chain = await setUp({
      ...URLS,
      tokens: {
        'SHIB-ERC20': { address: '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE', decimals: 18 },
        'ACME-ERC20': { address: '0x6b175474e89094c44da98b954eedeac495271d0f', decimals: 2 },
      },
    });
    assert.deepEqual(chain.assets.slice(1), [
      { ...SHIB_ERC20, minDeposit: 1_000n * 10n ** 18n },
      { chain: 'ETH', currency: 'ACME-ERC20', symbol: 'ACME', decimals: 2, kind: 'token', stable: false },
    ]);
    assert.equal(chain.contractAddress('ACME-ERC20'), '0x6B175474E89094C44Da98b954EedeAC495271d0F');
  });

  test('fault 333: the least deposit of a token is a cent of a stable coin, what the options say, or none', async () => {
    const address = [
      '0x6b175474e89094c44da98b954eedeac495271d0f',
      '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE',
    ] as const;
    const usdt = { address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6 };
    const least = async (tokens: object): Promise<readonly (bigint | undefined)[]> =>
      (await setUp({ ...URLS, tokens })).assets.slice(1).map(({ minDeposit }) => minDeposit);
    const acme = { address: address[0], decimals: 2, minDeposit: '0.001' };
    assert.deepEqual(await least({ 'USDT-ERC20': usdt, 'ACME-ERC20': acme }), [10_000n, 1n]);
    assert.deepEqual(
      await least({
        'USDT-ERC20': { ...usdt, minDeposit: '2.5' },
        'ACME-ERC20': { address: address[1], decimals: 2, stable: true },
      }),
      [2_500_000n, 1n],
    );
    assert.deepEqual(await least({ 'ACME-ERC20': { ...acme, minDeposit: undefined } }), [undefined]);
    assert.ok(
      'tokens.USDT-ERC20.minDeposit' in problems({ ...URLS, tokens: { 'USDT-ERC20': { ...usdt, minDeposit: '-1' } } }),
    );
  });

  test('the main network’s contracts are not assumed on another chain', async () => {
    assert.deepEqual(
      (await setUp({ ...URLS, chainId: 31337 })).assets.map(({ currency }) => currency),
      ['ETH'],
    );
  });

  test('confirmations given alone are the spendable ones too', () => {
    const pair = (input: object): unknown[] => {
      const { confirmations, spendableConfirmations } = ethereum.plugin.options({ ...URLS, ...input }) as {
        confirmations: number;
        spendableConfirmations: number;
      };
      return [confirmations, spendableConfirmations];
    };
    assert.deepEqual(pair({ confirmations: 3 }), [3, 3]);
    assert.deepEqual(pair({ spendableConfirmations: 30 }), [12, 30]);
    assert.deepEqual(pair({ confirmations: 3, spendableConfirmations: 5 }), [3, 5]);
    assert.ok('spendableConfirmations' in problems({ ...URLS, confirmations: 9, spendableConfirmations: 5 }));
  });

  test('names every problem at once, unknown keys too, and repeats no URL', () => {
    const found = problems({
      rpcUrls: ['ftp://s3cr3t'],
      chainID: 5,
      confirmations: 0,
      pollIntervalMs: '4000',
      tokens: {
        'USDT-ERC20': { address: '0xDAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6, colour: 'red' },
        'bad code': { address: '0x', decimals: -1 },
      },
    });
    for (const path of [
      'rpcUrls.0',
      'chainID',
      'confirmations',
      'pollIntervalMs',
      'tokens.USDT-ERC20.address',
      'tokens.USDT-ERC20.colour',
      'tokens.bad code',
    ]) {
      assert.ok(path in found, `${path} in ${JSON.stringify(found)}`);
    }
    assert.doesNotMatch(JSON.stringify(found), /s3cr3t/);
    assert.deepEqual(Object.keys(problems(undefined)), ['rpcUrls']);
    assert.ok('rpcUrls' in problems({ rpcUrls: [] }));
    assert.ok('' in problems('text'));
  });

  test('a token of another chain, a coin as a token, a contract named twice and nothing to take are refused', () => {
    const token = { address: '0x6b175474e89094c44da98b954eedeac495271d0f', decimals: 6 };
    assert.ok('tokens.USDT-TRC20' in problems({ ...URLS, tokens: { 'USDT-TRC20': token } }));
    assert.ok('tokens.ETH' in problems({ ...URLS, tokens: { ETH: token } }));
    assert.ok('tokens.B.address' in problems({ ...URLS, tokens: { A: token, B: token } }));
    assert.ok('tokens' in problems({ ...URLS, native: false, tokens: {} }));
  });
});
