import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { SqlStorage } from '../../adapters/storage/knex/index.ts';
import {
  custodyAccount,
  merchantAccount,
  OPERATOR,
  postEntry,
  present,
  readDecimal,
  reserveEntry,
} from '../../core/index.ts';
import type {
  AccountId,
  EntryId,
  PasskeyId,
  PayoutId,
  Transfer,
  TransferId,
  TransferStatus,
} from '../../core/index.ts';
import { mineSimulated, paySimulated } from '../../adapters/http/index.ts';
import { withTill } from '../../host/cli/with-till.ts';
import { runCli } from '../../host/cli.ts';
import { FakeIds, START } from '../support/fakes.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { freshDirectory } from './till-process.ts';

type Fields = Record<string, unknown>;

const [A, B] = ['0x90F79bf6EB2c4f870365E785982E1f101E93b906', '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'];
const RAW = '0x02f8dead';

/** A command in this process, which is a test file's own, in its working directory. */
async function run(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(args, { out: (line) => void out.push(line), err: (line) => void err.push(line) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

describe('money out at the command line', () => {
  const directory = freshDirectory();
  const home = process.cwd();
  const ids = new FakeIds();
  let account: string;
  before(async () => {
    process.chdir(directory.path);
    account = String(
      (
        await json(
          'account',
          'create',
          '--email',
          'shop@example.com',
          '--password',
          'a good password',
          '--verified',
          '*',
        )
      )['id'],
    );
  });
  after(() => {
    process.chdir(home);
    directory.remove();
  });

  const json = async (...args: readonly string[]): Promise<Fields> => {
    const { code, out, err } = await run(...args, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out) as Fields;
  };
  const fails = async (words: RegExp, ...args: readonly string[]): Promise<void> => {
    const { code, out, err } = await run(...args);
    assert.equal(code, 1, args.join(' '));
    assert.match(err, words);
    assert.equal(out, '');
  };
  /** Looks into the commands' database. */
  const inStorage = async <T>(work: (storage: SqlStorage) => Promise<T>): Promise<T> => {
    const storage = await openStorageAlone(
      { client: 'sqlite', filename: join(directory.path, 'data', 'tillgate.db') },
      { logger: silentLogger },
    );
    try {
      return await work(storage);
    } finally {
      await storage.close();
    }
  };
  /** An order of 25 USDT, paid on the simulated chain and spendable. */
  const paidOrder = (): Promise<string> =>
    withTill(async (till) => {
      const follower = present(till.followers.get('ETH'), 'the follower');
      await follower.start();
      const lease = present(await till.storage.leases.acquire('follow:ETH', 'test', 60_000), 'the lease');
      const follow = async (): Promise<void> => {
        while ((await follower.step(lease)) === 'advanced');
      };
      await follow();
      const { order } = await till.manage.orders.create(OPERATOR, {
        userId: account as AccountId,
        vsCurrency: 'USD',
        vsPrice: present(readDecimal('25'), '25'),
        remark: '',
        coin: { chain: 'ETH', currency: 'USDT-ERC20' },
      });
      const deps = { ...till, orders: till.storage.orders };
      await paySimulated(order.id, null, deps);
      await mineSimulated(64, 'ETH', deps);
      await follow();
      await till.storage.leases.release(lease);
      return order.id;
    });
  const actions = async (): Promise<readonly (readonly [string, string | null])[]> =>
    inStorage(async ({ audit }) =>
      (await audit.list(null, { before: null, limit: 100 })).map(({ action, actorId }) => [action, actorId] as const),
    );
  const transferOf = (status: TransferStatus): Promise<Transfer> =>
    inStorage(async (storage) => {
      const [currency, units, accountId] = ['USDT-ERC20', 100_500_000n, account as AccountId] as const;
      const transfer: Transfer = {
        id: ids.next() as TransferId,
        kind: 'withdrawal',
        accountId,
        orderId: null,
        chain: 'ETH',
        currency,
        units,
        feeUnits: 420_000n,
        maxFeeUnits: 840_000n,
        sourceAddress: B,
        sourceIndex: null,
        toAddress: A,
        status,
        payoutId: null,
        reason: null,
        createdAt: START,
        updatedAt: START,
        deferredAt: null,
        finishedAt: null,
      };
      const postings = [
        { account: custodyAccount('ETH'), currency, units: -units },
        { account: merchantAccount(accountId, 'available'), currency, units },
      ];
      await storage.transaction(async (tx) => {
        await postEntry(tx, {
          id: ids.next() as EntryId,
          at: START,
          kind: 'deposit-matured',
          reference: `test:${transfer.id}`,
          postings,
        });
        await tx.transfers.add(transfer);
        await postEntry(tx, reserveEntry(ids.next() as EntryId, START, transfer));
      });
      return transfer;
    });

  test('accounts, credentials, their security and Apps are made on record, as the operator', async () => {
    const { callback_secret: secretOfCallbacks } = await json('credential', 'create', '--account', account);
    const rotated = await json('credential', 'rotate-callback', '--account', account);
    assert.match(String(rotated['callback_secret']), /^whsec_/);
    assert.notEqual(rotated['callback_secret'], secretOfCallbacks);
    assert.deepEqual(Object.keys(rotated), [
      'callback_key',
      'callback_token',
      'callback_secret',
      'previous_secret_expires_at',
    ]);
    await json('security', 'data-security', '--account', account, '--on');
    const { secret, uri } = await json('security', 'totp', '--account', account, '--for-withdrawals');
    assert.match(String(uri), new RegExp(`secret=${String(secret)}`));
    await json('app', 'create', '--account', account, '--name', 'wallet', '--chains', 'ETH');
    const made = [...(await actions())].reverse();
    assert.deepEqual(
      made.map(([action]) => action),
      [
        'account.create',
        'credential.create',
        'callback_secrets.rotate',
        'security.update',
        'security.totp_enrol',
        'security.update',
        'app.create',
        'app_key.create',
      ],
    );
    assert(made.every(([, actor]) => actor === null));
    await fails(/There is no such account/, 'security', 'totp', '--account', '123');
  });

  test('an account’s passkeys are listed, and the last second factor is removed', async () => {
    const accountId = account as AccountId;
    const [first, second] = [ids.next() as PasskeyId, ids.next() as PasskeyId];
    const key = { accountId, publicKey: 'cA', signCount: 1, transports: [], createdAt: START, lastUsedAt: null };
    await inStorage((storage) =>
      storage.transaction(async (tx) => {
        await tx.passkeys.add({ ...key, id: first, credentialId: 'a', name: 'Phone' });
        await tx.passkeys.add({ ...key, id: second, credentialId: 'b', name: 'Key', lastUsedAt: START });
      }),
    );
    const passkeys = async (...more: readonly string[]): Promise<Fields> =>
      json('security', 'passkeys', '--account', account, ...more);
    const added = new Date(START).toISOString();
    assert.deepEqual(await passkeys(), [
      { id: first, name: 'Phone', created_at: added, last_used_at: null },
      { id: second, name: 'Key', created_at: added, last_used_at: added },
    ]);
    await fails(
      /--remove: no passkey of this account/,
      'security',
      'passkeys',
      '--account',
      account,
      '--remove',
      '123',
    );
    assert.equal((await passkeys('--remove', first))['length'], 1);
    const { out } = await run('security', 'passkeys', '--account', account, '--remove', second);
    assert.equal(out, 'The account has no passkey.');
    assert.deepEqual(
      (await actions()).filter(([action]) => action === 'security.passkey_remove'),
      [
        ['security.passkey_remove', null],
        ['security.passkey_remove', null],
      ],
    );
  });

  test('an address waits out its hold, or holds at once with --now', async () => {
    const set = (address: string, ...more: string[]) =>
      json('withdrawal-address', 'set', '--account', account, '--chain', 'ETH', '--address', address, ...more);
    const first = await set(A.toLowerCase(), '--now');
    assert.deepEqual([first['address'], first['in_force'], first['former_address']], [A, A, null]);
    const second = await set(B);
    assert.deepEqual([second['address'], second['in_force'], second['former_address']], [B, A, A]);
    assert.equal((await set(B, '--now'))['in_force'], B);
    assert.equal((await actions()).filter(([action]) => action === 'withdrawal_address.set').length, 3);
    await fails(
      /must be an address on Ethereum/,
      'withdrawal-address',
      'set',
      '--account',
      account,
      '--chain',
      'ETH',
      '--address',
      '0x1234',
    );
    await fails(
      /There is no such account/,
      'withdrawal-address',
      'set',
      '--account',
      '123',
      '--chain',
      'ETH',
      '--address',
      A,
    );
    await fails(
      /DOGE is not supported/,
      'withdrawal-address',
      'set',
      '--account',
      account,
      '--chain',
      'DOGE',
      '--address',
      A,
    );
  });

  test('withdrawals are listed, approved and rejected', async () => {
    await json('withdrawal-address', 'set', '--account', account, '--chain', 'ETH', '--address', A, '--now');
    const [first, second] = [await transferOf('HELD'), await transferOf('HELD')];
    const { out } = await run('withdrawal', 'list', '--status', 'HELD');
    assert.match(out, new RegExp(`${first.id}  HELD +withdrawal +ETH  100\\.5 USDT-ERC20  to ${A}`));
    assert.equal((await json('withdrawal', 'approve', first.id))['status'], 'REQUESTED');
    await fails(/only one that is HELD/, 'withdrawal', 'approve', first.id);
    const rejected = await json('withdrawal', 'reject', second.id, '--reason', 'not known');
    assert.deepEqual([rejected['status'], rejected['reason']], ['FAILED', 'not known']);
    await fails(/There is no such resource/, 'withdrawal', 'approve', '123');
    await fails(/--status is one of HELD/, 'withdrawal', 'list', '--status', 'LOST');
    const balances = await inStorage(({ ledger }) => ledger.balances(`merchant:${account}:`));
    assert.deepEqual(balances.map(({ account: name, units }) => [name.split(':')[2], units]).sort(), [
      ['available', 100_500_000n],
      ['reserved', 100_500_000n],
    ]);
  });

  test('a transfer is shown with what was signed for it, but for the signed bytes', async () => {
    const transfer = await transferOf('REQUESTED');
    assert.match((await run('transfer', 'show', transfer.id)).out, /No transaction was signed for it/);
    const payoutId = ids.next() as PayoutId;
    await inStorage((storage) =>
      storage.transaction(async (tx) => {
        await tx.transfers.openPayout({
          id: payoutId,
          chain: 'ETH',
          sourceAddress: B,
          sourceIndex: null,
          nonce: 7,
          status: 'LIVE',
          minedTxid: null,
          minedHeight: null,
          cancelReason: null,
          stuckAt: null,
          sentAt: null,
          createdAt: START,
        });
        await tx.transfers.addAttempt({
          payoutId,
          number: 1,
          kind: 'payment',
          txid: '0xabc',
          raw: RAW,
          feeUnits: 21_000n,
          terms: '{}',
          expiresAt: null,
          createdAt: START,
        });
        assert(await tx.transfers.move(transfer.id, 'REQUESTED', 'SIGNED', { payoutId, updatedAt: START }));
      }),
    );
    const shown = await run('transfer', 'show', transfer.id);
    assert.match(
      shown.out,
      /status +SIGNED[\s\S]*nonce 7[\s\S]*1\. 2026-03-01T12:00:00\.000Z  0xabc  costs at most 21000 units/,
    );
    const asJson = await run('transfer', 'show', transfer.id, '--json');
    assert.deepEqual((JSON.parse(asJson.out) as { chain_transaction: Fields }).chain_transaction['attempts'], [
      { number: 1, tx_hash: '0xabc', fee_units: '21000', created_at: '2026-03-01T12:00:00.000Z' },
    ]);
    assert.equal(`${shown.out}${asJson.out}`.includes(RAW), false);
    await fails(/can be rejected only before it is signed/, 'withdrawal', 'reject', transfer.id, '--reason', 'late');
    assert.match((await run('transfer', 'cancel', transfer.id, '--reason', 'Too slow.')).out, /is being cancelled/);
    assert.match((await run('transfer', 'show', transfer.id)).out, /status +SIGNED[\s\S]*cancelled +Too slow\./);
    assert.deepEqual((await actions())[0], ['transfer.cancel', null]);
    const unsigned = await transferOf('HELD');
    await fails(/nothing is signed for it, so it can be rejected/, 'transfer', 'cancel', unsigned.id);
  });

  test('a frozen account is freed, once, on record', async () => {
    await fails(/are not frozen/, 'account', 'unfreeze', account);
    await inStorage((storage) =>
      storage.transaction((tx) =>
        tx.transfers.freeze({ accountId: account as AccountId, reason: 'A deposit was taken back.', at: START }),
      ),
    );
    assert.deepEqual(await json('account', 'unfreeze', account), {
      id: account,
      payouts_frozen: false,
      reason: 'A deposit was taken back.',
    });
    assert.deepEqual((await actions())[0], ['account.unfreeze_withdrawals', null]);
    await fails(/There is no such account/, 'account', 'unfreeze', '123');
  });

  test('an account is frozen with a reason, once, on record', async () => {
    assert.equal((await json('account', 'freeze', account, '--reason', 'a stolen key'))['payouts_frozen'], true);
    assert.deepEqual((await actions())[0], ['account.freeze_withdrawals', null]);
    await fails(/are frozen: a stolen key/, 'account', 'freeze', account, '--reason', 'again');
    assert.equal((await json('account', 'unfreeze', account))['reason'], 'a stolen key');
  });

  test('payouts are stopped on one chain or on all, and resumed by the chain', async () => {
    const stopOf = (chain: string): Promise<string | null> => inStorage(({ transfers }) => transfers.payoutStop(chain));
    assert.deepEqual((await json('payouts', 'stop', 'TRX', '--reason', 'a test'))['chains'], ['TRX']);
    assert.deepEqual([await stopOf('TRX'), await stopOf('ETH')], ['Stopped by an operator: a test', null]);
    const { chains } = await json('payouts', 'stop', '--reason', 'a stolen key');
    assert.deepEqual(chains, ['BSC', 'BTC', 'ETH', 'LTC', 'TRX']);
    assert.deepEqual((await actions())[0], ['chain.stop_payouts', null]);
    assert.equal((await json('payouts', 'resume', 'ETH'))['reason'], 'Stopped by an operator: a stolen key');
    assert.deepEqual([await stopOf('ETH'), await stopOf('BTC')], [null, 'Stopped by an operator: a stolen key']);
    assert.equal((await run('payouts', 'stop', 'ETH', 'BTC', '--reason', 'two')).code, 2);
    assert.equal((await run('payouts', 'stop', 'ETH')).code, 2);
  });

  test('an order is refunded in part, once at a time, with what is left in words', async () => {
    const order = await paidOrder();
    await fails(/rate: must be absent/, 'order', 'refund', order, '--rate', 'current');
    await fails(/--rate: must be one of order, current/, 'order', 'refund', order, '--rate', 'then');
    await fails(/--amount: must be a decimal/, 'order', 'refund', order, '--amount', '1,5');
    await fails(
      /fiat_amount: .* at most the 25 USDT-ERC20/,
      'order',
      'refund',
      order,
      '--fiat-amount',
      '25.01',
      '--to',
      'sender',
    );
    await fails(/no surplus/, 'order', 'refund', order, '--surplus', '--to', 'sender');
    await fails(/has not set a refund address/, 'order', 'refund', order, '--amount', '10');
    const refund = await json('order', 'refund', order, '--fiat-amount', '10', '--to', 'sender');
    assert.deepEqual([refund['kind'], refund['amount'], refund['order']], ['refund', '10', order]);
    await fails(/has a refund already/, 'order', 'refund', order, '--to', 'sender');
    await fails(/no such/, 'order', 'refund', '1530217733410816001');
    assert.equal((await actions()).filter(([action, actor]) => action === 'order.refund' && actor === null).length, 1);
  });

  test('payments that are not stopped, and of no chain, are not resumed', async () => {
    await fails(/are not stopped/, 'chain', 'resume-payouts', 'ETH');
    await fails(/DOGE is not configured/, 'chain', 'resume-payouts', 'DOGE');
  });
});
