import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TronWeb } from 'tronweb';
import { parseTronOptions } from '../../../adapters/chains/index.ts';
import { definition } from '../../../plugins/tron/definition.ts';
import { isTillgateError } from '../../../core/index.ts';
import { tron } from '../../../plugins/tron/index.ts';

const URLS = { apiUrls: ['https://node.example/secret-key-1'] };
const refused = (path: string, pattern: RegExp) => (error: unknown) => {
  assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
  assert.ok(!error.message.includes('secret-key-1'));
  return error.details.fields?.some((field) => field.path === path && pattern.test(field.message)) === true;
};

describe('the options of the plugin tron', () => {
  test('are those of the main network by default', () => {
    const { tokens, ...rest } = parseTronOptions(URLS, definition);
    assert.deepEqual(rest, {
      ...URLS,
      quorum: 1,
      insecureNodes: false,
      solidityUrls: null,
      apiKey: null,
      network: 'main',
      confirmations: 20,
      spendableConfirmations: 20,
      finalityBlocks: 30,
      pollIntervalMs: 3_000,
      maxLagMs: 60_000,
      startBlock: null,
      xpub: null,
      feeLimitSun: 100_000_000n,
      expirationMs: 600_000,
    });
    assert.deepEqual(
      tokens.map(({ asset, address }) => [asset.currency, asset.decimals, asset.stable, address]),
      [
        ['USDT-TRC20', 6, true, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
        ['USDC-TRC20', 6, true, 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'],
      ],
    );
    for (const { address } of tokens) assert.ok(TronWeb.isAddress(address), address);
  });

  test('one count of confirmations sets both', () => {
    const { confirmations, spendableConfirmations } = parseTronOptions({ ...URLS, confirmations: 1 }, definition);
    assert.deepEqual([confirmations, spendableConfirmations], [1, 1]);
    assert.equal(
      parseTronOptions({ ...URLS, confirmations: 1, spendableConfirmations: 19 }, definition).spendableConfirmations,
      19,
    );
  });

  for (const [what, options, path, pattern] of [
    ['no node', {}, 'apiUrls', /./],
    ['a quorum of more nodes than there are', { ...URLS, quorum: 2 }, 'quorum', /which is 1/],
    ['a URL that is none', { apiUrls: ['ftp://secret-key-1'] }, 'apiUrls.0', /http/],
    ['an unknown name', { ...URLS, rpcUrls: [] }, 'rpcUrls', /not a known option/],
    ['another network without tokens', { ...URLS, network: 'test' }, 'tokens', /at least one token/],
    [
      'a contract with a wrong checksum',
      { ...URLS, tokens: { 'USDT-TRC20': { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', decimals: 6 } } },
      'tokens.USDT-TRC20.address',
      /checksum/,
    ],
    [
      "another chain's currency",
      { ...URLS, tokens: { 'USDT-ERC20': { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 } } },
      'tokens.USDT-ERC20',
      /belongs to ETH/,
    ],
    [
      'the native coin',
      { ...URLS, tokens: { TRX: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 } } },
      'tokens.TRX',
      /native/,
    ],
    [
      'one contract twice',
      {
        ...URLS,
        tokens: {
          A: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 },
          B: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 },
        },
      },
      'tokens.B.address',
      /contract of A/,
    ],
    [
      'fewer blocks to spend than to credit',
      { ...URLS, confirmations: 20, spendableConfirmations: 3 },
      'spendableConfirmations',
      /less/,
    ],
    [
      'a solidity URL too many',
      { ...URLS, solidityUrls: ['https://a.example', 'https://b.example'] },
      'solidityUrls',
      /one URL for each/,
    ],
    ['a key of two words', { ...URLS, apiKey: 'secret-key-1 x' }, 'apiKey', /one word/],
    ['a life of more than a day', { ...URLS, expirationSeconds: 90_000 }, 'expirationSeconds', /./],
    ["a fee limit above the network's", { ...URLS, feeLimitTrx: 15_001 }, 'feeLimitTrx', /./],
  ] as const) {
    test(`${what} is refused by name, and no value is repeated`, () => {
      assert.throws(() => parseTronOptions(options, definition), refused(path, pattern));
      assert.throws(() => tron.plugin.options(options), refused(path, pattern));
    });
  }
});
