import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { checkLedger, RescanDeposits } from '../../../core/index.ts';
import type { Deposit, Order } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import type { FakePayment } from '../../support/fake-chain.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { FakePresentBalances } from '../../support/present-balances.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ETHER = 10n ** 18n;
/** The amount of an order of ten dollars. */
const DUE = ETHER / 200n;

interface Scene {
  readonly domain: Domain;
  readonly balances: FakePresentBalances;
  checkBooks(): Promise<void>;
}

interface SweptPayment {
  readonly made: Order;
  readonly address: string;
  readonly payment: FakePayment;
  rounds(count: number): Promise<void>;
}

let payments = 0;

/** Coins that a contract sends to an order's address. */
const byContract = (order: Order, units = DUE, changes: Partial<FakePayment> = {}): FakePayment => ({
  to: order.payment?.address ?? '',
  currency: 'ETH',
  units,
  txid: `contract${(payments += 1)}`,
  hidden: true,
  ...changes,
});

/** Mines and follows until the comparison has covered every address: a found deposit is credited after three blocks. */
async function goRound({ domain }: Scene, blocks = 6): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    domain.clock.advance(11_000);
    domain.eth.mineEmpty(1);
    await domain.follow();
  }
}

/** An order whose address was compared once and was empty. */
async function order(scene: Scene, currency = 'ETH'): Promise<Order> {
  const made = await scene.domain.newOrder({ currency });
  await goRound(scene, 2);
  return made;
}

const unassigned = async ({ storage }: Domain): Promise<readonly Deposit[]> =>
  await storage.deposits.unassigned({ before: null, limit: 10 });

async function sweepsOf({ storage }: Domain): Promise<readonly string[]> {
  const items = await storage.transfers.list(null, { before: null, limit: 9 });
  const sweeps = items.filter(({ kind }) => kind === 'sweep');
  return sweeps.map(({ status, currency, units }) => `${status} ${currency} ${units}`).sort();
}

const statusOf = async ({ domain }: Scene, { id }: Order): Promise<string> => (await domain.order(id)).status;

eachStorage((engine, open) => {
  const till = testsOf(open, async (storage): Promise<Scene> => {
    const domain = await buildDomain(storage);
    return { domain, balances: new FakePresentBalances(domain.eth, 'ETH'), checkBooks: () => domain.checkBooks() };
  });

  describe(`coins that no transaction shows, on ${engine}`, () => {
    till('fault 335: coins that a contract sends pay the order, whatever coin it wants now', async (scene) => {
      const { domain } = scene;
      for (const currency of ['ETH', 'USDT-ERC20']) {
        const made = await order(scene, currency);
        domain.eth.mine(byContract(made));
        await goRound(scene);
        const [deposit] = await domain.storage.deposits.byOrder(made.id);
        assert.deepEqual(
          [deposit?.status, deposit?.currency, deposit?.units, deposit?.fromAddress],
          ['SPENDABLE', 'ETH', DUE, null],
        );
        if (currency === 'ETH') assert.equal(await statusOf(scene, made), 'SUCCESS');
      }
      await goRound(scene);
      assert.equal(await domain.balance('available', 'ETH'), 2n * DUE);
    });

    till(
      'fault 335: what is found is recorded once, however often and by whom addresses are compared',
      async (scene) => {
        const { domain } = scene;
        const made = await order(scene);
        domain.eth.mine(byContract(made));
        domain.eth.mineEmpty(1);
        domain.clock.advance(11_000);
        const follower = domain.newFollower();
        await follower.start();
        await domain.follow();
        const lease = await domain.lease();
        while ((await follower.step(lease)) === 'advanced');
        await goRound(scene, 8);
        assert.equal((await domain.storage.deposits.byOrder(made.id)).length, 1);
        domain.eth.mine(byContract(made, 3n));
        await goRound(scene, 8);
        const found = await domain.storage.deposits.byOrder(made.id);
        assert.deepEqual(
          found.map(({ units }) => units),
          [DUE, 3n],
        );
      },
    );

    till('fault 335: a payment that a second reading of its block finds is not counted again', async (scene) => {
      const { domain } = scene;
      const made = await order(scene);
      const payment = byContract(made, DUE, { hidden: false });
      domain.eth.omitted.add(payment.txid);
      domain.eth.mine(payment);
      await goRound(scene, 12);
      const found = await domain.storage.deposits.byOrder(made.id);
      assert.deepEqual(
        found.map(({ units, index }) => [units, index.startsWith('balance:')]),
        [[DUE, true]],
      );
      assert.equal(await domain.balance('available', 'ETH'), DUE);
    });

    till('fault 336: what comes after the watch window is unassigned, with its alert', async (scene) => {
      const { domain } = scene;
      const made = await order(scene);
      domain.clock.advance(100 * 24 * HOUR);
      domain.eth.mineEmpty(1);
      await domain.expire();
      assert.equal(await statusOf(scene, made), 'OVERDUE');
      domain.eth.mine(byContract(made));
      await goRound(scene);
      const [deposit] = await unassigned(domain);
      assert.deepEqual([deposit?.orderId, deposit?.units, deposit?.unassignedReason], [made.id, DUE, 'late']);
      assert.equal(domain.metrics.counted('tillgate_alerts_total', { kind: 'deposit' }), 1);
      assert.equal(await statusOf(scene, made), 'OVERDUE');
    });

    till(
      'fault 337: while blocks could not be seen no order expires, and what came in them pays in time',
      async (scene) => {
        const { domain } = scene;
        const made = await order(scene);
        domain.eth.mine(byContract(made));
        domain.clock.advance(40 * MINUTE);
        domain.eth.mineEmpty(4);
        domain.eth.forgotten = domain.eth.height;
        await domain.expire();
        assert.equal(await statusOf(scene, made), 'PENDING');
        const state = await domain.storage.chains.state('ETH');
        assert.equal(state?.trouble?.kind, 'unseen');
        assert.equal(domain.metrics.counted('tillgate_alerts_total', { kind: 'node' }), 1);
        domain.eth.forgotten = -1;
        await goRound(scene);
        assert.equal(await statusOf(scene, made), 'SUCCESS');
        assert.equal((await domain.storage.chains.state('ETH'))?.trouble, null);
      },
    );

    till(
      'fault 337: an order that nobody paid expires once the comparison has covered what could not be seen',
      async (scene) => {
        const { domain } = scene;
        const made = await order(scene);
        for (let more = 0; more < 10; more++) await domain.newOrder({ currency: 'ETH' });
        domain.clock.advance(40 * MINUTE);
        domain.eth.mineEmpty(1);
        domain.eth.forgotten = domain.eth.height;
        await domain.expire();
        assert.equal(await statusOf(scene, made), 'PENDING');
        await goRound(scene, 2);
        await domain.expire();
        assert.equal(await statusOf(scene, made), 'OVERDUE');
      },
    );

    till('fault 339: an operator compares an address, an order or the chain at once', async (scene) => {
      const { domain } = scene;
      const made = [await order(scene), await order(scene), await order(scene)];
      for (const one of made) domain.eth.mine(byContract(one));
      domain.eth.mineEmpty(1);
      await domain.follow();
      const rescan = new RescanDeposits({ ...domain, chains: new Map([['ETH', domain.eth]]) });
      const [first, second] = made as [Order, Order];
      const foundBy = async (input: Parameters<typeof rescan.run>[1]): Promise<readonly string[]> =>
        (await rescan.run('ETH', input)).found.map(({ orderId }) => orderId);
      assert.deepEqual(await foundBy({ address: first.payment?.address ?? '' }), [first.id]);
      assert.deepEqual(await foundBy({ orderId: second.id }), [second.id]);
      assert.deepEqual(await foundBy({ balances: true }), [made[2]?.id]);
      assert.deepEqual(await foundBy({ balances: true }), []);
      await assert.rejects(foundBy({ address: 'nobody' }), { code: 'INVALID_FIELDS' });
      await goRound(scene);
      for (const one of made) assert.equal(await statusOf(scene, one), 'SUCCESS');
    });

    till('fault 338: coins that may have been there before the address was given out are unassigned', async (scene) => {
      const { domain } = scene;
      const [address] = await domain.eth.deriveAddresses(0, 1);
      const index = /\d+$/.exec(address?.address ?? '')?.[0];
      assert.equal(index, '0');
      for (let next = 0; next < 8; next++) domain.eth.mine(byContract({ payment: { address: `eth${next}` } } as Order));
      await goRound(scene, 2);
      const made = await order(scene);
      await goRound(scene);
      const [deposit] = await unassigned(domain);
      assert.deepEqual([deposit?.orderId, deposit?.unassignedReason], [made.id, 'unexplained']);
      assert.equal(await statusOf(scene, made), 'PENDING');
    });

    till('fault 338: what an address does not hold any more is not credited, and an alert says so', async (scene) => {
      const { domain, balances } = scene;
      const made = await order(scene);
      const address = made.payment?.address ?? '';
      balances.invented.set(address, DUE);
      await goRound(scene, 1);
      assert.equal((await domain.storage.deposits.byOrder(made.id))[0]?.status, 'SEEN');
      balances.invented.clear();
      await goRound(scene);
      assert.equal((await domain.storage.deposits.byOrder(made.id))[0]?.status, 'SEEN');
      assert.equal(await domain.balance('pending', 'ETH'), 0n);
      assert.ok(domain.metrics.counted('tillgate_alerts_total', { kind: 'deposit' }) > 0);
    });

    till(
      'fault 338: a reorganisation that takes the coins away takes the deposit away, and finds them again',
      async (scene) => {
        const { domain } = scene;
        const made = await order(scene);
        domain.eth.mine(byContract(made));
        await goRound(scene);
        assert.equal((await domain.balance('available', 'ETH')) + (await domain.balance('pending', 'ETH')), DUE);
        domain.eth.drop(8);
        domain.eth.mineEmpty(9);
        await domain.follow();
        await goRound(scene);
        assert.equal((await domain.balance('available', 'ETH')) + (await domain.balance('pending', 'ETH')), 0n);
        domain.eth.mine(byContract(made));
        await goRound(scene, 8);
        assert.equal(await domain.balance('available', 'ETH'), DUE);
      },
    );

    const money = testsOf(open, buildMoney);

    money(
      'fault 338: a reorganisation of the block that a balance was read in takes nothing, its coins swept or not',
      async (domain) => {
        const { eth, ethPayments, storage, clock } = domain;
        const balances = new FakePresentBalances(eth, 'ETH');
        await domain.float(ETHER / 1_000n);
        const scene: Scene = { domain, balances, checkBooks: () => domain.checkBooks() };
        const made = await order(scene);
        const address = made.payment?.address ?? '';
        eth.mine(byContract(made));
        const paidAt = eth.height;
        eth.mineEmpty(2);
        await goRound(scene, 9);
        const deposit = async (): Promise<Deposit> => {
          const [found, ...more] = await storage.deposits.byOrder(made.id);
          assert.deepEqual(more, []);
          assert(found !== undefined, 'no deposit');
          return found;
        };
        const first = await deposit();
        assert.deepEqual([first.status, first.blockHeight > paidAt], ['SPENDABLE', true]);
        const rounds = async (count: number, pays: boolean): Promise<void> => {
          for (let block = 0; block < count; block++) {
            clock.advance(11_000);
            ethPayments.mine();
            assert.equal(await domain.follow(), 'idle');
            if (pays) await domain.payOut();
          }
        };
        const again = async (isSwept: boolean): Promise<void> => {
          eth.drop(eth.height - paidAt);
          eth.mineEmpty(2);
          await rounds(isSwept ? 14 : 9, isSwept);
          const { id, status, paidAt: time } = await deposit();
          assert.deepEqual([id, status, time], [first.id, 'SPENDABLE', first.paidAt]);
          assert.deepEqual(await checkLedger(storage), []);
        };
        await again(false);
        assert.equal(await domain.balance('available', 'ETH'), DUE);
        await domain.withdraw('0.004');
        // The sweep moves them.
        balances.missing.set(address, DUE);
        await rounds(8, true);
        const items = await storage.transfers.list(null, { before: null, limit: 9 });
        assert.deepEqual(items.map(({ kind, status }) => `${kind} ${status}`).sort(), [
          'sweep CONFIRMED',
          'withdrawal CONFIRMED',
        ]);
        const left = await domain.balance('available', 'ETH');
        await again(true);
        assert.equal(await domain.balance('available', 'ETH'), left);
      },
    );

    /** An order whose plain payment was swept, and that payment; its block is removed with the sweep's. */
    const sweptAndRemoved = async (domain: MoneyDomain, balances: FakePresentBalances): Promise<SweptPayment> => {
      const { eth, clock, ethPayments } = domain;
      await domain.float(ETHER / 1_000n);
      const made = await order({ domain, balances, checkBooks: () => domain.checkBooks() });
      const address = made.payment?.address ?? '';
      const payment = byContract(made, DUE, { hidden: false });
      eth.mine(payment);
      const paidAt = eth.height;
      const rounds = async (count: number): Promise<void> => {
        for (let block = 0; block < count; block++) {
          clock.advance(11_000);
          ethPayments.mine();
          await domain.follow();
          await domain.payOut();
        }
      };
      await rounds(7);
      // The sweep moves them.
      balances.missing.set(address, DUE);
      await rounds(4);
      assert.deepEqual(await sweepsOf(domain), [`CONFIRMED ETH ${DUE}`]);
      eth.drop(eth.height - paidAt + 1);
      return { made, address, payment, rounds };
    };

    money(
      'fault 398: coins that a contract sent are found although a sweep took them in place of a removed payment',
      async (domain) => {
        const { eth, storage } = domain;
        const balances = new FakePresentBalances(eth, 'ETH');
        const { made, address, rounds } = await sweptAndRemoved(domain, balances);
        eth.mine(byContract(made, 2n * DUE));
        await rounds(12);
        const deposits = await storage.deposits.byOrder(made.id);
        assert.deepEqual(
          deposits.map(({ status, units }) => [status, units]),
          [
            ['ORPHANED', DUE],
            ['SPENDABLE', DUE],
            ['SPENDABLE', DUE],
          ],
        );
        assert.equal(await domain.balance('available', 'ETH'), 2n * DUE);
        // The second sweep moves what is left there.
        balances.missing.set(address, 2n * DUE);
        await rounds(5);
        assert.deepEqual(await sweepsOf(domain), [`CONFIRMED ETH ${DUE}`, `CONFIRMED ETH ${DUE}`]);
        assert.deepEqual(await checkLedger(storage), []);
      },
    );

    money(
      'fault 399: they are found too when the removed payment is mined again and brings another coin',
      async (domain) => {
        const { eth, storage } = domain;
        const balances = new FakePresentBalances(eth, 'ETH');
        const { made, address, payment, rounds } = await sweptAndRemoved(domain, balances);
        eth.mine({ ...payment, currency: 'USDT-ERC20', units: 7_000_000n }, byContract(made));
        // The node hides them until the tokens are spendable.
        balances.missing.set(address, 2n * DUE);
        await rounds(10);
        // The sweep of the tokens cost its fee.
        balances.missing.set(address, DUE + domain.ethPayments.fee);
        await rounds(12);
        const deposits = await storage.deposits.byOrder(made.id);
        assert.deepEqual(
          deposits.map(({ status, currency, units }) => [status, currency, units]),
          [
            ['ORPHANED', 'ETH', DUE],
            ['SPENDABLE', 'USDT-ERC20', 7_000_000n],
            ['SPENDABLE', 'ETH', DUE],
          ],
        );
        assert.equal(await domain.balance('available', 'ETH'), DUE);
        assert.deepEqual(await checkLedger(storage), []);
      },
    );

    till('what was sent as gas for a sweep is no deposit, and plain payments are not counted twice', async (scene) => {
      const { domain } = scene;
      const made = await order(scene);
      const address = made.payment?.address ?? '';
      const top = domain.eth.height + 1;
      domain.eth.ownPayments = ({ height }) =>
        height === top ? [{ to: address, currency: 'ETH', units: 77n, txid: 'gas' }] : [];
      await domain.storage.transaction((tx) => tx.transfers.addGas('ETH', address, 77n));
      domain.eth.mine(byContract(made, DUE, { hidden: false }));
      await goRound(scene, 8);
      const found = await domain.storage.deposits.byOrder(made.id);
      assert.deepEqual(
        found.map(({ units }) => units),
        [DUE],
      );
    });

    till('every address has its turn within a bounded number of calls, and the place is kept', async (scene) => {
      const { domain, balances } = scene;
      const made: Order[] = [];
      for (let count = 0; count < 40; count++) made.push(await domain.newOrder({ currency: 'ETH' }));
      const before = balances.calls;
      await goRound(scene, 1);
      // Three addresses a call: one call for new ones, ten for the watched, one for all others.
      assert.ok(balances.calls - before <= 12, `${balances.calls - before} calls`);
      const place = (await domain.storage.comparisons.state('ETH')).watched;
      assert.notEqual(place.after, null);
      for (const one of made) domain.eth.mine(byContract(one));
      await goRound(scene, 20);
      const found = await domain.storage.deposits.byOrders(made.map(({ id }) => id));
      const rest = await unassigned(domain);
      assert.equal(found.length + rest.length, 40);
    });
  });
});
