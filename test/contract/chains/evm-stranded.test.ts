import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex } from 'viem';
import type { ChainFollower, Lease, Order } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, invoke, receipt } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import { openTestStorage } from '../../support/storage.ts';
import { evmChain } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';
import type { Interference } from './rpc-proxy.ts';

const ETHER = 10n ** 18n;
const DUE = ETHER / 200n;
const EVERY = 'every block';
const MISSING = { code: -32000, message: 'missing trie node 0123 (path ) state 0xabc is not available, not found' };

/** A full node that keeps the state of only its latest blocks; these hashes are of older ones. */
function forgetting(gone: ReadonlySet<string>): Interference {
  return ({ method, params }) => {
    if (method !== 'eth_getBalance' && method !== 'eth_call') return null;
    const at = (params[1] as { blockHash?: string } | undefined)?.blockHash ?? '';
    return gone.has(at) || gone.has(EVERY) ? { error: MISSING } : null;
  };
}

interface Scene {
  readonly anvil: Anvil;
  readonly forwarder: DeployedContract;
  readonly domain: Domain;
  readonly gone: Set<string>;
  /** Mines and follows until nothing is left to do. */
  look(blocks?: number): Promise<void>;
  /** A follower with only the stored state. */
  restart(): Promise<void>;
}

async function scene(t: { after(work: () => unknown): void }): Promise<Scene> {
  const anvil = await startAnvil();
  t.after(() => anvil.stop());
  const forwarder = await deployContract(anvil, 'Forwarder');
  const gone = new Set<string>();
  const proxy = await startProxy(anvil.url, forgetting(gone));
  t.after(() => proxy.stop());
  const options = { confirmations: 3, spendableConfirmations: 5, finalityBlocks: 64 };
  const { storage } = await openTestStorage('memory', t);
  const first = (await evmChain([proxy.url], {}, options)).chain;
  t.after(() => first.close());
  const domain = await buildDomain(storage, { eth: first });
  let follower: ChainFollower;
  let lease: Lease;
  const restart = async (): Promise<void> => {
    const { chain } = await evmChain([proxy.url], {}, options);
    t.after(() => chain.close());
    follower = domain.newFollower(chain);
    await follower.start();
    lease = await domain.lease(chain as never);
  };
  await restart();
  const look = async (blocks = 6): Promise<void> => {
    for (let block = 0; block < blocks; block++) {
      await anvil.mine(1);
      const { timestamp } = await anvil.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
      domain.clock.set(Math.max(domain.clock.now() + 11_000, Number(timestamp) * 1_000));
      while ((await follower.step(lease)) === 'advanced');
    }
  };
  await look(2);
  return { anvil, forwarder, domain, gone, look, restart };
}

async function forward({ anvil, forwarder }: Scene, { payment }: Order): Promise<void> {
  await receipt(anvil, await invoke(anvil, forwarder, 'forward', [payment?.address], { value: DUE }));
}

test('fault 335: a payer that chose another coin since, and one that pays by a contract after a restart, lose nothing', async (t) => {
  const stage = await scene(t);
  const { domain } = stage;
  const made = await domain.newOrder({ currency: 'ETH' });
  await stage.look(2);
  await domain.storage.transaction((tx) => tx.orders.setAddressCurrency(made.id, 'ETH', 'USDT-ERC20'));
  await stage.restart();
  await forward(stage, made);
  await stage.look();
  assert.deepEqual(
    (await domain.storage.deposits.byOrder(made.id)).map(({ units, status }) => [units, status]),
    [[DUE, 'SPENDABLE']],
  );
  assert.equal((await domain.order(made.id)).status, 'SUCCESS');
  await domain.checkBooks();
});

test('fault 337: what a contract sent in blocks whose state the node has pruned is found, and pays in time', async (t) => {
  const stage = await scene(t);
  const { anvil, domain, gone } = stage;
  const [paid, unpaid] = [await domain.newOrder({ currency: 'ETH' }), await domain.newOrder({ currency: 'ETH' })];
  await stage.look(2);
  await forward(stage, paid);
  await anvil.mine(40);
  const head = Number(await anvil.rpc<Hex>('eth_blockNumber'));
  for (let height = 0; height <= head; height++) {
    const { hash } = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
    gone.add(hash);
  }
  await stage.restart();
  domain.clock.advance(40 * 60_000);
  gone.add(EVERY);
  await stage.look(1);
  await domain.expireOrders.run();
  assert.equal((await domain.order(unpaid.id)).status, 'PENDING');
  assert.equal(domain.metrics.counted('tillgate_alerts_total', { kind: 'node' }), 1);
  gone.delete(EVERY);
  await stage.look();
  await domain.expireOrders.run();
  assert.equal((await domain.order(paid.id)).status, 'SUCCESS');
  assert.equal((await domain.order(unpaid.id)).status, 'OVERDUE');
  assert.equal((await domain.storage.chains.state('ETH'))?.trouble, null);
  await domain.checkBooks();
});

test('fault 336: what a contract sends after the watch window is unassigned', async (t) => {
  const stage = await scene(t);
  const { anvil, domain } = stage;
  const made = await domain.newOrder({ currency: 'ETH' });
  await stage.look(2);
  await anvil.rpc('evm_increaseTime', [100 * 24 * 3_600]);
  await stage.look(2);
  await stage.restart();
  await forward(stage, made);
  await stage.look();
  const items = await domain.storage.deposits.unassigned({ before: null, limit: 10 });
  assert.deepEqual(
    items.map(({ orderId, units, unassignedReason }) => [orderId, units, unassignedReason]),
    [[made.id, DUE, 'late']],
  );
  await domain.checkBooks();
});
