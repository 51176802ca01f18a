import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import fc from 'fast-check';
import { getAddress } from 'viem/utils';
import {
  AccountKey,
  evmAddress,
  evmKey,
  evmPaymentUri,
  normaliseEvmAddress,
  readUtxoAddress,
  segwitAddress,
  tronAddress,
  tronKey,
} from '../../../adapters/chains/index.ts';
import { MnemonicWallet, NoWallet, generateMnemonic } from '../../../adapters/wallet/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import { definition as bitcoinDefinition } from '../../../plugins/bitcoin/definition.ts';
import { definition as litecoinDefinition } from '../../../plugins/litecoin/definition.ts';

const BITCOIN_REGTEST = bitcoinDefinition.networks.regtest.addresses;
const LITECOIN_REGTEST = litecoinDefinition.networks.regtest.addresses;

const JUNK = 'test test test test test test test test test test test junk';
const ABANDON = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const configInvalid = (error: unknown): boolean => isTillgateError(error, 'CONFIG_INVALID');

const accountOf = async (mnemonic: string, path: string): Promise<AccountKey> =>
  new AccountKey(await new MnemonicWallet(mnemonic).extendedPublicKey(path));

describe('the checksum of EVM addresses', () => {
  // The examples of EIP-55.
  const EXAMPLES = [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ];

  test('is that of EIP-55, and mixed case without it is no address', () => {
    for (const address of EXAMPLES) {
      assert.equal(evmAddress(address.slice(2).toLowerCase()), address);
      assert.equal(normaliseEvmAddress(address), address);
      assert.equal(normaliseEvmAddress(address.toLowerCase()), address);
    }
    assert.equal(normaliseEvmAddress('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), null);
    assert.equal(normaliseEvmAddress('0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), null);
    assert.equal(normaliseEvmAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe'), null);
  });

  test('property: is the one that viem computes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const key = Buffer.from(bytes).toString('hex');
        assert.equal(evmAddress(key), getAddress(`0x${key}`));
      }),
    );
  });
});

describe('addresses derived from an account', () => {
  test('EVM addresses are those of BIP-44', async () => {
    const account = await accountOf(JUNK, "m/44'/60'/0'");
    const address = (index: number): string => evmAddress(evmKey(account.publicKey(index)));
    assert.equal(address(0), '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    assert.equal(address(1), '0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
    assert.equal(address(9), '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720');
  });

  test('segwit addresses are those of BIP-84', async () => {
    const account = await accountOf(ABANDON, "m/84'/0'/0'");
    const main = { bech32: 'bc', pubKeyHash: 0, scriptHash: 5, wif: 0x80 };
    assert.equal(segwitAddress(account.publicKey(0), main).address, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    assert.equal(segwitAddress(account.publicKey(1), main).address, 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g');
  });

  test('Tron addresses are base58 of the hash that EVM addresses have', () => {
    const key = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c';
    assert.equal(tronAddress(key), 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
    assert.equal(tronKey('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'), key);
    for (const text of [
      '',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u',
      '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    ]) {
      assert.equal(tronKey(text), null);
    }
  });

  test('the same keys give each network its own prefix, and no network takes the other’s', async () => {
    const account = await accountOf(JUNK, "m/84'/1'/1'");
    const bitcoin = segwitAddress(account.publicKey(0), BITCOIN_REGTEST);
    const litecoin = segwitAddress(account.publicKey(0), LITECOIN_REGTEST);
    assert.match(bitcoin.address, /^bcrt1q/);
    assert.match(litecoin.address, /^rltc1q/);
    assert.match(bitcoin.key, /^0014[0-9a-f]{40}$/);
    assert.deepEqual(readUtxoAddress(bitcoin.address, BITCOIN_REGTEST), bitcoin);
    assert.deepEqual(readUtxoAddress(bitcoin.address.toUpperCase(), BITCOIN_REGTEST), bitcoin);
    assert.equal(readUtxoAddress(bitcoin.address, LITECOIN_REGTEST), null);
    assert.equal(readUtxoAddress('nonsense', BITCOIN_REGTEST), null);
  });

  test('every spelling of an account’s public key is the same wallet', async () => {
    const xpub = await new MnemonicWallet(ABANDON).extendedPublicKey("m/84'/0'/0'");
    const zpub =
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
    assert.equal(new AccountKey(zpub).walletId, new AccountKey(xpub).walletId);
    assert.deepEqual(new AccountKey(zpub).publicKey(5), new AccountKey(xpub).publicKey(5));
    assert.match(new AccountKey(xpub).walletId, /^[0-9a-f]{16}$/);
    assert.notEqual(new AccountKey(xpub).walletId, (await accountOf(ABANDON, "m/84'/0'/1'")).walletId);
  });

  test('a private key, another depth and junk are refused without being repeated', () => {
    const root = HDKey.fromMasterSeed(mnemonicToSeedSync(ABANDON));
    const bad = [
      root.derive("m/84'/0'/0'").privateExtendedKey,
      root.publicExtendedKey,
      root.derive("m/84'/0'/0'/0").publicExtendedKey,
      'xpub6junk',
      '',
    ];
    for (const text of bad) {
      assert.throws(
        () => new AccountKey(text),
        (error: unknown) => configInvalid(error) && (text === '' || !inspect(error).includes(text)),
      );
    }
  });
});

describe('EVM addresses and payment URIs', () => {
  const address = '0xdAC17F958D2ee523a2206206994597C13D831ec7';

  test('one case is given its checksum; a mixed case must have the right one', () => {
    assert.equal(normaliseEvmAddress(address), address);
    assert.equal(normaliseEvmAddress(address.toLowerCase()), address);
    assert.equal(normaliseEvmAddress(`0x${address.slice(2).toUpperCase()}`), address);
    assert.equal(normaliseEvmAddress('0xDAC17F958D2ee523a2206206994597C13D831ec7'), null);
    for (const text of [
      '',
      '0x',
      address.slice(0, -1),
      `${address}0`,
      address.slice(2),
      ` ${address}`,
      'vitalik.eth',
    ]) {
      assert.equal(normaliseEvmAddress(text), null);
    }
  });

  test('a payment URI names chain, contract and base units (EIP-681)', () => {
    const target = { address, currency: 'X', units: 1_500_000n };
    assert.equal(evmPaymentUri(1, '', target), `ethereum:${address}@1?value=1500000`);
    assert.equal(
      evmPaymentUri(56, address, target),
      `ethereum:${address}@56/transfer?address=${address}&uint256=1500000`,
    );
  });
});

describe('the wallet', () => {
  test('gives out account public keys and nothing else', async () => {
    const wallet = new MnemonicWallet(`  ${ABANDON.toUpperCase().replaceAll(' ', '  ')}\n`);
    assert.equal(
      await wallet.extendedPublicKey("m/84'/0'/0'"),
      HDKey.fromMasterSeed(mnemonicToSeedSync(ABANDON)).derive("m/84'/0'/0'").publicExtendedKey,
    );
    for (const path of ['m', "m/44'/60'/0", "m/44'/60'/0'/0", "m/44'/60'", ''])
      await assert.rejects(wallet.extendedPublicKey(path), configInvalid);
  });

  test('fault 73: shows nothing of its seed when it is printed', async () => {
    const wallet = new MnemonicWallet(ABANDON);
    await wallet.extendedPublicKey("m/44'/60'/1'");
    assert.doesNotMatch(inspect(wallet, { depth: 9, showHidden: true }) + JSON.stringify(wallet), /abandon|xprv/);
  });

  test('refuses words that are no mnemonic, without repeating them', () => {
    for (const text of ['', 'secretword', ABANDON.replace('about', 'abandon'), `${ABANDON} about`]) {
      assert.throws(
        () => new MnemonicWallet(text),
        (error: unknown) => configInvalid(error) && !/secretword|abandon/.test((error as Error).message),
      );
    }
  });

  test('new mnemonics are valid, long and never the same', () => {
    const made = generateMnemonic();
    assert.equal(made.split(' ').length, 24);
    assert.equal(generateMnemonic(12).split(' ').length, 12);
    assert.notEqual(made, generateMnemonic());
    assert.doesNotThrow(() => new MnemonicWallet(made));
  });

  test('a till without a seed says what is missing', async () => {
    await assert.rejects(
      new NoWallet().extendedPublicKey("m/44'/60'/1'"),
      (error: unknown) => configInvalid(error) && /xpub/.test((error as Error).message),
    );
  });
});
