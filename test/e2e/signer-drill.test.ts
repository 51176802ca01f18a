import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseEther } from 'viem';
import type { EvmIntent } from '../../adapters/chains/evm/evm-intent.ts';
import { isTillgateError } from '../../core/index.ts';
import type { SigningRule } from '../../core/index.ts';
import { freshDirectory, run } from '../host/till-process.ts';
import type { ChainFixture } from './chain-fixture.ts';
import { openEvmFixture } from './evm-fixture.ts';
import { OWN_MNEMONIC, PairTill } from './pair-till.ts';
import { SignerProcess } from './signer-process.ts';

const CHAIN_ID = 31_337;
const HOT = "m/44'/60'/0'/0/0";
const OTHER_WORDS = 'test test test test test test test test test test test junk';
const TOKENS = { 'USDT-ERC20': ['USDT', 6] } as const;

interface Held {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
}

describe('a till whose seed is with a signer, two processes on anvil', { concurrency: 1 }, () => {
  let fixture: ChainFixture;
  let signer: SignerProcess;
  let till: PairTill;

  const chains = (eth: { readonly most: string; readonly perDay: string }): object => {
    const tokens = { 'USDT-ERC20': { address: fixture.contractOf('USDT-ERC20'), decimals: 6 } };
    const payments = { ETH: eth, 'USDT-ERC20': { most: '1000', perDay: '2000' } };
    return { ETH: { options: { chainId: CHAIN_ID, tokens }, payments, fees: { most: '0.01', perDay: '0.2' } } };
  };

  before(async () => {
    fixture = await openEvmFixture({ use: 'ethereum', chainId: CHAIN_ID, coin: 'ETH', tokens: TOKENS });
    signer = await SignerProcess.start(OWN_MNEMONIC, chains({ most: '0.5', perDay: '2' }));
    till = await PairTill.start(fixture, 'sqlite', { url: signer.url });
  });
  after(async () => {
    await till.close();
    await signer.close();
  });

  const paidOrder = async (currency: string, price: string, units: bigint): Promise<void> => {
    const { id, address } = await till.order(currency, price);
    await fixture.pay(address, currency, units);
    await fixture.mine(1);
    await till.mineUntil(async () => (await till.detail(id))['status'] === 'SUCCESS', `order ${id} to be paid`);
  };
  /** Until all of it may be paid out. */
  const available = (currency: string, least: number): Promise<void> =>
    till.mineUntil(async () => Number((await till.wallet(currency)).available) >= least, `${least} ${currency}`);
  const withdrawal = async (id: string): Promise<Held> => {
    const items = (await till.command('withdrawal', 'list')) as readonly Held[];
    const found = items.find((each) => each.id === id);
    assert.ok(found !== undefined, `withdrawal ${id}`);
    return found;
  };
  const withdraws = async (currency: string, amount: string): Promise<{ readonly id: string; readonly to: string }> => {
    const to = await fixture.newAddress();
    await till.registers(to);
    const { tx_id: id } = (await till.withdraw(currency, amount)) as { tx_id: string };
    return { id, to };
  };
  const isPaid = async (to: string, currency = 'ETH'): Promise<boolean> => (await fixture.balanceOf(to, currency)) > 0n;
  const refuses = (rule: SigningRule, intent: object): Promise<void> =>
    assert.rejects(signer.client.sign(intent as EvmIntent), (error: unknown) => {
      assert.ok(isTillgateError(error, 'SIGNING_REFUSED'), String(error));
      assert.equal(error.details.reason, rule, error.message);
      return true;
    });
  const forged = (changes: object): object => ({
    ...{ family: 'evm', chain: 'ETH', chainId: CHAIN_ID, from: HOT, nonce: 900, type: 'eip1559', gas: '21000' },
    ...{ price: '1000', to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', toPath: null, units: '1', contract: null },
    ...changes,
  });

  test('the server has no seed, takes orders, sweeps and pays: gas and sweeps to its own addresses are no payments', async () => {
    await paidOrder('USDT-ERC20', '1500', 1_500n * 10n ** 6n);
    await paidOrder('ETH', '10000', parseEther('4'));
    await available('USDT-ERC20', 1_500);
    await available('ETH', 4);
    const { to } = await withdraws('USDT-ERC20', '900');
    await till.mineUntil(() => isPaid(to, 'USDT-ERC20'), 'the tokens to be paid');
    await till.booksHold();
  });

  test('the signer’s files and its socket are its own', () => {
    const mode = (...path: readonly string[]): number => statSync(join(signer.path, ...path)).mode & 0o777;
    assert.deepEqual([mode('run'), mode('run', 'signer.sock')], [0o700, 0o600]);
    assert.deepEqual([mode('journal'), mode('journal', 'journal.db')], [0o700, 0o600]);
  });

  test('signer down: deposits are credited, payments wait, readiness and doctor say so; back again, each is paid once', async () => {
    await signer.kill();
    const { id, to } = await withdraws('ETH', '0.1');
    await paidOrder('ETH', '250', parseEther('0.1'));
    await till.until(async () => (await till.readiness())['signer'] === 'unavailable', 'readiness to say so');
    assert.equal((await till.readiness())['status'], 'degraded');
    const doctor = await till.run('doctor');
    assert.equal(doctor.code, 1);
    assert.match(doctor.out, /"check":"signer","ok":false,"words":"The signer at unix:.*cannot be reached/);
    assert.deepEqual([(await withdrawal(id)).status, await isPaid(to)], ['REQUESTED', false]);
    // The server itself starts without it, from the public keys that it keeps.
    await till.kill();
    await till.startServer();
    await till.order('ETH', '10');
    await signer.run();
    await till.mineUntil(() => isPaid(to), 'the withdrawal to be paid');
    assert.equal((await till.run('doctor')).out.includes('"check":"signer","ok":true'), true);
  });

  test('`signer stop` makes payments wait, and `signer resume` lets them go on', async () => {
    assert.equal((await signer.command('stop', '--reason', 'an alarm')).code, 0);
    const { id, to } = await withdraws('ETH', '0.1');
    await till.until(async () => till.log.includes('an alarm'), 'an alert');
    await till.mineUntil(async () => (await withdrawal(id)).status === 'REQUESTED', 'the withdrawal to wait');
    assert.equal((await signer.command('resume')).code, 0);
    await till.mineUntil(() => isPaid(to), 'the withdrawal to be paid');
  });

  for (const moment of ['before it arrives', 'after it is answered'] as const)
    for (const who of ['the signer', 'the server'] as const)
      test(`${who} is killed while a payment is signed, ${moment}: it is paid once`, async () => {
        const killed = signer.catchNext(moment, () => (who === 'the signer' ? signer.kill() : till.kill()));
        const { to } = await withdraws('ETH', '0.05');
        await killed;
        if (who === 'the signer') await signer.run();
        else await till.startServer();
        await till.mineUntil(() => isPaid(to), 'the withdrawal to be paid');
        const paid = await fixture.balanceOf(to, 'ETH');
        assert.ok(paid <= parseEther('0.05'), `${paid}`);
        await fixture.mine(5);
        await till.caughtUp();
        assert.equal(await fixture.balanceOf(to, 'ETH'), paid);
        await till.booksHold();
      });

  test('the signer is killed between its journal and the signature: the payment counts once and is paid once', async () => {
    await signer.kill();
    await signer.run(true);
    const { to } = await withdraws('ETH', '0.06');
    await signer.ended();
    await signer.run();
    await till.mineUntil(() => isPaid(to), 'the withdrawal to be paid');
    await till.booksHold();
  });

  test('over the most for one payment: it is held with the rule’s name, and paid once the rule was changed', async () => {
    const { id, to } = await withdraws('ETH', '0.6');
    await till.mineUntil(async () => (await withdrawal(id)).status === 'HELD', 'the withdrawal to be held');
    assert.match((await withdrawal(id)).reason ?? '', /policy refuses it \(payment-limit\).*ETH is more than 0\.5/);
    const { asked } = signer;
    await fixture.mine(5);
    await till.caughtUp();
    assert.equal(signer.asked, asked, 'a held payment is not asked for again');
    await signer.kill();
    signer.configure(chains({ most: '0.7', perDay: '2' }));
    await signer.run();
    await till.command('withdrawal', 'approve', id);
    await till.mineUntil(() => isPaid(to), 'the withdrawal to be paid');
    await till.booksHold();
  });

  test('whoever has the server gets nothing by a forged intent', async () => {
    await refuses('payment-limit', forged({ units: `${parseEther('0.71')}` }));
    await refuses('sweep', forged({ from: "m/44'/60'/1'/0/0" }));
    await refuses('own-address', forged({ toPath: HOT, units: `${parseEther('9')}` }));
    await refuses('foreign-key', forged({ from: "m/44'/60'/2'/0/0" }));
    await refuses('foreign-key', forged({ from: "m/84'/0'/0'/0/0" }));
    await refuses('chain', forged({ chain: 'BSC' }));
    await refuses('chain', forged({ chainId: 1 }));
    await refuses('intent', forged({ data: '0x095ea7b3' }));
    await refuses('intent', forged({ call: 'approve', contract: fixture.contractOf('USDT-ERC20') }));
    await refuses('token', forged({ contract: '0x90F79bf6EB2c4f870365E785982E1f101E93b906' }));
    await refuses('fee-limit', forged({ price: '1000000000000' }));
  });

  test('it gets the rest of the day by small payments and nothing beyond, also by asking again or after a restart', async () => {
    const part = parseEther('0.1');
    let taken = 0n;
    for (let nonce = 900; nonce < 930; nonce++) {
      try {
        await signer.client.sign(forged({ nonce, units: `${part}` }) as EvmIntent);
        taken += part;
      } catch (error) {
        assert.ok(isTillgateError(error, 'SIGNING_REFUSED') && error.details.reason === 'day-limit', String(error));
      }
    }
    // 0.1 + 0.1 + 4 × 0.05 + 0.06 + 0.6 were paid, less their fees, of 2.
    assert.equal(taken, parseEther('0.9'));
    const again = await signer.client.sign(forged({ nonce: 900, units: `${part}` }) as EvmIntent);
    await signer.kill();
    await signer.run();
    assert.deepEqual(await signer.client.sign(forged({ nonce: 900, units: `${part}` }) as EvmIntent), again);
    await refuses('day-limit', forged({ nonce: 950, units: `${part}` }));
  });

  test('what is over the day’s limit is held, and the tokens, with a limit of their own, are paid', async () => {
    const { id } = await withdraws('ETH', '0.3');
    await till.mineUntil(async () => (await withdrawal(id)).status === 'HELD', 'the withdrawal to be held');
    assert.match((await withdrawal(id)).reason ?? '', /day-limit/);
    const { to } = await withdraws('USDT-ERC20', '300');
    await till.mineUntil(() => isPaid(to, 'USDT-ERC20'), 'the tokens to be paid');
    await till.booksHold();
  });

  test('a second signer on the journal or the socket does not start', async () => {
    const { code, err } = await signer.command();
    assert.equal(code, 1);
    assert.match(err, /Another (server|signer)/);
  });

  test('a signer with another seed is refused', async () => {
    await signer.kill();
    signer.writeSeed(OTHER_WORDS);
    await signer.run();
    const { code, err } = await till.run('wallet', 'show');
    assert.equal(code, 1);
    assert.match(err, /another seed/);
  });
});

describe('the settings of a signer', () => {
  const directory = freshDirectory();
  after(() => directory.remove());
  const limits = { payments: { ETH: { most: '1', perDay: '2' } }, fees: { most: '0.1', perDay: '1' } };
  const starts = async (settings: object): Promise<string> => {
    directory.write('seed', OWN_MNEMONIC);
    directory.write('signer.json', settings);
    const { code, err } = await run(directory.path, ['signer', '--config', 'signer.json']);
    assert.equal(code, 1);
    return err;
  };
  const complete = {
    listen: { socket: 'run/s.sock' },
    dataDir: 'journal',
    mnemonicFile: 'seed',
    chains: { ETH: limits },
  };

  test('what is missing, unknown or of another form is named, all at once', async () => {
    const none = await starts({});
    for (const part of [/listen: write/, /dataDir: write/, /mnemonicFile: write/, /chains: write what may be signed/])
      assert.match(none, part);
    const { fees: _, ...without } = limits;
    assert.match(await starts({ ...complete, chains: { ETH: without } }), /chains\.ETH\.fees: write \{"most"/);
    assert.match(await starts({ ...complete, policy: {} }), /policy: unknown setting/);
    const wrong = {
      ...limits,
      payments: { DOGE: { most: '1', perDay: '1' }, ETH: { most: '0.0000000000000000001', perDay: '1' } },
      sweepTo: ['0x123'],
    };
    const words = await starts({ ...complete, chains: { ETH: wrong } });
    for (const part of [
      /payments\.DOGE: must be one of ETH, USDT-ERC20/,
      /payments\.ETH\.most: has more/,
      /sweepTo\.0/,
    ])
      assert.match(words, part);
    assert.match(await starts({ ...complete, chains: { ABC: limits } }), /chains\.ABC/);
    assert.match(await starts({ ...complete, mnemonicFile: 'nothing' }), /mnemonicFile .*signer init/);
  });

  test('a server with a seed beside its signer does not start', async () => {
    directory.write('tillgate.config.json', { mode: 'sandbox', signer: { url: 'unix:run/s.sock' } });
    const both = await run(directory.path, ['doctor'], { TILLGATE_MNEMONIC: OWN_MNEMONIC });
    assert.match(both.out, /TILLGATE_MNEMONIC: is set beside signer/);
    directory.write('tillgate.config.json', { mode: 'sandbox' });
    assert.equal((await run(directory.path, ['wallet', 'init'])).code, 0);
    directory.write('tillgate.config.json', { mode: 'sandbox', signer: { url: 'unix:run/s.sock' } });
    assert.match((await run(directory.path, ['wallet', 'show'])).err, /A seed is stored .*wallet forget/);
    assert.match((await run(directory.path, ['wallet', 'init'])).err, /The signer has the seed/);
  });
});
