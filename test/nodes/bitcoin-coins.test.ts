import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { custodyAccount, FEES_ACCOUNT, isTillgateError, obtainedUnits, postEntry } from '../../core/index.ts';
import type { EntryId, Transfer } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { buildPayingTill } from './utxo-paying-till.ts';
import type { PayingTill } from './utxo-paying-till.ts';
import { toAmount, UtxoFixture } from './utxo-fixture.ts';

const ORDERS = 10;
const ROUNDS = 30;
const SMALL = 20_000n;

eachStorage((engine, open) => {
  describe(`many small coins on bitcoind and ${engine}`, () => {
    let fixture: UtxoFixture;
    let database: TestStorage;
    let till: PayingTill;
    before(async () => {
      fixture = await UtxoFixture.start('bitcoind', {
        confirmations: 1,
        spendableConfirmations: 2,
        finalityBlocks: 30,
        minFeeRate: 1,
        maxFeeRate: 2,
        fallbackFeeRate: 2,
      });
      database = await open();
      till = await buildPayingTill(database.storage, fixture.chain, await fixture.foreign());
      await till.follow();
    });
    after(async () => {
      await database.close();
      await fixture.stop();
    });

    /** What the till has earned by fees, in a coin of nobody's. */
    const earn = async (units: bigint): Promise<void> => {
      const { hotAddress } = fixture.payments;
      const txid = await fixture.daemon.rpc<string>('sendtoaddress', hotAddress, toAmount(units));
      await fixture.daemon.mine();
      const coin = await fixture.coin(txid, hotAddress, null);
      const at = till.clock.now();
      await database.storage.transaction(async (tx) => {
        await postEntry(tx, {
          id: '1' as EntryId,
          at,
          kind: 'transfer-paid',
          reference: txid,
          postings: [
            { account: custodyAccount('BTC'), currency: 'BTC', units: -units },
            { account: FEES_ACCOUNT, currency: 'BTC', units },
          ],
        });
        await tx.transfers.addHolding({ ...coin, chain: 'BTC', currency: 'BTC' });
      });
    };
    const mine = async (blocks: number): Promise<void> => {
      for (let block = 0; block < blocks; block++) {
        await fixture.daemon.mine();
        await till.follow();
        await till.payOut();
      }
    };
    const sweeps = async (): Promise<readonly Transfer[]> =>
      (await database.storage.transfers.list(null, { before: null, limit: 100 })).filter(
        ({ kind }) => kind === 'sweep',
      );

    test('fault 88: 300 small deposits are put together and withdrawn', async () => {
      const addresses: string[] = [];
      for (let order = 0; order < ORDERS; order++) addresses.push((await till.order('5')).payment.address);
      const amounts = Object.fromEntries(addresses.map((address) => [address, toAmount(SMALL)]));
      for (let round = 0; round < ROUNDS; round++) {
        const txid = await fixture.daemon.rpc<string>('sendmany', '', amounts);
        const [block = ''] = await fixture.daemon.mine();
        const { tx } = await fixture.daemon.rpc<{ tx: string[] }>('getblock', block);
        assert.ok(tx.includes(txid), `block ${block} has the payments ${txid}`);
      }
      await fixture.daemon.mine(3);
      await till.follow();
      assert.equal(await till.balance('available'), SMALL * BigInt(ORDERS * ROUNDS));
      await assert.rejects(
        till.withdraw('0.06'),
        (error) => isTillgateError(error, 'STATE_CONFLICT') && /at most 0\.04 BTC now/.test(error.message),
      );
      await till.payOut();
      assert.deepEqual(await sweeps(), []);
      await earn(200_000n);
      await till.follow();
      till.clock.advance(60_000);
      await till.payOut();
      const [sweep] = await sweeps();
      assert.deepEqual([sweep?.status, sweep?.units], ['BROADCAST', SMALL * 200n]);
      await mine(12);
      for (const each of await sweeps()) assert.equal(each.status, 'CONFIRMED');
      const coins = await database.storage.transfers.freeCoins('BTC', 'BTC', 1_000);
      assert.ok(coins.length <= 102, `${coins.length} coins`);
      const asked = await till.withdraw('0.06');
      await till.payOut();
      await mine(4);
      const paid = await till.transfer(asked.id);
      assert.equal(paid.status, 'CONFIRMED');
      assert.equal(await fixture.received(paid.toAddress), obtainedUnits(paid));
      assert.equal(await till.balance('available'), 0n);
      await till.checkBooks();
    });
  });
});
