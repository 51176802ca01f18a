import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toHex } from 'viem';
import type { Address } from 'viem';
import { present } from '../../../core/index.ts';
import type { Order } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, invoke, mint, transfer } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain, MoneyOptions } from '../../support/money.ts';
import { openTestStorage } from '../../support/storage.ts';
import { anotherMerchant, asMerchant } from '../../support/token-issuer.ts';
import { payingChain } from './evm-paying.ts';
import type { PayingChain } from './evm-paying.ts';

const ETHER = 10n ** 18n;
const TOKEN = 'USDT-ERC20';
const PAYEE: Address = `0x${'d00d'.repeat(10)}`;
const OTHER: Address = `0x${'beef'.repeat(10)}`;
const COLD: Address = `0x${'c01d'.repeat(10)}`;
const DEPTH = { confirmations: 1, spendableConfirmations: 2, finalityBlocks: 8 };

/** A till with a float on its own node, with a token whose issuer can freeze addresses. */
class Scene {
  readonly anvil: Anvil;
  readonly token: DeployedContract;
  readonly chain: PayingChain;
  readonly till: MoneyDomain;

  constructor(anvil: Anvil, token: DeployedContract, chain: PayingChain, till: MoneyDomain) {
    this.anvil = anvil;
    this.token = token;
    this.chain = chain;
    this.till = till;
  }

  async block(count = 1): Promise<void> {
    for (let at = 0; at < count; at++) {
      this.till.clock.advance(12_000);
      await this.anvil.mine();
      await this.till.follow();
      await this.till.payOut();
    }
  }

  async until(done: () => Promise<boolean>, most = 30): Promise<void> {
    for (let count = 0; count < most; count++) {
      if (await done()) return;
      await this.block();
    }
    const waiting = await this.till.storage.transfers.waiting('ETH', Number.MAX_SAFE_INTEGER, null, 5);
    assert.fail(`not after ${most} blocks: ${waiting.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ')}`);
  }

  isDone = async (id: string): Promise<boolean> => (await this.till.transfer(id)).status === 'CONFIRMED';

  freeze(who: string, yes = true): Promise<unknown> {
    return invoke(this.anvil, this.token, 'setBlocked', [who, yes]);
  }

  async paid(currency: string, price: string): Promise<Order> {
    const order = await this.till.newOrder({ chain: 'ETH', currency, price });
    const { address, units } = present(order.payment, 'a payment');
    if (currency === TOKEN) await transfer(this.anvil, this.token, address as Address, units);
    else {
      const [from] = await this.anvil.rpc<Address[]>('eth_accounts');
      await this.anvil.rpc('eth_sendTransaction', [{ from, to: address, value: toHex(units) }]);
    }
    return order;
  }

  /** Mines blocks without a pass of payouts, until the merchant may spend. */
  async mature(): Promise<void> {
    await this.anvil.mine(4);
    await this.till.follow();
  }
}

async function withScene(
  kind: 'BlockToken' | 'FeeToken',
  options: MoneyOptions,
  work: (scene: Scene) => Promise<void>,
): Promise<void> {
  const anvil = await startAnvil();
  const opened = await openTestStorage('sqlite');
  const token = await deployContract(anvil, kind, kind === 'FeeToken' ? ['USDT', 6, 100] : ['USDT', 6]);
  const [payer] = (await anvil.rpc<Address[]>('eth_accounts')) as [Address];
  await mint(anvil, token, payer, 10n ** 12n);
  const chain = await payingChain([anvil.url], { [TOKEN]: token.address }, DEPTH);
  try {
    const till = await buildMoney(opened.storage, { ...options, eth: chain.chain });
    const scene = new Scene(anvil, token, chain, till);
    await anvil.rpc('anvil_setBalance', [chain.hot.address, toHex(10n * ETHER)]);
    const now = till.clock.now();
    const record = { accountId: till.principal.accountId, chain: 'ETH', formerAddress: null, address: PAYEE };
    await till.storage.transaction((tx) =>
      tx.wallets.saveWithdrawalAddress({ ...record, activeFrom: now, updatedAt: now }),
    );
    await scene.block(8);
    await work(scene);
    await till.checkBooks();
  } finally {
    await chain.chain.close();
    await opened.close();
    await anvil.stop();
  }
}

describe('tokens whose issuer refuses, on a real EVM node', { concurrency: 1 }, () => {
  test('fault 356: a deposit that is frozen before its sweep is not paid with the coins of others', async () => {
    await withScene('BlockToken', {}, async (scene) => {
      const { till } = scene;
      await scene.paid(TOKEN, '5000');
      await scene.mature();
      await scene.until(async () => (await till.storage.transfers.sweepCandidates('ETH', 5)).length === 0);
      await scene.block(6);
      const thief = await anotherMerchant(till);
      const now = till.clock.now();
      const record = { accountId: thief, chain: 'ETH', formerAddress: null, address: OTHER };
      await till.storage.transaction((tx) =>
        tx.wallets.saveWithdrawalAddress({ ...record, activeFrom: now, updatedAt: now }),
      );
      const stolen = await asMerchant(till, thief, async () => {
        const order = await scene.paid(TOKEN, '5000');
        await scene.mature();
        const { tx_id } = await till.withdraw('4990', TOKEN);
        await scene.freeze(present(order.payment, 'a payment').address);
        return tx_id;
      });
      const honest = await till.withdraw('4990', TOKEN);
      await scene.until(() => scene.isDone(honest.tx_id));
      const waiting = await till.transfer(stolen);
      assert.equal(waiting.status, 'REQUESTED');
      assert.match(waiting.reason ?? '', /5000 USDT-ERC20 of its account cannot be moved/);
      const [coin] = await till.storage.transfers.frozenCoins('ETH');
      assert.match(coin?.reason ?? '', /blocked/);
      await scene.freeze(coin?.address ?? '', false);
      await scene.until(() => scene.isDone(stolen));
      assert.equal(
        await scene.chain.payments.balance(OTHER, TOKEN),
        (await till.transfer(stolen)).units - (await till.transfer(stolen)).feeUnits,
      );
    });
  });

  test('fault 355: a cold address that the token refuses keeps no payment back', async () => {
    const cold = new Map([['ETH', { address: COLD, above: new Map([[TOKEN, '100']]) }]]);
    await withScene('BlockToken', { sweeps: { cold } }, async (scene) => {
      const { till } = scene;
      await scene.freeze(COLD);
      await scene.paid(TOKEN, '5000');
      await scene.paid('ETH', '2000');
      await scene.mature();
      await scene.block(10);
      const asked = await till.withdraw('0.2');
      await scene.until(() => scene.isDone(asked.tx_id));
      assert.equal(till.events.of('alert').filter(({ kind }) => kind === 'payouts').length, 1);
      await scene.freeze(COLD, false);
      await scene.until(async () => (await scene.chain.payments.balance(COLD, TOKEN)) > 0n);
    });
  });

  test('fault 357: a token that is paused stops alone, and goes on', async () => {
    await withScene('BlockToken', {}, async (scene) => {
      const { till } = scene;
      await scene.paid(TOKEN, '5000');
      await scene.paid('ETH', '2000');
      await scene.mature();
      await scene.block(10);
      const [token, coin] = [await till.withdraw('50', TOKEN), await till.withdraw('0.2')];
      await invoke(scene.anvil, scene.token, 'setPaused', [true]);
      await scene.until(() => scene.isDone(coin.tx_id));
      assert.deepEqual(
        (await till.storage.transfers.currencyStops('ETH')).map(({ currency, cause }) => `${currency} ${cause}`),
        [`${TOKEN} refused`],
      );
      await invoke(scene.anvil, scene.token, 'setPaused', [false]);
      await scene.until(() => scene.isDone(token.tx_id));
    });
  });

  test('fault 357: a token that keeps a part of each transfer stops alone', async () => {
    await withScene('FeeToken', {}, async (scene) => {
      const { till } = scene;
      await scene.paid(TOKEN, '1000');
      await scene.paid('ETH', '2000');
      await scene.mature();
      await scene.block(10);
      till.clock.advance(601_000);
      await scene.block(4);
      const coin = await till.withdraw('0.2');
      await scene.until(() => scene.isDone(coin.tx_id));
      assert.deepEqual(
        (await till.storage.transfers.currencyStops('ETH')).map(({ currency, cause }) => `${currency} ${cause}`),
        [`${TOKEN} short`],
      );
      assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
    });
  });
});
