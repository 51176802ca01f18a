import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Address } from 'viem';
import { CONFIRMATIONS, PAYER, PAYER_KEY } from '../../e2e/till-on-anvil.ts';
import type { TillOnAnvil } from '../../e2e/till-on-anvil.ts';
import { PRICE, RPC_HOST, startPaidGate } from '../../e2e/paid-gate-fixture.ts';
import { demanded, chargesSent, startChargingTill, unpack } from '../../e2e/x402-payer.ts';
import { read } from '../../support/contracts.ts';
import { chosenClients, PAYING_CLIENTS } from './clients.ts';
import { runClient } from './run-client.ts';
import type { Run } from './run-client.ts';

describe('real clients of x402 pay an order of a real till on a real node', { concurrency: 1 }, () => {
  let till: TillOnAnvil;
  before(async () => void (till = await startChargingTill('sqlite')));
  after(() => till.close());

  const held = (address: Address): Promise<bigint> => read(till.anvil, till.tokens.honest, 'balanceOf', [address]);

  for (const client of chosenClients(PAYING_CLIENTS))
    for (const way of client.ways)
      test(`${client.name} by ${way}: the order is paid, and asked again nothing is paid twice`, async () => {
        const { id, page } = await till.hostedOrder();
        const { amount, payTo } = await demanded(page);
        const [before, had] = [await chargesSent(till), await held(PAYER.address)];
        const environment = {
          ...{ X402_URL: `${page}/x402`, X402_WAY: way },
          ...{ CHAIN_ID: String(till.anvil.chainId), PRIVATE_KEY: PAYER_KEY },
        };
        const run = await runClient(client, { environment: async () => environment });
        assert.equal(run.failure, null, `${run.failure}\n${till.log.slice(-2000)}`);
        assert(run.said.has('version'));
        const transaction = paidBy(run);
        assert.match(run.said.get('again') ?? '', /^409 /, 'the order is paid: nothing is demanded');
        await till.anvil.mine(CONFIRMATIONS);
        await till.becomes(id, 'SUCCESS');
        const { data } = await till.detail(id);
        assert.deepEqual([data['obtained'], data['tx_hash']], ['250', transaction]);
        assert.deepEqual([await held(payTo), had - (await held(PAYER.address))], [BigInt(amount), BigInt(amount)]);
        assert.equal((await chargesSent(till)) - before, 1);
        const { code, out, err } = await till.command('ledger', 'check', '--full');
        assert.equal(code, 0, `${out}${err}`);
      });
});

describe('real clients of x402 begin without a key at the gate of a real till', { concurrency: 1 }, () => {
  let till: TillOnAnvil;
  before(async () => void ({ till } = await startPaidGate('sqlite')));
  after(() => till.close());

  for (const client of chosenClients(PAYING_CLIENTS))
    for (const way of client.ways)
      test(`${client.name} by ${way}: a block is read by paying for it, and the next one with the key that came`, async () => {
        const had = await read<bigint>(till.anvil, till.tokens.honest, 'balanceOf', [PAYER.address]);
        const environment = {
          ...{ GATE_URL: `http://${RPC_HOST}:${new URL(await till.url()).port}/`, X402_WAY: way },
          ...{ CHAIN_ID: String(till.anvil.chainId), PRIVATE_KEY: PAYER_KEY },
        };
        const run = await runClient(client, { environment: async () => environment });
        assert.equal(run.failure, null, `${run.failure}\n${till.log.slice(-2000)}`);
        paidBy(run);
        assert.match(run.said.get('read') ?? '', /^0x[0-9a-f]+$/);
        assert.match(run.said.get('again') ?? '', /^200 0x[0-9a-f]+$/);
        const left = await read<bigint>(till.anvil, till.tokens.honest, 'balanceOf', [PAYER.address]);
        assert.equal(had - left, PRICE);
      });
});

/** The transaction by which the program was told that it has paid. */
function paidBy({ said }: Run): string {
  const [status, response = ''] = (said.get('paid') ?? '').split(' ');
  assert.equal(status, '200', JSON.stringify([...said]));
  const { success, transaction, payer } = unpack(response);
  assert.deepEqual([success, String(payer).toLowerCase()], [true, PAYER.address.toLowerCase()]);
  return String(transaction);
}
