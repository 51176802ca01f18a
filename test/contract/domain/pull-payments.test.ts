import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkLedger, claimState, isTillgateError, obtainedUnits, present } from '../../../core/index.ts';
import type { AccountId, Actor, PaidClaim, TillgateError } from '../../../core/index.ts';
import { setAside } from '../../../core/payouts/set-aside.ts';
import { buildClaims, decimal, HOLD_MS, PAYEE_ADDRESS } from '../../support/claims.ts';
import type { ClaimsDomain, ClaimsOptions } from '../../support/claims.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';
import { refusal } from '../../support/refusal.ts';

const ETHER = 10n ** 18n;
const HALF = ETHER / 2n;
const stateOf = (till: ClaimsDomain, paid: PaidClaim): string => claimState(paid, till.clock.now());
const available = (till: ClaimsDomain): Promise<bigint> => till.balance('available', 'ETH');

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

  describe(`pull payments on ${engine}`, () => {
    funded('a promise in a coin is set aside, and more than there is cannot be promised', async (till) => {
      const pull = await till.promise({ amount: '0.7' });
      assert.deepEqual([await available(till), await till.aside()], [(ETHER * 3n) / 10n, (ETHER * 7n) / 10n]);
      assert.equal(pull.requestedBy, till.shop.accountId);
      await assert.rejects(till.promise({ amount: '0.4' }), refusal('INSUFFICIENT_BALANCE'));
      await assert.rejects(till.withdraw('0.4'), refusal('INSUFFICIENT_BALANCE'));
      assert.equal(await till.aside(), (ETHER * 7n) / 10n);
    });

    funded('an approved claim is paid after the delay of an address, and not before', async (till) => {
      const pull = await till.promise();
      const asked = await till.claim(pull);
      assert.equal(stateOf(till, asked), 'awaiting_approval');
      await till.settle();
      assert.equal((await till.paid(asked.claim)).transfer, null);
      assert.equal(await till.aside(), HALF);
      const approved = await till.manage.approve(till.shop, asked.claim.id);
      assert.equal(stateOf(till, approved), 'waiting');
      assert.deepEqual([await till.aside(), await till.balance('reserved', 'ETH')], [0n, HALF]);
      await till.settle();
      assert.equal((await till.paying(asked.claim)).status, 'REQUESTED');
      till.clock.advance(HOLD_MS);
      await till.settle();
      const transfer = await till.paying(asked.claim);
      assert.deepEqual([transfer.status, transfer.kind], ['CONFIRMED', 'payout']);
      assert.deepEqual(till.ethPayments.paidTo(PAYEE_ADDRESS, 'ETH'), [obtainedUnits(transfer)]);
      assert.equal((await till.manage.find(till.shop, pull.id)).state, 'settled');
      assert.deepEqual([await available(till), await till.balance('reserved', 'ETH')], [HALF, 0n]);
    });

    funded('fault 480: a claim that nobody else has approved waits as a new address does', async (till) => {
      const pull = await till.promise({ autoApprove: true });
      const { claim } = await till.claim(pull);
      assert.equal((await till.paying(claim)).notBefore, till.clock.now() + HOLD_MS);
      await till.settle();
      assert.equal((await till.paying(claim)).status, 'REQUESTED');
      // The owner's own approval ends no delay.
      await assert.rejects(till.manage.approve(till.shop, claim.id), refusal('STATE_CONFLICT'));
      const released = await till.manage.approve(till.admin, claim.id);
      assert.equal(released.transfer?.notBefore ?? null, null);
      await till.settle();
      assert.equal((await till.paying(claim)).status, 'CONFIRMED');
    });

    funded('another person approves a claim, which is paid at once', async (till) => {
      const { claim } = await till.claim(await till.promise());
      await till.manage.approve(till.admin, claim.id);
      await till.settle();
      assert.equal((await till.paying(claim)).status, 'CONFIRMED');
    });

    funded(
      'with two approvals the first one leaves the delay',
      async (till) => {
        const { claim } = await till.claim(await till.promise());
        await till.manage.approve(till.admin, claim.id);
        assert.equal((await till.paying(claim)).notBefore, till.clock.now() + HOLD_MS);
        await assert.rejects(
          till.manage.approve(till.admin, claim.id),
          refusal('STATE_CONFLICT', /approved it already/),
        );
        const operator: Actor = { ...till.admin, accountId: null };
        await till.manage.approve(operator, claim.id);
        assert.equal((await till.paying(claim)).notBefore ?? null, null);
      },
      { withdrawals: { approvals: 2 } },
    );

    funded('fault 481: an admin promises nothing of another account, and does not learn a claim page', async (till) => {
      const { principal, admin } = till;
      await assert.rejects(till.promise({ accountId: principal.accountId }, admin), refusal('FORBIDDEN'));
      const pull = await till.promise();
      assert.match((await till.manage.reveal(till.shop, pull.id)).url ?? '', new RegExp(pull.token));
      await assert.rejects(till.manage.reveal(admin, pull.id), refusal('FORBIDDEN'));
      const key: Actor = { ...till.shop, program: { credentialId: null, via: 'api-key' } };
      for (const actor of [admin, key, till.shop]) {
        assert.equal((await till.manage.find(actor, pull.id)).url, null);
        const { items } = await till.manage.list(actor, { limit: 1, accountId: principal.accountId });
        assert.equal(items[0]?.url, null);
      }
    });

    funded('fault 481: who became an admin after the claim approves nothing', async (till) => {
      const { admin, storage } = till;
      const { claim } = await till.claim(await till.promise());
      const late = { ...admin, accountId: '7000000000000000002' as AccountId };
      const account = present(await storage.accounts.find(present(admin.accountId, 'id')), 'admin');
      till.clock.advance(1);
      const adminSince = till.clock.now();
      await storage.accounts.create({ ...account, id: late.accountId, email: 'late@example.com', adminSince });
      till.clock.advance(2 * HOLD_MS);
      await assert.rejects(till.manage.approve(late, claim.id), refusal('FORBIDDEN', /after this was asked for/));
      assert.equal((await till.paid(claim)).claim.status, 'AWAITING_APPROVAL');
    });

    funded('a rejected claim can be claimed again', async (till) => {
      const pull = await till.promise();
      const { claim } = await till.claim(pull);
      const rejected = await till.manage.reject(till.shop, claim.id, 'Wrong address.');
      assert.deepEqual([stateOf(till, rejected), rejected.claim.reason], ['rejected', 'Wrong address.']);
      assert.deepEqual([await till.aside(), (await till.pull(pull)).claimed], [HALF, 0n]);
      await assert.rejects(till.manage.approve(till.shop, claim.id), refusal('STATE_CONFLICT', /REJECTED/));
      const again = await till.claim(pull);
      assert.equal(again.claim.units, HALF);
      await assert.rejects(till.manage.reject(till.shop, claim.id, 'No.'), refusal('STATE_CONFLICT'));
    });

    funded('the account rejects an automatic claim while it waits, and not once it is paid', async (till) => {
      const pull = await till.promise({ autoApprove: true });
      const first = await till.claim(pull);
      const rejected = await till.manage.reject(till.shop, first.claim.id, 'Stolen.');
      assert.equal(stateOf(till, rejected), 'failed');
      assert.deepEqual([await till.aside(), await till.balance('reserved', 'ETH')], [HALF, 0n]);
      const second = await till.claim(pull);
      till.clock.advance(HOLD_MS);
      await assert.rejects(till.manage.reject(till.shop, second.claim.id, 'Late.'), refusal('STATE_CONFLICT'));
      await till.manage.reject(till.admin, second.claim.id, 'An admin may.');
      assert.equal(await till.aside(), HALF);
    });

    funded('fault 482: claims at the same time never get more than was promised', async (till) => {
      const pull = await till.promise({ amount: '0.5', autoApprove: true });
      const asked = await Promise.allSettled(Array.from({ length: 10 }, () => till.claim(pull, { amount: '0.5' })));
      assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const each of asked) if (each.status === 'rejected') refusal('STATE_CONFLICT', /All of it/)(each.reason);
      assert.deepEqual([await till.aside(), await till.balance('reserved', 'ETH')], [0n, HALF]);
    });

    test('fault 482: claims at the same time on two instances get the amount once', async (t) => {
      const store = await open(t);
      const till = await buildClaims(store.storage);
      await till.fund('ETH', '2000');
      const pull = await till.promise({ amount: '0.9', autoApprove: true });
      const instances = [till.claims, till.useCases(await store.another()).claims];
      const asked = await Promise.allSettled(
        Array.from({ length: 10 }, (_, at) =>
          present(instances[at % 2], 'instance').claim(pull.token, {
            address: PAYEE_ADDRESS,
            key: `concurrent-${at}`,
            amount: decimal('0.2'),
          }),
        ),
      );
      assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 4);
      assert.equal(await till.aside(), ETHER / 10n);
      await till.checkBooks();
    });

    funded('a repeated claim is the same one, and its key pays nothing else', async (till) => {
      const pull = await till.promise();
      const input = { key: 'the-same-key', amount: '0.2' };
      const copies = await Promise.all(Array.from({ length: 5 }, () => till.claim(pull, input)));
      assert.equal(new Set(copies.map(({ claim }) => claim.id)).size, 1);
      assert.equal((await till.pull(pull)).claimed, ETHER / 5n);
      await assert.rejects(till.claim(pull, { ...input, address: 'eth-thief' }), refusal('IDEMPOTENCY_MISMATCH'));
      await assert.rejects(till.claim(pull, { ...input, amount: '0.3' }), refusal('IDEMPOTENCY_MISMATCH'));
    });

    funded('fault 483: what a payee may not claim is refused, and takes nothing', async (till) => {
      const pull = await till.promise({ expiresAt: till.clock.now() + 1_000 });
      await assert.rejects(till.claim(pull, { amount: '0.6' }), refusal('AMOUNT_OUT_OF_RANGE', /At most 0\.5 ETH/));
      await assert.rejects(till.claim(pull, { amount: '0' }), refusal('INVALID_FIELDS'));
      await assert.rejects(till.claim(pull, { amount: '0.0000000000000000001' }), refusal('INVALID_FIELDS'));
      await assert.rejects(till.claim(pull, { amount: '0.000000000000000001' }), refusal('AMOUNT_OUT_OF_RANGE'));
      await assert.rejects(till.claim(pull, { address: 'nonsense' }), refusal('INVALID_FIELDS', /address/));
      await assert.rejects(
        till.claim(pull, { address: till.ethPayments.hotAddress }),
        refusal('DESTINATION_UNPAYABLE', /belongs to this till/),
      );
      const order = await till.newOrder({ chain: 'ETH', currency: 'ETH' });
      await assert.rejects(
        till.claim(pull, { address: present(order.payment, 'payment').address }),
        refusal('DESTINATION_UNPAYABLE', /belongs to this till/),
      );
      await assert.rejects(till.claim(pull, { currency: 'BTC' }), refusal('INVALID_FIELDS', /currency/));
      await assert.rejects(till.claim(pull, { key: 'x' }), refusal('INVALID_FIELDS', /key/));
      await assert.rejects(
        till.claims.claim('0'.repeat(32), { address: PAYEE_ADDRESS, key: 'some-key-1' }),
        refusal('NOT_FOUND'),
      );
      till.clock.advance(1_000);
      await assert.rejects(till.claim(pull), refusal('STATE_CONFLICT', /has passed/));
      const archived = await till.promise();
      await till.manage.archive(till.shop, archived.id);
      await assert.rejects(till.claim(archived), refusal('STATE_CONFLICT', /withdrawn/));
      assert.equal((await till.pull(pull)).claimed, 0n);
    });

    funded('nothing is claimed of a frozen or disabled account, and a payee is not told why', async (till) => {
      const { storage, principal, clock } = till;
      const pull = await till.promise();
      const { accountId } = principal;
      await storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'a secret', at: clock.now() }));
      await assert.rejects(till.claim(pull), (error: unknown) => {
        assert(isTillgateError(error, 'STATE_CONFLICT'));
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
      await storage.transaction((tx) => tx.transfers.unfreeze(accountId));
      await storage.accounts.update(accountId, { status: 'disabled', modifiedAt: clock.now() });
      await assert.rejects(till.claim(pull), refusal('STATE_CONFLICT', /ask the sender/));
      await storage.accounts.update(accountId, { status: 'active', verifiedCurrencies: [], modifiedAt: clock.now() });
      await assert.rejects(till.claim(pull), refusal('STATE_CONFLICT', /ask the sender/));
      await assert.rejects(till.promise({ amount: '0.1' }), refusal('VERIFICATION_REQUIRED'));
    });

    funded('a claim that waits is not signed once its account is frozen', async (till) => {
      const { storage, principal, clock } = till;
      const { claim } = await till.claim(await till.promise({ autoApprove: true }));
      const { accountId } = principal;
      await storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'Stolen.', at: clock.now() }));
      till.clock.advance(HOLD_MS);
      await till.settle();
      assert.equal((await till.paying(claim)).status, 'HELD');
      assert.equal(await till.aside(), 0n);
      const rejected = await till.manage.reject(till.admin, claim.id, 'Not paid.');
      assert.equal(rejected.transfer?.status, 'FAILED');
      assert.equal(await till.aside(), 0n, 'nothing is set aside of a frozen account');
    });

    funded(
      'a large claim is held, and its approval by another person pays it at once',
      async (till) => {
        const { claim } = await till.claim(await till.promise({ autoApprove: true }));
        assert.equal((await till.paying(claim)).status, 'HELD');
        await till.manage.approve(till.admin, claim.id);
        await till.settle();
        assert.equal((await till.paying(claim)).status, 'CONFIRMED');
      },
      { withdrawals: { approveAbove: new Map([['ETH', '0.1']]) } },
    );

    funded(
      'claims count for the limits of withdrawals',
      async (till) => {
        const pull = await till.promise({ amount: '0.6', autoApprove: true });
        const first = await till.claim(pull, { amount: '0.3' });
        const second = await till.claim(pull, { amount: '0.3' });
        assert.deepEqual(
          [(await till.paying(first.claim)).status, (await till.paying(second.claim)).status],
          ['REQUESTED', 'HELD'],
        );
        await assert.rejects(
          till.claim(await till.promise({ amount: '0.05' })),
          refusal('AMOUNT_OUT_OF_RANGE', /at least/),
        );
      },
      {
        withdrawals: {
          min: new Map([['ETH', '0.1']]),
          limits: [{ currency: 'ETH', windowMs: HOLD_MS, perAccount: '0.5' }],
        },
      },
    );

    funded('fault 484: archiving gives back what is left, and lets payments under way go on', async (till) => {
      const pull = await till.promise({ amount: '0.9' });
      const paying = await till.claim(pull, { amount: '0.2' });
      await till.manage.approve(till.admin, paying.claim.id);
      const waiting = await till.claim(pull, { amount: '0.3' });
      const archived = await till.manage.archive(till.shop, pull.id);
      assert.equal(archived.state, 'archived');
      assert.deepEqual([await till.aside(), await available(till)], [0n, (ETHER * 8n) / 10n]);
      assert.equal(stateOf(till, await till.paid(waiting.claim)), 'rejected');
      await assert.rejects(till.manage.approve(till.shop, waiting.claim.id), refusal('STATE_CONFLICT'));
      await till.manage.archive(till.shop, pull.id);
      await till.settle();
      assert.equal((await till.paying(paying.claim)).status, 'CONFIRMED');
      assert.equal(await available(till), (ETHER * 8n) / 10n);
    });

    funded('what is left is released after it has expired; a claim made in time can still be paid', async (till) => {
      const pull = await till.promise({ amount: '0.9', expiresAt: till.clock.now() + 1_000 });
      const { claim } = await till.claim(pull, { amount: '0.4' });
      assert.equal(await till.expirePulls.run(), 0);
      till.clock.advance(1_000);
      assert.equal((await till.manage.find(till.shop, pull.id)).state, 'expired');
      assert.equal(await till.expirePulls.run(), 1);
      assert.equal(await till.expirePulls.run(), 0);
      assert.deepEqual([await till.aside(), await available(till)], [(ETHER * 4n) / 10n, (ETHER * 6n) / 10n]);
      await till.manage.reject(till.shop, claim.id, 'No.');
      assert.deepEqual([await till.aside(), await available(till)], [0n, ETHER]);
    });

    funded('a payment that fails can be claimed again while the promise is open', async (till) => {
      const pull = await till.promise({ autoApprove: true });
      const { claim } = await till.claim(pull);
      await till.manage.approve(till.admin, claim.id);
      const failed = await till.manage.reject(till.admin, claim.id, 'No.');
      assert.equal(failed.transfer?.status, 'FAILED');
      assert.deepEqual([(await till.pull(pull)).claimed, await till.aside()], [0n, HALF]);
      const again = await till.claim(pull);
      await till.manage.archive(till.shop, pull.id);
      await till.manage.reject(till.admin, again.claim.id, 'No.');
      assert.deepEqual([await till.aside(), await available(till)], [0n, ETHER]);
    });

    funded('a failure that the balance does not cover any more is covered at the next claim', async (till) => {
      const pull = await till.promise({ amount: '0.9', autoApprove: true });
      const { claim } = await till.claim(pull);
      const { storage, principal, clock } = till;
      const { accountId } = principal;
      await storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'Stolen.', at: clock.now() }));
      await till.manage.reject(till.admin, claim.id, 'No.');
      await storage.transaction((tx) => tx.transfers.unfreeze(accountId));
      assert.deepEqual([await till.aside(), await available(till)], [0n, ETHER]);
      await till.withdraw('0.5');
      await assert.rejects(till.claim(pull), refusal('INSUFFICIENT_BALANCE'));
      const part = await till.claim(pull, { amount: '0.5' });
      assert.equal(part.claim.units, HALF);
      assert.equal((await till.pull(pull)).claimed, HALF);
    });

    funded(
      'a fiat promise is converted at the claim, rounded down and without the spread, and set aside then',
      async (till) => {
        const before = await available(till);
        const pull = await till.promise({ currency: 'EUR', amount: '100', coins: ['ETH'] });
        assert.equal(await till.aside(), 0n);
        const { claim } = await till.claim(pull, { amount: '50.01' });
        // 50.01 EUR at 1.1 USD, of ether at 2000 USD.
        assert.deepEqual(
          [claim.amount, claim.units, claim.rate?.coin.usd, claim.rate?.spreadBps],
          [5001n, 27_505_500_000_000_000n, '2000', undefined],
        );
        assert.equal(await till.aside(), claim.units);
        await till.manage.reject(till.shop, claim.id, 'No.');
        assert.deepEqual([await till.aside(), await available(till)], [0n, before]);
        const rich = await till.promise({ currency: 'USD', amount: '5000' });
        await assert.rejects(till.claim(rich, { currency: 'ETH' }), refusal('INSUFFICIENT_BALANCE'));
        await assert.rejects(till.claim(rich), refusal('INVALID_FIELDS', /currency/));
        const page = await till.claims.page(rich.token);
        assert.deepEqual(
          page.coins.map(({ asset }) => asset.currency),
          ['ETH', 'USDT-ERC20', 'BTC'],
        );
      },
      { orders: { spreadBps: 250 } },
    );

    funded('fault 485: refunds and promises of an order never exceed what it received', async (till) => {
      const order = await till.fund('ETH', '1000');
      const own = { orderId: order.id, currency: 'ETH' };
      await assert.rejects(till.promise({ ...own, amount: '0.6' }), refusal('STATE_CONFLICT', /more than/));
      const pull = await till.promise({ ...own, amount: '0.3', autoApprove: true });
      await assert.rejects(till.promise({ ...own, amount: '0.3' }), refusal('STATE_CONFLICT', /more than/));
      const rest = await till.promise({ ...own, amount: '0.2', autoApprove: true });
      const first = await till.claim(pull);
      assert.equal((await till.paying(first.claim)).kind, 'refund');
      await assert.rejects(till.promise({ ...own, amount: '0.1' }), refusal('STATE_CONFLICT', /more than/));
      const second = await till.claim(rest);
      await till.manage.approve(till.admin, first.claim.id);
      await till.settle();
      assert.equal((await till.order(order.id)).status, 'SUCCESS', 'a part of it is refunded');
      await till.manage.approve(till.admin, second.claim.id);
      await till.settle();
      assert.equal((await till.paying(second.claim)).status, 'CONFIRMED');
      assert.equal((await till.order(order.id)).status, 'REFUNDED');
      assert.equal(till.ethPayments.paidTo(PAYEE_ADDRESS, 'ETH').length, 2);
    });

    funded('a refund beside a promise takes the rest, and the last of them ends the order', async (till) => {
      for (const last of ['claim', 'refund'] as const) {
        const order = await till.fund('ETH', '1000');
        const pull = await till.promise({ orderId: order.id, currency: 'ETH', amount: '0.3', autoApprove: true });
        const { amount } = await till.refund.run(till.principal, order.id);
        assert.equal(amount, '0.2', 'what is promised is left out');
        await assert.rejects(till.refund.run(till.principal, order.id), refusal('STATE_CONFLICT'));
        if (last === 'claim') await till.settle();
        const { claim } = await till.claim(pull);
        await till.manage.approve(till.admin, claim.id);
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
        await till.settle();
        assert.equal((await till.paying(claim)).status, 'CONFIRMED');
        assert.equal((await till.order(order.id)).status, 'REFUNDED');
      }
    });

    funded('a refund beside a promise that nobody claims leaves the order as it is', async (till) => {
      const order = await till.fund('ETH', '1000');
      const pull = await till.promise({ orderId: order.id, currency: 'ETH', amount: '0.3' });
      await till.refund.run(till.principal, order.id);
      await till.settle();
      await till.manage.archive(till.shop, pull.id);
      assert.equal((await till.order(order.id)).status, 'SUCCESS');
      await till.refund.run(till.principal, order.id);
      await till.settle();
      assert.equal((await till.order(order.id)).status, 'REFUNDED');
    });

    funded('an order whose promise ends can be refunded again', async (till) => {
      const order = await till.fund('ETH', '1000');
      const pull = await till.promise({ orderId: order.id, amount: '0.5' });
      assert.equal((await till.queries.detail(till.principal.accountId, order.id)).refund, false);
      await till.manage.archive(till.shop, pull.id);
      assert.equal((await till.queries.detail(till.principal.accountId, order.id)).refund, true);
      await till.refund.run(till.principal, order.id);
      await till.settle();
      assert.equal((await till.order(order.id)).status, 'REFUNDED');
    });

    funded('a credential that promises without an approval needs a code', async (till) => {
      const key: Actor = { ...till.shop, program: { credentialId: null, via: 'api-key' } };
      await assert.rejects(till.promise({ autoApprove: true }, key), refusal('VERIFY_CODE_INVALID'));
      const pull = await till.promise({}, key);
      assert.equal(pull.requestedBy, null);
      const { claim } = await till.claim(pull);
      await assert.rejects(till.manage.approve(key, claim.id), refusal('VERIFY_CODE_INVALID'));
    });

    funded('a repeated request with its key makes one promise', async (till) => {
      const claim = { route: '/pull', key: 'k', bodyHash: 'h', expiresAt: till.clock.now() + HOLD_MS };
      const made = { name: 'Prize', currency: 'ETH', amount: decimal('0.4') };
      const copies = await Promise.all([1, 2, 3].map(() => till.manage.create(till.shop, made, claim)));
      assert.equal(new Set(copies.map(({ pull }) => pull.id)).size, 1);
      assert.equal(await till.aside(), (ETHER * 4n) / 10n);
      await assert.rejects(
        till.manage.create(till.shop, made, { ...claim, bodyHash: 'other' }),
        refusal('IDEMPOTENCY_MISMATCH'),
      );
    });

    test('the check of the ledger finds what is set aside for nothing', async (t) => {
      const till = await buildClaims((await open(t)).storage);
      await till.fund('ETH', '2000');
      await till.promise();
      const { accountId } = till.principal;
      const aside = { accountId, currency: 'ETH', units: 5n, reference: 'for nothing' };
      const context = { ids: till.ids, now: till.clock.now() };
      await till.storage.transaction((tx) => setAside(tx, aside, context, () => new Error('lacking') as TillgateError));
      const [breach] = await checkLedger(till.storage);
      assert.match(breach?.detail ?? '', /:claims in ETH is 5 units above/);
    });

    funded('other accounts see and decide nothing', async (till) => {
      const pull = await till.promise();
      const { claim } = await till.claim(pull);
      const stranger: Actor = { ...till.shop, accountId: '7000000000000000009' as AccountId };
      await assert.rejects(till.manage.find(stranger, pull.id), refusal('NOT_FOUND'));
      await assert.rejects(till.manage.archive(stranger, pull.id), refusal('NOT_FOUND'));
      await assert.rejects(till.manage.findClaim(stranger, claim.id), refusal('NOT_FOUND'));
      await assert.rejects(till.manage.approve(stranger, claim.id), refusal('NOT_FOUND'));
      await assert.rejects(till.manage.reject(stranger, claim.id, 'x'), refusal('NOT_FOUND'));
      assert.deepEqual((await till.manage.list(stranger, { limit: 10 })).items, []);
      assert.equal((await till.manage.list(till.shop, { limit: 10 })).items.length, 1);
      const listed = await till.manage.claims(till.shop, { limit: 10, pullPaymentId: pull.id });
      assert.deepEqual(
        listed.items.map(({ claim: { id } }) => id),
        [claim.id],
      );
    });
  });
});
