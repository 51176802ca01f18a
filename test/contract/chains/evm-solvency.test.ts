import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { toHex } from 'viem';
import type { Address } from 'viem';
import { isTillgateError, present, readSolvency, reconcile } from '../../../core/index.ts';
import type { Order, PayingChain as ChainThatPays } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, mint, read, transfer } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { leaveRefundAddress } from '../../support/refund-address.ts';
import { openTestStorage } from '../../support/storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { payingChain } from './evm-paying.ts';
import type { PayingChain } from './evm-paying.ts';

const ETHER = 10n ** 18n;
const TOKEN_ORDERS = 60;
const COIN_ORDERS = 4;
const PAYEE = `0x${'d00d'.repeat(10)}`;
const CONFIRMATIONS = { confirmations: 1, spendableConfirmations: 2, finalityBlocks: 8 };

describe('solvency of a till without a float, on a real EVM node', { concurrency: 1 }, () => {
  let anvil: Anvil;
  let token: DeployedContract;
  let chain: PayingChain;
  let opened: TestStorage;
  let till: MoneyDomain;
  let payer: Address;
  const tokenOrders: Order[] = [];
  const coinOrders: Order[] = [];

  before(async () => {
    anvil = await startAnvil();
    [payer] = (await anvil.rpc<Address[]>('eth_accounts')) as [Address];
    token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
    await mint(anvil, token, payer, 10n ** 12n);
    chain = await payingChain([anvil.url], { 'USDT-ERC20': token.address }, CONFIRMATIONS);
    opened = await openTestStorage('sqlite');
    till = await buildMoney(opened.storage, { eth: chain.chain });
    const { accountId } = till.principal;
    const now = till.clock.now();
    const record = { accountId, chain: 'ETH', formerAddress: null, address: PAYEE, activeFrom: now, updatedAt: now };
    await till.storage.transaction((tx) => tx.wallets.saveWithdrawalAddress(record));
  });

  after(async () => {
    await chain.chain.close();
    await opened.close();
    await anvil.stop();
  });

  /** Mines a block that the till reads and works on; the invariants hold after each. */
  async function block(): Promise<void> {
    till.clock.advance(12_000);
    await anvil.mine();
    assert.equal(await till.follow(), 'idle');
    await till.payOut();
    await till.checkBooks();
    assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
    for (const { currency, units } of await readSolvency(chain.chain, till.storage))
      assert.ok(units >= 0n, `${units} units of ${currency}`);
  }

  async function blocks(until: () => Promise<boolean>, most: number): Promise<void> {
    for (let count = 0; count < most; count++) {
      if (await until()) return;
      await block();
    }
    const waiting = await till.storage.transfers.waiting('ETH', Number.MAX_SAFE_INTEGER, null, 5);
    assert.fail(`not after ${most} blocks: ${waiting.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ')}`);
  }

  const isDone = async (id: string): Promise<boolean> => (await till.transfer(id)).status === 'CONFIRMED';
  const coins = async (address: string): Promise<bigint> =>
    BigInt(await anvil.rpc<string>('eth_getBalance', [address, 'latest']));
  const addressOf = ({ payment }: Order): Address => present(payment, 'a payment').address as Address;

  test('token orders that nobody can pay the gas for wait, and merchants are paid their coins', async () => {
    for (let order = 0; order < TOKEN_ORDERS + COIN_ORDERS; order++) {
      const isToken = order % 16 !== 15;
      const made = await till.newOrder({
        chain: 'ETH',
        currency: isToken ? 'USDT-ERC20' : 'ETH',
        price: isToken ? '50' : '1000',
      });
      const { units } = present(made.payment, 'a payment');
      const to = addressOf(made);
      await leaveRefundAddress(till, made.id, payer);
      if (isToken) await transfer(anvil, token, to, units);
      else await anvil.rpc('eth_sendTransaction', [{ from: payer, to, value: toHex(units) }]);
      (isToken ? tokenOrders : coinOrders).push(made);
    }
    assert.deepEqual([tokenOrders.length, coinOrders.length], [TOKEN_ORDERS, COIN_ORDERS]);
    await anvil.mine(4);
    await till.follow();
    for (let count = 0; count < 3; count++) await block();
    assert.equal(await chain.payments.nextNonce(chain.hot.address), 0, 'the hot wallet has nothing to pay gas with');
    const [first, second] = coinOrders as [Order, Order];
    const refund = await till.refund.run(till.principal, first.id);
    const half = await till.withdraw('0.5');
    assert.equal(refund.to_addr.toLowerCase(), payer.toLowerCase());
    await blocks(async () => (await isDone(half.tx_id)) && (await till.order(first.id)).status === 'REFUNDED', 40);
    assert.equal((await till.order(second.id)).status, 'SUCCESS');
    // The ether of the third and fourth order is in the hot wallet or at their addresses, and must not pay for tokens.
    const needsFloat = (error: unknown): boolean =>
      isTillgateError(error, 'NOT_READY') && error.message.includes(chain.hot.address);
    await assert.rejects(till.withdraw('1000', 'USDT-ERC20'), needsFloat);
    await assert.rejects(till.refund.run(till.principal, (tokenOrders[0] as Order).id), needsFloat);
    for (let count = 0; count < 5; count++) await block();
    assert.deepEqual(
      await till.storage.transfers.waiting('ETH', Number.MAX_SAFE_INTEGER, null, 10),
      [],
      'nothing hangs',
    );
    for (const order of tokenOrders) assert.equal(await coins(addressOf(order)), 0n);
  });

  test('with a float all of it is swept and paid, and the books are the chain to the wei', async () => {
    await anvil.rpc('eth_sendTransaction', [{ from: payer, to: chain.hot.address, value: toHex(ETHER / 10n) }]);
    await block();
    const all = await till.balance('available', 'USDT-ERC20');
    assert.equal(all, BigInt(TOKEN_ORDERS) * 50_000_000n);
    const asked = await till.withdraw('3000', 'USDT-ERC20');
    await blocks(() => isDone(asked.tx_id), 60);
    const { units, feeUnits } = await till.transfer(asked.tx_id);
    assert.equal(await read<bigint>(anvil, token, 'balanceOf', [PAYEE]), units - feeUnits);
    assert.equal(await till.balance('available', 'USDT-ERC20'), 0n);
    const left = await Promise.all(tokenOrders.map((order) => coins(addressOf(order))));
    const booked = (await till.storage.ledger.balances('gas:ETH')).find(({ currency }) => currency === 'ETH');
    assert.equal(
      -(booked?.units ?? 0n),
      left.reduce((sum, each) => sum + each, 0n),
    );
    assert.ok(left.some((each) => each > 0n));
    for (const { currency, expected, onChain } of await reconcile(chain.chain as ChainThatPays, till))
      assert.equal(onChain, expected, currency);
    const rest = await till.balance('available', 'ETH');
    const last = await till.withdraw(`${rest / ETHER}.${(rest % ETHER).toString().padStart(18, '0')}`);
    await blocks(() => isDone(last.tx_id), 40);
    assert.equal(await till.balance('available', 'ETH'), 0n);
    assert.deepEqual(await till.storage.transfers.waiting('ETH', Number.MAX_SAFE_INTEGER, null, 10), []);
  });
});
