import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseEther, parseTransaction } from 'viem';
import type { Address, Hex } from 'viem';
import { burnerOf } from '../support/gas-burner.ts';
import { waitFor } from '../support/wait.ts';
import { TillOnAnvil } from './till-on-anvil.ts';

type Fields = Record<string, unknown>;

interface Receipt {
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
}

interface Block {
  readonly transactions: readonly { readonly from: Address; readonly hash: Hex }[];
}

const WINDOWS = { timeoutSeconds: 2, watchSeconds: 1 };
const AFTER_WINDOW_MS = 4_000;
/** Blocks until a deposit can be spent, in these tests' settings. */
const SPENDABLE = 5;
/** Each look runs a command, which takes seconds on a busy machine, and a payout waits for a dozen blocks. */
const LOOK = { blocks: 2, timeoutMs: 240_000 };
const PAYEE: Address = '0x00000000000000000000000000000000fee00015';

describe('fault 55: payments after the watch window, on anvil', { concurrency: 1 }, () => {
  let till: TillOnAnvil;
  let payer: Address;
  let hot: Address;

  const balance = async (address: Address): Promise<bigint> =>
    BigInt(await till.anvil.rpc<Hex>('eth_getBalance', [address, 'latest']));
  const ok = async <T = Fields>(...args: readonly string[]): Promise<T> => {
    const { code, out, err } = await till.command(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return JSON.parse(out) as T;
  };
  const unassigned = (): Promise<readonly Fields[]> => ok('deposit', 'list', '--unassigned');
  const mineUntil = (condition: () => Promise<boolean>, what: string): Promise<unknown> =>
    waitFor(
      async () => {
        if (await condition()) return true;
        await till.anvil.mine(LOOK.blocks);
        return false;
      },
      { timeoutMs: LOOK.timeoutMs, intervalMs: 100, describe: () => `${what}; the log:\n${till.log.slice(-4000)}` },
    );
  /** A payment to an order's address after its watch window has ended. */
  const latePayment = async (): Promise<{ id: string; address: Address; units: bigint; txid: Hex }> => {
    const { id, address, amount } = await till.order('ETH', '250');
    // After the order was made, by a whole second more than its window: blocks have their time in whole seconds.
    const ordered = Date.now();
    await waitFor(() => Date.now() > ordered + AFTER_WINDOW_MS, { describe: 'the watch window to end' });
    await mineUntil(async () => (await till.merchant.status(id)) === 'OVERDUE', `order ${id} to be OVERDUE`);
    const units = parseEther(amount);
    const transaction = { from: payer, to: address, value: `0x${units.toString(16)}` };
    const txid = await till.anvil.rpc<Hex>('eth_sendTransaction', [transaction]);
    await till.anvil.mine(SPENDABLE);
    await till.caughtUp();
    // What was read is settled after the height is reported.
    await waitFor(
      async () => (await unassigned()).some((one) => one['tx_hash'] === txid && one['status'] === 'SPENDABLE'),
      {
        timeoutMs: LOOK.timeoutMs,
        describe: () => `payment ${txid} to be spendable; the log:\n${till.log.slice(-4000)}`,
      },
    );
    return { id, address, units, txid };
  };
  /** What the network took for every transaction from these addresses. */
  const paidFor = async (...senders: readonly Address[]): Promise<bigint> => {
    const own = senders.map((sender) => sender.toLowerCase());
    const head = Number(await till.anvil.rpc<Hex>('eth_blockNumber'));
    let total = 0n;
    for (let height = 1; height <= head; height++) {
      const block = await till.anvil.rpc<Block>('eth_getBlockByNumber', [`0x${height.toString(16)}`, true]);
      for (const { from, hash } of block.transactions) {
        if (!own.includes(from.toLowerCase())) continue;
        const receipt = await till.anvil.rpc<Receipt>('eth_getTransactionReceipt', [hash]);
        total += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
      }
    }
    return total;
  };

  before(async () => {
    till = await TillOnAnvil.start('sqlite', WINDOWS);
    payer = (await till.anvil.rpc<Address[]>('eth_accounts'))[3] as Address;
    const { addresses } = await ok<{ addresses: { chain: string; address: Address }[] }>('wallet', 'show');
    hot = addresses.find(({ chain }) => chain === 'ETH')?.address as Address;
  });
  after(() => till.close());

  test('one is recorded, listed and paid back, and every wei is accounted for', async () => {
    const { id, address, units, txid } = await latePayment();
    const [deposit, ...more] = await unassigned();
    assert.deepEqual(more, []);
    assert.deepEqual(
      [deposit?.['order'], deposit?.['tx_hash'], deposit?.['status'], deposit?.['unassigned_reason']],
      [id, txid, 'SPENDABLE', 'late'],
    );
    assert.equal(await till.merchant.status(id), 'OVERDUE');
    const depositId = String(deposit?.['id']);
    for (const lost of [`0x${'0'.repeat(40)}`, till.tokens.honest.address, address, hot]) {
      const { code, err } = await till.command('deposit', 'refund', depositId, lost);
      assert.equal(code, 1, lost);
      assert.match(err, /The address 0x\w+ (?:is|belongs)/);
    }
    const { id: transfer } = await ok('deposit', 'refund', depositId, PAYEE);
    await mineUntil(
      async () => (await ok('transfer', 'show', String(transfer)))['status'] === 'CONFIRMED',
      'the deposit to be paid back',
    );
    const paid = await ok('transfer', 'show', String(transfer));
    assert.deepEqual([paid['kind'], paid['deposit'], parseEther(String(paid['amount']))], ['return', depositId, units]);
    assert.equal(await balance(PAYEE), parseEther(String(paid['received'])));
    assert.equal(
      (await balance(hot)) + (await balance(address)) + (await balance(PAYEE)) + (await paidFor(hot, address)),
      units,
    );
    assert.deepEqual(await unassigned(), []);
    assert.deepEqual((await ok('ledger', 'check', '--full'))['breaches'], []);
    const lines = await ok<readonly Fields[]>('wallet', 'reconcile');
    assert.ok(lines.every(({ shortfall }) => shortfall === '0'));
  });

  test('fault 107: one whose return burns its gas is charged, the rest is paid back, and every wei is accounted for', async () => {
    const before = { hot: await balance(hot), paid: await paidFor(hot) };
    const { address, units } = await latePayment();
    const [deposit] = await unassigned();
    const depositId = String(deposit?.['id']);
    // It takes coins while the payment is priced, and burns the whole gas limit once the payment is sent.
    const contract: Address = '0x00000000000000000000000000000000fee00103';
    till.gate.before(
      ({ method, params }) =>
        method === 'eth_sendRawTransaction' && parseTransaction(params[0] as Hex).to?.toLowerCase() === contract,
      () => till.anvil.rpc('anvil_setCode', [contract, burnerOf(5_000_000)]),
    );
    const { id: failing } = await ok('deposit', 'refund', depositId, contract);
    const shown = (id: unknown): Promise<Fields> => ok('transfer', 'show', String(id));
    await mineUntil(async () => (await shown(failing))['status'] === 'FAILED', 'the return to fail');
    const [left] = await unassigned();
    const cost = parseEther(String(left?.['return_cost']));
    assert.ok(cost > 0n);
    assert.deepEqual([left?.['id'], parseEther(String(left?.['amount']))], [depositId, units]);
    assert.equal(await balance(contract), 0n);
    assert.deepEqual((await ok('ledger', 'check', '--full'))['breaches'], []);
    const payee: Address = '0x00000000000000000000000000000000fee00104';
    const { id: second } = await ok('deposit', 'refund', depositId, payee);
    await mineUntil(async () => (await shown(second))['status'] === 'CONFIRMED', 'the rest to be paid back');
    const paid = await shown(second);
    assert.equal(parseEther(String(paid['amount'])), units - cost);
    assert.equal(await balance(payee), parseEther(String(paid['received'])));
    const gas = (await paidFor(hot)) - before.paid + (await paidFor(address));
    assert.equal((await balance(hot)) - before.hot + (await balance(address)) + (await balance(payee)) + gas, units);
    assert.deepEqual((await ok('ledger', 'check', '--full'))['breaches'], []);
    assert.ok((await ok<readonly Fields[]>('wallet', 'reconcile')).every(({ shortfall }) => shortfall === '0'));
  });

  test('one is given to its order, and reading its block again finds nothing new', async () => {
    const { id, txid } = await latePayment();
    const [deposit] = await unassigned();
    const again = await ok('deposit', 'rescan', '--chain', 'ETH', '--tx', txid);
    assert.deepEqual([again['from'], again['found']], [deposit?.['block_height'], []]);
    const height = String(deposit?.['block_height']);
    assert.deepEqual((await ok('deposit', 'rescan', '--chain', 'ETH', '--from', height, '--to', height))['found'], []);
    const { code, err } = await till.command('deposit', 'rescan', '--chain', 'ETH', '--from', '1', '--to', '5000');
    assert.equal(code, 1);
    assert.match(err, /1000 blocks are read at a time/);
    const assigned = await ok('deposit', 'assign', String(deposit?.['id']), id);
    assert.equal(assigned['assignment'], 'ORDER');
    await till.becomes(id, 'RESOLVED');
    assert.deepEqual(
      (await till.calledBack(id, 2)).map(({ target }) => target),
      ['/late', '/paid'],
    );
    assert.deepEqual((await ok('ledger', 'check', '--full'))['breaches'], []);
  });
});
