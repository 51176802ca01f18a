import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { contradiction, present, TillgateError } from '../../../core/index.ts';
import type { ChainAdapter, ChainPayments, Order, PayoutResult, ScannedRange } from '../../../core/index.ts';
import { lowestFee, NodeGroup, QuorumChain } from '../../../adapters/chains/quorum/index.ts';
import { lyingAbout } from '../../support/lying-node.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;
const MINUTE = 60_000;

/** A till with several nodes, one of which lies as a test says. */
interface Asking {
  /** The methods about which the node lies. */
  readonly lies: Partial<ChainAdapter>;
  readonly lying: Partial<ChainPayments>;
  follow(): Promise<'idle' | 'halted' | 'failed'>;
  payOut(): Promise<PayoutResult>;
  /** Mines, follows and pays until the payments are final. */
  settle(): Promise<void>;
}

/** @param honest - the number of honest nodes beside the lying one */
async function asking(till: MoneyDomain, honest = 1, quorum = 2): Promise<Asking> {
  const lying: Partial<ChainPayments> = {};
  const lies: Partial<ChainAdapter> = {
    payments: lyingAbout<ChainPayments>(present(till.eth.payments, 'payments'), lying),
  };
  const liar = lyingAbout<ChainAdapter>(till.eth, lies);
  const others = Array.from({ length: honest }, (_, at) => ({
    host: `honest${at}.example`,
    chain: lyingAbout<ChainAdapter>(till.eth, {}),
  }));
  const group = new NodeGroup([{ host: 'liar.example', chain: liar }, ...others], quorum, till.clock);
  const nodes = { hosts: group.nodes.map(({ host }) => host), quorum, mainNetwork: false, insecure: [] };
  const chain = new QuorumChain(group, nodes, lowestFee);
  const follower = till.newFollower(chain);
  await follower.start();
  const runner = till.newRunner(chain);
  const follow: Asking['follow'] = async () => {
    const lease = await till.lease(till.eth);
    for (;;) {
      try {
        const result = await follower.step(lease);
        if (result !== 'advanced') return result;
      } catch (error) {
        if (error instanceof TillgateError && error.code === 'NODE_FAILED') return 'failed';
        throw error;
      }
    }
  };
  const payOut: Asking['payOut'] = async () => {
    const lease = await till.payoutLease(till.eth);
    for (;;) {
      const result = await runner.step(lease);
      if (result !== 'advanced') return result;
    }
  };
  const settle = async (): Promise<void> => {
    for (let block = 0; block < 12; block++) {
      till.clock.advance(1_000);
      till.ethPayments.mine();
      await follow();
      await payOut();
    }
  };
  return { lies, lying, follow, payOut, settle };
}

const status = async (till: MoneyDomain, { id }: Order): Promise<string> => (await till.order(id)).status;
const trouble = async (till: MoneyDomain) => (await till.storage.chains.state('ETH'))?.trouble ?? null;
const alerts = (till: MoneyDomain): readonly string[] => till.events.of('alert').map(({ reason }) => reason);
const counted = (till: MoneyDomain, node: string): number | undefined =>
  till.metrics.counts.get(`tillgate_node_disagreements_total{chain="ETH",node="${node}"}`);

/** A payment that is in no block. */
function invented(till: MoneyDomain, order: Order): NonNullable<Asking['lies']['scan']> {
  const { address, currency, units } = present(order.payment, 'a payment');
  return async (from, to, watch, options): Promise<ScannedRange> => {
    const range = await till.eth.scan(from, to, watch, options);
    const block = present(range.blocks.at(-1), 'a block');
    const lie = { txid: 'invented', index: 'value', block, currency, units, from: 'thief', toKey: address };
    return { ...range, transfers: [...range.transfers, lie] };
  };
}

/** A waiting withdrawal, with enough coins in the hot wallet. */
async function waiting(till: MoneyDomain): Promise<string> {
  await till.fund('ETH', '2000');
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
  return (await till.withdraw('0.5')).tx_id;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`fault 104: a node that says what is not so, beside an honest one, on ${engine}`, () => {
    money(
      'an invented deposit is not credited; both nodes are named, and payments stop until they agree',
      async (till) => {
        const nodes = await asking(till);
        const order = await till.newOrder();
        nodes.lies.scan = invented(till, order);
        till.eth.mineEmpty(8);
        assert.equal(await nodes.follow(), 'failed');
        assert.equal(await status(till, order), 'PENDING');
        assert.deepEqual(await till.storage.deposits.byOrder(order.id), []);
        assert.equal((await trouble(till))?.kind, 'disagreement');
        assert.match(alerts(till)[0] ?? '', /liar\.example says .*invented.*honest0\.example says/);
        assert.deepEqual([counted(till, 'liar.example'), counted(till, 'honest0.example')], [1, 1]);
        assert.equal(await nodes.payOut(), 'stopped');
        delete nodes.lies.scan;
        assert.equal(await nodes.follow(), 'idle');
        assert.equal(await trouble(till), null);
        assert.equal(await status(till, order), 'PENDING');
        assert.notEqual(await nodes.payOut(), 'stopped');
      },
    );

    money('a deposit that one node leaves out is not lost: its block is read when the nodes agree', async (till) => {
      const nodes = await asking(till);
      const order = await till.newOrder();
      const { address, currency, units } = present(order.payment, 'a payment');
      nodes.lies.scan = async (...given) => ({ ...(await till.eth.scan(...given)), transfers: [] });
      till.eth.mine({ to: address, currency, units, txid: 'left out' });
      till.eth.mineEmpty(8);
      assert.equal(await nodes.follow(), 'failed');
      till.clock.advance(60 * MINUTE);
      assert.equal(await nodes.follow(), 'failed');
      await till.expireOrders.run();
      assert.equal(await status(till, order), 'PENDING');
      delete nodes.lies.scan;
      assert.equal(await nodes.follow(), 'idle');
      assert.equal(await status(till, order), 'SUCCESS');
    });

    money('of three nodes two are enough, and the third is named', async (till) => {
      const nodes = await asking(till, 2);
      const [order, victim] = [await till.newOrder(), await till.newOrder()];
      const { address, currency, units } = present(order.payment, 'a payment');
      nodes.lies.scan = invented(till, victim);
      till.eth.mine({ to: address, currency, units, txid: 'real' });
      till.eth.mineEmpty(8);
      assert.equal(await nodes.follow(), 'idle');
      assert.deepEqual([await status(till, order), await status(till, victim)], ['SUCCESS', 'PENDING']);
      assert.deepEqual([counted(till, 'liar.example'), counted(till, 'honest0.example')], [1, undefined]);
      assert.equal(await nodes.payOut(), 'stopped');
    });

    money(
      'fault 361: a node whose answers contradict each other is named at once; payments stop, and nothing is credited',
      async (till) => {
        const id = await waiting(till);
        const nodes = await asking(till);
        const order = await till.newOrder();
        nodes.lies.scan = async () => {
          throw contradiction('The node contradicts itself: a balance was reported in two ways.');
        };
        till.eth.mineEmpty(8);
        assert.equal(await nodes.follow(), 'failed');
        assert.equal((await trouble(till))?.kind, 'disagreement');
        assert.match(alerts(till)[0] ?? '', /liar\.example says: .*reported in two ways/);
        assert.deepEqual([counted(till, 'liar.example'), counted(till, 'honest0.example')], [1, undefined]);
        assert.equal(await nodes.payOut(), 'stopped');
        assert.equal(await status(till, order), 'PENDING');
        delete nodes.lies.scan;
        assert.equal(await nodes.follow(), 'idle');
        assert.equal(await trouble(till), null);
        await nodes.settle();
        assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      },
    );

    money(
      'fault 361: where enough others agree they go on reading, and the one is named once for each time',
      async (till) => {
        const nodes = await asking(till, 2);
        const order = await till.newOrder();
        const { address, currency, units } = present(order.payment, 'a payment');
        nodes.lies.scan = async () => {
          throw contradiction('The node contradicts itself: a balance was reported in two ways.');
        };
        till.eth.mine({ to: address, currency, units, txid: 'real' });
        till.eth.mineEmpty(8);
        assert.equal(await nodes.follow(), 'idle');
        assert.equal(await status(till, order), 'SUCCESS');
        assert.deepEqual([counted(till, 'liar.example'), counted(till, 'honest0.example')], [1, undefined]);
        assert.equal(await nodes.payOut(), 'stopped');
      },
    );

    money('fault 361: a contradiction in the middle of many blocks is reported when they are read', async (till) => {
      const nodes = await asking(till, 2);
      let scans = 0;
      nodes.lies.scan = async (...given) => {
        scans += 1;
        if (scans === 1) throw contradiction('The node contradicts itself: a balance was reported in two ways.');
        return till.eth.scan(...given);
      };
      till.eth.mineEmpty(20);
      assert.equal(await nodes.follow(), 'idle');
      assert.ok(scans > 1);
      assert.deepEqual([counted(till, 'liar.example'), alerts(till).length], [1, 1]);
      assert.equal(await nodes.follow(), 'idle');
      assert.equal(await trouble(till), null);
    });

    money('blocks that only one node has are not read', async (till) => {
      const nodes = await asking(till);
      till.eth.mineEmpty(3);
      const top = { ...till.eth.top, height: till.eth.height + 50, hash: 'e'.repeat(64) };
      nodes.lies.head = async () => top;
      assert.equal(await nodes.follow(), 'idle');
      assert.equal((await till.storage.chains.state('ETH'))?.cursor?.height, till.eth.height);
    });

    money('another block at the head is no disagreement for a moment, and one when it lasts', async (till) => {
      const nodes = await asking(till);
      till.eth.mineEmpty(3);
      const top = { ...till.eth.top, hash: 'e'.repeat(64) };
      nodes.lies.head = async () => top;
      assert.equal(await nodes.follow(), 'failed');
      till.clock.advance(MINUTE - 1);
      assert.equal(await nodes.follow(), 'failed');
      assert.equal(await trouble(till), null);
      till.clock.advance(1);
      assert.equal(await nodes.follow(), 'failed');
      assert.equal((await trouble(till))?.kind, 'disagreement');
    });

    money('an invented receipt books nothing', async (till) => {
      const id = await waiting(till);
      const nodes = await asking(till);
      await nodes.payOut();
      const [sent] = [...till.ethPayments.sent.values()];
      const { txid } = present(sent, 'what was sent');
      nodes.lying.outcome = async () => ({
        kind: 'mined',
        txid,
        block: till.eth.top,
        confirmations: 100,
        succeeded: true,
        feeUnits: 1n,
        change: null,
      });
      for (let block = 0; block < 8; block++) {
        till.eth.mineEmpty(1);
        till.clock.advance(30_000);
        await nodes.follow();
        await nodes.payOut();
      }
      assert.equal((await till.transfer(id)).status, 'BROADCAST');
      assert.match(alerts(till).join(), /disagree about the payment/);
      delete nodes.lying.outcome;
      await nodes.settle();
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
    });

    money('a hidden receipt pays nothing twice', async (till) => {
      const id = await waiting(till);
      const nodes = await asking(till);
      await nodes.payOut();
      nodes.lying.outcome = async () => ({ kind: 'missing' });
      await nodes.settle();
      assert.equal((await till.transfer(id)).status, 'BROADCAST');
      delete nodes.lying.outcome;
      await nodes.settle();
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
    });

    for (const [what, lie] of [
      ['nonce', { nextNonce: async () => 7 }],
      ['balance that is too low', { custody: async () => new Map([['ETH', 0n]]) }],
      [
        'fee that is a hundred times the other',
        { price: async () => ({ feeUnits: 100_000n, coins: [], terms: 'account' }) },
      ],
    ] as const satisfies readonly (readonly [string, Partial<ChainPayments>])[]) {
      money(`a ${what}: nothing is paid, and it is an alert when it lasts`, async (till) => {
        const id = await waiting(till);
        const nodes = await asking(till);
        Object.assign(nodes.lying, lie);
        for (let look = 0; look < 4; look++) {
          till.eth.mineEmpty(1);
          await nodes.follow();
          await nodes.payOut().catch((error: unknown) => {
            if (!(error instanceof TillgateError && error.code === 'NODE_FAILED')) throw error;
          });
          till.clock.advance(MINUTE);
        }
        assert.equal(till.ethPayments.sent.size, 0);
        assert.match(alerts(till).join(), /liar\.example says .*honest0\.example says/);
        for (const name of Object.keys(lie)) delete nodes.lying[name as keyof ChainPayments];
        const { transfers } = till.storage;
        const stop = await transfers.payoutStop('ETH');
        if (stop !== null) await transfers.replacePayoutStop('ETH', stop, null);
        till.clock.advance(11 * MINUTE);
        await nodes.settle();
        assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      });
    }

    money('an invented balance and a dearer fee change nothing that is paid', async (till) => {
      const id = await waiting(till);
      const nodes = await asking(till);
      nodes.lying.price = async () => ({ feeUnits: 5_000n, coins: [], terms: 'account' });
      nodes.lying.balance = async () => 10n ** 30n;
      nodes.lying.custody = async () => new Map([['ETH', 10n ** 30n]]);
      await nodes.settle();
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      const [sent] = [...till.ethPayments.sent.values()];
      assert.equal(sent?.content.fee, '1000');
      assert.equal(
        (await till.storage.ledger.balances('operator:ETH')).some(({ units }) => units > ETHER),
        false,
      );
    });

    money('a node that does not answer stops nothing while enough others do', async (till) => {
      const nodes = await asking(till, 2);
      const fails = async (): Promise<never> => {
        throw new TillgateError('NODE_FAILED', 'liar.example: no answer in time');
      };
      Object.assign(nodes.lies, { head: fails, scan: fails, blockAt: fails, status: fails });
      till.eth.mineEmpty(3);
      assert.equal(await nodes.follow(), 'idle');
      assert.equal((await till.storage.chains.state('ETH'))?.cursor?.height, till.eth.height);
      assert.equal(await trouble(till), null);
    });

    money('nor does one that never answers, whatever it is asked', async (till) => {
      const id = await waiting(till);
      const nodes = await asking(till, 2);
      const hangs = (): Promise<never> => new Promise(() => undefined);
      Object.assign(nodes.lies, { head: hangs, scan: hangs, blockAt: hangs, status: hangs });
      Object.assign(nodes.lying, { broadcast: hangs, outcome: hangs, custody: hangs });
      await nodes.settle();
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
    });

    money('with fewer nodes than have to agree, nothing is read', async (till) => {
      const nodes = await asking(till);
      nodes.lies.head = async () => {
        throw new TillgateError('NODE_FAILED', 'liar.example: no answer in time');
      };
      const before = (await till.storage.chains.state('ETH'))?.cursor?.height;
      till.eth.mineEmpty(3);
      assert.equal(await nodes.follow(), 'failed');
      assert.equal((await till.storage.chains.state('ETH'))?.cursor?.height, before);
    });
  });
});
