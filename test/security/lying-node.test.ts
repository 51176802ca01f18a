import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { toHex } from 'viem';
import type { Address, Hex } from 'viem';
import { isTillgateError } from '../../core/index.ts';
import type { OrderId } from '../../core/index.ts';
import { startProxy } from '../contract/chains/rpc-proxy.ts';
import type { Interference, RpcProxy } from '../contract/chains/rpc-proxy.ts';
import { startAnvil } from '../support/anvil.ts';
import type { Anvil } from '../support/anvil.ts';
import { openTestStorage } from '../support/storage.ts';
import { dataOf } from '../support/http.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';

const ETHER = 10n ** 18n;
const INVENTED = `0x${'1e'.repeat(32)}`;
const THIEF = `0x${'dead'.repeat(10)}`;
const CONFIRMATIONS = 2;

type Fields = Record<string, unknown>;

/** A payment that the lying node adds to one block. */
interface Lie {
  readonly height: number;
  readonly to: Address;
  readonly units: bigint;
}

describe('fault 104: a node that invents a payment, in production mode', { concurrency: 1 }, () => {
  let anvil: Anvil;
  let liar: RpcProxy;
  let lie: Lie | null = null;

  /** The block with one more transaction, its receipt, and the balance that goes with it: whatever the till asks for. */
  const invents: Interference = ({ method, params }) => {
    if (lie === null) return null;
    const { to, units, height } = lie;
    if (method === 'eth_getBalance' && String(params[0]).toLowerCase() === to.toLowerCase())
      return { result: toHex(units) };
    if (method === 'eth_getTransactionReceipt' && params[0] === INVENTED) return { result: receipt };
    if (method === 'eth_getBlockByNumber' && params[0] === toHex(height) && params[1] === true)
      return { result: block };
    return null;
  };
  let block: Fields = {};
  let receipt: Fields = {};

  before(async () => {
    anvil = await startAnvil();
    liar = await startProxy(anvil.url, invents);
  });
  after(async () => {
    await liar.stop();
    await anvil.stop();
  });

  async function open(t: TestContext, rpcUrls: readonly string[]): Promise<TestTill> {
    lie = null;
    const opened = await openTestStorage('sqlite');
    const options = {
      rpcUrls,
      chainId: 31_337,
      confirmations: CONFIRMATIONS,
      spendableConfirmations: CONFIRMATIONS,
      maxLagSeconds: null,
    };
    const till = await startTestTill(opened, {
      settings: {
        mode: 'production',
        baseUrl: 'https://pay.example.com',
        rates: { sources: [{ use: 'static', prices: { ETH: '2500' } }] },
        plugins: [{ use: 'ethereum', options }],
      },
    });
    t.after(async () => {
      await till.close();
      await opened.close();
    });
    return till;
  }

  /** An order for one ether, and a block in which the lying node shows its payment. */
  async function attacked(till: TestTill): Promise<string> {
    const body = { chain: 'ETH', currency: 'ETH', vs_currency: 'USD', vs_price: '2500' };
    const made = await till.merchant.client.post('/api/order/pay-info', body);
    const { order_id: id, address } = dataOf<{ order_id: string; address: Address }>(made);
    await anvil.mine();
    const height = Number(await anvil.rpc<Hex>('eth_blockNumber'));
    const real = await anvil.rpc<Fields>('eth_getBlockByNumber', [toHex(height), true]);
    const at = {
      blockHash: real['hash'],
      blockNumber: real['number'],
      transactionIndex: '0x0',
      from: THIEF,
      to: address,
    };
    const transaction = { ...at, hash: INVENTED, value: toHex(ETHER), input: '0x', nonce: '0x0', type: '0x0' };
    block = { ...real, transactions: [transaction] };
    const cost = { gasUsed: '0x5208', effectiveGasPrice: '0x1', status: '0x1', logs: [] };
    receipt = { ...at, ...cost, transactionHash: INVENTED };
    lie = { height, to: address, units: ETHER };
    await anvil.mine(CONFIRMATIONS);
    return id;
  }

  /** Works until the node's words are used, or until they are refused. */
  async function work(till: TestTill): Promise<void> {
    await till.work().catch((error: unknown) => {
      if (!isTillgateError(error, 'NODE_FAILED')) throw error;
    });
  }

  const statusOf = async (till: TestTill, id: string): Promise<unknown> =>
    (await till.till.storage.orders.find(id as OrderId))?.status;

  test('alone, it is believed', async (t) => {
    const till = await open(t, [liar.url]);
    const id = await attacked(till);
    await work(till);
    assert.equal(await statusOf(till, id), 'SUCCESS');
  });

  test('beside an honest one nothing is credited, the alert names both, and payments stop', async (t) => {
    const till = await open(t, [liar.url, anvil.url]);
    const id = await attacked(till);
    await work(till);
    assert.equal(await statusOf(till, id), 'PENDING');
    const { storage } = till.till;
    const state = await storage.chains.state('ETH');
    assert.equal(state?.trouble?.kind, 'disagreement');
    const [alert] = till.logger.lines.filter(({ fields }) => fields['alert'] === 'node');
    for (const { host } of [new URL(liar.url), new URL(anvil.url)])
      assert.ok(String(alert?.fields['reason']).includes(`${host} says`), String(alert?.fields['reason']));
    assert.deepEqual(await storage.ledger.balances('merchant:'), []);
    lie = null;
    await work(till);
    assert.equal(await statusOf(till, id), 'PENDING');
    assert.equal((await storage.chains.state('ETH'))?.trouble, null);
  });
});
