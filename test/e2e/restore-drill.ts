import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mnemonicToAccount } from 'viem/accounts';
import { formatEther, parseEther, parseTransaction } from 'viem';
import type { Address, Hex } from 'viem';
import { waitFor } from '../support/wait.ts';
import { MNEMONIC, TillOnAnvil } from './till-on-anvil.ts';

const ETHER = 10n ** 18n;
/** Blocks until a deposit can be spent and a payment is final, in these tests' settings. */
const SPENDABLE = 5;
const PAYEE = '0x00000000000000000000000000000000fee00001';

interface Block {
  readonly transactions: readonly {
    readonly from: Address;
    readonly to: Address | null;
    readonly value: Hex;
    readonly hash: Hex;
  }[];
}

/** A backup, an hour of business, a restore, and business that goes on: the real process on a real node and database. */
export function restoreDrill(engine: 'sqlite' | 'pg'): void {
  describe(`fault 82: a backup is restored, on anvil and ${engine}`, { concurrency: 1 }, () => {
    let till: TillOnAnvil;
    let hot: Address;
    let payer: Address;
    const signer = mnemonicToAccount(MNEMONIC);

    const give = (to: Address, value: bigint): Promise<Hex> =>
      till.anvil.rpc<Hex>('eth_sendTransaction', [{ from: payer, to, value: `0x${value.toString(16)}` }]);
    const mineUntil = (condition: () => Promise<boolean>, what: string): Promise<unknown> =>
      waitFor(
        async () => {
          if (await condition()) return true;
          await till.anvil.mine();
          return false;
        },
        { timeoutMs: 90_000, intervalMs: 150, describe: () => `${what}; the log:\n${till.log.slice(-4000)}` },
      );
    const payOrder = async ({ address, amount }: { address: Address; amount: string }): Promise<void> => {
      await give(address, BigInt(Math.round(Number(amount) * 1e8)) * 10n ** 10n);
      await till.anvil.mine(SPENDABLE);
    };
    const becomes = (id: string, status: string): Promise<unknown> =>
      mineUntil(async () => (await till.merchant.status(id)) === status, `order ${id} to be ${status}`);
    const ok = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      const { code, out, err } = await till.command(...args);
      assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
      return JSON.parse(out) as Record<string, unknown>;
    };
    const withdraw = async (amount: string): Promise<string> => {
      const asked = { amount, chain: 'ETH', currency: 'ETH' };
      const { data, code, message } = await till.merchant.call('POST', '/api/withdraw', asked);
      assert.equal(code, 0, message);
      return String(data['tx_id']);
    };
    const statusOf = async (id: string): Promise<string> => String((await ok('transfer', 'show', id))['status']);
    const isPaid = async (id: string): Promise<boolean> => {
      const { data } = await till.merchant.call('GET', '/api/v2/tx?page=1&size=100');
      const rows = (data as { data: Record<string, unknown>[] }).data;
      return rows.some(({ tx_id: row, status }) => row === id && status === 'SUCCESS');
    };
    const obtainedBy = async (id: string): Promise<bigint> =>
      parseEther(String((await ok('transfer', 'show', id))['obtained']));
    /** The hot wallet's payments of exactly this amount. */
    const paymentsOf = async (obtained: bigint): Promise<Hex[]> => {
      const head = Number(await till.anvil.rpc<Hex>('eth_blockNumber'));
      const found: Hex[] = [];
      for (let height = 1; height <= head; height++) {
        const { transactions } = await till.anvil.rpc<Block>('eth_getBlockByNumber', [
          `0x${height.toString(16)}`,
          true,
        ]);
        for (const { to, value, hash } of transactions)
          if (to?.toLowerCase() === PAYEE && BigInt(value) === obtained) found.push(hash);
      }
      return found;
    };

    before(async () => {
      till = await TillOnAnvil.start(engine, { timeoutSeconds: 600 });
      payer = (await till.anvil.rpc<Address[]>('eth_accounts'))[3] as Address;
      const { addresses } = (await ok('wallet', 'show')) as { addresses: { chain: string; address: Address }[] };
      hot = addresses.find(({ chain }) => chain === 'ETH')?.address as Address;
      await give(hot, 10n * ETHER);
      await till.anvil.mine();
      const account = till.demo?.account_id ?? '';
      await ok('withdrawal-address', 'set', '--account', account, '--chain', 'ETH', '--address', PAYEE, '--now');
    });
    after(() => till.close());

    test('no address is given out twice, nothing is paid twice, and no order takes a stranger’s payment', async () => {
      const funded = await till.order('ETH', '2500');
      await payOrder(funded);
      await becomes(funded.id, 'SUCCESS');
      await mineUntil(
        async () => (await till.detail(funded.id)).data['refund'] === true,
        'the deposit to be spendable',
      );
      const open = await till.order('ETH', '250');

      // One payment is signed and was never sent, another one waits behind it.
      const reached = till.gate.hold(
        'before',
        ({ method, params }) =>
          method === 'eth_sendRawTransaction' && parseTransaction(params[0] as Hex).to?.toLowerCase() === PAYEE,
      );
      const signed = await withdraw('0.1');
      const waiting = await withdraw('0.2');
      await reached;
      await till.kill();
      const restore = await till.backup();

      // An hour of business: the fee of the first one is raised, and all goes on.
      const detail = await ok('transfer', 'show', signed);
      const bundle = detail['bundle'] as { nonce: number };
      const bump = await signer.signTransaction({
        ...{ type: 'eip1559', chainId: till.anvil.chainId, nonce: bundle.nonce, to: PAYEE, gas: 21_000n },
        ...{
          value: parseEther(String(detail['obtained'])),
          maxFeePerGas: 50n * 10n ** 9n,
          maxPriorityFeePerGas: 50n * 10n ** 9n,
        },
      });
      await till.send(bump);
      await till.anvil.mine();
      await till.startServer();
      await payOrder(open);
      await becomes(open.id, 'SUCCESS');
      await mineUntil(() => isPaid(waiting), `withdrawal ${waiting} to be paid`);
      await mineUntil(() => isPaid(signed), `withdrawal ${signed} to be paid`);
      const paid = [await obtainedBy(signed), await obtainedBy(waiting)] as const;
      const lost = await till.order('ETH', '125');
      assert.equal((await till.terminate()).code, 0);

      await restore();
      await till.startServer();
      assert.equal((await ok('restore', 'status'))['status'], 'pending');

      // Its customer pays the lost order now.
      await payOrder(lost);
      const fresh = [await till.order('ETH', '125'), await till.order('ETH', '125')];
      const former = [funded, open, lost].map(({ address }) => address);
      for (const { address } of fresh) assert.ok(!former.includes(address), `${address} was given out again`);
      await becomes(open.id, 'SUCCESS');
      await mineUntil(() => isPaid(signed), `withdrawal ${signed} to be found as paid`);
      await till.anvil.mine(20);
      await till.caughtUp();
      for (const { id } of fresh) assert.equal(await till.merchant.status(id), 'PENDING');
      assert.equal(await statusOf(waiting), 'REQUESTED');
      assert.deepEqual([(await paymentsOf(paid[0])).length, (await paymentsOf(paid[1])).length], [1, 1]);

      assert.equal((await ok('restore', 'confirm'))['held'], 1);
      assert.equal(await statusOf(waiting), 'HELD');
      const [hash] = await paymentsOf(paid[1]);
      const receipt = await till.anvil.rpc<{ gasUsed: Hex; effectiveGasPrice: Hex }>('eth_getTransactionReceipt', [
        hash,
      ]);
      const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
      await ok(
        'withdrawal',
        'settle',
        waiting,
        '--tx',
        String(hash),
        '--obtained',
        formatEther(paid[1]),
        '--fee',
        formatEther(fee),
      );
      assert.equal(await statusOf(waiting), 'CONFIRMED');

      // The hot wallet has paid and swept more than the restored books know: payouts stop until an operator resumes them.
      const next = await withdraw('0.05');
      const reasons: string[] = [];
      await mineUntil(
        async () => {
          const resumed = await till.command('chain', 'resume-payouts', 'ETH');
          if (resumed.code === 0) reasons.push((JSON.parse(resumed.out) as { reason: string }).reason);
          return isPaid(next);
        },
        `withdrawal ${next} to be paid, after ${reasons.join('; ')}`,
      );
      assert.ok(reasons.length > 0, 'payouts stop before they go on');
      assert.deepEqual(
        [await paymentsOf(paid[0]), await paymentsOf(paid[1]), await paymentsOf(await obtainedBy(next))].map(
          (all) => all.length,
        ),
        [1, 1, 1],
      );
      for (const { id } of fresh) assert.equal(await till.merchant.status(id), 'PENDING');
      await ok('ledger', 'check');
      await ok('wallet', 'reconcile');
    });
  });
}
