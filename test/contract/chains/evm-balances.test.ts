import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HDKey } from '@scure/bip32';
import { AccountKey, evmAddress, evmKey } from '../../../adapters/chains/index.ts';
import type { EvmChain } from '../../../adapters/chains/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { present } from '../../../core/index.ts';
import type { ChainBalances } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, mint } from '../../support/contracts.ts';
import { fund } from './evm-paying.ts';
import { evmChain, freshAddress, pay } from './evm-support.ts';

describe('self-custody balances on an EVM chain', () => {
  let anvil: Anvil;
  let chain: EvmChain;
  let balances: ChainBalances;
  const seed = new MnemonicWallet('legal winner thank year wave sausage worth useful legal winner thank yellow');

  before(async () => {
    anvil = await startAnvil();
    const token = await deployContract(anvil, 'TestToken', ['USDT', 18]);
    ({ chain } = await evmChain([anvil.url], { 'USDT-ERC20': token.address }));
    ({ balances } = chain);
    const account = new AccountKey(await seed.extendedPublicKey("m/44'/60'/0'"));
    const address = (index: number): `0x${string}` => evmAddress(evmKey(account.publicKey(index))) as `0x${string}`;
    await pay(anvil, address(0), 5n);
    await pay(anvil, address(19), 7n);
    await mint(anvil, token, address(33), 11n);
    // A used address that is empty now: the gap counts from it.
    await fund(anvil, { address: address(50), index: null });
    await anvil.rpc('anvil_setNonce', [address(50), '0x1']);
    await anvil.rpc('anvil_setBalance', [address(50), '0x0']);
    await pay(anvil, address(70), 100n);
    // Beyond the gap after the last used address.
    await pay(anvil, address(140), 1_000n);
  });

  after(async () => {
    await chain.close();
    await anvil.stop();
  });

  test('of an extended key are summed up to a gap of twenty unused addresses', async () => {
    const xpub = present(balances.readExtendedKey(await seed.extendedPublicKey("m/44'/60'/0'")), 'the key');
    assert.deepEqual(Object.fromEntries(await balances.ofExtendedKey(xpub)), { ETH: 112n, 'USDT-ERC20': 11n });
  });

  test('of an address are those of the coin and of every token', async () => {
    const address = freshAddress();
    await pay(anvil, address, 3n);
    assert.deepEqual(Object.fromEntries(await balances.ofAddress(address)), { ETH: 3n, 'USDT-ERC20': 0n });
    assert.deepEqual(
      balances.assets.map(({ currency }) => currency),
      ['ETH', 'USDT-ERC20'],
    );
  });

  test('keys of other chains, of other depths, and private ones are none', async () => {
    const root = HDKey.fromMasterSeed(new Uint8Array(32).fill(5));
    const junk = [
      root.publicExtendedKey,
      root.derive("m/44'/60'/0'").privateExtendedKey,
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
      'xpub',
      '',
    ];
    for (const text of junk) assert.equal(balances.readExtendedKey(text), null);
  });
});
