import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import {
  checkLedger,
  custodyAccount,
  isInsolvency,
  isTillgateError,
  merchantAccount,
  OPERATOR,
  postEntry,
  reserveEntry,
} from '../../core/index.ts';
import type {
  AccountId,
  BalanceSheet,
  PayoutId,
  ChainAdapter,
  ChainBalances,
  ChainPayments,
  EntryId,
  Transfer,
  TransferId,
  TransferStatus,
} from '../../core/index.ts';
import { dataOf } from '../support/http.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const ADDRESSES = '/manage/v1/payout-addresses';
const WATCHES = '/manage/v1/watch-addresses';
const PAYOUTS = '/manage/v1/payouts';
const UNKNOWN = '1530217733410816001';
const HOLD_MS = 86_400_000;
const [A, B] = ['0x90F79bf6EB2c4f870365E785982E1f101E93b906', '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'];

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 10_000_000 });
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await fixture.close();
    await store.close();
  });

  const audit = async (member: Member, action: string): Promise<readonly Fields[]> =>
    managed<List>(await fixture.admin.client.get(`/manage/v1/audit?account=${member.id}&limit=100`)).items.filter(
      (row) => row['action'] === action,
    );
  const instant = (ms = 0): string => new Date(fixture.till.clock.now() + ms).toISOString();

  describe('withdrawal addresses', () => {
    test('wait out their hold, the former one in force meanwhile, with old and new on record', async () => {
      const user = await fixture.newMember();
      const first = managed(await user.client.post(ADDRESSES, { chain: 'ETH', address: A.toLowerCase() }), 201);
      const record = {
        account: user.id,
        chain: 'ETH',
        address: A,
        effective_at: instant(HOLD_MS),
        former_address: null,
        in_force: null,
        updated_at: instant(),
      };
      assert.deepEqual(first, record);
      assert.deepEqual(managed(await user.client.post(ADDRESSES, { chain: 'ETH', address: A }), 201), record);
      fixture.till.clock.advance(HOLD_MS);
      const [listed] = managed<List>(await user.client.get(ADDRESSES)).items;
      assert.deepEqual(listed, { ...record, in_force: A });
      const changed = managed(
        await fixture.admin.client.post(ADDRESSES, { chain: 'ETH', address: B, account: user.id }),
        201,
      );
      assert.deepEqual([changed['address'], changed['former_address'], changed['in_force']], [B, A, A]);
      const rows = await audit(user, 'withdrawal_address.set');
      assert.deepEqual(
        rows.map(({ actor }) => actor),
        [fixture.admin.id, user.id],
      );
      assert.deepEqual((rows[0]?.['changes'] as Fields)['address'], { from: A, to: B });
      assert.deepEqual((rows[1]?.['changes'] as Fields)['address'], { from: null, to: A });
    });

    test('are listed by chain, a user its own, an admin all', async () => {
      const user = await fixture.newMember();
      managed(await user.client.post(ADDRESSES, { chain: 'ETH', address: A }), 201);
      managed(await user.client.post(ADDRESSES, { chain: 'BSC', address: A }), 201);
      const own = managed<List>(await user.client.get(ADDRESSES));
      assert.deepEqual(
        own.items.map(({ chain }) => chain),
        ['BSC', 'ETH'],
      );
      assert(managed<List>(await fixture.admin.client.get(`${ADDRESSES}?limit=100`)).items.length > own.items.length);
      assert.equal(managed<List>(await fixture.admin.client.get(`${ADDRESSES}?account=${user.id}`)).items.length, 2);
      assertRefused(await user.client.get(`${ADDRESSES}?account=${fixture.admin.id}`), 404);
      assertRefused(await user.client.get(`${ADDRESSES}?limit=101`), 400, 'limit');
    });

    test('are refused by field, and for what belongs to the till or to somebody else', async () => {
      const user = await fixture.newMember();
      assertRefused(await user.client.post(ADDRESSES, {}), 400, 'address');
      assertRefused(await user.client.post(ADDRESSES, { chain: 'ETH', address: '0x1234' }), 400, 'address');
      assertRefused(await user.client.post(ADDRESSES, { chain: 'DOGE', address: A }), 400);
      assertRefused(await user.client.post(ADDRESSES, { chain: 'ETH', address: A, account: fixture.admin.id }), 404);
      assertRefused(await fixture.admin.client.post(ADDRESSES, { chain: 'ETH', address: A, account: UNKNOWN }), 404);
      const key = managed(await user.client.post('/manage/v1/credentials', {}), 201)['api_key'];
      const client = fixture.client.with({ 'API-Key': String(key) });
      const order = dataOf<{ address: string }>(
        await client.post('/api/order/pay-info', { chain: 'ETH', currency: 'ETH', vs_currency: 'USD', vs_price: 25 }),
      );
      client.close();
      assertRefused(await user.client.post(ADDRESSES, { chain: 'ETH', address: order.address }), 400, 'address');
      assert.equal(managed<List>(await user.client.get(ADDRESSES)).items.length, 0);
    });
  });

  describe('watched addresses', () => {
    const sheets = new Map<string, BalanceSheet>();
    before(() => {
      const chain = fixture.till.till.chains.get('ETH') as {
        balances: ChainBalances | null;
        assets: ChainBalances['assets'];
      };
      const of = async (value: string): Promise<BalanceSheet> => sheets.get(value) ?? new Map();
      chain.balances = {
        assets: chain.assets,
        readExtendedKey: (text) => (text.startsWith('xpub') ? text : null),
        ofAddress: of,
        ofExtendedKey: of,
      };
    });

    test('are what Get Self-custody Balances sums up, until they are removed', async () => {
      const user = await fixture.newMember();
      const client = fixture.client.with({
        'API-Key': String(managed(await user.client.post('/manage/v1/credentials', {}), 201)['api_key']),
      });
      const balances = async (): Promise<readonly Fields[]> =>
        dataOf<Fields[]>(await client.get('/api/contract/balance'));
      assert.deepEqual(await balances(), []);
      const made = managed(
        await user.client.post(WATCHES, { chain: 'ETH', value: A.toLowerCase(), label: 'Treasury' }),
        201,
      );
      assert.deepEqual(
        [made['kind'], made['value'], made['label'], made['account']],
        ['address', A, 'Treasury', user.id],
      );
      const key = managed(
        await fixture.admin.client.post(WATCHES, {
          chain: 'ETH',
          value: `xpub${'1'.repeat(107)}`,
          account: user.id,
        }),
        201,
      );
      assert.equal(key['kind'], 'extended-key');
      sheets.set(A, new Map([['ETH', 1_999_999_999_999_999_999n]]));
      sheets.set(String(key['value']), new Map([['USDT-ERC20', 5_000_001n]]));
      const rows = await balances();
      assert.deepEqual(rows.slice(0, 2), [
        { chain: 'ETH', currency: 'ETH', amount: 1.99999999 },
        { chain: 'ETH', currency: 'USDT-ERC20', amount: 5.000001 },
      ]);
      assert(rows.slice(2).every(({ chain, amount }) => chain === 'ETH' && amount === 0));
      assert.deepEqual(
        managed<List>(await user.client.get(WATCHES)).items.map(({ id }) => id),
        [key['id'], made['id']],
      );
      assert.deepEqual(managed(await user.client.request('DELETE', `${WATCHES}/${String(key['id'])}`)), {
        id: key['id'],
        removed: true,
      });
      assertRefused(await user.client.request('DELETE', `${WATCHES}/${String(key['id'])}`), 404);
      assert.deepEqual((await balances())[1]?.['amount'], 0);
      client.close();
      const [row] = await audit(user, 'watch_address.remove');
      assert.equal(JSON.stringify(row).includes(String(key['value'])), false);
    });

    test('are refused by field, twice, and where no balance can be read; a private key is told nowhere', async () => {
      const user = await fixture.newMember();
      const secret =
        'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi';
      const reply = assertRefused(await user.client.post(WATCHES, { chain: 'ETH', value: secret }), 400, 'value');
      assert.equal(JSON.stringify([reply, fixture.till.logger.lines]).includes(secret), false);
      managed(await user.client.post(WATCHES, { chain: 'ETH', value: B }), 201);
      assertRefused(await user.client.post(WATCHES, { chain: 'ETH', value: B }), 409);
      assertRefused(await user.client.post(WATCHES, { chain: 'DOGE', value: B }), 400);
      assertRefused(await user.client.post(WATCHES, { chain: 'ETH', value: B, account: fixture.admin.id }), 404);
    });
  });

  describe('withdrawals', () => {
    let number = 0;
    /** A transfer of a merchant with its reserve booked and its transaction row, as a request leaves it. */
    const transferOf = async (member: Member, status: TransferStatus): Promise<Transfer> => {
      const { clock, storage } = fixture.till.till;
      const ids = fixture.till.till.ids;
      const at = clock.now();
      const accountId = member.id as AccountId;
      const [currency, units] = ['USDT-ERC20', 100_500_000n] as const;
      const transfer: Transfer = {
        id: ids.next() as TransferId,
        kind: 'withdrawal',
        accountId,
        orderId: null,
        chain: 'ETH',
        currency,
        units,
        feeUnits: 420_000n,
        maxFeeUnits: 4_200_000n,
        sourceAddress: B,
        sourceIndex: null,
        toAddress: A,
        status,
        payoutId: null,
        reason: status === 'HELD' ? 'Waits for an operator to approve it.' : null,
        createdAt: at,
        updatedAt: at,
        deferredAt: null,
        finishedAt: null,
      };
      await storage.transaction(async (tx) => {
        number += 1;
        const postings = [
          { account: custodyAccount('ETH'), currency, units: -units },
          { account: merchantAccount(accountId, 'available'), currency, units },
        ];
        await postEntry(tx, {
          id: ids.next() as EntryId,
          at,
          kind: 'deposit-matured',
          reference: `test:${number}`,
          postings,
        });
        assert(await tx.transfers.add(transfer));
        await postEntry(tx, reserveEntry(ids.next() as EntryId, at, transfer));
        const row = {
          id: transfer.id,
          accountId,
          type: 'WITHDRAW',
          status: 'PENDING',
          orderId: null,
          chain: 'ETH',
          currency,
          units,
        } as const;
        await tx.deposits.addTransaction({
          ...row,
          obtained: units,
          fee: 0n,
          fromAddress: B,
          toAddress: A,
          txHash: null,
          at,
        });
      });
      return transfer;
    };
    const decide = (id: string, verb: string, body?: object, by = fixture.admin) =>
      by.client.request('POST', `${PAYOUTS}/${id}/${verb}`, body === undefined ? {} : { body });
    const wallet = async (member: Member): Promise<Fields | undefined> => {
      const client = fixture.client.with({
        'API-Key': String(managed(await member.client.post('/manage/v1/credentials', {}), 201)['api_key']),
      });
      const rows = dataOf<Fields[]>(await client.get('/api/wallets'));
      client.close();
      return rows.find(({ currency }) => currency === 'USDT-ERC20');
    };

    test('that are held are listed, approved once, and wake the payer', async () => {
      const user = await fixture.newMember();
      const held = await transferOf(user, 'HELD');
      const queued: string[] = [];
      const off = fixture.till.till.events.on('transfer.queued', ({ chain }) => queued.push(chain));
      const { items } = managed<List>(await fixture.admin.client.get(`${PAYOUTS}?status=HELD`));
      const found = items.find(({ id }) => id === held.id);
      assert.deepEqual(
        [
          found?.['kind'],
          found?.['account'],
          found?.['amount'],
          found?.['fee'],
          found?.['max_fee'],
          found?.['received'],
          found?.['reason'],
        ],
        ['withdrawal', user.id, '100.5', '0.42', '4.2', '100.08', held.reason],
      );
      const approved = managed(await decide(held.id, 'approve'));
      assert.deepEqual([approved['status'], approved['reason']], ['REQUESTED', null]);
      assertRefused(await decide(held.id, 'approve'), 409);
      off();
      assert.deepEqual(queued, ['ETH']);
      const rows = await audit(user, 'withdrawal.approve');
      assert.deepEqual(
        rows.map(({ changes, subject }) => [changes, subject]),
        [[{ status: { from: 'HELD', to: 'REQUESTED' } }, held.id]],
      );
    });

    test('are approved by another admin than their owner', async () => {
      const [owner, other] = [await fixture.newMember('admin'), await fixture.newMember('admin')];
      const held = await transferOf(owner, 'HELD');
      assertRefused(await decide(held.id, 'approve', undefined, owner), 403);
      assert.equal((await store.storage.transfers.find(held.id))?.status, 'HELD');
      assert.equal(managed(await decide(held.id, 'approve', undefined, other))['status'], 'REQUESTED');
    });

    test('that are rejected give the amount back, with the reason on record', async () => {
      const user = await fixture.newMember();
      for (const status of ['HELD', 'REQUESTED'] as const) {
        const transfer = await transferOf(user, status);
        assert.equal((await wallet(user))?.['locked'], '100.5');
        assertRefused(await decide(transfer.id, 'reject', {}), 400, 'reason');
        const rejected = managed(await decide(transfer.id, 'reject', { reason: 'The receiver is not known.' }));
        assert.deepEqual(
          [rejected['status'], rejected['reason'], rejected['finished_at']],
          ['FAILED', 'The receiver is not known.', instant()],
        );
        assertRefused(await decide(transfer.id, 'reject', { reason: 'again' }), 409);
        assertRefused(await decide(transfer.id, 'approve'), 409);
        const [row] = await store.storage.deposits
          .transactions(user.id as AccountId, { page: 1, size: 1 })
          .then(({ items }) => items);
        assert.deepEqual([row?.id, row?.status], [transfer.id, 'FAILED']);
      }
      assert.deepEqual(await wallet(user), {
        chain: 'ETH',
        currency: 'USDT-ERC20',
        available: '201',
        pending: '0',
        locked: '0',
        total: '201',
      });
      const [row] = await audit(user, 'withdrawal.reject');
      assert.deepEqual((row?.['changes'] as Fields)['reason'], { from: null, to: 'The receiver is not known.' });
    });

    test('two admins who decide at once: one wins, and it is on record once', async () => {
      const user = await fixture.newMember();
      const held = await transferOf(user, 'HELD');
      const replies = await Promise.all([
        decide(held.id, 'approve'),
        decide(held.id, 'approve'),
        decide(held.id, 'approve'),
      ]);
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
      assert.equal((await audit(user, 'withdrawal.approve')).length, 1);
      managed(await decide(held.id, 'reject', { reason: 'test' }));
    });

    test('that are signed show each attempt; an admin can have them cancelled, and nobody can reject them any more', async () => {
      const user = await fixture.newMember();
      const transfer = await transferOf(user, 'REQUESTED');
      const id = fixture.till.till.ids.next() as PayoutId;
      const at = fixture.till.clock.now();
      await store.storage.transaction(async (tx) => {
        const place = {
          chain: 'ETH',
          sourceAddress: B,
          sourceIndex: null,
          nonce: 0,
          status: 'LIVE',
          minedTxid: null,
          minedHeight: null,
          cancelReason: null,
          stuckAt: null,
          sentAt: null,
          createdAt: at,
        } as const;
        assert(await tx.transfers.openPayout({ id, ...place }));
        for (const number of [1, 2]) {
          await tx.transfers.addAttempt({
            payoutId: id,
            number,
            kind: 'payment',
            txid: `0x0${number}`,
            raw: '0x02f8dead',
            feeUnits: 21_000n * BigInt(number),
            terms: '{}',
            expiresAt: null,
            createdAt: at,
          });
        }
        assert(await tx.transfers.move(transfer.id, 'REQUESTED', 'SIGNED', { payoutId: id, updatedAt: at }));
      });
      const reply = await fixture.admin.client.get(`${PAYOUTS}/${transfer.id}`);
      assert.deepEqual(managed(reply)['chain_transaction'], {
        id,
        status: 'LIVE',
        nonce: 0,
        tx_hash: null,
        height: null,
        sent_at: null,
        attempts: [1, 2].map((number) => ({
          number,
          tx_hash: `0x0${number}`,
          fee_units: String(21_000 * number),
          created_at: instant(),
        })),
      });
      assert.equal(reply.text.includes('f8dead'), false);
      assertRefused(await decide(transfer.id, 'reject', { reason: 'late' }), 409);
      const path = `/manage/v1/payouts/${transfer.id}/cancel`;
      const cancel = (member: Member = fixture.admin) =>
        member.client.request('POST', path, { body: { reason: 'Too slow.' } });
      assertRefused(await cancel(user), 403);
      const chain = fixture.till.till.chains.get('ETH') as { payments: unknown };
      const { payments } = chain;
      // Other tests list the chains meanwhile.
      const { feeAsset } = payments as { readonly feeAsset: unknown };
      chain.payments = { feeAsset };
      assertRefused(await cancel(), 409);
      chain.payments = { feeAsset, cancel: () => undefined };
      assert.equal((await store.storage.transfers.payoutOf(transfer.id))?.payout.cancelReason, null);
      const cancelled = managed(await cancel());
      chain.payments = payments;
      assert.equal((cancelled['chain_transaction'] as Fields)['cancel_reason'], 'Too slow.');
      const view = await store.storage.transfers.payoutOf(transfer.id);
      assert.deepEqual([view?.payout.cancelReason, view?.transfers[0]?.status], ['Too slow.', 'SIGNED']);
      assert.equal((await audit(user, 'transfer.cancel')).length, 1);
      const held = await transferOf(user, 'HELD');
      assertRefused(await fixture.admin.client.request('POST', `/manage/v1/payouts/${held.id}/cancel`, {}), 409);
      managed(await decide(held.id, 'reject', { reason: 'test' }));
    });

    test('are listed for their owner, with why they wait and their hash, and for nobody else but admins', async () => {
      const [user, other] = [await fixture.newMember(), await fixture.newMember()];
      const [held, sent] = [await transferOf(user, 'HELD'), await transferOf(user, 'REQUESTED')];
      await store.storage.transaction((tx) => tx.deposits.updateTransaction(sent.id, { txHash: '0xsent' }));
      const list = async ({ client }: Member, query = ''): Promise<readonly (readonly unknown[])[]> =>
        managed<List>(await client.get(`${PAYOUTS}${query}`)).items.map((row) => [
          row['id'],
          row['status'],
          row['reason'],
          row['tx_hash'],
        ]);
      const [first, second] = [
        [sent.id, 'REQUESTED', sent.reason, '0xsent'],
        [held.id, 'HELD', held.reason, null],
      ];
      assert.deepEqual(await list(user), [first, second]);
      assert.deepEqual(await list(user, '?status=HELD'), [second]);
      assert.deepEqual(await list(user, `?account=${user.id}`), [first, second]);
      assert.deepEqual(await list(fixture.admin, `?account=${user.id}`), [first, second]);
      assert.deepEqual(await list(other), []);
      assertRefused(await other.client.get(`${PAYOUTS}?account=${user.id}`), 404);
      for (const { id } of [held, sent]) managed(await decide(id, 'reject', { reason: 'test' }));
    });

    test('are decided by admins alone, and one that does not exist is not found', async () => {
      const user = await fixture.newMember();
      const held = await transferOf(user, 'HELD');
      assert.equal(managed(await user.client.get(`${PAYOUTS}/${held.id}`))['id'], held.id, 'its own is shown');
      const other = await fixture.newMember();
      assertRefused(await other.client.get(`${PAYOUTS}/${held.id}`), 404);
      assertRefused(await decide(held.id, 'approve', undefined, user), 403);
      assertRefused(await decide(held.id, 'reject', { reason: 'mine' }, user), 403);
      for (const id of [UNKNOWN, 'garbage']) {
        assertRefused(await fixture.admin.client.get(`${PAYOUTS}/${id}`), 404);
        assertRefused(await decide(id, 'approve'), 404);
        assertRefused(await decide(id, 'reject', { reason: 'none' }), 404);
      }
      assertRefused(await fixture.admin.client.get(`${PAYOUTS}?status=LOST`), 400, 'status');
      assert.deepEqual(managed(await fixture.admin.client.get(`${PAYOUTS}/${held.id}`))['chain_transaction'], null);
      assert.deepEqual(managed(await fixture.admin.client.get(`${PAYOUTS}?status=BROADCAST`))['items'], []);
      managed(await decide(held.id, 'reject', { reason: 'test' }));
    });
  });

  describe('a chain whose payments are stopped', () => {
    test('goes on when an operator says so, with the count of the chain and on record', async () => {
      const { storage } = store;
      const chain = fixture.till.till.chains.get('BSC') as {
        -readonly [Field in keyof ChainAdapter]: ChainAdapter[Field];
      };
      const feeAsset = { currency: 'BNB' };
      chain.payments = { model: 'utxo', hotAddress: B, feeAsset, nextNonce: async () => 9 } as unknown as ChainPayments;
      const { chains } = fixture.manage;
      const resume = () => chains.resumePayouts(OPERATOR, 'BSC');
      await assert.rejects(resume(), (error) => isTillgateError(error, 'STATE_CONFLICT'));
      await storage.transfers.replacePayoutStop('BSC', null, 'custody is short');
      await storage.transaction((tx) => tx.transfers.setNonce('BSC', B, 7));
      const user = { accountId: UNKNOWN as AccountId, role: 'user', ip: null, traceId: null } as const;
      await assert.rejects(chains.resumePayouts(user, 'BSC'), (error) => isTillgateError(error, 'FORBIDDEN'));
      assert.equal(await resume(), 'custody is short');
      assert.deepEqual([await storage.transfers.payoutStop('BSC'), await storage.transfers.nonce('BSC', B)], [null, 9]);
      const [row] = managed<List>(await fixture.admin.client.get('/manage/v1/audit?limit=1')).items;
      assert.deepEqual(
        [row?.['action'], row?.['subject_type'], row?.['subject'], row?.['actor'], row?.['changes']],
        ['chain.resume_payouts', 'chain', 'BSC', null, { payout_stop: { from: 'custody is short', to: null } }],
      );
    });
  });

  describe('the payouts of a chain', () => {
    const CHAINS = '/manage/v1/chains';
    const shown = async (code: string): Promise<Fields | undefined> =>
      managed<{ items: readonly Fields[] }>(await fixture.admin.client.get(CHAINS)).items.find(
        (chain) => chain['code'] === code,
      );

    test('are stopped and resumed by an admin, on record', async () => {
      const { client } = fixture.admin;
      await fixture.till.work();
      const before = await shown('LTC');
      assert.deepEqual(before?.['payouts'], { enabled: true, stopped_reason: null });
      assert.deepEqual([typeof before['height'], before['lag_seconds'], before['trouble']], ['number', 0, null]);
      assert.equal(before['hot_address'], fixture.till.till.chains.get('LTC')?.payments?.hotAddress ?? null);
      // Words that look like a stop that ends by itself.
      const words = 'Merchants are owed more than is held on the chain';
      const reason = `Stopped by an operator: ${words}`;
      assert.deepEqual(managed(await client.post(`${CHAINS}/LTC/payouts/stop`, { reason: words })), {
        enabled: true,
        stopped_reason: reason,
      });
      assert.deepEqual((await shown('LTC'))?.['payouts'], { enabled: true, stopped_reason: reason });
      assert.equal(await store.storage.transfers.payoutStop('ETH'), null);
      assert.equal(isInsolvency(reason), false);
      const [row] = managed<List>(await client.get('/manage/v1/audit?limit=1')).items;
      assert.deepEqual(
        [row?.['action'], row?.['subject'], row?.['actor'], row?.['changes']],
        ['chain.stop_payouts', 'LTC', fixture.admin.id, { payout_stop: { from: null, to: reason } }],
      );
      assert.deepEqual(managed(await client.request('POST', `${CHAINS}/LTC/payouts/resume`)), {
        enabled: true,
        stopped_reason: null,
      });
      assertRefused(await client.request('POST', `${CHAINS}/LTC/payouts/resume`), 409);
    });

    test('fault 217: what the chain holds is shown beside the books, to admins, by one look at the node for all who ask', async () => {
      const { client } = fixture.admin;
      const chain = fixture.till.till.chains.get('TRX') as {
        -readonly [Field in 'payments' | 'code']: ChainAdapter[Field];
      };
      const former = chain.payments;
      let looks = 0;
      const held = new Map([['USDT-TRC20', 4_000_000n]]);
      chain.payments = {
        ...{ model: 'account', hotAddress: B, feeAsset: { currency: 'USDT-TRC20' } },
        custody: async () => (looks++, held),
        balance: async (_address: string, currency: string) => held.get(currency) ?? 0n,
      } as unknown as ChainPayments;
      const postings = [
        { account: custodyAccount('TRX'), currency: 'USDT-TRC20', units: -5_000_000n },
        { account: 'operator:TRX', currency: 'USDT-TRC20', units: 5_000_000n },
      ] as const;
      const book = { id: fixture.till.till.ids.next() as EntryId, at: fixture.till.clock.now() };
      await store.storage.transaction((tx) =>
        postEntry(tx, { ...book, kind: 'float-found', reference: 'test:float', postings }),
      );
      const { hot_address, items } = managed<{ hot_address: string; items: readonly Fields[] }>(
        await client.get(`${CHAINS}/TRX/wallet`),
      );
      assert.equal(hot_address, B);
      assert.deepEqual(
        items.find(({ coin }) => coin === 'USDT-TRC20'),
        { coin: 'USDT-TRC20', hot: '4', on_chain: '4', expected: '5', in_flight: '0', shortfall: '1' },
      );
      const ofOne = looks;
      await Promise.all(Array.from({ length: 4 }, () => fixture.manage.chains.wallet(OPERATOR, 'TRX')));
      assert.equal(looks, 2 * ofOne);
      chain.payments = null;
      assertRefused(await client.get(`${CHAINS}/TRX/wallet`), 503);
      chain.payments = former;
      assertRefused(await client.get(`${CHAINS}/DOGE/wallet`), 400);
      assertRefused(await (await fixture.newMember()).client.get(`${CHAINS}/TRX/wallet`), 403);
    });

    test('of Lightning are stopped and resumed without an address', async () => {
      const { client } = fixture.admin;
      managed(await client.post(`${CHAINS}/BLN/payouts/stop`, { reason: 'a test' }));
      assert.equal(await store.storage.transfers.payoutStop('BLN'), 'Stopped by an operator: a test');
      managed(await client.request('POST', `${CHAINS}/BLN/payouts/resume`));
      assert.equal(await store.storage.transfers.payoutStop('BLN'), null);
    });

    test('are an admin’s to stop, of chains that there are', async () => {
      const { client } = await fixture.newMember();
      assertRefused(await client.get(CHAINS), 403);
      assertRefused(await client.post(`${CHAINS}/LTC/payouts/stop`, { reason: 'mine' }), 403);
      assertRefused(await client.request('POST', `${CHAINS}/LTC/payouts/resume`), 403);
      assertRefused(await fixture.admin.client.post(`${CHAINS}/LTC/payouts/stop`, {}), 400, 'reason');
      assertRefused(await fixture.admin.client.post(`${CHAINS}/DOGE/payouts/stop`, { reason: 'none' }), 400);
      assert.equal(await store.storage.transfers.payoutStop('LTC'), null);
    });
  });

  describe('a frozen account', () => {
    test('fault 84: is frozen by an admin, with the reason on record, and withdraws nothing', async () => {
      const user = await fixture.newMember();
      const freeze = `/manage/v1/accounts/${user.id}/freeze`;
      assertRefused(await user.client.post(freeze, { reason: 'mine' }), 403);
      assertRefused(await fixture.admin.client.post(freeze, {}), 400, 'reason');
      const security = managed(await fixture.admin.client.post(freeze, { reason: 'A session was stolen.' }));
      assert.deepEqual(
        [security['payouts_frozen'], security['payouts_frozen_reason']],
        [true, 'A session was stolen.'],
      );
      assertRefused(await fixture.admin.client.post(freeze, { reason: 'again' }), 409);
      const [row] = await audit(user, 'account.freeze_withdrawals');
      assert.deepEqual((row?.['changes'] as Fields)['payouts_frozen'], {
        from: null,
        to: 'A session was stolen.',
      });
      assertRefused(await fixture.admin.client.post(`/manage/v1/accounts/${UNKNOWN}/freeze`, { reason: 'x' }), 404);
      managed(await fixture.admin.client.request('POST', `/manage/v1/accounts/${user.id}/unfreeze`));
    });

    const path = (member: Member): string => `/manage/v1/accounts/${member.id}/unfreeze`;

    test('is shown in its security record, and freed by an admin, on record', async () => {
      const user = await fixture.newMember();
      assertRefused(await fixture.admin.client.request('POST', path(user)), 409);
      const freeze = {
        accountId: user.id as AccountId,
        reason: 'A deposit was taken back.',
        at: fixture.till.clock.now(),
      };
      await store.storage.transaction((tx) => tx.transfers.freeze(freeze));
      const security = managed(await user.client.get('/manage/v1/security'));
      assert.deepEqual(
        [security['payouts_frozen'], security['payouts_frozen_reason']],
        [true, 'A deposit was taken back.'],
      );
      assertRefused(await user.client.request('POST', path(user)), 403);
      assert.equal(managed(await fixture.admin.client.request('POST', path(user)))['payouts_frozen'], false);
      assertRefused(await fixture.admin.client.request('POST', path(user)), 409);
      assertRefused(await fixture.admin.client.request('POST', `/manage/v1/accounts/${UNKNOWN}/unfreeze`), 404);
      const rows = await audit(user, 'account.unfreeze_withdrawals');
      assert.deepEqual(
        rows.map(({ changes }) => changes),
        [{ payouts_frozen: { from: 'A deposit was taken back.', to: null } }],
      );
    });
  });

  describe('fault 12: what belongs to somebody else', () => {
    test('is answered byte for byte as what does not exist', async () => {
      const [owner, other] = [await fixture.newMember(), await fixture.newMember()];
      const { id } = managed<{ id: string }>(await owner.client.post(WATCHES, { chain: 'ETH', value: A }), 201);
      const remove = (of: string) => other.client.request('DELETE', `${WATCHES}/${of}`);
      const [foreign, unknown, garbage] = [await remove(id), await remove(UNKNOWN), await remove('garbage')];
      assertRefused(foreign, 404);
      assert.deepEqual([foreign.text, garbage.text], [unknown.text, unknown.text]);
      assert.equal(managed<List>(await owner.client.get(WATCHES)).items.length, 1);
    });
  });
});
