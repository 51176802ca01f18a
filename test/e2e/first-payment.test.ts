import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { isGenuine } from '../host/merchant.ts';
import type { Demo, ReceivedCallback } from '../host/merchant.ts';
import { invoke, receipt, transfer } from '../support/contracts.ts';
import { waitFor } from '../support/wait.ts';
import { CONFIRMATIONS, TillOnAnvil } from './till-on-anvil.ts';

const USDT = 1_000_000n;

for (const engine of ['sqlite', 'pg'] as const) {
  describe(`a till on anvil and ${engine}`, { concurrency: 1 }, () => {
    let till: TillOnAnvil;
    before(async () => {
      till = await TillOnAnvil.start(engine);
    });
    after(() => till.close());

    test('an exact ERC-20 transfer makes the order SUCCESS after its confirmations; the callback is signed; lists and details show it', async () => {
      const { id, address, amount } = await till.order();
      assert.equal(amount, '10');
      const hash = await till.send(await till.signTransfer(till.tokens.honest, address, 10n * USDT));
      await till.anvil.mine(CONFIRMATIONS - 2);
      await till.caughtUp();
      assert.equal(await till.merchant.status(id), 'PENDING', 'one confirmation is missing');
      await till.anvil.mine();
      await till.becomes(id, 'SUCCESS');

      const { data } = await till.detail(id);
      assert.deepEqual(
        [
          data['amount'],
          data['obtained'],
          data['to_addr'],
          data['tx_hash'],
          String(data['contract_id']).toLowerCase(),
          data['chain_name'],
          data['platform'],
        ],
        ['10', '10', address, hash, till.tokens.honest.address, 'Ethereum', 'API'],
      );
      const list = await till.merchant.call('GET', '/api/v2/order/?page=1&size=5');
      const page = list.data as { total: number; data: { order_id: string; status: string }[] };
      assert.deepEqual([page.total, page.data[0]?.order_id, page.data[0]?.status], [1, id, 'SUCCESS']);
      const transactions = await till.merchant.call('GET', '/api/v2/tx?page=1&size=5');
      const [row] = (transactions.data as { data: Record<string, unknown>[] }).data;
      assert.deepEqual(
        [row?.['tx_hash'], row?.['amount'], row?.['tx_type'], row?.['status']],
        [hash, '10', 'ORDER', 'SUCCESS'],
      );

      const [callback] = await till.calledBack(id, 1);
      assert(callback !== undefined && till.demo !== null);
      const body = JSON.parse(callback.body) as Record<string, unknown>;
      assert.deepEqual(
        [body['order_id'], body['status'], body['tx_hash'], body['to_addr'], body['tx_hash_list']],
        [id, 'SUCCESS', hash, address, [hash]],
      );
      assertSigned(callback, till.demo);
    });

    test('a split payment adds up, a surplus is credited and shown', async () => {
      const split = await till.order();
      const over = await till.order();
      await till.send(await till.signTransfer(till.tokens.honest, split.address, 4n * USDT));
      await till.send(await till.signTransfer(till.tokens.honest, split.address, 6n * USDT));
      await till.payConfirmed(over.address, 15n * USDT);
      await till.becomes(split.id, 'SUCCESS');
      await till.becomes(over.id, 'SUCCESS');
      assert.equal((await till.detail(over.id)).data['obtained'], '15');
    });

    test('ETH counts whether a person or a contract sends it, and not when the sending is undone (fault 49)', async () => {
      const direct = await till.order('ETH', '25');
      const forwarded = await till.order('ETH', '25');
      const undone = await till.order('ETH', '25');
      assert.equal(direct.amount, '0.01');
      const value = 10n ** 16n;
      const [from] = await till.anvil.rpc<string[]>('eth_accounts');
      await till.anvil.rpc('eth_sendTransaction', [{ from, to: direct.address, value: `0x${value.toString(16)}` }]);
      await invoke(till.anvil, till.tokens.forwarder, 'forward', [forwarded.address], { value });
      const reverted = await invoke(till.anvil, till.tokens.forwarder, 'forwardThenRevert', [undone.address], {
        value,
      });
      assert.equal((await receipt(till.anvil, reverted)).status, 'reverted');
      await till.anvil.mine(CONFIRMATIONS);
      await till.becomes(direct.id, 'SUCCESS');
      await till.becomes(forwarded.id, 'SUCCESS');
      assert.equal(await till.merchant.status(undone.id), 'PENDING');
    });

    test('what did not truly arrive is not credited: reverted, foreign, lying and refusing tokens; of a fee token only the rest (faults 48, 49, 54)', async () => {
      const reverted = await till.order();
      const foreign = await till.order();
      const lying = await till.order('DAI-ERC20');
      const refusing = await till.order('SHIB-ERC20');
      const short = await till.order('USDC-ERC20');
      const { anvil, tokens } = till;
      const [poor] = await anvil.rpc<`0x${string}`[]>('eth_accounts');
      assert(poor !== undefined);
      const failed = await transfer(anvil, tokens.honest, reverted.address, 10n * USDT, { from: poor });
      assert.equal((await receipt(anvil, failed)).status, 'reverted');
      await till.send(await till.signTransfer(tokens.foreign, foreign.address, 10n * USDT));
      await till.send(await till.signTransfer(tokens.lying, lying.address, 10n ** 19n));
      await till.send(await till.signTransfer(tokens.refusing, refusing.address, 10n ** 24n));
      await till.payConfirmed(short.address, 10n * USDT, tokens.fee);
      await till.becomes(short.id, 'PARTIAL');
      assert.equal((await till.detail(short.id)).data['obtained'], '9.9');
      for (const { id } of [reverted, foreign, lying, refusing]) {
        await till.becomes(id, 'OVERDUE');
        assert.equal((await till.detail(id)).data['obtained'], null);
      }
    });

    test('less than the amount is PARTIAL, nothing OVERDUE; completed late both are RESOLVED, each event told once and in order (faults 36, 54, 55)', async () => {
      const under = await till.order();
      const late = await till.order();
      await till.payConfirmed(under.address, 4n * USDT);
      await till.becomes(under.id, 'PARTIAL');
      await till.becomes(late.id, 'OVERDUE');
      await till.send(await till.signTransfer(till.tokens.honest, under.address, 6n * USDT));
      await till.payConfirmed(late.address, 10n * USDT);
      for (const { id } of [under, late]) {
        await till.becomes(id, 'RESOLVED');
        const told = await till.calledBack(id, 2);
        assert.deepEqual(
          told.map(({ target }) => target),
          ['/late', '/paid'],
        );
      }
      const shown = await till.command('order', 'show', under.id);
      assert.equal(shown.code, 0, shown.err);
      for (const word of ['deadline-short', 'late-payment', 'confirmedInTime'])
        assert.ok(shown.out.includes(word), `the history says ${word}`);
    });

    test('a reorganisation takes the credit back; mined again it is credited once (fault 51)', async () => {
      const { id, address } = await till.order();
      await till.caughtUp();
      const before = await till.anvil.rpc<string>('evm_snapshot');
      const raw = await till.signTransfer(till.tokens.honest, address, 10n * USDT);
      const hash = await till.send(raw);
      await till.anvil.mine(CONFIRMATIONS);
      await till.becomes(id, 'SUCCESS');
      await till.anvil.rpc('evm_revert', [before]);
      await till.anvil.mine(CONFIRMATIONS + 4);
      await waitFor(async () => (await till.detail(id)).data['obtained'] === null, {
        timeoutMs: 20_000,
        describe: 'the credit to be taken back',
      });
      assert.equal(await till.merchant.status(id), 'SUCCESS', 'the order stays as it is');
      assert.equal(await till.send(raw), hash);
      await till.anvil.mine(CONFIRMATIONS + 5);
      await waitFor(async () => (await till.detail(id)).data['obtained'] === '10', {
        timeoutMs: 20_000,
        describe: 'the credit to come back',
      });
      assert.equal((await till.calledBack(id, 1)).length, 1);
      const { data } = (await till.merchant.call('GET', '/api/v2/tx?size=100')).data as {
        data: { tx_hash: string; status: string }[];
      };
      assert.deepEqual(
        data.filter((row) => row.tx_hash === hash).map(({ status }) => status),
        ['SUCCESS'],
      );
    });

    test('kill -9 between payment and credit loses neither the deposit nor the callback (fault 35)', async () => {
      const { id, address } = await till.order();
      await till.send(await till.signTransfer(till.tokens.honest, address, 10n * USDT));
      await till.caughtUp();
      await till.kill();
      await till.anvil.mine(CONFIRMATIONS);
      await till.startServer();
      await till.becomes(id, 'SUCCESS');
      assert.equal((await till.calledBack(id, 1)).length, 1);
    });

    test('the books balance', async () => {
      const checked = await till.command('ledger', 'check', '--full');
      assert.deepEqual([checked.code, (JSON.parse(checked.out) as { breaches: unknown }).breaches], [0, []]);
    });
  });
}

/** Checks both signatures of a POST callback with node:crypto alone, and that its API key is the order's. */
function assertSigned(callback: ReceivedCallback, demo: Demo): void {
  const { headers, method, target, body } = callback;
  assert.ok(isGenuine(callback, demo.callback_secret), 'the Standard Webhooks signature');
  const md5 = createHash('md5').update(body).digest('hex');
  assert.equal(String(headers['body-md5']).toLowerCase(), md5);
  const origin = [headers['algorithm'], headers['date'], `${method} ${target}`, headers['body-md5']].join(' | ');
  assert.equal(headers['signature'], createHmac('sha256', demo.callback_secret).update(origin).digest('base64'));
  assert.equal(headers['api-key'], demo.api_key);
}
