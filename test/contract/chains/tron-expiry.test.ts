import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { tronAddress, tronKey } from '../../../adapters/chains/index.ts';
import { checkLedger, parseUnits, present } from '../../../core/index.ts';
import type { Attempt, Lease, TransferId } from '../../../core/index.ts';
import { dataOf } from '../../support/http.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { OpenStorage } from '../../support/storage.ts';
import { startTestTill } from '../../support/till.ts';
import type { TestTill } from '../../support/till.ts';
import { Refusal } from '../../support/tron/fake-tron-network.ts';
import { keyNamed } from '../../support/tron/tron-state.ts';
import { CONTRACTS, TOKENS, USDT, openFixture } from '../../support/tron/tron-fixture.ts';
import type { TronFixture } from '../../support/tron/tron-fixture.ts';

const DECIMALS = 6;
const CONFIRMATIONS = 3;
const SPENDABLE = 6;
const EXPIRATION_SECONDS = 180;
/** The solidified head must be this far past the expiry before anything is signed again. */
const MARGIN_MS = 60_000;
const LONG_MS = 1e9;
const MOST_STEPS = 200;
const BUSY = { status: 200, text: JSON.stringify({ result: false, code: 'SERVER_BUSY', message: '' }) };
const DOWN = { status: 503, text: '' };

type Fields = Readonly<Record<string, unknown>>;

/** The whole till on a Tron network whose time only the test and its blocks advance. */
class ExpiryTill {
  readonly fixture: TronFixture;
  readonly test: TestTill;
  readonly payee = tronAddress(keyNamed('somebody who is paid'));

  private constructor(fixture: TronFixture, till: TestTill) {
    this.fixture = fixture;
    this.test = till;
  }

  static async open(open: OpenStorage, t: Pick<TestContext, 'after'>): Promise<ExpiryTill> {
    const fixture = await openFixture({ nodes: 2 });
    const options = {
      apiUrls: fixture.nodes.map(({ url }) => url),
      // The first node that answers is trusted; the other is used when it fails.
      quorum: 1,
      network: 'test',
      tokens: TOKENS,
      confirmations: CONFIRMATIONS,
      spendableConfirmations: SPENDABLE,
      expirationSeconds: EXPIRATION_SECONDS,
    };
    const settings = {
      plugins: [{ use: 'tron', options }],
      rates: { sources: [{ use: 'static' as const, prices: { USDT: '1', USDC: '1', TRX: '0.25' } }] },
    };
    const opened = await open();
    const test = await startTestTill(opened, { clock: fixture.clock, settings });
    t.after(async () => {
      await test.close();
      await Promise.all([opened.close(), fixture.stop()]);
    });
    const till = new ExpiryTill(fixture, test);
    await till.#earn();
    return till;
  }

  get hot(): string {
    return present(this.test.till.chains.get('TRX')?.payments, 'the paying side').hotAddress;
  }

  /** Gives a merchant 100 USDT to spend; the operator's own are in the hot wallet, so that no sweep is needed first. */
  async #earn(): Promise<void> {
    const { fixture, test } = this;
    const { id } = test.merchant.account;
    const now = test.clock.now();
    await test.till.storage.accounts.update(id, { verifiedCurrencies: ['*'], modifiedAt: now });
    await test.till.storage.transaction((tx) =>
      tx.wallets.saveWithdrawalAddress({
        accountId: id,
        chain: 'TRX',
        formerAddress: null,
        address: this.payee,
        activeFrom: now,
        updatedAt: now,
      }),
    );
    const key = present(tronKey(this.hot), 'the hot wallet');
    fixture.network.mint(CONTRACTS.usdt, key, 1_000_000_000n);
    fixture.network.fund(key, 500_000_000n);
    const order = dataOf<Fields>(
      await test.merchant.client.post('/api/order/pay-info', {
        chain: 'TRX',
        currency: USDT,
        vs_currency: 'USD',
        vs_price: 100,
      }),
    );
    await fixture.pay(String(order['address']), 100_000_000n);
    // The operator's coins are booked once two checks, enough blocks apart, have seen them.
    for (let looks = 0; looks < 3; looks++) {
      fixture.network.produce(SPENDABLE + 2);
      await this.payOut();
    }
  }

  async withdraw(): Promise<TransferId> {
    const asked = dataOf<Fields>(
      await this.test.merchant.client.post('/api/withdraw', { amount: '40', chain: 'TRX', currency: USDT }),
    );
    await this.payOut();
    return String(asked['tx_id']) as TransferId;
  }

  /** Follows the chain to its head, and runs the payer until it is idle. */
  async payOut(): Promise<void> {
    await this.test.work();
    const { storage, payouts } = this.test.till;
    const lease: Lease = present(await storage.leases.acquire('payout:TRX', 'test', LONG_MS), 'the lease');
    const runner = present(payouts.get('TRX'), 'the payer');
    for (let steps = 0; steps < MOST_STEPS && (await runner.step(lease)) === 'advanced'; steps++);
  }

  async attempts(id: TransferId): Promise<readonly Attempt[]> {
    return present(await this.test.till.storage.transfers.payoutOf(id), `the payout of ${id}`).attempts;
  }

  /** Asserts that no second transaction was signed. */
  async assertOnce(id: TransferId, why: string): Promise<void> {
    await this.payOut();
    assert.equal((await this.attempts(id)).length, 1, why);
  }

  /** Mines until it is final, and asserts that this transaction paid the receiver once and that the ledger balances. */
  async assertPaid(id: TransferId, { txid }: Attempt): Promise<void> {
    const { network } = this.fixture;
    for (let block = 0; block < SPENDABLE + 2; block++) {
      network.produce(1);
      await this.payOut();
    }
    const { data } = dataOf<{ data: Fields[] }>(await this.test.merchant.client.get('/api/v2/tx?page=1&size=100'));
    const row = present(
      data.find(({ tx_id }) => tx_id === id),
      `transaction ${id}`,
    );
    assert.deepEqual([row['status'], row['tx_hash']], ['SUCCESS', txid]);
    const paidTo = present(tronKey(this.payee), 'the payee');
    assert.equal(
      network.tokens(CONTRACTS.usdt, paidTo),
      present(parseUnits(String(row['obtained']), DECIMALS), 'what was obtained'),
    );
    const payments = network.blocks.flatMap(({ mined }) =>
      mined.filter(({ logs }) => logs.some(({ topics }) => topics[2] === paidTo.padStart(64, '0'))),
    );
    assert.deepEqual(
      payments.map((mined) => mined.txid),
      [txid],
    );
    const { storage } = this.test.till;
    assert.equal(await storage.transfers.payoutStop('TRX'), null);
    assert.deepEqual(await checkLedger(storage), []);
  }
}

eachStorage((engine, open) => {
  describe(`payments on Tron that run out, on ${engine}`, () => {
    for (const what of ['that no node takes', 'that every node forgets'] as const) {
      test(`fault 42: a withdrawal ${what} is signed again only when the solidified head is past its expiry, and is paid once`, async (t) => {
        const till = await ExpiryTill.open(open, t);
        const { network, nodes, clock } = till.fixture;
        if (what === 'that no node takes')
          for (const node of nodes) node.intercept = (path) => (path === '/wallet/broadcasthex' ? BUSY : null);
        const id = await till.withdraw();
        const [first] = (await till.attempts(id)) as [Attempt];
        const expiresAt = present(first.expiresAt, 'an expiry');
        for (; network.head.header.timestamp < expiresAt; network.produce(10)) {
          network.forget(first.txid);
          await till.assertOnce(id, 'it can still be mined');
          network.forget(first.txid);
        }
        clock.advance(MARGIN_MS);
        await till.assertOnce(id, 'only the clock is past the expiry');
        network.forget(first.txid);
        network.produce(1);
        assert.ok(network.head.header.timestamp > expiresAt + MARGIN_MS && network.solid.header.timestamp < expiresAt);
        await till.assertOnce(id, 'a head that is not solidified may be replaced by one that has the payment');
        while (network.solid.header.timestamp <= expiresAt + MARGIN_MS) network.produce(1);
        for (const node of nodes) node.intercept = () => null;
        await till.payOut();
        const [, second, ...more] = await till.attempts(id);
        assert.ok(
          second !== undefined &&
            more.length === 0 &&
            second.txid !== first.txid &&
            (second.expiresAt ?? 0) > clock.now(),
        );
        network.forget(first.txid);
        assert.throws(
          () => network.submit(first.raw),
          (error) => error instanceof Refusal && error.code === 'TRANSACTION_EXPIRATION_ERROR',
        );
        await till.assertPaid(id, second);
      });
    }

    test('fault 42: a withdrawal that was mined while one node denies it, and another is silent, is not signed again however much time passes', async (t) => {
      const till = await ExpiryTill.open(open, t);
      const { network, nodes, clock } = till.fixture;
      const [denying, silent] = nodes as [(typeof nodes)[number], (typeof nodes)[number]];
      const id = await till.withdraw();
      const [first] = (await till.attempts(id)) as [Attempt];
      denying.hidden.add(first.txid);
      silent.intercept = () => DOWN;
      network.produce(1);
      clock.advance(present(first.expiresAt, 'an expiry') + MARGIN_MS - clock.now());
      network.produce(30);
      await till.assertOnce(id, 'what one node does not say is not known');
      silent.intercept = () => null;
      network.produce(1);
      await till.assertOnce(id, 'the other node has it in a block');
      denying.hidden.clear();
      await till.assertPaid(id, first);
    });
  });
});
