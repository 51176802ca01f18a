import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { OPERATOR, present, TillgateError } from '../../../core/index.ts';
import type { AccountId, Actor, OrderId } from '../../../core/index.ts';
import { nameKey } from '../../../core/orders/brand-texts.ts';
import { noBranding } from '../../../core/orders/branding.ts';
import { buildClaims, PAYEE_ADDRESS } from '../../support/claims.ts';
import type { ClaimsDomain, ClaimsOptions } from '../../support/claims.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';
import { refusal } from '../../support/refusal.ts';

const ETHER = 10n ** 18n;
const CENT = 10n ** 16n;

eachStorage((engine, open) => {
  const claims = testsOf<ClaimsDomain, ClaimsOptions>(open, buildClaims);
  /** A till whose merchant has one ether. */
  const funded = (name: string, body: (till: ClaimsDomain) => Promise<void>, options?: ClaimsOptions): void =>
    claims(
      name,
      async (till) => {
        await till.fund('ETH', '2000');
        await body(till);
        await till.checkBooks();
      },
      options,
    );
  const credential = ({ shop }: ClaimsDomain): Actor => ({ ...shop, program: { credentialId: null, via: 'api-key' } });
  const actions = async (till: ClaimsDomain): Promise<readonly string[]> =>
    (await till.storage.audit.list(till.principal.accountId, { before: null, limit: 20 })).map(({ action }) => action);

  describe(`what a pull payment must be, on ${engine}`, () => {
    funded('each field has its bounds', async (till) => {
      const refused: readonly (readonly [input: Parameters<ClaimsDomain['promise']>[0], message: RegExp])[] = [
        [{ amount: '0' }, /amount: must be more than 0/],
        [{ amount: '0.0000000000000000001' }, /amount: must have at most 18 decimals in ETH/],
        [{ expiresAt: till.clock.now() }, /expiresAt: must be in the future/],
        [{ reference: 'a\nb' }, /reference: /],
        [{ metadata: { 'a\nb': 'c' } }, /metadata: /],
        [{ name: '' }, /name: must be 1 to 100 characters/],
        [{ name: ' ' }, /name: must be 1 to 100 characters/],
        [{ name: 'x'.repeat(101) }, /name: must be 1 to 100 characters/],
        [{ name: 'a\nb' }, /name: must be 1 to 100 characters/],
        [{ name: '\u202eesrever' }, /name: /],
        [{ currency: 'EUR', coins: [] }, /coins: must not be empty/],
      ];
      for (const [input, message] of refused)
        await assert.rejects(till.promise(input), refusal('INVALID_FIELDS', message), JSON.stringify(input));
      const pull = await till.promise({
        name: 'x'.repeat(100),
        expiresAt: till.clock.now() + 1,
        amount: '0.000000000000000001',
      });
      assert.deepEqual([pull.amount, pull.asideUnits, pull.coins], [1n, 1n, null]);
      assert.equal(await till.aside(), 1n);
    });

    funded('a coin must be one that this till pays', async (till) => {
      await assert.rejects(till.promise({ currency: 'DOGE' }), refusal('UNSUPPORTED', /neither a coin nor a fiat/));
      for (const coin of ['BTC-LN', 'LTC']) {
        await assert.rejects(till.promise({ currency: coin }), refusal('UNSUPPORTED'), coin);
        await assert.rejects(
          till.promise({ currency: 'EUR', coins: [coin] }),
          refusal('UNSUPPORTED', /cannot be claimed/),
        );
      }
      till.btc.payments = null;
      await assert.rejects(till.promise({ currency: 'BTC' }), refusal('NOT_READY', /watch-only/));
      const pull = await till.promise({ currency: 'EUR', coins: ['ETH', 'USDT-ERC20', 'ETH'] });
      assert.deepEqual(pull.coins, ['ETH', 'USDT-ERC20']);
      const { coins } = await till.claims.page(pull.token);
      assert.deepEqual(
        coins.map(({ asset }) => asset.currency),
        ['ETH', 'USDT-ERC20'],
      );
    });

    funded('a refund is of an order of its own account, in its coin', async (till) => {
      const order = await till.fund('ETH', '1000');
      const of = (orderId: OrderId) => ({ orderId, amount: '0.1' });
      await assert.rejects(till.promise(of('1' as OrderId)), refusal('NOT_FOUND', /no such order/));
      await assert.rejects(till.promise(of('no id' as OrderId)), refusal('NOT_FOUND', /no such order/));
      await till.storage.accounts.update(till.principal.accountId, { verifiedCurrencies: [], modifiedAt: 0 });
      // An order is refunded without the verification that payouts need.
      const pull = await till.promise(of(order.id));
      assert.equal(pull.orderId, order.id);
      await assert.rejects(
        till.promise({ ...of(order.id), currency: 'BTC' }),
        refusal('INVALID_FIELDS', /the coin in which/),
      );
      const unpaid = await till.newOrder({ chain: 'ETH', currency: 'ETH' });
      await assert.rejects(
        till.promise(of(unpaid.id)),
        refusal('STATE_CONFLICT', /PENDING; there is nothing to refund/),
      );
      const { claim, transfer } = await till.claim(pull);
      assert.equal(transfer, null);
      await till.manage.approve(till.shop, claim.id);
      // Of an account without verification it is held for a person, as a refund to an address that it chose is.
      const paying = await till.paying(claim);
      assert.deepEqual([paying.kind, paying.status], ['refund', 'HELD']);
    });

    funded('the account must be active, and is told so', async (till) => {
      const { storage, principal, clock } = till;
      await storage.accounts.update(principal.accountId, { status: 'disabled', modifiedAt: clock.now() });
      await assert.rejects(till.promise(), refusal('STATE_CONFLICT', /is disabled/));
      await storage.accounts.update(principal.accountId, { status: 'active', modifiedAt: clock.now() });
      const reason = 'Look.';
      await storage.transaction((tx) =>
        tx.transfers.freeze({ accountId: principal.accountId, reason, at: clock.now() }),
      );
      await assert.rejects(till.promise(), refusal('STATE_CONFLICT', /Look/));
      assert.equal(await till.aside(), 0n);
    });

    funded('another account’s brand is no heading, one’s own is', async (till) => {
      const { storage, principal } = till;
      const brand = async (accountId: AccountId, name: string): Promise<void> =>
        storage.transaction(async (tx) => {
          const saved = await tx.branding.save({ ...noBranding(accountId), name }, nameKey(name), null);
          assert.ok(saved, name);
        });
      await brand(present(till.admin.accountId, 'admin'), 'Other Shop');
      await brand(principal.accountId, 'Own Shop');
      await assert.rejects(till.promise({ name: 'other shop' }), refusal('INVALID_FIELDS', /another merchant/));
      assert.equal((await till.promise({ name: 'Own Shop' })).name, 'Own Shop');
    });

    funded(
      'a credential needs a code where the account demands one; a person and the operator do not',
      async (till) => {
        const { storage, principal } = till;
        const { accountId } = principal;
        const demanded = { accountId, totp: null, totpForWithdrawals: { on: true, offAt: null } };
        await storage.transaction((tx) => tx.manage.saveSecurity(demanded));
        await assert.rejects(till.promise({}, credential(till)), refusal('VERIFY_CODE_INVALID'));
        assert.equal((await till.promise({})).requestedBy, till.shop.accountId);
        const made = await till.promise({ accountId: principal.accountId, amount: '0.1' }, OPERATOR);
        assert.equal(made.requestedBy, null);
      },
    );

    funded('what is done is in the audit log', async (till) => {
      const pull = await till.promise();
      const { claim } = await till.claim(pull, { amount: '0.1' });
      await till.manage.reject(till.shop, claim.id, 'No.');
      const second = await till.claim(pull, { amount: '0.1' });
      await till.manage.approve(till.shop, second.claim.id);
      await till.manage.archive(till.shop, pull.id);
      assert.deepEqual(await actions(till), [
        'pull_payment.archive',
        'claim.approve',
        'claim.reject',
        'pull_payment.create',
      ]);
    });
  });

  describe(`the claim page on ${engine}`, () => {
    funded(
      'shows what each coin is worth now, its least amount and its fee',
      async (till) => {
        const pull = await till.promise({ currency: 'EUR', amount: '100' });
        const page = await till.claims.page(pull.token);
        assert.deepEqual([page.state, page.left, page.claims], ['active', 10_000n, []]);
        // 100 EUR at 1.1 USD, of ether at 2,000 USD and of a coin at 1 USD, without the spread.
        const shown = page.coins.map(({ asset, chainName, units, least }) => [asset.currency, chainName, units, least]);
        assert.deepEqual(shown.slice(0, 2), [
          ['ETH', 'Ethereum', 55_000_000_000_000_000n, CENT],
          ['USDT-ERC20', 'Ethereum', 110_000_000n, 0n],
        ]);
        const [ether] = page.coins;
        assert(ether !== undefined);
        // The payment, and the consolidation of the coins that it spends.
        assert.equal(await till.claims.feeOf(pull.token, ether), 2_000n);
        assert.equal(await till.claims.feeOf(pull.token, { ...ether, units: 0n }), null);
        assert.equal(await till.claims.feeOf(pull.token, { ...ether, units: null }), null);
        assert.equal(await till.claims.feeOf(pull.token, { ...ether, asset: { ...ether.asset, chain: 'DOGE' } }), null);
        await assert.rejects(till.claims.feeOf('0'.repeat(32), ether), refusal('NOT_FOUND'));
        till.eth.failure = new TillgateError('NODE_FAILED', 'The node is down.');
        till.ethPayments.fee = 10n ** 30n;
        assert.equal(await till.claims.feeOf(pull.token, ether), null);
      },
      { orders: { spreadBps: 250 }, withdrawals: { min: new Map([['ETH', '0.01']]) } },
    );

    funded('lists its claims, and knows no page by another token', async (till) => {
      const pull = await till.promise();
      const first = await till.claim(pull, { amount: '0.1' });
      const second = await till.claim(pull, { amount: '0.2' });
      const page = await till.claims.page(pull.token);
      assert.deepEqual(
        page.claims.map(({ claim }) => claim.id),
        [second.claim.id, first.claim.id],
      );
      assert.deepEqual([page.left, page.coins[0]?.units], [2n * 10n ** 17n, 2n * 10n ** 17n]);
      await assert.rejects(till.claims.page('0'.repeat(32)), refusal('NOT_FOUND'));
    });

    funded('has no worth for a coin without a price', async (till) => {
      const pull = await till.promise({ currency: 'EUR', amount: '100', coins: ['ETH'] });
      till.rates.prices.delete('ETH');
      till.clock.advance(11 * 60_000);
      await till.rateBook.refresh();
      const { coins } = await till.claims.page(pull.token);
      assert.deepEqual(
        coins.map(({ units }) => units),
        [null],
      );
      await assert.rejects(till.claim(pull), refusal('NOT_READY', /no usable price of ETH/));
    });

    funded(
      'a refund has no least amount, and can be claimed without the account’s verification',
      async (till) => {
        const order = await till.fund('ETH', '1000');
        const pull = await till.promise({ orderId: order.id, amount: '0.1' });
        await till.storage.accounts.update(till.principal.accountId, { verifiedCurrencies: [], modifiedAt: 0 });
        const { coins } = await till.claims.page(pull.token);
        assert.deepEqual(
          coins.map(({ asset, least }) => [asset.currency, least]),
          [['ETH', 0n]],
        );
        const { claim } = await till.claim(pull, { amount: '0.05' });
        assert.equal(claim.units, 5n * CENT);
      },
      { withdrawals: { min: new Map([['ETH', '0.2']]) } },
    );

    funded('pays nothing on a chain that only watches', async (till) => {
      const pull = await till.promise({ currency: 'EUR', amount: '100' });
      const one = await till.promise({ amount: '0.1' });
      till.eth.payments = null;
      const { coins } = await till.claims.page(pull.token);
      assert.deepEqual(
        coins.map(({ asset }) => asset.currency),
        ['BTC'],
      );
      await assert.rejects(till.claim(one), refusal('STATE_CONFLICT', /ask the sender/));
    });
  });

  describe(`claims on ${engine}`, () => {
    funded('keys have 8 to 64 plain characters', async (till) => {
      const pull = await till.promise();
      for (const key of ['short-7', 'x'.repeat(65), 'with a space', 'line\nbreak', 'ümlaut-key'])
        await assert.rejects(till.claim(pull, { key, amount: '0.01' }), refusal('INVALID_FIELDS', /key/), key);
      for (const key of ['eight_08', `${'x'.repeat(63)}-`]) await till.claim(pull, { key, amount: '0.01' });
      assert.equal((await till.pull(pull)).claimed, 2n * CENT);
    });

    funded('a repetition in words that mean the same is the same claim; another coin is not', async (till) => {
      const pull = await till.promise({ currency: 'EUR', amount: '100' });
      const asked = { key: 'same-claim', currency: 'ETH', amount: '10.00' };
      const { claim } = await till.claim(pull, asked);
      const again = await Promise.all([
        till.claim(pull, { ...asked, amount: '10' }),
        till.claims.claim(pull.token, { key: asked.key, address: PAYEE_ADDRESS }),
      ]);
      for (const each of again) assert.equal(each.claim.id, claim.id);
      await assert.rejects(till.claim(pull, { ...asked, currency: 'USDT-ERC20' }), refusal('IDEMPOTENCY_MISMATCH'));
      assert.equal((await till.pull(pull)).claimed, 1_000n);
    });

    funded('an amount below the smallest unit, or without the currency’s decimals, claims nothing', async (till) => {
      till.rates.prices.set('BTC', '100000000000');
      await till.rateBook.refresh();
      const pull = await till.promise({ currency: 'EUR', amount: '100', coins: ['BTC'] });
      const address = 'btc-payee';
      await assert.rejects(
        till.claim(pull, { amount: '0.01', address }),
        refusal('AMOUNT_OUT_OF_RANGE', /less than the smallest unit/),
      );
      await assert.rejects(
        till.claim(pull, { amount: '0.001', address }),
        refusal('INVALID_FIELDS', /at most 2 decimals in EUR/),
      );
    });

    funded('the payment says who asked for it, and is counted and queued', async (till) => {
      const byPerson = await till.claim(await till.promise({ amount: '0.1', autoApprove: true }));
      const made = await till.promise({ amount: '0.1' }, credential(till));
      const byProgram = await till.claim(made);
      await till.manage.approve(till.shop, byProgram.claim.id);
      assert.equal((await till.paying(byPerson.claim)).requestedBy, till.shop.accountId);
      assert.equal((await till.paying(byProgram.claim)).requestedBy ?? null, null);
      const labels = { chain: 'ETH', kind: 'payout', status: 'REQUESTED' };
      assert.equal(till.metrics.counted('tillgate_transfers_total', labels), 2);
      assert.equal(till.events.of('transfer.queued').filter(({ chain }) => chain === 'ETH').length, 2);
    });

    funded(
      'a held payment is counted and not queued',
      async (till) => {
        const { claim } = await till.claim(await till.promise({ autoApprove: true }));
        assert.equal((await till.paying(claim)).status, 'HELD');
        const labels = { chain: 'ETH', kind: 'payout', status: 'HELD' };
        assert.equal(till.metrics.counted('tillgate_transfers_total', labels), 1);
        assert.deepEqual(till.events.of('transfer.queued'), []);
        await till.manage.reject(till.admin, claim.id, 'No.');
        assert.equal(till.events.of('transfer.status').at(-1)?.to, 'FAILED');
      },
      { withdrawals: { approveAbove: new Map([['ETH', '0.1']]) } },
    );

    funded(
      'an address without a delay is paid at once by the account’s own approval',
      async (till) => {
        const { claim } = await till.claim(await till.promise());
        await till.manage.approve(till.shop, claim.id);
        assert.equal((await till.paying(claim)).notBefore ?? null, null);
        await till.settle();
        assert.equal((await till.paying(claim)).status, 'CONFIRMED');
      },
      { withdrawals: { addressHoldMs: 0 } },
    );

    funded('a disabled account’s claim is approved by nobody', async (till) => {
      const { storage, principal, clock } = till;
      const { claim } = await till.claim(await till.promise());
      await storage.accounts.update(principal.accountId, { status: 'disabled', modifiedAt: clock.now() });
      await assert.rejects(till.manage.approve(till.admin, claim.id), refusal('STATE_CONFLICT', /is disabled/));
      assert.equal((await till.paid(claim)).claim.status, 'AWAITING_APPROVAL');
    });

    funded('a promise in a fiat currency that fails is not set aside in the coin of its claim', async (till) => {
      const pull = await till.promise({ currency: 'EUR', amount: '100', coins: ['ETH'], autoApprove: true });
      const { claim } = await till.claim(pull);
      const failed = await till.manage.reject(till.shop, claim.id, 'No.');
      assert.equal(failed.transfer?.status, 'FAILED');
      assert.deepEqual([await till.aside(), (await till.pull(pull)).claimed], [0n, 0n]);
      assert.equal(await till.balance('available', 'ETH'), ETHER);
    });

    funded('a failure sets aside what the balance has, and no more', async (till) => {
      const pull = await till.promise({ amount: '0.5', autoApprove: true });
      const { claim } = await till.claim(pull);
      const freeze = { accountId: till.principal.accountId, reason: 'Look.', at: till.clock.now() };
      await till.storage.transaction((tx) => tx.transfers.freeze(freeze));
      await till.manage.reject(till.shop, claim.id, 'No.');
      await till.storage.transaction((tx) => tx.transfers.unfreeze(till.principal.accountId));
      assert.equal(await till.aside(), 0n);
      // A claim that fails once more takes what the withdrawal has left.
      const again = await till.claim(pull);
      await till.withdraw('0.4');
      await till.manage.reject(till.shop, again.claim.id, 'No.');
      assert.equal(await till.aside(), 5n * 10n ** 17n);
      assert.equal((await till.pull(pull)).asideUnits, 5n * 10n ** 17n);
    });

    funded('expiry releases a promise once, and no other', async (till) => {
      const soon = await till.promise({ amount: '0.1', expiresAt: till.clock.now() + 10 });
      await till.promise({ amount: '0.2' });
      await till.promise({ amount: '0.3', expiresAt: till.clock.now() + 100 });
      till.clock.advance(10);
      const [first, second] = await Promise.all([till.expirePulls.run(), till.expirePulls.run()]);
      assert.ok(first + second >= 1);
      assert.equal(await till.aside(), 5n * 10n ** 17n);
      const stored = await till.pull(soon);
      assert.deepEqual([stored.asideUnits, stored.releasedAt, stored.archivedAt], [0n, till.clock.now(), null]);
      const archived = await till.promise({ amount: '0.1', expiresAt: till.clock.now() + 10 });
      await till.manage.archive(till.shop, archived.id);
      till.clock.advance(10);
      assert.equal(await till.expirePulls.run(), 0);
      assert.equal((await till.pull(archived)).releasedAt, null);
    });
  });
});
