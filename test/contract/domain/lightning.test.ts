import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  approveTransfer,
  custodyAccount,
  decodeBase32,
  isTillgateError,
  LIGHTNING_ASSET,
  totpCode,
  totpStep,
} from '../../../core/index.ts';
import type { ErrorCode } from '../../../core/index.ts';
import { CryptoDigest } from '../../../adapters/crypto/index.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const refusal =
  (code: ErrorCode, message = /./) =>
  (error: unknown) =>
    isTillgateError(error, code) && message.test(error.message);
const DAY = 86_400_000;

async function custodyOf({ storage }: LightningDomain): Promise<bigint> {
  const found = await storage.ledger.balances(custodyAccount(LIGHTNING_ASSET.chain));
  return found.find(({ currency }) => currency === LIGHTNING_ASSET.currency)?.units ?? 0n;
}

eachStorage((engine, open) => {
  const lightning = testsOf(open, buildLightning);
  const addressOf = ({ payment }: { readonly payment: { readonly address: string } | null }): string =>
    payment?.address ?? assert.fail('no payment');

  describe(`lightning orders on ${engine}`, () => {
    lightning(
      'an order has an invoice of its own that expires with it; settled, it is paid and spendable at once',
      async (till) => {
        const order = await till.invoiceOrder('10');
        assert.deepEqual(
          [order.type, order.payment?.chain, order.payment?.currency, order.enablePostCallback],
          ['INVOICE', 'BLN', 'BTC-LN', false],
        );
        assert.equal(order.payment?.units, 20_000_000n);
        const { expiresAt } = await till.node.decode(addressOf(order));
        assert.equal(expiresAt, order.expiresAt);
        till.node.settleForeign();
        till.node.settle(addressOf(order));
        await till.followInvoices();
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
        assert.equal(await till.balance('available', 'BTC-LN'), 20_000_000n);
        const [row] = (await till.queries.transactions(till.principal.accountId, { page: 1, size: 10 })).items;
        assert.deepEqual([row?.tx_type, row?.status, row?.amount], ['INVOICE', 'SUCCESS', '0.0002']);
        await till.followInvoices();
        assert.equal(await till.balance('available', 'BTC-LN'), 20_000_000n);
      },
    );

    lightning(
      'fault 61: accepted is not paid, and a hold that is cancelled leaves the order to its time-out',
      async (till) => {
        const order = await till.invoiceOrder();
        till.node.setState(addressOf(order), 'accepted');
        await till.followInvoices();
        assert.equal((await till.order(order.id)).received, 0n);
        till.node.setState(addressOf(order), 'cancelled');
        till.clock.advance(31 * 60_000);
        await till.followInvoices();
        await till.expire();
        assert.equal((await till.order(order.id)).status, 'OVERDUE');
        assert.equal(await till.balance('available', 'BTC-LN'), 0n);
      },
    );

    lightning('fault 61: an invoice settled after the deadline is RESOLVED, never lost', async (till) => {
      const order = await till.invoiceOrder();
      till.clock.advance(31 * 60_000);
      await till.followInvoices();
      await till.expire();
      assert.equal((await till.order(order.id)).status, 'OVERDUE');
      till.node.settle(addressOf(order));
      await till.followInvoices();
      assert.equal((await till.order(order.id)).status, 'RESOLVED');
      assert.equal(await till.balance('available', 'BTC-LN'), 20_000_000n);
    });

    lightning(
      'a stream that is cut makes nobody late: each due invoice is asked for before its order may expire',
      async (till) => {
        const [paid, open] = [await till.invoiceOrder(), await till.invoiceOrder()];
        till.node.cut = true;
        till.node.settle(addressOf(paid));
        await till.followInvoices();
        assert.equal((await till.order(paid.id)).status, 'PENDING');
        till.clock.advance(31 * 60_000);
        // The node is unreachable just now: nothing expires before it has answered.
        till.node.lost.set('invoice', 'before');
        await assert.rejects(till.followInvoices(), refusal('NODE_FAILED'));
        await till.expire();
        assert.equal((await till.order(open.id)).status, 'PENDING');
        till.node.lost.clear();
        await till.followInvoices();
        await till.expire();
        assert.deepEqual(
          [(await till.order(paid.id)).status, (await till.order(open.id)).status],
          ['SUCCESS', 'OVERDUE'],
        );
        till.node.cut = false;
        await till.followInvoices();
        assert.equal(await till.balance('available', 'BTC-LN'), 20_000_000n);
      },
    );

    lightning('more due orders than one look asks for all expire', async (till) => {
      const orders = [];
      for (let at = 0; at < 101; at++) orders.push(await till.invoiceOrder());
      till.clock.advance(31 * 60_000);
      await till.followInvoices();
      while ((await till.expire()) > 0);
      for (const { id } of orders) assert.equal((await till.order(id)).status, 'OVERDUE');
    });

    lightning('what arrives counts, be it more or less than asked', async (till) => {
      const [more, less] = [await till.invoiceOrder(), await till.invoiceOrder()];
      till.node.settle(addressOf(more), 25_000_000n);
      till.node.settle(addressOf(less), 5_000_000n);
      await till.followInvoices();
      assert.deepEqual(
        [(await till.order(more.id)).status, (await till.order(less.id)).status],
        ['SUCCESS', 'PENDING'],
      );
      assert.equal(await till.balance('available', 'BTC-LN'), 30_000_000n);
    });

    lightning(
      'a hosted order finds the same invoice again, and its Bitcoin page offers one beside the address',
      async (till) => {
        const order = await till.createOrder.hosted(till.principal, {
          vsCurrency: 'USD',
          vsPrice: { digits: 10n, scale: 0 },
        });
        const bitcoin = await till.choosePayment.choose(order.checkoutToken, 'BTC', 'BTC');
        const { paymentUri } = await till.queries.checkout(order.checkoutToken);
        assert.match(paymentUri, /[?&]lightning=lntest:/);
        const coin = await till.choosePayment.choose(order.checkoutToken, 'BLN', 'BTC-LN');
        assert.ok(paymentUri.endsWith(addressOf(coin)));
        assert.equal((await till.queries.checkout(order.checkoutToken)).paymentUri, `lightning:${addressOf(coin)}`);
        const back = await till.choosePayment.choose(order.checkoutToken, 'BTC', 'BTC');
        assert.equal(addressOf(back), addressOf(bitcoin));
        assert.equal(addressOf(await till.choosePayment.choose(order.checkoutToken, 'BLN', 'BTC-LN')), addressOf(coin));
        await till.choosePayment.choose(order.checkoutToken, 'BTC', 'BTC');
        till.node.settle(addressOf(coin));
        await till.followInvoices();
        const paid = await till.order(order.id);
        assert.deepEqual([paid.status, paid.payment?.chain], ['SUCCESS', 'BLN']);
      },
    );

    lightning(
      'a Bitcoin address is given out though the Lightning node is away; a Lightning order is refused with 50200',
      async (till) => {
        const order = await till.createOrder.hosted(till.principal, {
          vsCurrency: 'USD',
          vsPrice: { digits: 10n, scale: 0 },
        });
        till.node.lost.set('createInvoice', 'before');
        assert.equal((await till.choosePayment.choose(order.checkoutToken, 'BTC', 'BTC')).payment?.chain, 'BTC');
        await assert.rejects(till.choosePayment.choose(order.checkoutToken, 'BLN', 'BTC-LN'), refusal('NODE_FAILED'));
        await assert.rejects(till.invoiceOrder(), refusal('NODE_FAILED'));
      },
    );

    lightning('another node than before is refused: it knows nothing of what the first one owes', async (till) => {
      till.node.identity = 'lightning:regtest/03other';
      const work = till.newWork();
      await assert.rejects(work.follower.start(), refusal('CHAIN_HALTED', /02fake/));
      await assert.rejects(work.payer.step(await till.workLease('payout')), refusal('CHAIN_HALTED'));
    });
  });

  describe(`lightning withdrawals on ${engine}`, () => {
    lightning(
      'fault 58: amount and the most for routing are reserved, the limit is passed, what is left comes back',
      async (till) => {
        await till.fund('1000');
        const before = await till.balance('available', 'BTC-LN');
        till.node.route = { kind: 'settled', feeMsat: 1_001n };
        const { paymentHash, text } = till.foreignInvoice(100_000_000n);
        const asked = await till.withdraw(text);
        assert.deepEqual(
          [asked.status, asked.obtained, asked.fee, asked.to_addr],
          ['PENDING', '0.001', '0.00001', text],
        );
        assert.equal(await till.balance('reserved', 'BTC-LN'), 101_000_000n);
        await till.payInvoices();
        assert.deepEqual(till.node.sent, [{ paymentHash, msat: null, maxFeeMsat: 1_000_000n }]);
        const transfer = await till.transfer(asked.tx_id);
        assert.deepEqual([transfer.status, transfer.units, transfer.feeUnits], ['CONFIRMED', 100_001_001n, 1_001n]);
        assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
        assert.equal(await till.balance('available', 'BTC-LN'), before - 100_001_001n);
        const [row] = (await till.queries.transactions(till.principal.accountId, { page: 1, size: 1 })).items;
        assert.deepEqual(
          [row?.tx_type, row?.status, row?.obtained, row?.fee, row?.tx_hash],
          ['WITHDRAW', 'SUCCESS', '0.001', '0.00000001001', paymentHash],
        );
      },
    );

    for (const what of ['frozen', 'disabled'] as const) {
      lightning(
        `fault 84: a payment whose account is ${what} before it is signed is HELD, not given to the node`,
        async (till) => {
          await till.fund('10');
          const asked = await till.withdraw(till.foreignInvoice(1_000_000n).text);
          const { accountId } = till.principal;
          if (what === 'disabled')
            await till.storage.accounts.update(accountId, { status: what, modifiedAt: till.clock.now() });
          else await till.storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'A loss.', at: 1 }));
          const reserved = await till.balance('reserved', 'BTC-LN');
          await till.payInvoices();
          const held = await till.transfer(asked.tx_id);
          assert.deepEqual([held.status, till.node.sent], ['HELD', []]);
          assert.match(held.reason ?? '', what === 'frozen' ? /frozen: A loss/ : /disabled/);
          assert.equal(await till.balance('reserved', 'BTC-LN'), reserved);
          await till.storage.transaction((tx) => tx.transfers.unfreeze(accountId));
          await till.storage.accounts.update(accountId, { status: 'active', modifiedAt: till.clock.now() });
          await till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now()));
          await till.payInvoices();
          assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
        },
      );
    }

    lightning('a small payment reserves at least 10 satoshi for its way', async (till) => {
      await till.fund('10');
      const { text } = till.foreignInvoice(null);
      const asked = await till.withdraw(text, '0.00000000001');
      assert.equal((await till.transfer(asked.tx_id)).maxFeeUnits, 10_000n);
      await till.payInvoices();
      assert.deepEqual(
        till.node.sent.map(({ msat }) => msat),
        [1n],
      );
    });

    lightning(
      'a node that paid more for its route than it was allowed is paid by the till: the merchant pays the limit',
      async (till) => {
        await till.fund('10');
        till.node.ownMsat = 15_000n;
        for (const ms of [0, 60_000]) {
          till.clock.advance(ms);
          await till.payInvoices();
        }
        const [available, custody] = [await till.balance('available', 'BTC-LN'), await custodyOf(till)];
        till.node.route = { kind: 'in-flight' };
        const { paymentHash, text } = till.foreignInvoice(1_000_000n);
        const asked = await till.withdraw(text);
        await till.payInvoices();
        till.node.finish(paymentHash, { state: 'settled', feeMsat: 25_000n });
        await till.payInvoices();
        const transfer = await till.transfer(asked.tx_id);
        assert.deepEqual([transfer.status, transfer.units, transfer.feeUnits], ['CONFIRMED', 1_010_000n, 10_000n]);
        assert.equal(await till.balance('available', 'BTC-LN'), available - 1_010_000n);
        // Custody is negative in the ledger, so the amount that left the node is added.
        assert.equal(await custodyOf(till), custody + 1_025_000n);
        assert.match(till.events.of('alert').at(-1)?.reason ?? '', /cost 25000 msat, more than the limit/);
      },
    );

    lightning(
      'fault 58: a route that would take all of it again is not taken; the reserve comes back',
      async (till) => {
        await till.fund('10');
        const before = await till.balance('available', 'BTC-LN');
        till.node.route = { kind: 'settled', feeMsat: 10_000_000n };
        const asked = await till.withdraw(till.foreignInvoice(10_000_000n).text);
        await till.payInvoices();
        const transfer = await till.transfer(asked.tx_id);
        assert.equal(transfer.status, 'FAILED');
        assert.match(transfer.reason ?? '', /fee limit/);
        assert.equal(await till.balance('available', 'BTC-LN'), before);
      },
    );

    lightning(
      'fault 57: a time-out is no failure: the reserve stays for days, until the node says settled',
      async (till) => {
        await till.fund('10');
        till.node.route = { kind: 'in-flight' };
        const { paymentHash, text } = till.foreignInvoice(1_000_000n);
        const asked = await till.withdraw(text);
        await till.payInvoices();
        for (let day = 0; day < 3; day++) {
          till.clock.advance(DAY);
          await till.newWork().payer.step(await till.workLease('payout'));
          assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
          assert.equal(await till.balance('reserved', 'BTC-LN'), 1_010_000n);
        }
        till.node.finish(paymentHash, { state: 'settled', feeMsat: 3n });
        await till.payInvoices();
        assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
        assert.equal(till.node.sent.length, 1);
      },
    );

    for (const when of ['before', 'after'] as const) {
      lightning(
        `fault 57: an answer lost ${when} the node took the payment on is a question, and it is paid once`,
        async (till) => {
          await till.fund('10');
          const asked = await till.withdraw(till.foreignInvoice(1_000_000n).text);
          till.node.lost.set('pay', when);
          await assert.rejects(till.payInvoices(), refusal('NODE_FAILED'));
          assert.equal((await till.transfer(asked.tx_id)).status, 'SIGNED');
          till.node.lost.clear();
          // Another instance continues from the stored state.
          const { payer } = till.newWork();
          await payer.step(await till.workLease('payout'));
          assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
          assert.equal(till.node.sent.length, 1);
        },
      );
    }

    lightning(
      'fault 59: the same invoice twice at once is paid once; the other is refused, today and later',
      async (till) => {
        await till.fund('10');
        const { text } = till.foreignInvoice(1_000_000n);
        const outcomes = await Promise.allSettled([
          till.withdraw(text),
          till.withdraw(text),
          till.withdraw(text.toUpperCase().toLowerCase()),
        ]);
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') assert.ok(refusal('STATE_CONFLICT')(outcome.reason));
        await till.payInvoices();
        await assert.rejects(till.withdraw(text), refusal('STATE_CONFLICT', /paid only once/));
        assert.equal(till.node.sent.length, 1);
      },
    );

    lightning('fault 59: an invoice of the till itself is refused', async (till) => {
      await till.fund('10');
      await assert.rejects(
        till.withdraw(addressOf(await till.invoiceOrder('1'))),
        refusal('INVOICE_INVALID', /cannot pay itself/),
      );
    });

    lightning('fault 39: a repeated key gives the same withdrawal', async (till) => {
      await till.fund('10');
      const claim = {
        route: '/api/bln/withdraw',
        key: 'k',
        bodyHash: 'a'.repeat(64),
        expiresAt: till.clock.now() + DAY,
      };
      const { text } = till.foreignInvoice(1_000_000n);
      const first = await till.withdraw(text, null, claim);
      await till.payInvoices();
      const again = await till.withdraw(text, null, claim);
      assert.deepEqual([again.tx_id, again.status], [first.tx_id, 'SUCCESS']);
      await assert.rejects(
        till.withdraw(text, null, { ...claim, bodyHash: 'b'.repeat(64) }),
        refusal('IDEMPOTENCY_MISMATCH'),
      );
    });

    lightning('fault 92: copies of one request with one code are one attempt', async (till) => {
      await till.fund('10');
      const { accountId } = till.principal;
      const { secret } = await till.storage.transaction((tx) =>
        till.secondFactor.enrol(tx, { id: accountId, email: 'a@b.example' }, false),
      );
      const { text } = till.foreignInvoice(1_000_000n);
      const verifyCode = totpCode(
        new CryptoDigest(),
        decodeBase32(secret) ?? new Uint8Array(),
        totpStep(till.clock.now()),
      );
      const claim = {
        route: '/api/bln/withdraw',
        key: 'at once',
        bodyHash: 'a'.repeat(64),
        expiresAt: till.clock.now() + DAY,
      };
      const input = { lnInvoices: text, verifyCode, codeRequired: true };
      const copies = await Promise.all(
        Array.from({ length: 10 }, () => till.payment.run(till.principal, input, claim)),
      );
      assert.equal(new Set(copies.map(({ withdrawal }) => withdrawal.id)).size, 1);
      assert.equal((await till.storage.manage.security(accountId)).totp?.tries, 0);
    });

    lightning('a bare key needs a code where the account demands one for withdrawals', async (till) => {
      await till.fund('10');
      const { accountId } = till.principal;
      const { secret } = await till.storage.transaction((tx) =>
        till.secondFactor.enrol(tx, { id: accountId, email: 'a@b.example' }, false),
      );
      const security = await till.storage.manage.security(accountId);
      await till.storage.transaction((tx) =>
        tx.manage.saveSecurity({ ...security, totpForWithdrawals: { on: true, offAt: null } }),
      );
      const { text } = till.foreignInvoice(1_000_000n);
      await assert.rejects(till.withdraw(text), refusal('VERIFY_CODE_INVALID'));
      const key = decodeBase32(secret) ?? new Uint8Array();
      const verifyCode = totpCode(new CryptoDigest(), key, totpStep(till.clock.now()));
      const { withdrawal } = await till.payment.run(till.principal, { lnInvoices: text, verifyCode });
      await till.payInvoices();
      assert.equal((await till.transfer(withdrawal.id)).status, 'CONFIRMED');
    });

    lightning('fault 60: amounts that differ, are missing or finer than a millisatoshi are refused', async (till) => {
      await till.fund('10');
      const { text } = till.foreignInvoice(1_000_000n);
      await assert.rejects(
        till.withdraw(text, '0.00002'),
        refusal('INVOICE_INVALID', /differs from that of the invoice/),
      );
      await assert.rejects(till.withdraw(till.foreignInvoice(null).text), refusal('INVALID_FIELDS'));
      await assert.rejects(
        till.withdraw(till.foreignInvoice(null).text, '0.000000000001'),
        refusal('INVALID_FIELDS', /11 decimals/),
      );
      await assert.rejects(till.withdraw(till.foreignInvoice(null).text, '0'), refusal('INVALID_FIELDS'));
      assert.equal((await till.withdraw(text, '0.00001')).obtained, '0.00001');
    });

    lightning('unreadable, expired and unpayable targets are refused with a word of what to do', async (till) => {
      await till.fund('10');
      await assert.rejects(till.withdraw('lnbc1rubbish'), refusal('INVOICE_INVALID'));
      await assert.rejects(till.withdraw(''), refusal('INVALID_FIELDS'));
      await assert.rejects(till.withdraw('LNURL1DP68GURN8GHJ7'), refusal('INVOICE_INVALID', /BOLT11/));
      await assert.rejects(till.withdraw('somebody@wallet.example'), refusal('INVOICE_INVALID', /Lightning addresses/));
      const { text } = till.foreignInvoice(1_000_000n, 60);
      till.clock.advance(60_000);
      await assert.rejects(till.withdraw(text), refusal('INVOICE_INVALID', /expired/));
      await assert.rejects(
        till.withdraw(till.foreignInvoice(1_000_000_000_000n).text),
        refusal('INSUFFICIENT_BALANCE'),
      );
    });

    lightning('fault 340: an invoice that is valid for longer than a withdrawal may wait is refused', async (till) => {
      await till.fund('10');
      await assert.rejects(
        till.withdraw(till.foreignInvoice(1_000_000n, 31 * 86_400 + 1).text),
        refusal('INVOICE_INVALID', /at most 31 days/),
      );
      assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
      assert.equal((await till.withdraw(till.foreignInvoice(1_000_000n, 31 * 86_400).text)).status, 'PENDING');
    });

    lightning('an invoice that expired while its payment waited is not paid; the reserve comes back', async (till) => {
      await till.fund('10');
      const before = await till.balance('available', 'BTC-LN');
      const asked = await till.withdraw(till.foreignInvoice(1_000_000n, 60).text);
      till.clock.advance(60_000);
      await till.payInvoices();
      assert.equal((await till.transfer(asked.tx_id)).status, 'FAILED');
      assert.equal(await till.balance('available', 'BTC-LN'), before);
      assert.equal(till.node.sent.length, 0);
    });

    lightning(
      'a node that forgot a payment keeps its reserve and calls a person; one that cannot be asked holds up no other',
      async (till) => {
        await till.fund('10');
        till.node.route = { kind: 'in-flight' };
        const { paymentHash, text } = till.foreignInvoice(1_000_000n);
        const asked = await till.withdraw(text);
        await till.payInvoices();
        till.node.forget(paymentHash);
        till.node.route = { kind: 'settled', feeMsat: 0n };
        await till.payInvoices();
        assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
        assert.ok(till.logger.lines.some(({ message }) => message === 'manual intervention required'));
        assert.equal(till.node.sent.length, 1);
        const other = await till.withdraw(till.foreignInvoice(1_000_000n).text);
        await till.payInvoices();
        assert.equal((await till.transfer(other.tx_id)).status, 'CONFIRMED');
      },
    );

    lightning('200 at once with a balance for one: one wins (fault 38)', async (till) => {
      await till.fund('10');
      const outcomes = await Promise.allSettled(
        Array.from({ length: 200 }, () => till.withdraw(till.foreignInvoice(15_000_000n).text)),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      await till.payInvoices();
      assert.equal(till.node.sent.length, 1);
    });

    lightning(
      'above the limit it waits for an operator',
      async (till) => {
        await till.fund('1000');
        const asked = await till.withdraw(till.foreignInvoice(100_000_000n).text);
        await till.payInvoices();
        assert.equal((await till.transfer(asked.tx_id)).status, 'HELD');
        await till.withdraw(till.foreignInvoice(10_000_000n).text);
        const asksFor = till.events.of('alert').map(({ subject }) => subject);
        assert.deepEqual(asksFor, [`withdrawal ${asked.tx_id}`], 'an operator is asked for this one only');
      },
      { withdrawals: { approveAbove: new Map([['BTC-LN', '0.0005']]) } },
    );
  });
});
