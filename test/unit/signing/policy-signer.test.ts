import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import type { EvmIntent } from '../../../adapters/chains/evm/evm-intent.ts';
import type { UtxoIntent } from '../../../adapters/chains/utxo/utxo-intent.ts';
import { SqliteJournal } from '../../../adapters/signer/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { PolicySigner, isTillgateError, present } from '../../../core/index.ts';
import type { ChainSigning, EcdsaSignature, SigningIntent, SigningPolicy, SigningRule } from '../../../core/index.ts';
import { bitcoin } from '../../../plugins/bitcoin/index.ts';
import { ethereum } from '../../../plugins/ethereum/index.ts';
import { tron } from '../../../plugins/tron/index.ts';
import { FakeClock } from '../../support/fakes.ts';

const ETH = 10n ** 18n;
const HOUR_MS = 3_600_000;
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const COLD = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const HOT = "m/44'/60'/0'/0/0";
const DEPOSIT = "m/44'/60'/1'/0/";

const wallet = new MnemonicWallet('test test test test test test test test test test test junk');
const [eth, btc, trx] = [ethereum, bitcoin, tron].map(({ plugin }) => present(plugin.signing, 'signing')({})) as [
  ChainSigning,
  ChainSigning,
  ChainSigning,
];
const directory = mkdtempSync(join(tmpdir(), 'tillgate-signer-'));
const opened: SqliteJournal[] = [];
after(async () => {
  await Promise.all(opened.map((journal) => journal.close()));
  rmSync(directory, { recursive: true, force: true });
});

const policy: SigningPolicy = {
  payments: new Map([
    ['ETH', { most: ETH, perDay: 3n * ETH }],
    ['BTC', { most: 100_000n, perDay: 250_000n }],
    ['USDT-ERC20', { most: 500n * 10n ** 6n, perDay: 1_000n * 10n ** 6n }],
  ]),
  fees: { most: ETH / 100n, perDay: ETH / 10n },
  transactionsPerDay: 20,
  sweepTo: new Set([COLD]),
  destinations: null,
};

describe('a signer with a policy', () => {
  let clock: FakeClock;
  let file = 0;
  let signer: PolicySigner;
  let journal: SqliteJournal;

  const start = async (chainPolicy: SigningPolicy = policy): Promise<void> => {
    journal = await SqliteJournal.open(join(directory, `${file}.db`));
    opened.push(journal);
    const hash = (digests: readonly Uint8Array[]): string =>
      createHash('sha256').update(Buffer.concat(digests)).digest('hex');
    const chains = new Map([eth, btc, trx].map((chain) => [chain.code, { chain, policy: chainPolicy }]));
    signer = new PolicySigner({ keys: wallet, journal, clock, chains, hash });
  };
  beforeEach(async () => {
    clock = new FakeClock();
    file += 1;
    await start();
  });

  const payment = (changes: Partial<EvmIntent> = {}): EvmIntent => ({
    ...{ family: 'evm', chain: 'ETH', chainId: 1, from: HOT, nonce: 0, type: 'eip1559', gas: '21000', price: '1000' },
    ...{ to: STRANGER, toPath: null, units: `${ETH}`, contract: null },
    ...changes,
  });
  const signs = (intent: SigningIntent): Promise<readonly EcdsaSignature[]> => signer.sign(intent);
  const refuses = (rule: SigningRule, intent: SigningIntent): Promise<void> =>
    assert.rejects(signer.sign(intent), (error: unknown) => {
      assert.ok(isTillgateError(error, 'SIGNING_REFUSED'), String(error));
      assert.equal(error.details.reason, rule, error.message);
      return true;
    });
  const addressAt = async (account: string, index: number): Promise<string> =>
    eth.addressOf(await wallet.extendedPublicKey(account), index);

  test('signs what its rules allow, and never more than the most for one payment', async () => {
    const [signature] = await signs(payment());
    const [again] = await wallet.sign(payment(), eth.build);
    assert.deepEqual(signature, again);
    await refuses('payment-limit', payment({ nonce: 1, units: `${ETH + 1n}` }));
    await refuses('payment-limit', payment({ nonce: 1, contract: USDT, units: '500000001' }));
    await signs(payment({ nonce: 1, contract: USDT, units: '500000000' }));
  });

  test('a currency without a limit, a token and a chain that are not in its settings are not paid', async () => {
    const dai = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
    await refuses('payment-limit', payment({ contract: dai, units: '1' }));
    await refuses('token', payment({ contract: STRANGER, units: '1' }));
    await refuses('chain', payment({ chain: 'BSC' }));
    await refuses('chain', payment({ chainId: 56 }));
    await refuses('intent', { ...payment(), family: 'utxo' });
    await refuses('intent', { ...payment(), data: '0x095ea7b3' } as SigningIntent);
  });

  test('keys of another chain, and of the hot wallet’s further addresses, sign nothing', async () => {
    for (const from of [
      "m/44'/60'/2'/0/0",
      "m/84'/0'/0'/0/0",
      "m/44'/60'/0'/0/1",
      "m/44'/60'/0'/1/0",
      "m/44'/60'/1'/1/0",
    ])
      await refuses('foreign-key', payment({ from, units: '1' }));
  });

  test('a deposit address pays the till’s own addresses and sweepTo, and nobody else', async () => {
    const hot = await addressAt(eth.accounts.hot, 0);
    const sweep = { from: `${DEPOSIT}7`, units: `${50n * ETH}` };
    await signs(payment({ ...sweep, to: hot, toPath: HOT }));
    await signs(payment({ ...sweep, nonce: 1, to: COLD }));
    await refuses('sweep', payment({ ...sweep, nonce: 2, units: '1' }));
    // The intent's word that an address is the till's own.
    await refuses('own-address', payment({ ...sweep, nonce: 2, toPath: HOT }));
    await refuses('own-address', payment({ ...sweep, nonce: 2, to: hot, toPath: `${DEPOSIT}0` }));
    await refuses('own-address', payment({ nonce: 2, to: STRANGER, toPath: "m/44'/60'/2'/0/0" }));
    // Without that word an address of its own counts as anybody's.
    await refuses('sweep', payment({ ...sweep, nonce: 2, to: hot }));
    await signs(
      payment({ nonce: 2, to: await addressAt(eth.accounts.deposit, 9), toPath: `${DEPOSIT}9`, units: `${9n * ETH}` }),
    );
  });

  test('destinations are the only ones that are paid', async () => {
    await start({
      ...policy,
      destinations: new Set([COLD.toLowerCase(), '0x90F79bf6EB2c4f870365E785982E1f101E93b906']),
    });
    await refuses('destination', payment({ units: '1' }));
    await signs(payment({ to: '0x90F79bf6EB2c4f870365E785982E1f101E93b906' }));
  });

  test('many small payments stop at the day’s limit, and go on as the window moves', async () => {
    for (let nonce = 0; nonce < 6; nonce++) {
      await signs(payment({ nonce, units: `${ETH / 2n}` }));
      clock.advance(HOUR_MS);
    }
    await refuses('day-limit', payment({ nonce: 6, units: '1' }));
    // The first was made 24 hours ago.
    clock.advance(18 * HOUR_MS);
    await signs(payment({ nonce: 6, units: `${ETH / 2n}` }));
    await refuses('day-limit', payment({ nonce: 7, units: '1' }));
  });

  test('payments at once do not share the room that is left', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, (_, nonce) => signer.sign(payment({ nonce, units: `${ETH}` }))),
    );
    assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 3);
  });

  test('a restart, and a clock that is set back, do not open the window again', async () => {
    for (let nonce = 0; nonce < 3; nonce++) await signs(payment({ nonce }));
    await start();
    await refuses('day-limit', payment({ nonce: 3 }));
    clock.advance(-48 * HOUR_MS);
    await refuses('day-limit', payment({ nonce: 3 }));
    await start();
    await refuses('day-limit', payment({ nonce: 3 }));
    clock.advance(71 * HOUR_MS);
    await refuses('day-limit', payment({ nonce: 3 }));
    clock.advance(HOUR_MS);
    await signs(payment({ nonce: 3 }));
  });

  test('what was signed while the clock was ahead counts until the clock is there again', async () => {
    clock.advance(48 * HOUR_MS);
    for (let nonce = 0; nonce < 3; nonce++) await signs(payment({ nonce }));
    clock.advance(-48 * HOUR_MS);
    await refuses('day-limit', payment({ nonce: 3 }));
  });

  test('what was signed while the clock was behind counts from when it was right', async () => {
    await signs(payment());
    clock.advance(-48 * HOUR_MS);
    for (const nonce of [1, 2]) await signs(payment({ nonce }));
    clock.advance(48 * HOUR_MS);
    await refuses('day-limit', payment({ nonce: 3 }));
  });

  test('a replayed intent counts once and gives the same signature', async () => {
    const first = await signs(payment());
    for (let times = 0; times < 5; times++) assert.deepEqual(await signs(payment()), first);
    await start();
    assert.deepEqual(await signs(payment()), first);
    for (const nonce of [1, 2]) await signs(payment({ nonce }));
    assert.deepEqual(await signs(payment()), first);
    await refuses('day-limit', payment({ nonce: 3, units: '1' }));
  });

  test('of transactions with one nonce the largest counts: a dearer fee, a cancellation, another payment', async () => {
    const hot = await addressAt(eth.accounts.hot, 0);
    await signs(payment({ units: `${ETH / 2n}` }));
    await signs(payment({ units: `${ETH / 2n}`, price: '2000' }));
    await signs(payment({ units: '0', to: hot, toPath: HOT, price: '3000' }));
    await signs(payment({ units: `${ETH}`, price: '3001' }));
    for (const nonce of [1, 2]) await signs(payment({ nonce }));
    await refuses('day-limit', payment({ nonce: 3, units: '1' }));
    // The same nonce of another key excludes nothing.
    await signs(payment({ from: `${DEPOSIT}0`, to: hot, toPath: HOT, units: `${ETH}` }));
  });

  test('fees have limits for one transaction and for a day, also of the till’s own moves', async () => {
    const own = { to: await addressAt(eth.accounts.hot, 0), toPath: HOT, units: '0', gas: '100000' };
    const price = `${ETH / 100n / 100_000n}`;
    await refuses('fee-limit', payment({ ...own, price: `${BigInt(price) + 1n}` }));
    for (let nonce = 0; nonce < 10; nonce++) await signs(payment({ ...own, nonce, price }));
    await refuses('fee-day-limit', payment({ ...own, nonce: 10, price: '1' }));
  });

  test('more transactions than a day may have are refused, however little each takes', async () => {
    const own = { to: await addressAt(eth.accounts.hot, 0), toPath: HOT, units: '0', price: '0' };
    for (let nonce = 0; nonce < 20; nonce++) await signs(payment({ ...own, nonce }));
    await refuses('transactions-limit', payment({ ...own, nonce: 20 }));
  });

  describe('of coins', () => {
    const key = (index: number): Promise<string> => publicKeyOf(btc.accounts.deposit, index);
    const coin = async (name: string, units: bigint, index = 0): Promise<UtxoIntent['inputs'][number]> => ({
      ...{ ref: `${name.repeat(64)}:0`, units: `${units}` },
      ...{ path: `${btc.accounts.deposit}/0/${index}`, publicKey: await key(index) },
    });
    const pay = (units: bigint): UtxoIntent['outputs'][number] => ({
      ...{ to: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', toPath: null, units: `${units}` },
    });
    const spend = (inputs: UtxoIntent['inputs'], outputs: UtxoIntent['outputs']): UtxoIntent => ({
      ...{ family: 'utxo', chain: 'BTC', lockTime: 800_000, inputs, outputs },
    });

    test('each payment has the limit, all outputs together that of the day, and change is none', async () => {
      const change = {
        to: btc.addressOf(await wallet.extendedPublicKey(btc.accounts.hot), 0),
        toPath: `${btc.accounts.hot}/0/0`,
      };
      const coins = [await coin('a', 10_000_000n)];
      await refuses('payment-limit', spend(coins, [pay(100_001n)]));
      const three = [pay(100_000n), pay(100_000n), pay(50_000n)];
      await signs(spend(coins, [...three, { ...change, units: '9700000' }]));
      await refuses('day-limit', spend([await coin('b', 2_000n)], [pay(1_000n)]));
      await refuses('own-address', spend([await coin('b', 2_000n)], [{ ...pay(1_000n), toPath: change.toPath }]));
    });

    test('a coin is worth what it was the first time, lest two halves hide a fee', async () => {
      const [a, b] = [await coin('a', 1_000_000n), await coin('b', 1_000_000n, 1)];
      const outputs = [pay(90_000n)];
      const claim = (input: typeof a, units: bigint): typeof a => ({ ...input, units: `${units}` });
      await signs(spend([a, claim(b, 1_000n)], outputs));
      await refuses('coin-worth', spend([claim(a, 1_000n), b], outputs));
      await start();
      await refuses('coin-worth', spend([claim(a, 1_000n), b], outputs));
      await refuses('coin-worth', spend([claim(a, 500_000n)], outputs));
    });

    test('a transaction that shares a coin counts what it takes more; one that shares none counts whole', async () => {
      const [a, b, c] = [await coin('a', 1_000_000n), await coin('b', 1_000_000n), await coin('c', 1_000_000n)];
      await signs(spend([a], [pay(100_000n)]));
      await signs(spend([b, a], [pay(100_000n), pay(50_000n)]));
      await signs(spend([b], [pay(100_000n)]));
      await refuses('day-limit', spend([c], [pay(1_000n)]));
    });
  });

  test('a transaction on Tron excludes no other, so each counts', async () => {
    const hot = trx.addressOf(await wallet.extendedPublicKey(trx.accounts.hot), 0);
    const intent = {
      ...{ family: 'tron', chain: 'TRX', from: `${trx.accounts.hot}/0/0`, fromAddress: hot },
      ...{ to: 'TPL66VK2gCXNCD7EJg9pgJRfqcRazjhUZY', toPath: null, units: '1', contract: null },
      ...{ referenceBlock: 'ab'.repeat(32), expiresAt: 1_700_000_060_000, timestamp: 1_700_000_000_000, feeLimit: '0' },
    };
    await start({ ...policy, payments: new Map([['TRX', { most: 1n, perDay: 2n }]]) });
    await signs(intent);
    await signs({ ...intent, timestamp: intent.timestamp + 1 } as SigningIntent);
    await refuses('day-limit', { ...intent, timestamp: intent.timestamp + 2 } as SigningIntent);
  });

  test('stopped, it signs nothing, not even again, until it is resumed; a restart does not resume it', async () => {
    await signs(payment());
    await journal.setStop('an alarm');
    const stopped = (error: unknown): boolean =>
      isTillgateError(error, 'SIGNER_UNAVAILABLE') && /an alarm/.test(error.message);
    await assert.rejects(signer.sign(payment()), stopped);
    await start();
    await assert.rejects(signer.sign(payment({ nonce: 1 })), stopped);
    await journal.setStop(null);
    await signs(payment({ nonce: 1 }));
  });

  test('no signature exists before the journal has it', async () => {
    await journal.close();
    await assert.rejects(signer.sign(payment()));
    const made: string[] = [];
    const keys = {
      extendedPublicKey: (account: string) => wallet.extendedPublicKey(account),
      signDigest: async (path: string) => {
        made.push(path);
        throw new Error('killed here');
      },
    };
    await start();
    const chains = new Map([['ETH', { chain: eth, policy }]]);
    const killed = new PolicySigner({ keys, journal, clock, chains, hash: () => 'one' });
    await assert.rejects(killed.sign(payment()), /killed here/);
    const { known, taken } = await journal.read({ id: 'one', chain: 'ETH', refs: [], since: () => 0 });
    assert.deepEqual([made, known, taken.payments.get('ETH')], [[HOT], true, ETH]);
  });

  test('what nothing needs any more is dropped', async () => {
    await signs(payment());
    clock.advance(31 * 24 * HOUR_MS);
    await signs(payment({ nonce: 1 }));
    const { taken } = await journal.read({ id: '', chain: 'ETH', refs: [], since: () => 0 });
    assert.equal(taken.transactions, 1);
  });
});

async function publicKeyOf(account: string, index: number): Promise<string> {
  const { AccountKey } = await import('../../../adapters/chains/account-key.ts');
  return Buffer.from(new AccountKey(await wallet.extendedPublicKey(account)).publicKey(index)).toString('hex');
}
