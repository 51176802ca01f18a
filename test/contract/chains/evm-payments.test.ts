import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type { ErrorCode } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, mint, read, receipt } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { payoutOf, fund, minedOutcome, payingChain, tillAccount } from './evm-paying.ts';
import type { PayingChain } from './evm-paying.ts';
import { freshAddress, pay } from './evm-support.ts';

const GWEI = 1_000_000_000n;
const failsWith = (code: ErrorCode, words: RegExp) => (error: unknown) =>
  isTillgateError(error, code) && words.test(error.message);

describe('an EVM chain pays', () => {
  let anvil: Anvil;
  let till: PayingChain;
  let token: DeployedContract;
  let refusing: DeployedContract;
  let fee: DeployedContract;
  let forwarder: DeployedContract;

  before(async () => {
    anvil = await startAnvil();
    token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
    refusing = await deployContract(anvil, 'FalseToken', ['NO', 6]);
    fee = await deployContract(anvil, 'FeeToken', ['FEE', 6, 100]);
    forwarder = await deployContract(anvil, 'Forwarder');
    till = await payingChain([anvil.url], {
      'USDT-ERC20': token.address,
      'NO-ERC20': refusing.address,
      'FEE-ERC20': fee.address,
    });
    await fund(anvil, till.hot);
    for (const one of [token, refusing, fee]) await mint(anvil, one, till.hot.address as `0x${string}`, 1_000_000n);
  });

  after(async () => {
    await till.chain.close();
    await anvil.stop();
  });

  const balanceOf = async (address: string): Promise<bigint> =>
    BigInt(await anvil.rpc<string>('eth_getBalance', [address, 'latest']));

  test('fault 386: what a token keeps of a transfer is found before anything is paid', async () => {
    assert.equal(await till.payments.transferFee?.('USDT-ERC20'), 0n);
    assert.equal(await till.payments.transferFee?.('FEE-ERC20'), 10_000n, '1 % of all that the hot wallet has');
    assert.equal(await till.payments.transferFee?.('NO-ERC20'), null, 'nothing is said of a refused transfer');
    assert.equal(await till.payments.transferFee?.('ETH'), null);
  });

  test('a plain payment costs exactly what was said before, and its receiver gets exactly what was signed', async () => {
    const to = freshAddress();
    const before = await balanceOf(till.hot.address);
    const signed = await till.sign({ to, units: 12_345n });
    await till.payments.broadcast(signed);
    await receipt(anvil, signed.txid as `0x${string}`);
    const outcome = await minedOutcome(till.payments, signed.payout);
    assert.equal(outcome.feeUnits, signed.feeUnits);
    assert.equal(outcome.succeeded, true);
    assert.deepEqual([outcome.txid, outcome.confirmations, outcome.change], [signed.txid, 1, null]);
    assert.deepEqual(outcome.block, await till.chain.head());
    assert.equal(await balanceOf(to), 12_345n);
    assert.equal(await balanceOf(till.hot.address), before - 12_345n - signed.feeUnits);
    await anvil.mine(4);
    assert.equal((await minedOutcome(till.payments, signed.payout)).confirmations, 5);
  });

  test('fault 40: what was signed is the same at each signing, and not known to anybody before it is sent', async () => {
    const to = freshAddress();
    const line = { to, currency: 'ETH', units: 5n };
    const priced = await till.payments.price({ source: till.hot, lines: [line], coins: [], replaces: null });
    const nonce = await till.payments.nextNonce(till.hot.address);
    const request = { source: till.hot, lines: [line], priced, nonce };
    const [one, two] = [await till.payments.sign(request), await till.payments.sign(request)];
    assert.deepEqual(one, two);
    assert.deepEqual(await till.payments.outcome(payoutOf(till.hot, nonce!, [one])), { kind: 'missing' });
    assert.equal(await till.payments.nextNonce(till.hot.address), nonce);
  });

  test('an address can be emptied to the last unit', async () => {
    const deposit = await till.deposit(0);
    await pay(anvil, deposit.address, 10n ** 18n);
    const line = { to: till.hot.address, currency: 'ETH', units: 10n ** 18n };
    const priced = await till.payments.price({ source: deposit, lines: [line], coins: [], replaces: null });
    const signed = await till.payments.sign({
      source: deposit,
      lines: [{ ...line, units: line.units - priced.feeUnits }],
      priced,
      nonce: 0,
    });
    await till.payments.broadcast(signed);
    await receipt(anvil, signed.txid as `0x${string}`);
    assert.equal((await minedOutcome(till.payments, payoutOf(deposit, 0, [signed]))).succeeded, true);
    assert.equal(await balanceOf(deposit.address), 0n);
  });

  test('a token is paid from the hot wallet and from a deposit address that was given gas', async () => {
    const to = freshAddress();
    const deposit = await till.deposit(1);
    await mint(anvil, token, deposit.address as `0x${string}`, 70n);
    const line = { to, currency: 'USDT-ERC20', units: 70n };
    // The price must be known before the address has any coin, because it determines how much gas is sent ahead.
    const { feeUnits } = await till.payments.price({ source: deposit, lines: [line], coins: [], replaces: null });
    await pay(anvil, deposit.address, feeUnits * 2n);
    for (const source of [deposit, till.hot]) {
      const signed = await till.sign(line, { source });
      await till.payments.broadcast(signed);
      await receipt(anvil, signed.txid as `0x${string}`);
      const outcome = await minedOutcome(till.payments, signed.payout);
      assert.equal(outcome.succeeded, true);
      assert.ok(
        outcome.feeUnits > 0n && outcome.feeUnits <= signed.feeUnits,
        `${outcome.feeUnits} of ${signed.feeUnits}`,
      );
    }
    assert.equal(await read<bigint>(anvil, token, 'balanceOf', [to]), 140n);
  });

  test('fault 39: sending twice, and again when it is mined, is sending once', async () => {
    await anvil.setAutomine(false);
    const signed = await till.sign({ to: freshAddress() });
    for (const _ of [1, 2]) await till.payments.broadcast(signed);
    assert.deepEqual(await till.payments.outcome(signed.payout), { kind: 'pending' });
    assert.equal(await till.payments.nextNonce(till.hot.address), signed.nonce + 1);
    await anvil.mine();
    await till.payments.broadcast(signed);
    await anvil.setAutomine(true);
    assert.equal((await minedOutcome(till.payments, signed.payout)).succeeded, true);
  });

  test('fault 39: a transaction that reached the node another way is taken as sent', async () => {
    const signed = await till.sign({ to: freshAddress() });
    await anvil.rpc('eth_sendRawTransaction', [signed.raw]);
    await till.payments.broadcast(signed);
    assert.equal((await minedOutcome(till.payments, signed.payout)).txid, signed.txid);
  });

  test('what a node does not take is a failure, in words of our own', async () => {
    const mined = await till.sign({ to: freshAddress() });
    await till.payments.broadcast(mined);
    await receipt(anvil, mined.txid as `0x${string}`);
    const late = await till.sign({ to: freshAddress() }, { nonce: mined.nonce });
    await assert.rejects(
      till.payments.broadcast(late),
      failsWith('NODE_FAILED', /did not accept 0x[0-9a-f]{64}: its nonce was used\.$/),
    );
  });

  test('fault 43: a bump outbids by an eighth, and whichever is mined is found', async () => {
    for (const winner of ['first', 'bump'] as const) {
      await anvil.setAutomine(false);
      const to = freshAddress();
      const first = await till.sign({ to, units: 9n });
      await till.payments.broadcast(first);
      const bump = await till.sign({ to, units: 9n }, { nonce: first.nonce, replaces: first });
      assert.ok(bump.feeUnits * 8n >= first.feeUnits * 9n, `${bump.feeUnits} after ${first.feeUnits}`);
      const payout = payoutOf(till.hot, first.nonce, [first, bump]);
      if (winner === 'bump') await till.payments.broadcast(bump);
      assert.deepEqual(await till.payments.outcome(payout), { kind: 'pending' });
      await anvil.mine();
      const outcome = await minedOutcome(till.payments, payout);
      assert.equal(outcome.txid, winner === 'bump' ? bump.txid : first.txid);
      assert.equal(outcome.feeUnits, winner === 'bump' ? bump.feeUnits : first.feeUnits);
      await anvil.setAutomine(true);
      // Broadcasting the losing transaction reads its state too, and its answer is not a success.
      if (winner === 'first')
        await assert.rejects(till.payments.broadcast(bump), failsWith('NODE_FAILED', /nonce was used/));
    }
  });

  test('a price above the limit makes the payment wait', async () => {
    const careful = await payingChain([anvil.url], {}, {}, { maxGasPrice: GWEI / 1_000n });
    await assert.rejects(
      careful.sign({ to: freshAddress() }),
      failsWith('STATE_CONFLICT', /gas price is above the configured limit/),
    );
    await careful.chain.close();
  });

  test('a bump that would have to go above the limit waits too', async () => {
    const first = await till.sign({ to: freshAddress() });
    const { price } = JSON.parse(first.terms) as { price: string };
    const tight = await payingChain([anvil.url], {}, {}, { maxGasPrice: BigInt(price) });
    await assert.rejects(
      tight.payments.price({
        source: till.hot,
        lines: [{ to: freshAddress(), currency: 'ETH', units: 1n }],
        coins: [],
        replaces: first,
      }),
      failsWith('STATE_CONFLICT', /above the configured limit/),
    );
    await tight.chain.close();
  });

  test('fault 49: a token that answers false is not paid', async () => {
    await assert.rejects(
      till.sign({ to: freshAddress(), currency: 'NO-ERC20' }),
      failsWith('STATE_CONFLICT', /returns false/),
    );
  });

  test('a receiver that takes no coins is not paid', async () => {
    await assert.rejects(till.sign({ to: token.address }), failsWith('DESTINATION_UNPAYABLE', /contract of a token/));
    await assert.rejects(till.sign({ to: forwarder.address }), failsWith('DESTINATION_UNPAYABLE', /would revert/));
  });

  test('the hot wallet may be filled yet, so what it lacks is priced for an estimate; lacking tokens are never signed', async () => {
    const { payments, hot } = till;
    const price = (to: string, currency: string, units: bigint) =>
      payments.price({ source: hot, lines: [{ to, currency, units }], coins: [], replaces: null });
    const plain = await price(freshAddress(), 'ETH', 10n ** 24n);
    assert.equal(plain.feeUnits % 21_000n, 0n);
    const line = { to: freshAddress(), currency: 'USDT-ERC20', units: 10n ** 24n };
    const tokens = await price(line.to, line.currency, line.units);
    assert.ok(tokens.feeUnits > (plain.feeUnits * 3n) / 2n);
    await assert.rejects(
      payments.sign({ source: hot, lines: [line], priced: tokens, nonce: 0 }),
      failsWith('NOT_READY', /holds too little/),
    );
  });

  test('what a deposit address does not hold is not swept', async () => {
    const source = await till.deposit(9);
    for (const currency of ['ETH', 'USDT-ERC20']) {
      await assert.rejects(
        till.sign({ to: till.hot.address, currency, units: 5n }, { source }),
        failsWith('INSUFFICIENT_BALANCE', /holds less/),
      );
    }
  });

  test('fault 80: an address of the network itself, or of a token, is not paid, neither coins nor tokens', async () => {
    const none = '0x0000000000000000000000000000000000000000';
    for (const to of [none, '0x0000000000000000000000000000000000000009', token.address])
      for (const currency of ['ETH', 'USDT-ERC20'])
        await assert.rejects(till.sign({ to, currency }), failsWith('DESTINATION_UNPAYABLE', /zero|network|token/));
  });

  test('a payment that reverts in its block has failed, and cost its gas', async () => {
    await anvil.setAutomine(false);
    const source = await till.deposit(2);
    await mint(anvil, token, source.address as `0x${string}`, 50n);
    await anvil.setAutomine(true);
    await pay(anvil, source.address, 10n ** 17n);
    const [one, two] = [
      await till.sign({ to: freshAddress(), currency: 'USDT-ERC20', units: 50n }, { source, nonce: 0 }),
      await till.sign({ to: freshAddress(), currency: 'USDT-ERC20', units: 50n }, { source, nonce: 1 }),
    ];
    for (const signed of [one, two]) {
      await till.payments.broadcast(signed);
      await receipt(anvil, signed.txid as `0x${string}`);
    }
    assert.equal((await minedOutcome(till.payments, one.payout)).succeeded, true);
    const outcome = await minedOutcome(till.payments, two.payout);
    assert.equal(outcome.succeeded, false);
    assert.ok(outcome.feeUnits > (21_000n * GWEI) / 1_000n);
  });

  test('fault 54: a token that keeps a part, and logs the whole, is paid as its log says', async () => {
    const signed = await till.sign({ to: freshAddress(), currency: 'FEE-ERC20', units: 100n });
    await till.payments.broadcast(signed);
    await receipt(anvil, signed.txid as `0x${string}`);
    assert.equal((await minedOutcome(till.payments, signed.payout)).succeeded, true);
  });

  test('fault 51: after a reorganisation a payment is gone, and is sent again as the same bytes', async () => {
    await anvil.mine();
    const signed = await till.sign({ to: freshAddress() });
    await till.payments.broadcast(signed);
    await receipt(anvil, signed.txid as `0x${string}`);
    assert.equal((await minedOutcome(till.payments, signed.payout)).confirmations, 1);
    await anvil.rpc('anvil_reorg', [1, []]);
    const outcome = await till.payments.outcome(signed.payout);
    assert.ok(outcome.kind === 'missing' || outcome.kind === 'pending', outcome.kind);
    await till.payments.broadcast(signed);
    await anvil.mine();
    const again = await minedOutcome(till.payments, signed.payout);
    assert.equal(again.txid, signed.txid);
    assert.equal(again.succeeded, true);
  });

  test('fault 41: another transaction of the same key and nonce is a conflict, with its own name', async () => {
    const signed = await till.sign({ to: freshAddress() });
    for (const type of ['eip1559', 'legacy', 'eip2930'] as const) {
      const mine = await till.sign({ to: freshAddress() });
      const account = tillAccount();
      const common = { chainId: anvil.chainId, nonce: mine.nonce, to: freshAddress(), value: 3n, gas: 21_000n };
      const price = { maxFeePerGas: 50n * GWEI, maxPriorityFeePerGas: GWEI };
      const raw = await account.signTransaction(
        type === 'eip1559' ? { ...common, type, ...price } : { ...common, type, gasPrice: 50n * GWEI },
      );
      const txid = await anvil.rpc<`0x${string}`>('eth_sendRawTransaction', [raw]);
      await receipt(anvil, txid);
      assert.deepEqual(await till.payments.outcome(mine.payout), { kind: 'conflicted', txid, confirmations: 1 });
      await anvil.mine(3);
      assert.deepEqual(await till.payments.outcome(mine.payout), { kind: 'conflicted', txid, confirmations: 4 });
    }
    assert.equal((await till.payments.outcome(signed.payout)).kind, 'conflicted');
  });

  for (const currency of ['ETH', 'USDT-ERC20'] as const) {
    test(`fault 82: a rival that pays the same ${currency} is reported as the payment, and is found as its attempt`, async () => {
      const to = freshAddress();
      const mine = await till.sign({ to, currency, units: 50n });
      const elsewhere = await till.sign({ to, currency, units: 50n }, { nonce: mine.nonce, replaces: mine });
      assert.notEqual(elsewhere.txid, mine.txid);
      await till.payments.broadcast(elsewhere);
      await receipt(anvil, elsewhere.txid as `0x${string}`);
      const outcome = await till.payments.outcome(mine.payout);
      assert.ok(outcome.kind === 'conflicted' && outcome.rival?.pays === 'same', outcome.kind);
      const { attempt } = outcome.rival;
      assert.deepEqual(
        [outcome.txid, attempt.raw, attempt.feeUnits],
        [elsewhere.txid, elsewhere.raw, elsewhere.feeUnits],
      );
      const adopted = { ...attempt, txid: outcome.txid, expiresAt: null };
      const mined = await minedOutcome(till.payments, {
        ...mine.payout,
        attempts: [...mine.payout.attempts, adopted],
      });
      assert.deepEqual([mined.txid, mined.succeeded], [elsewhere.txid, true]);
    });
  }

  test('fault 82: a rival that pays the receiver another amount, or calls it, is not the payment', async () => {
    const others = [{ value: 8n }, { value: 7n, data: '0xdeadbeef' }] as const;
    for (const other of others) {
      const to = freshAddress();
      const mine = await till.sign({ to, units: 7n });
      const raw = await tillAccount().signTransaction({
        ...{ chainId: anvil.chainId, nonce: mine.nonce, to: to, gas: 60_000n, type: 'eip1559' },
        ...{ maxFeePerGas: 50n * GWEI, maxPriorityFeePerGas: GWEI, ...other },
      });
      const txid = await anvil.rpc<`0x${string}`>('eth_sendRawTransaction', [raw]);
      await receipt(anvil, txid);
      const outcome = await till.payments.outcome(mine.payout);
      assert.deepEqual(outcome, { kind: 'conflicted', txid, confirmations: 1, rival: { pays: 'receiver' } });
    }
  });

  test('custody asks each address once, and leaves out what the chain does not know', async () => {
    const deposit = await till.deposit(3);
    await pay(anvil, deposit.address, 8n);
    await mint(anvil, token, deposit.address as `0x${string}`, 5n);
    const expected = (currency: string) => ({ ref: '', address: deposit.address, currency });
    const shown = await till.payments.custody([
      expected('ETH'),
      expected('USDT-ERC20'),
      expected('ETH'),
      expected('GONE'),
    ]);
    assert.deepEqual(Object.fromEntries(shown), { ETH: 8n, 'USDT-ERC20': 5n });
    assert.equal(await till.payments.balance(deposit.address, 'USDT-ERC20'), 5n);
    await assert.rejects(till.payments.balance(deposit.address, 'GONE'), failsWith('UNSUPPORTED', /GONE/));
  });

  test('a chain of blocks without a base fee is paid by gas price', async () => {
    const old = await startAnvil({ args: ['--hardfork', 'berlin'] });
    const its = await payingChain([old.url]);
    await fund(old, its.hot);
    const signed = await its.sign({ to: freshAddress() });
    assert.equal((JSON.parse(signed.terms) as { type: string }).type, 'legacy');
    const bump = await its.sign({ to: freshAddress() }, { nonce: signed.nonce, replaces: signed });
    assert.ok(bump.feeUnits * 8n >= signed.feeUnits * 9n);
    await its.payments.broadcast(bump);
    await receipt(old, bump.txid as `0x${string}`);
    const outcome = await minedOutcome(its.payments, payoutOf(its.hot, signed.nonce, [signed, bump]));
    assert.deepEqual([outcome.txid, outcome.feeUnits], [bump.txid, bump.feeUnits]);
    await its.chain.close();
    await old.stop();
  });
});
