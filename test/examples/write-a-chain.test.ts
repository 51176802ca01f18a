import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeChain } from '../../adapters/testing/index.ts';
import { abacusHarness } from '../../examples/write-a-chain/abacus-harness.ts';
import { AbacusNode } from '../../examples/write-a-chain/abacus-node.ts';
import { keyHash, writeAddress } from '../../examples/write-a-chain/abacus-wire.ts';
import abacus from '../../examples/write-a-chain/index.ts';
import { isTillgateError } from '../../core/index.ts';
import { Merchant, isGenuine, startReceiver } from '../host/merchant.ts';
import type { Demo } from '../host/merchant.ts';
import { freshDirectory, run, serve } from '../host/till-process.ts';
import type { TillProcess } from '../host/till-process.ts';
import { waitFor } from '../support/wait.ts';

describeChain('examples/write-a-chain', abacusHarness);

const PLUGIN = fileURLToPath(new URL('../../examples/write-a-chain/index.ts', import.meta.url));
const UNIT = 10n ** 8n;
const CONFIRMATIONS = 3;

describe('examples/write-a-chain in a till of its own process, production mode', { concurrency: 1 }, () => {
  let node: AbacusNode;
  let till: TillProcess;
  let merchant: Merchant;
  let demo: Demo;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let directory: ReturnType<typeof freshDirectory>;
  const environment = {
    TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'),
    TILLGATE_MNEMONIC: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  };
  const command = (...args: readonly string[]): ReturnType<typeof run> =>
    run(directory.path, [...args, '--json'], environment, 'sources');

  const configure = (genesis: string | undefined): void =>
    directory.write('tillgate.config.json', {
      mode: 'production',
      auth: { breachedPasswords: null },
      listen: { host: '127.0.0.1' },
      database: { client: 'sqlite' },
      callbacks: { allowPrivateNetworks: true },
      rates: { sources: [{ use: 'static', prices: { ABC: '2' } }] },
      plugins: [
        {
          use: relative(directory.path, PLUGIN),
          options: { url: node.url, genesis, confirmations: CONFIRMATIONS, pollIntervalMs: 50 },
        },
      ],
    });

  before(async () => {
    node = await AbacusNode.start();
    receiver = await startReceiver();
    directory = freshDirectory();
    configure(node.blocks[0]?.hash);
    const account = await command(
      'account',
      'create',
      '--email',
      'shop@example.com',
      '--password',
      'correct horse battery',
      '--verified',
      '*',
    );
    assert.equal(account.code, 0, account.err);
    const { id } = JSON.parse(account.out) as { id: string };
    demo = { ...(JSON.parse((await command('credential', 'create', '--account', id)).out) as Demo), account_id: id };
    till = serve(directory.path, environment, 'sources');
    merchant = new Merchant(await till.url(), demo);
  });
  after(async () => {
    await till.signal('SIGKILL');
    await node.stop();
    await receiver.close();
    directory.remove();
  });

  /** Mines now and then until it holds. */
  const mineUntil = (holds: () => Promise<boolean>, describe: string): Promise<unknown> =>
    waitFor(
      async () => {
        if (await holds()) return true;
        node.mine();
        return false;
      },
      { timeoutMs: 40_000, intervalMs: 100, describe: () => `${describe}; the log:\n${till.err.slice(-4_000)}` },
    );

  test('an order in ABC is paid, and its callback comes', async () => {
    const { data, code, message } = await merchant.payInfo(`${receiver.url}/paid`, {
      chain: 'ABC',
      currency: 'ABC',
      vs_price: 25,
    });
    assert.equal(code, 0, message);
    assert.deepEqual([data['amount'], data['contract_addr']], [12.5, '']);
    const txid = node.pay(String(data['address']), (25n * UNIT) / 2n);
    node.mine(CONFIRMATIONS);
    const id = String(data['order_id']);
    await waitFor(async () => (await merchant.status(id)) === 'SUCCESS', {
      timeoutMs: 40_000,
      describe: () => `the order to be paid:\n${till.err.slice(-4_000)}`,
    });
    const { data: detail } = await merchant.call('GET', `/api/v2/order/detail/${id}`);
    assert.deepEqual([detail['chain_name'], detail['tx_hash'], detail['from_addr']], ['Abacus', txid, node.payer]);
    const callback = await waitFor(() => receiver.received.find(({ body }) => body.includes(id)), {
      timeoutMs: 20_000,
    });
    assert.ok(isGenuine(callback, demo.callback_secret));
  });

  test('what was paid is swept and withdrawn: the receiver gets the amount less the fee, once, and the books hold', async () => {
    const payee = writeAddress(keyHash(randomBytes(33)));
    const set = await command(
      'withdrawal-address',
      'set',
      '--account',
      demo.account_id,
      '--chain',
      'ABC',
      '--address',
      payee,
      '--now',
    );
    assert.equal(set.code, 0, set.err);
    const asked = await merchant.call('POST', '/api/withdraw', { amount: '5', chain: 'ABC', currency: 'ABC' });
    assert.equal(asked.code, 0, asked.message);
    const row = async (): Promise<Record<string, unknown> | undefined> => {
      const { data } = await merchant.call('GET', '/api/v2/tx?page=1&size=50');
      return (data as { data: Record<string, unknown>[] }).data.find(({ tx_id }) => tx_id === asked.data['tx_id']);
    };
    await mineUntil(async () => (await row())?.['status'] === 'SUCCESS', 'the withdrawal to be SUCCESS');
    const paid = node.blocks.flatMap(({ receipts }) => receipts).filter(({ transaction }) => transaction.to === payee);
    // What is charged covers the payment and the sweep that it needed.
    const charged = BigInt(Math.round(Number((await row())?.['fee']) * Number(UNIT)));
    assert.deepEqual(
      paid.map(({ ok, transaction }) => [ok, BigInt(transaction.amount)]),
      [[true, 5n * UNIT - charged]],
    );
    assert.ok(charged >= BigInt(paid[0]?.transaction.fee ?? 0), `${charged} are charged`);
    assert.equal((await row())?.['tx_hash'], paid[0]?.id);
    const books = await command('ledger', 'check', '--full');
    assert.equal(books.code, 0, books.out + books.err);
  });

  test('doctor finds nothing wrong, and names the network when the node is on another one', async () => {
    const well = await command('doctor');
    assert.equal(well.code, 0, well.out + well.err);
    configure('another network');
    const ill = await command('doctor');
    assert.notEqual(ill.code, 0);
    assert.match(ill.out, /on the network [0-9a-f]{64}, configured is another network/);
  });
});

test('examples/write-a-chain: options are checked by name, all at once, before anything starts', () => {
  assert.throws(
    () => abacus.plugin.options({ url: 'nowhere', confirmation: 3, pollIntervalMs: 0 }),
    (error: unknown) => {
      assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
      assert.deepEqual(error.details.fields?.map(({ path }) => path).sort(), ['confirmation', 'pollIntervalMs', 'url']);
      return true;
    },
  );
});
