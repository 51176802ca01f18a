import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Merchant, isGenuine, startReceiver } from '../../host/merchant.ts';
import type { Demo } from '../../host/merchant.ts';
import { freshDirectory, run, serve } from '../../host/till-process.ts';
import type { TillProcess } from '../../host/till-process.ts';
import { encodeSigned } from '../../support/tron/tron-codec.ts';
import { BLOCK_MS } from '../../support/tron/fake-tron-network.ts';
import { MNEMONIC, TOKENS, USDT, openFixture } from '../../support/tron/tron-fixture.ts';
import type { TronFixture } from '../../support/tron/tron-fixture.ts';
import { waitFor } from '../../support/wait.ts';

const CONFIRMATIONS = 3;
/** The number of blocks in a new fixture. */
const BLOCKS_BEHIND = 25;

/** A till in a separate process, in production mode, with the plugin `tron` on this test's network. */
describe('a till on Tron', { concurrency: 1 }, () => {
  let fixture: TronFixture;
  let till: TillProcess;
  let merchant: Merchant;
  let demo: Demo;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let directory: ReturnType<typeof freshDirectory>;
  const environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'), TILLGATE_MNEMONIC: MNEMONIC };
  const command = (...args: readonly string[]): ReturnType<typeof run> =>
    run(directory.path, [...args, '--json'], environment);

  before(async () => {
    fixture = await openFixture({ nodes: 2, start: Date.now() - BLOCKS_BEHIND * BLOCK_MS });
    receiver = await startReceiver();
    directory = freshDirectory();
    directory.write('tillgate.config.json', settings(fixture));
    const account = await command(
      'account',
      'create',
      '--email',
      'shop@example.com',
      '--password',
      'correct horse battery',
    );
    assert.equal(account.code, 0, account.err);
    const { id } = JSON.parse(account.out) as { id: string };
    const credential = await command('credential', 'create', '--account', id);
    demo = { ...(JSON.parse(credential.out) as Demo), account_id: id };
    till = serve(directory.path, environment);
    merchant = new Merchant(await till.url(), demo);
  });

  after(async () => {
    await till.signal('SIGKILL');
    await fixture.stop();
    await receiver.close();
    directory.remove();
  });

  async function order(): Promise<{ id: string; address: string }> {
    const { data, message, code } = await merchant.payInfo(`${receiver.url}/paid`, {
      chain: 'TRX',
      currency: USDT,
      vs_price: 10,
    });
    assert.equal(code, 0, message);
    assert.equal(data['contract_addr'], TOKENS[USDT].address);
    return { id: String(data['order_id']), address: String(data['address']) };
  }

  async function becomes(id: string, status: string): Promise<void> {
    await waitFor(async () => (await merchant.status(id)) === status, {
      timeoutMs: 40_000,
      intervalMs: 50,
      describe: () => `${id} to be ${status}:\n${till.err.slice(-3_000)}`,
    });
  }

  async function credited(): Promise<string> {
    const { data } = await merchant.call('GET', '/api/wallets');
    const rows = data as unknown as readonly { currency: string; total: string }[];
    return rows.find(({ currency }) => currency === USDT)?.total ?? '0';
  }

  test('a TRC-20 payment makes the order SUCCESS after its confirmations, and the callback is signed', async () => {
    const { id, address } = await order();
    const txid = await fixture.pay(address, 10_000_000n);
    fixture.network.produce(CONFIRMATIONS);
    await becomes(id, 'SUCCESS');
    const { data } = await merchant.call('GET', `/api/v2/order/detail/${id}`);
    assert.deepEqual(
      [data['chain_name'], data['obtained'], data['to_addr'], data['tx_hash']],
      ['Tron', '10', address, txid],
    );
    const callback = await waitFor(() => receiver.received.find(({ body }) => body.includes(id)), {
      timeoutMs: 20_000,
    });
    assert.ok(isGenuine(callback, demo.callback_secret));
  });

  test('fault 51: a payment that a reorganisation took away is reversed, and credited once when it is mined again', async () => {
    const { id, address } = await order();
    const before = await credited();
    const txid = await fixture.pay(address, 10_000_000n);
    const { header } = fixture.network.produce(1);
    fixture.network.produce(CONFIRMATIONS);
    await becomes(id, 'SUCCESS');
    const after = await credited();
    assert.notEqual(after, before);
    const decoded = fixture.network.blocks[header.number]?.mined.find((one) => one.txid === txid)?.decoded;
    assert.ok(decoded != null);
    fixture.network.reorganise(CONFIRMATIONS + 1, 'gone');
    await waitFor(async () => (await credited()) === before, {
      timeoutMs: 20_000,
      describe: () => `the reversal:\n${till.err.slice(-3_000)}`,
    });
    assert.equal(await merchant.status(id), 'SUCCESS');
    fixture.network.submit(encodeSigned(decoded.rawDataHex, decoded.signatures));
    fixture.network.produce(CONFIRMATIONS + 2);
    await waitFor(async () => (await credited()) === after, {
      timeoutMs: 20_000,
      describe: () => `the credit:\n${till.err.slice(-3_000)}`,
    });
    const { data } = await merchant.call('GET', `/api/v2/order/detail/${id}`);
    assert.equal(data['obtained'], '10');
    const books = await command('ledger', 'check', '--full');
    assert.equal(books.code, 0, books.err);
  });

  test('fault 56: it goes on over the second node when the first one fails', async () => {
    fixture.node.intercept = () => ({ status: 503, text: '' });
    const { id, address } = await order();
    await fixturePay(address);
    fixture.network.produce(CONFIRMATIONS);
    await becomes(id, 'SUCCESS');
    assert.ok(till.err.includes('HTTP 503'));
  });

  /** The payer's own wallet uses the first node, which is down for the till. */
  async function fixturePay(address: string): Promise<void> {
    const { intercept } = fixture.node;
    fixture.node.intercept = (path) =>
      ['/wallet/getblock', '/wallet/broadcasttransaction'].includes(path) ? null : { status: 503, text: '' };
    await fixture.pay(address, 10_000_000n);
    fixture.node.intercept = intercept;
  }
});

function settings(fixture: TronFixture): unknown {
  return {
    mode: 'production',
    auth: { breachedPasswords: null },
    listen: { host: '127.0.0.1' },
    database: { client: 'sqlite' },
    callbacks: { allowPrivateNetworks: true, schedule: [1, 1, 1] },
    rates: { sources: [{ use: 'static', prices: { USDT: '1', USDC: '1', TRX: '0.25' } }] },
    plugins: [
      {
        use: 'tron',
        options: {
          apiUrls: fixture.nodes.map(({ url }) => url),
          quorum: 1,
          network: 'test',
          confirmations: CONFIRMATIONS,
          spendableConfirmations: 10,
          pollIntervalMs: 100,
          tokens: TOKENS,
        },
      },
    ],
  };
}
