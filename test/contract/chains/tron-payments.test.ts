import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { tronAddress } from '../../../adapters/chains/index.ts';
import { readTransaction } from '../../../adapters/chains/tron/transaction.ts';
import { isTillgateError } from '../../../core/index.ts';
import type { PayoutOutcome, ErrorCode, PaymentLine, SignedTransaction } from '../../../core/index.ts';
import { PRICES } from '../../support/tron/fake-tron-network.ts';
import { BLACK_LISTED, ENERGY, keyNamed, transferLog } from '../../support/tron/tron-state.ts';
import {
  CONTRACTS,
  MNEMONIC,
  USDC,
  USDT,
  payoutOf,
  openFixture,
  signPayment,
} from '../../support/tron/tron-fixture.ts';
import type { TronFixture } from '../../support/tron/tron-fixture.ts';

const failsWith = (code: ErrorCode, pattern: RegExp) => (error: unknown) =>
  isTillgateError(error, code) && pattern.test(error.message);
const TEN_MINUTES = 600_000;
/** The blocks until the expiry of a transaction signed now is solidified, with the additional margin. */
const BLOCKS_TO_EXPIRY = (TEN_MINUTES + 60_000) / 3_000 + 20;

async function ask(url: string, path: string, body: object): Promise<Record<string, unknown>> {
  return (await (await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })).json()) as Record<
    string,
    unknown
  >;
}

describe('payments on Tron', () => {
  let fixture: TronFixture;
  let hot: { readonly address: string; readonly index: null };
  let names = 0;

  before(async () => {
    fixture = await openFixture({ nodes: 2 });
    hot = { address: fixture.payments.hotAddress, index: null };
    fixture.network.fund(fixture.hotKey, 10_000_000_000n);
    for (const contract of [CONTRACTS.usdt, CONTRACTS.usdc])
      fixture.network.mint(contract, fixture.hotKey, 10_000_000_000n);
    fixture.network.produce();
  });
  beforeEach(() => {
    for (const node of fixture.nodes) {
      Object.assign(node, { lag: 0, intercept: () => null, offersEstimates: false, solidStuckAt: null });
      node.hidden.clear();
      node.losesReply.clear();
    }
  });
  after(async () => {
    await fixture.stop();
  });

  const fresh = (): string => keyNamed(`receiver ${names++}`);
  const usdt = (to: string, units = 5_000_000n): PaymentLine => ({ to: tronAddress(to), currency: USDT, units });
  const price = (line: PaymentLine, source: { readonly address: string; readonly index: number | null } = hot) =>
    fixture.payments.price({ source, lines: [line], coins: [], replaces: null });
  const outcome = (...attempts: readonly SignedTransaction[]): Promise<PayoutOutcome> =>
    fixture.payments.outcome(payoutOf(fixture.payments, ...attempts));
  const withMargin = (energy: number): bigint => ((BigInt(energy) * 120n + 99n) / 100n) * PRICES.energy;

  describe('the price', () => {
    test('is the energy of a trial with a margin, and the bytes, as if all were burnt', async () => {
      const line = usdt(fresh());
      const { feeUnits, terms, coins } = await price(line);
      const feeLimit = withMargin(ENERGY.newHolder);
      assert.deepEqual(coins, []);
      assert.deepEqual(JSON.parse(terms), { fee_limit: feeLimit.toString() });
      const { raw } = await signPayment(fixture.payments, line);
      assert.equal(feeUnits, feeLimit + BigInt(raw.length / 2 + 64) * PRICES.bandwidth);
    });

    test('takes the estimate of a node that offers one', async () => {
      fixture.node.offersEstimates = true;
      const { terms } = await price(usdt(fresh()));
      assert.deepEqual(JSON.parse(terms), { fee_limit: withMargin(ENERGY.newHolder + 100).toString() });
    });

    test('leaves the bytes out for a deposit address whose free bandwidth suffices', async () => {
      const { address, key } = await fixture.deposit(50);
      fixture.network.mint(CONTRACTS.usdt, key, 5_000_000n);
      const line = usdt(fixture.hotKey);
      const before = await price(line, { address, index: 50 });
      const bytes = (before.feeUnits - withMargin(ENERGY.transfer)) / PRICES.bandwidth;
      assert.ok(bytes > 300n && bytes < 400n, 'an address without TRX is no account yet and has none');
      fixture.network.fund(key, 1n);
      assert.equal((await price(line, { address, index: 50 })).feeUnits, withMargin(ENERGY.transfer));
    });

    test('of TRX to a new account is what making the account costs, else the bytes', async () => {
      const line = { to: tronAddress(fresh()), currency: 'TRX', units: 2_000_000n };
      assert.equal((await price(line)).feeUnits, 1_100_000n);
      const { feeUnits } = await price({ ...line, to: tronAddress(fixture.payerKey) });
      assert.ok(feeUnits > 250_000n && feeUnits < 350_000n, String(feeUnits));
    });

    test('of more than the source holds is a usual one, good for an estimate and not to be signed', async () => {
      const line = usdt(fresh(), 10n ** 15n);
      const priced = await price(line);
      assert.ok(priced.feeUnits > withMargin(131_000));
      await assert.rejects(
        fixture.payments.sign({ source: hot, lines: [line], priced, nonce: null }),
        failsWith('NOT_READY', /holds too little USDT-TRC20/),
      );
      const trx = { to: tronAddress(fixture.payerKey), currency: 'TRX', units: 10n ** 15n };
      await assert.rejects(signPayment(fixture.payments, trx), failsWith('NOT_READY', /holds too little TRX/));
    });

    test('is refused with the reason where the contract would revert', async () => {
      const key = `${BLACK_LISTED}${fresh().slice(BLACK_LISTED.length)}`;
      fixture.network.mint(CONTRACTS.usdt, key, 100n);
      await assert.rejects(
        price(usdt(fresh(), 50n), { address: tronAddress(key), index: 3 }),
        failsWith('STATE_CONFLICT', /would revert the payment: The sender is on the black list/),
      );
    });

    test('is refused where the token would move nothing, and not because it answers false', async () => {
      const refusing = keyNamed('refusing');
      fixture.network.deploy(refusing, 'false');
      fixture.network.mint(refusing, fixture.hotKey, 100n);
      const chain = await fixture.open({ tokens: { [USDT]: { address: tronAddress(refusing), decimals: 6 } } });
      await assert.rejects(
        chain.payments?.price({ source: hot, lines: [usdt(fresh(), 50n)], coins: [], replaces: null }) ??
          Promise.resolve(),
        failsWith('STATE_CONFLICT', /would move nothing/),
      );
      await price(usdt(fresh()));
    });

    test('above the fee limit is refused', async () => {
      const chain = await fixture.open({ feeLimitTrx: 1 });
      await assert.rejects(
        chain.payments?.price({ source: hot, lines: [usdt(fresh())], coins: [], replaces: null }) ?? Promise.resolve(),
        failsWith('STATE_CONFLICT', /up to 4 TRX for energy, more than the limit of 1 TRX/),
      );
    });

    test("is the node's failure where the node could not try it out", async () => {
      for (const message of [
        'class org.tron.core.vm.program.Program$OutOfTimeException : CPU timeout',
        'this node is busy',
      ]) {
        for (const node of fixture.nodes) {
          node.intercept = (path) =>
            path === '/wallet/triggerconstantcontract'
              ? {
                  status: 200,
                  text: JSON.stringify({
                    result: { code: 'OTHER_ERROR', message: Buffer.from(message).toString('hex') },
                  }),
                }
              : null;
        }
        await assert.rejects(price(usdt(fresh())), failsWith('NODE_FAILED', /could not make the call/));
      }
    });

    test('of another address than one of Tron, or of an unknown token, is refused', async () => {
      await assert.rejects(
        price({ ...usdt(fresh()), to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }),
        failsWith('STATE_CONFLICT', /not an address of Tron/),
      );
      await assert.rejects(
        price({ ...usdt(fresh()), currency: 'DAI-TRC20' }),
        failsWith('UNSUPPORTED', /not configured/),
      );
    });
  });

  test('fault 40: signed, stored, sent: the bytes are of the payment and of no other, and are mined', async () => {
    const to = fresh();
    const signed = await signPayment(fixture.payments, usdt(to));
    const read = readTransaction(signed.raw);
    assert.deepEqual(read, {
      txid: signed.txid,
      payment: { fromKey: fixture.hotKey, toKey: to, units: 5_000_000n, contractKey: CONTRACTS.usdt },
      expiresAt: signed.expiresAt,
      feeLimit: withMargin(ENERGY.newHolder),
    });
    assert.equal(signed.expiresAt, fixture.network.solid.header.timestamp + TEN_MINUTES);
    assert.deepEqual(await outcome(signed), { kind: 'missing' });
    await fixture.payments.broadcast(signed);
    assert.deepEqual(await outcome(signed), { kind: 'pending' });
    const block = fixture.network.produce();
    const mined = await outcome(signed);
    assert.deepEqual(mined, {
      kind: 'mined',
      txid: signed.txid,
      block: {
        height: block.header.number,
        hash: block.id,
        parentHash: block.header.parentHash,
        time: block.header.timestamp,
      },
      confirmations: 1,
      succeeded: true,
      feeUnits: fixture.network.head.mined[0]?.fee,
      change: null,
    });
    assert.ok(mined.kind === 'mined' && mined.feeUnits <= signed.feeUnits);
    fixture.network.produce(4);
    assert.equal(((await outcome(signed)) as { confirmations?: number }).confirmations, 5);
    assert.equal(await fixture.payments.balance(tronAddress(to), USDT), 5_000_000n);
  });

  test('two payments that are alike are two transactions', async () => {
    const line = usdt(fresh());
    const [one, two] = [await signPayment(fixture.payments, line), await signPayment(fixture.payments, line)];
    assert.notEqual(one.txid, two.txid);
  });

  test('a deposit address pays with its own key, after TRX was sent ahead for it', async () => {
    const { address, key } = await fixture.deposit(7);
    fixture.network.mint(CONTRACTS.usdc, key, 900n);
    const line = { to: hot.address, currency: USDC, units: 900n };
    const { feeUnits } = await price(line, { address, index: 7 });
    const early = await signPayment(fixture.payments, line, { address, index: 7 });
    await assert.rejects(fixture.payments.broadcast(early), failsWith('NODE_FAILED', /no OwnerAccount/));
    const gas = await signPayment(fixture.payments, { to: address, currency: 'TRX', units: feeUnits });
    await fixture.payments.broadcast(gas);
    fixture.network.produce();
    assert.equal(((await outcome(gas)) as { feeUnits?: bigint }).feeUnits, 1_100_000n);
    const sweep = await signPayment(fixture.payments, line, { address, index: 7 });
    await fixture.payments.broadcast(sweep);
    fixture.network.produce();
    const swept = await outcome(sweep);
    assert.ok(swept.kind === 'mined' && swept.succeeded && swept.feeUnits <= feeUnits);
    assert.equal(fixture.network.tokens(CONTRACTS.usdc, key), 0n);
  });

  test('fault 39: a lost reply is a failure whose transaction is there all the same', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    for (const node of fixture.nodes) node.losesReply.add('/wallet/broadcasthex');
    await assert.rejects(fixture.payments.broadcast(signed), failsWith('NODE_FAILED', /No node answers/));
    for (const node of fixture.nodes) node.losesReply.clear();
    assert.deepEqual(await outcome(signed), { kind: 'pending' });
    await fixture.payments.broadcast(signed);
    fixture.network.produce();
    assert.equal((await outcome(signed)).kind, 'mined');
    await fixture.payments.broadcast(signed);
  });

  test('fault 40: the same bytes sent again after the pool forgot them are mined once', async () => {
    const to = fresh();
    const signed = await signPayment(fixture.payments, usdt(to));
    await fixture.payments.broadcast(signed);
    fixture.network.forget(signed.txid);
    assert.deepEqual(await outcome(signed), { kind: 'missing' });
    await fixture.payments.broadcast(signed);
    fixture.network.produce();
    await fixture.payments.broadcast(signed);
    fixture.network.produce(2);
    assert.equal(fixture.network.tokens(CONTRACTS.usdt, to), 5_000_000n);
  });

  test('a node that remembers the id and does not have the transaction is not taken at its word', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    fixture.network.submit(signed.raw);
    for (const node of fixture.nodes) node.hidden.add(signed.txid);
    await assert.rejects(fixture.payments.broadcast(signed), failsWith('NODE_FAILED', /already exists/));
  });

  test('a busy node is passed over for the next one', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    for (const node of fixture.nodes.slice(0, 1)) {
      node.intercept = (path) =>
        path === '/wallet/broadcasthex'
          ? { status: 200, text: '{"result":false,"code":"SERVER_BUSY","message":"Server busy."}' }
          : null;
    }
    await fixture.payments.broadcast(signed);
    assert.notEqual(fixture.network.isPending(signed.txid), null);
  });

  test('fault 42: it is expired only when the solidified head is past the expiry', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    fixture.network.produce(BLOCKS_TO_EXPIRY - 20);
    assert.ok(fixture.clock.now() > (signed.expiresAt ?? Infinity));
    assert.deepEqual(await outcome(signed), { kind: 'missing' });
    await assert.rejects(fixture.payments.broadcast(signed), failsWith('NODE_FAILED', /TRANSACTION_EXPIRATION_ERROR/));
    fixture.network.produce(20);
    assert.deepEqual(await outcome(signed), { kind: 'expired' });
    const again = await signPayment(fixture.payments, usdt(fresh()));
    assert.deepEqual(await outcome(signed, again), { kind: 'missing' }, 'one attempt can still be mined');
  });

  test('fault 42: a node that solidifies nothing keeps it from being expired', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    fixture.nodes[1]!.solidStuckAt = fixture.network.solid.header.number;
    fixture.network.produce(BLOCKS_TO_EXPIRY);
    assert.deepEqual(await outcome(signed), { kind: 'missing' });
    fixture.nodes[1]!.solidStuckAt = null;
    assert.deepEqual(await outcome(signed), { kind: 'expired' });
  });

  test('fault 56: what one node denies and another shows is not expired', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    await fixture.payments.broadcast(signed);
    fixture.network.produce(BLOCKS_TO_EXPIRY);
    for (const liar of fixture.nodes) {
      liar.hidden.add(signed.txid);
      assert.ok(['pending', 'mined'].includes((await outcome(signed)).kind));
      liar.hidden.clear();
    }
  });

  test('fault 56: while one node does not answer nothing is expired', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    fixture.network.produce(BLOCKS_TO_EXPIRY);
    fixture.nodes[1]!.intercept = () => ({ status: 503, text: '' });
    await assert.rejects(outcome(signed), failsWith('NODE_FAILED', /HTTP 503/));
    fixture.nodes[1]!.intercept = () => null;
    assert.deepEqual(await outcome(signed), { kind: 'expired' });
  });

  test('fault 76: a node whose blocks run ahead of the clock expires nothing', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    fixture.network.produce(BLOCKS_TO_EXPIRY);
    const now = fixture.clock.now();
    fixture.clock.set((signed.expiresAt ?? 0) - 1);
    assert.deepEqual(await outcome(signed), { kind: 'missing' });
    fixture.clock.set(now);
    assert.deepEqual(await outcome(signed), { kind: 'expired' });
  });

  test('nothing is signed on a node that has solidified nothing for long', async () => {
    for (const node of fixture.nodes) node.solidStuckAt = fixture.network.solid.header.number - 1;
    fixture.clock.advance(TEN_MINUTES);
    await assert.rejects(
      signPayment(fixture.payments, usdt(fresh())),
      failsWith('NODE_FAILED', /solidified nothing since/),
    );
    fixture.network.produce(25);
  });

  test('a transaction that is still good cannot be replaced; an expired one is made anew', async () => {
    const line = usdt(fresh());
    const signed = await signPayment(fixture.payments, line);
    const request = { source: hot, lines: [line], coins: [], replaces: signed };
    await assert.rejects(fixture.payments.price(request), failsWith('STATE_CONFLICT', /cannot be replaced/));
    fixture.network.produce(BLOCKS_TO_EXPIRY);
    assert.ok((await fixture.payments.price(request)).feeUnits > 0n);
    assert.equal(fixture.payments.bumpAfterMs, null);
    assert.equal(await fixture.payments.nextNonce(hot.address), null);
  });

  test('fault 49: out of energy is mined without effect, and its fee is told', async () => {
    const to = fresh();
    const line = usdt(to);
    const priced = { ...(await price(line)), terms: JSON.stringify({ fee_limit: '1000000' }) };
    const signed = await fixture.payments.sign({ source: hot, lines: [line], priced, nonce: null });
    await fixture.payments.broadcast(signed);
    fixture.network.produce();
    const mined = await outcome(signed);
    assert.ok(mined.kind === 'mined' && !mined.succeeded);
    assert.equal(mined.feeUnits, fixture.network.head.mined[0]?.fee);
    assert.ok(mined.feeUnits >= 1_000_000n);
    assert.equal(fixture.network.tokens(CONTRACTS.usdt, to), 0n);
  });

  test('fault 56: that it was mined without effect is believed only when every node says so', async () => {
    const line = usdt(fresh());
    const priced = { ...(await price(line)), terms: JSON.stringify({ fee_limit: '1000000' }) };
    const signed = await fixture.payments.sign({ source: hot, lines: [line], priced, nonce: null });
    await fixture.payments.broadcast(signed);
    const { header } = fixture.network.produce();
    const failed = (outcome: PayoutOutcome): boolean => outcome.kind === 'mined' && !outcome.succeeded;
    assert.ok(failed(await outcome(signed)));
    for (const node of fixture.nodes) {
      node.hidden.add(signed.txid);
      await outcome(signed).then(
        (outcome) => assert.equal(outcome.kind, 'missing'),
        (error: unknown) => assert.ok(failsWith('NODE_FAILED', /another does not/)(error)),
      );
      node.hidden.clear();
    }
    const success = {
      receipt: { result: 'SUCCESS' },
      result: undefined,
      log: [transferLog(CONTRACTS.usdt, fixture.hotKey, readTransaction(signed.raw).payment.toKey, line.units)],
    };
    for (const node of fixture.nodes) {
      const info = { ...(await ask(node.url, '/wallet/gettransactioninfobyid', { value: signed.txid })), ...success };
      const block = JSON.stringify(await ask(node.url, '/wallet/getblockbynum', { num: header.number })).replaceAll(
        'OUT_OF_ENERGY',
        'SUCCESS',
      );
      node.intercept = (path) =>
        path === '/wallet/gettransactioninfobyid'
          ? { status: 200, text: JSON.stringify(info) }
          : path === '/wallet/getblockbynum'
            ? { status: 200, text: block }
            : null;
      const said = await outcome(signed);
      assert.ok(!failed(said) && ['unclear', 'mined'].includes(said.kind), JSON.stringify(said.kind));
      node.intercept = () => null;
    }
    assert.ok(failed(await outcome(signed)));
  });

  test('a token that moves another amount than was signed is for a person to look at', async () => {
    const half = keyNamed('half');
    fixture.network.deploy(half, 'half');
    fixture.network.mint(half, fixture.hotKey, 1_000n);
    const chain = await fixture.open({ tokens: { [USDT]: { address: tronAddress(half), decimals: 6 } } });
    const signed = await signPayment(chain.payments!, usdt(fresh(), 100n));
    await chain.payments!.broadcast(signed);
    fixture.network.produce();
    const outcome = await chain.payments!.outcome(payoutOf(chain.payments!, signed));
    assert.ok(outcome.kind === 'unclear' && outcome.reason.includes('another movement'), outcome.kind);
    assert.equal(outcome.mined?.txid, signed.txid);
  });

  test('a mined payment without a log of the token is mined without effect', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    fixture.network.include({
      txid: signed.txid,
      logs: [transferLog(CONTRACTS.twin, fixture.hotKey, fixture.payerKey, 5_000_000n)],
    });
    fixture.network.produce();
    const found = await outcome(signed);
    assert.ok(found.kind === 'mined' && !found.succeeded);
  });

  test('two transactions of one payment that are both mined are for a person to look at', async () => {
    const line = usdt(fresh());
    const attempts = [await signPayment(fixture.payments, line), await signPayment(fixture.payments, line)];
    for (const attempt of attempts) await fixture.payments.broadcast(attempt);
    fixture.network.produce();
    const found = await outcome(...attempts);
    assert.ok(found.kind === 'unclear' && attempts.every(({ txid }) => found.reason.includes(txid)));
  });

  test('fault 51: a payment that a reorganisation took away waits, and is mined again', async () => {
    const signed = await signPayment(fixture.payments, usdt(fresh()));
    await fixture.payments.broadcast(signed);
    const { id } = fixture.network.produce();
    assert.equal((await outcome(signed)).kind, 'mined');
    fixture.network.reorganise(1, 'gone');
    assert.deepEqual(await outcome(signed), { kind: 'missing' });
    await fixture.payments.broadcast(signed);
    fixture.network.produce();
    const again = await outcome(signed);
    assert.ok(again.kind === 'mined' && again.block.hash !== id);
  });

  test('a signature of another key is never kept', async () => {
    const { TronChain, openTronKeys } = await import('../../../adapters/chains/index.ts');
    const { MnemonicWallet, generateMnemonic } = await import('../../../adapters/wallet/index.ts');
    const [own, other] = [new MnemonicWallet(generateMnemonic()), new MnemonicWallet(generateMnemonic())];
    const accounts = { hot: "m/44'/195'/0'", deposit: "m/44'/195'/1'" };
    const keys = await openTronKeys(
      { extendedPublicKey: (path) => own.extendedPublicKey(path), sign: (...args) => other.sign(...args) },
      accounts,
      null,
    );
    const chain = new TronChain(
      {
        apiUrls: [fixture.node.url],
        network: 'test',
        xpub: await own.extendedPublicKey(accounts.deposit),
        tokens: [],
        confirmations: 1,
        spendableConfirmations: 1,
        finalityBlocks: 1,
        pollIntervalMs: 1_000,
      },
      fixture.logger,
      { keys: keys!, clock: fixture.clock, feeLimitSun: 1n, expirationMs: TEN_MINUTES },
    );
    const source = { address: chain.payments!.hotAddress, index: null };
    const line = { to: tronAddress(fixture.payerKey), currency: 'TRX', units: 1n };
    const priced = { feeUnits: 1n, coins: [], terms: JSON.stringify({ fee_limit: '0' }) };
    await assert.rejects(
      chain.payments!.sign({ source, lines: [line], priced, nonce: null }),
      failsWith('NOT_READY', /signs for T/),
    );
    await chain.close();
  });

  describe('balances', () => {
    test('fault 46: TRX beyond 2^53 is exact', async () => {
      const key = fresh();
      fixture.network.fund(key, 2n ** 60n + 1n);
      assert.equal(await fixture.payments.balance(tronAddress(key), 'TRX'), 2n ** 60n + 1n);
      assert.equal(await fixture.payments.balance(tronAddress(fresh()), 'TRX'), 0n);
    });

    test('custody asks each address once and sums by currency', async () => {
      const [one, two] = [fresh(), fresh()];
      fixture.network.mint(CONTRACTS.usdt, one, 5n);
      fixture.network.mint(CONTRACTS.usdt, two, 7n);
      fixture.network.fund(two, 11n);
      const at = (key: string, currency: string) => ({ ref: '', address: tronAddress(key), currency });
      const sums = await fixture.payments.custody([
        at(one, USDT),
        at(one, USDT),
        at(two, USDT),
        at(two, 'TRX'),
        at(two, USDC),
      ]);
      assert.deepEqual(Object.fromEntries(sums), { [USDT]: 12n, TRX: 11n, [USDC]: 0n });
    });

    test("of a merchant's own address and extended key, up to a gap of 20", async () => {
      const { MnemonicWallet } = await import('../../../adapters/wallet/index.ts');
      const xpub = await new MnemonicWallet(MNEMONIC).extendedPublicKey("m/44'/195'/5'");
      const chain = await fixture.open({ xpub });
      assert.equal(chain.payments, null, "a key that is not the signer's is watch-only");
      const derived = await chain.deriveAddresses(0, 60);
      fixture.network.mint(CONTRACTS.usdt, derived[3]!.key, 30n);
      fixture.network.fund(derived[23]!.key, 400n);
      fixture.network.mint(CONTRACTS.usdt, derived[48]!.key, 1_000n);
      const { balances } = fixture.chain;
      assert.deepEqual(
        balances.assets.map(({ currency }) => currency),
        ['TRX', USDT, USDC],
      );
      assert.deepEqual(Object.fromEntries(await balances.ofAddress(derived[3]!.address)), {
        TRX: 0n,
        [USDT]: 30n,
        [USDC]: 0n,
      });
      assert.equal(balances.readExtendedKey(xpub), xpub);
      assert.deepEqual(Object.fromEntries(await balances.ofExtendedKey(xpub)), { TRX: 400n, [USDT]: 30n, [USDC]: 0n });
      for (const wrong of ['', 'xprv', xpub.slice(0, -1), derived[0]!.address])
        assert.equal(balances.readExtendedKey(wrong), null);
    });
  });
});
