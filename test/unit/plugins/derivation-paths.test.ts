import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { mnemonicToAccount } from 'viem/accounts';
import { AccountKey } from '../../../adapters/chains/index.ts';
import { accountDescriptor, withChecksum } from '../../../adapters/chains/utxo/output-descriptor.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { pathsOf } from '../../../host/wallet/recovery.ts';
import { networksOf } from '../../../plugins/address-codec.ts';
import type { ChainAccounts } from '../../../plugins/chain-definition.ts';
import { KNOWN_CHAIN_DEFINITIONS } from '../../../plugins/definitions.ts';
import { definition as ethereum } from '../../../plugins/ethereum/definition.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const README = new URL('../../../examples/self-host/README.md', import.meta.url);

/** One row for each chain and network, as the guide shows them. */
function rows(): readonly string[] {
  const row = (code: string, network: string, accounts: ChainAccounts): string => {
    const { hot, deposits } = pathsOf(accounts);
    return [code, network, `\`${hot}\``, `\`${deposits}\``].join(' ');
  };
  return KNOWN_CHAIN_DEFINITIONS.flatMap((definition) =>
    definition.addressForm === 'segwit'
      ? Object.entries(definition.networks).map(([name, { accounts }]) => row(definition.code, name, accounts))
      : [row(definition.code, 'all', definition.accounts)],
  );
}

describe('recovery with the seed words alone', () => {
  test('the guide names the paths of every chain', () => {
    const table = readFileSync(README, 'utf8')
      .split('\n')
      .filter((line) => /^\| [A-Z]{3,9} \|/.test(line))
      .map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .filter(Boolean)
          .join(' '),
      );
    assert.deepEqual(table, rows());
  });

  test('another implementation of BIP-32 finds the keys of the deposit addresses at these paths', async () => {
    const wallet = new MnemonicWallet(WORDS);
    const seed = HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS));
    for (const definition of KNOWN_CHAIN_DEFINITIONS) {
      for (const { accounts, codec } of networksOf(definition)) {
        const account = new AccountKey(await wallet.extendedPublicKey(accounts.deposit));
        for (const index of [0, 7, 100_003]) {
          const key = seed.derive(pathsOf(accounts).deposits.replace('/i', `/${index}`)).publicKey;
          assert.ok(key !== null);
          assert.equal(codec.fromPublicKey(key).address, codec.fromPublicKey(account.publicKey(index)).address);
        }
      }
    }
  });

  test('viem finds an Ethereum deposit address at its path', async () => {
    const account = new AccountKey(await new MnemonicWallet(WORDS).extendedPublicKey(ethereum.accounts.deposit));
    const path = pathsOf(ethereum.accounts).deposits.replace('/i', '/3') as `m/44'/60'/${string}`;
    const [network] = networksOf(ethereum);
    assert.equal(mnemonicToAccount(WORDS, { path }).address, network.codec.fromPublicKey(account.publicKey(3)).address);
  });

  test('descriptors end in the checksum of BIP-380', async () => {
    assert.equal(withChecksum('raw(deadbeef)'), 'raw(deadbeef)#89f8spxm');
    const xpub = await new MnemonicWallet(WORDS).extendedPublicKey("m/84'/1'/1'");
    assert.match(accountDescriptor(xpub, 0x043587cf, '0/*'), /^wpkh\(tpub[1-9A-Za-z]+\/0\/\*\)#[a-z0-9]{8}$/);
  });
});
