// @parts: payments kills restarts
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseTransaction } from 'viem';
import type { Address, Hex } from 'viem';
import { durableEngines } from '../support/each-storage.ts';
import { chosenParts } from '../support/parts.ts';
import type { RpcCall } from '../support/rpc-gate.ts';
import { waitFor } from '../support/wait.ts';
import { PAYER, TillOnAnvil } from './till-on-anvil.ts';

const ETHER = 10n ** 18n;
/** Blocks until a deposit can be spent and a payment is final, in these tests' settings. */
const SPENDABLE = 5;

interface Block {
  readonly transactions: readonly {
    readonly from: Address;
    readonly to: Address | null;
    readonly value: Hex;
    readonly hash: Hex;
  }[];
}

/** True for the bytes of a payment of native coin to this address. */
const paysTo =
  (address: string) =>
  ({ method, params }: RpcCall): boolean =>
    method === 'eth_sendRawTransaction' &&
    parseTransaction(params[0] as Hex).to?.toLowerCase() === address.toLowerCase();

/** Where the till is killed: each step of a payment, by what the node sees of it. */
const STEPS = [
  {
    name: 'before it was signed',
    stop: 'before',
    matches:
      () =>
      ({ method }: RpcCall) =>
        method === 'eth_getTransactionCount',
  },
  { name: 'signed and stored, not sent', stop: 'before', matches: paysTo },
  { name: 'sent, the reply lost', stop: 'after', matches: paysTo },
] as const;

/**
 * Payments and what happens to them, a till that is killed at each step until it has paid, or one that ends while its
 * payment is on the way: apart, so that none takes too long.
 */
const PARTS = ['payments', 'kills', 'restarts'] as const;
type MoneyOutPart = (typeof PARTS)[number];

/** Money out through the real host, on a real EVM node and a real database. */
function moneyOut(engine: 'sqlite' | 'pg', part: MoneyOutPart): void {
  describe(`money out on anvil and ${engine}: ${part}`, { concurrency: 1 }, () => {
    let till: TillOnAnvil;
    let hot: Address;
    let accounts: Address[];
    let payees = 0;

    /** An address that nobody has paid yet. */
    const newPayee = (): Address => `0x${(0xd00d0000 + (payees += 1)).toString(16).padStart(40, '0')}`;
    const give = (from: Address, to: Address, value: bigint): Promise<Hex> =>
      till.anvil.rpc<Hex>('eth_sendTransaction', [{ from, to, value: `0x${value.toString(16)}` }]);
    const paidOrder = async (from: Address, price = '250'): Promise<{ id: string; units: bigint }> => {
      const order = await till.order('ETH', price);
      await till.leaveRefundAddress(order, from);
      const { id, address, amount } = order;
      const units = BigInt(Math.round(Number(amount) * 1e8)) * 10n ** 10n;
      await give(from, address, units);
      await till.anvil.mine(SPENDABLE);
      await till.becomes(id, 'SUCCESS');
      await spendable(id);
      return { id, units };
    };
    const spendable = async (id: string): Promise<void> => {
      let detail: object = {};
      const isRefundable = async (): Promise<boolean> => {
        const { data } = await till.detail(id);
        detail = data;
        return data['refund'] === true;
      };
      const describe = (): string =>
        `order ${id} to be refundable: ${JSON.stringify(detail)}\n${till.log.slice(-3000)}`;
      await waitFor(isRefundable, { timeoutMs: 30_000, describe });
    };
    const registers = async (address: Address): Promise<void> => {
      const set = await till.command(
        'withdrawal-address',
        'set',
        '--account',
        till.demo?.account_id ?? '',
        '--chain',
        'ETH',
        '--address',
        address,
        '--now',
      );
      assert.equal(set.code, 0, set.err);
    };
    const withdraw = async (amount: string, currency = 'ETH'): Promise<Record<string, unknown>> => {
      const { data, code, message } = await till.merchant.call('POST', '/api/withdraw', {
        amount,
        chain: 'ETH',
        currency,
      });
      assert.equal(code, 0, message);
      return data;
    };
    const wallet = async (currency: string): Promise<Record<string, string>> => {
      const { data } = await till.merchant.call('GET', '/api/wallets');
      const found = (data as unknown as Record<string, string>[]).find((row) => row['currency'] === currency);
      assert.ok(found !== undefined, `the wallet of ${currency}`);
      return found;
    };
    const transaction = async (id: string): Promise<Record<string, unknown>> => {
      const { data } = await till.merchant.call('GET', '/api/v2/tx?page=1&size=100');
      const row = (data as { data: Record<string, unknown>[] }).data.find(({ tx_id }) => tx_id === id);
      assert.ok(row !== undefined, `transaction ${id}`);
      return row;
    };
    /** Mines now and then until the condition holds: what waits for blocks gets them. */
    const mineUntil = (condition: () => Promise<boolean>, describe: string): Promise<unknown> =>
      waitFor(
        async () => {
          if (await condition()) return true;
          await till.anvil.mine();
          return false;
        },
        { timeoutMs: 60_000, intervalMs: 150, describe: () => `${describe}; the log:\n${till.log.slice(-4000)}` },
      );
    const refunded = (id: string): Promise<unknown> =>
      mineUntil(async () => (await till.merchant.status(id)) === 'REFUNDED', `order ${id} to be REFUNDED`);
    const withdrawn = (id: string): Promise<unknown> =>
      mineUntil(async () => (await transaction(id))['status'] === 'SUCCESS', `withdrawal ${id} to be SUCCESS`);
    /** Every payment of native coin from the hot wallet to an address, from the first block on. */
    const paidTo = async (address: string): Promise<bigint[]> => {
      const head = Number(await till.anvil.rpc<Hex>('eth_blockNumber'));
      const paid: bigint[] = [];
      for (let height = 1; height <= head; height++) {
        const { transactions } = await till.anvil.rpc<Block>('eth_getBlockByNumber', [
          `0x${height.toString(16)}`,
          true,
        ]);
        for (const { from, to, value } of transactions) {
          if (from.toLowerCase() === hot.toLowerCase() && to?.toLowerCase() === address.toLowerCase())
            paid.push(BigInt(value));
        }
      }
      return paid;
    };
    const booksHold = async (): Promise<void> => {
      const { code, out, err } = await till.command('ledger', 'check', '--full');
      assert.equal(code, 0, out + err);
      const reconciled = await till.command('wallet', 'reconcile');
      assert.equal(reconciled.code, 0, reconciled.out + reconciled.err);
    };

    before(async () => {
      till = await TillOnAnvil.start(engine, { timeoutSeconds: 600 });
      accounts = await till.anvil.rpc<Address[]>('eth_accounts');
      const shown = await till.command('wallet', 'show');
      assert.equal(shown.code, 0, shown.err);
      hot = (JSON.parse(shown.out) as { addresses: { chain: string; address: Address }[] }).addresses.find(
        ({ chain }) => chain === 'ETH',
      )?.address as Address;
      assert.match(hot, /^0x/);
      if (part === 'payments') return;
      assert.ok(await give(accounts[5] as Address, hot, 10n * ETHER));
      await till.anvil.mine();
    });
    after(() => till.close());

    if (part === 'payments') {
      test('a refund without any float of the operator: the payer gets exactly what was obtained', async () => {
        const [payer] = accounts as [Address];
        const order = await paidOrder(payer);
        const { data: asked, code, message } = await till.merchant.call('POST', `/api/v2/order/refund/${order.id}`);
        assert.equal(code, 0, message);
        assert.deepEqual(
          [asked['refund_status'], asked['amount'], String(asked['to_addr']).toLowerCase(), asked['refund_et']],
          ['PENDING', 0.1, payer, 0],
        );
        await refunded(order.id);
        const { data: done } = await till.merchant.call('GET', `/api/v2/order/refund-info/${order.id}`);
        assert.equal(done['refund_status'], 'SUCCESS');
        const [row] = (
          (await till.merchant.call('GET', '/api/v2/tx?page=1&size=5')).data as { data: Record<string, string>[] }
        ).data;
        assert.deepEqual([row?.['tx_type'], row?.['status']], ['REFUND', 'SUCCESS']);
        const [paid] = await paidTo(payer);
        assert.equal(paid, units(row?.['obtained'] ?? ''));
        assert.equal(units(row?.['fee'] ?? '') + units(row?.['obtained'] ?? ''), order.units);
        await booksHold();
      });

      test('a token is swept with gas sent ahead, and withdrawn with its fee in the token', async () => {
        const payee = newPayee();
        await registers(payee);
        await give(accounts[5] as Address, hot, ETHER);
        const order = await till.order('USDT-ERC20', '100');
        await till.leaveRefundAddress(order, PAYER.address);
        await till.payConfirmed(order.address, 100_000_000n);
        await till.anvil.mine(SPENDABLE);
        await till.becomes(order.id, 'SUCCESS');
        await spendable(order.id);
        // The till pays a token's network fee with ETH of its own, and learns of the ETH above when it compares balances.
        const asked = await waitFor(() => withdraw('60', 'USDT-ERC20'), {
          intervalMs: 500,
          describe: 'the till to have found its own ETH',
        });
        assert.ok(Number(asked['fee']) > 0);
        await withdrawn(String(asked['tx_id']));
        const balance = await till.anvil.rpc<Hex>('eth_call', [
          { to: till.tokens.honest.address, data: `0x70a08231${payee.slice(2).padStart(64, '0')}` },
          'latest',
        ]);
        assert.equal(
          BigInt(balance),
          BigInt(Math.round(Number((await transaction(String(asked['tx_id'])))['obtained']) * 1e6)),
        );
        await booksHold();
      });

      test('a reorganisation takes a credited and already withdrawn deposit away: a loss account, a frozen merchant, an alert, balanced books (fault 51)', async () => {
        const payee = newPayee();
        await registers(payee);
        await till.caughtUp();
        const before = await till.anvil.rpc<string>('evm_snapshot');
        const order = await paidOrder(accounts[7] as Address, '1000');
        const asked = await withdraw((await wallet('ETH'))['available'] ?? '');
        const id = String(asked['tx_id']);
        await waitFor(async () => (await transaction(id))['tx_hash'] !== null, {
          timeoutMs: 30_000,
          describe: 'the payment to be sent',
        });
        await till.anvil.rpc('evm_revert', [before]);
        await till.anvil.mine(2 * SPENDABLE);
        await waitFor(async () => (await till.detail(order.id)).data['obtained'] === null, {
          timeoutMs: 30_000,
          describe: 'the credit to be taken back',
        });
        await withdrawn(id);
        assert.equal((await paidTo(payee)).length, 1);
        assert.ok(till.log.includes('"alert":"loss"'), 'an alert is in the log');
        const { code, message } = await till.merchant.call('POST', '/api/withdraw', {
          amount: '0.01',
          chain: 'ETH',
          currency: 'ETH',
        });
        assert.equal(code, 40900, message);
        assert.match(message, /frozen/);
        await booksHold();
      });

      test('wallets show what is available, pending and locked', async () => {
        const { available = '', pending = '', locked = '', total = '' } = await wallet('ETH');
        assert.equal(units(total), units(available) + units(pending) + units(locked));
      });
      return;
    }

    if (part === 'kills') {
      test('kill -9 at each step of a refund and a withdrawal, and a restart: exactly one payment of each (faults 40, 75)', async () => {
        for (const [at, step] of STEPS.entries()) {
          const payer = accounts[at + 1] as Address;
          const refundFirst = at % 2 === 0;
          await paidOrder(accounts[6] as Address, '500');
          const order = await paidOrder(payer);
          const payee = newPayee();
          await registers(payee);
          const reached = till.gate.hold(step.stop, step.matches(refundFirst ? payer : payee));
          const [asked] = await Promise.all([
            withdraw('0.05'),
            till.merchant.call('POST', `/api/v2/order/refund/${order.id}`),
          ]);
          await reached;
          await till.kill();
          await till.startServer();
          await refunded(order.id);
          await withdrawn(String(asked['tx_id']));
          await till.anvil.mine(3);
          assert.equal((await paidTo(payer)).length, 1, `refunds of a till killed ${step.name}`);
          assert.deepEqual(
            await paidTo(payee),
            [units(String((await transaction(String(asked['tx_id'])))['obtained']))],
            `withdrawals of a till killed ${step.name}`,
          );
          await booksHold();
        }
      });
      return;
    }

    test('kill -9 with the payment waiting in the mempool, and again with it mined but not final: one payment', async () => {
      await paidOrder(accounts[6] as Address, '500');
      const payee = newPayee();
      await registers(payee);
      await till.anvil.rpc('evm_setAutomine', [false]);
      const asked = await withdraw('0.01');
      const id = String(asked['tx_id']);
      await waitFor(async () => (await transaction(id))['tx_hash'] !== null, {
        timeoutMs: 30_000,
        describe: 'the payment to be sent',
      });
      await till.kill();
      await till.startServer();
      await till.anvil.rpc('evm_setAutomine', [true]);
      await till.anvil.mine();
      await till.caughtUp();
      await till.kill();
      await till.startServer();
      await withdrawn(id);
      assert.deepEqual(await paidTo(payee), [units(String((await transaction(id))['obtained']))]);
      await booksHold();
    });

    test('SIGTERM while the node keeps a payment waiting: the server ends in time, the next one pays once (fault 75)', async () => {
      await paidOrder(accounts[8] as Address);
      const payee = newPayee();
      await registers(payee);
      const reached = till.gate.hold('before', paysTo(payee));
      const asked = await withdraw('0.01');
      await reached;
      const { code, ms } = await till.terminate();
      assert.equal(code, 0);
      assert.ok(ms < 12_000, `it took ${ms} ms`);
      await till.startServer();
      await withdrawn(String(asked['tx_id']));
      assert.equal((await paidTo(payee)).length, 1);
      await booksHold();
    });
  });
}

/** Wei of a plain decimal of ETH. */
function units(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * ETHER + BigInt(fraction.padEnd(18, '0'));
}

for (const part of chosenParts(PARTS)) for (const engine of durableEngines()) moneyOut(engine, part);
