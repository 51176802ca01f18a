import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPublicClient, createWalletClient, defineChain, http } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { pathsOf } from '../../../host/wallet/recovery.ts';
import { definition as ethereum } from '../../../plugins/ethereum/definition.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { payingChain, TILL_WORDS } from './evm-paying.ts';
import { freshAddress, pay } from './evm-support.ts';

describe('recovery of an Ethereum deposit', () => {
  let anvil: Anvil;
  before(async () => void (anvil = await startAnvil()));
  after(() => anvil.stop());

  test('viem alone, with the seed words and the printed path, spends it', async () => {
    const till = await payingChain([anvil.url]);
    const deposit = await till.deposit(12);
    await pay(anvil, deposit.address, 10n ** 18n);
    await till.chain.close();

    const path = pathsOf(ethereum.accounts).deposits.replace('/i', '/12') as `m/44'/60'/${string}`;
    const account = mnemonicToAccount(TILL_WORDS, { path });
    assert.equal(account.address, deposit.address);
    const chain = defineChain({
      id: anvil.chainId,
      name: 'anvil',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [anvil.url] } },
    });
    const to = freshAddress();
    const hash = await createWalletClient({ account, chain, transport: http() }).sendTransaction({
      to,
      value: 10n ** 17n,
    });
    const client = createPublicClient({ chain, transport: http() });
    const { status } = await client.waitForTransactionReceipt({ hash });
    assert.equal(status, 'success');
    assert.equal(await client.getBalance({ address: to }), 10n ** 17n);
  });
});
