import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { present, isTillgateError } from '../../../core/index.ts';
import type { ChainPayments, ErrorCode, PaymentLine, Signer, SpendableCoin } from '../../../core/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { definition as bitcoin } from '../../../plugins/bitcoin/definition.ts';
import { FIXTURES, MNEMONIC } from '../../unit/chains/utxo-fixtures.ts';
import { startFixtureNode, utxoChain } from './utxo-fixture-node.ts';
import type { Interference } from './rpc-proxy.ts';

const COIN = 100_000_000n;
const TO = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const REF = `${'cd'.repeat(32)}:1`;
const failsWith = (code: ErrorCode, words: RegExp) => (error: unknown) =>
  isTillgateError(error, code) && words.test(error.message);
const line = (units: bigint): PaymentLine => ({ to: TO, currency: 'BTC', units });

interface Bench {
  readonly payments: ChainPayments;
  readonly coin: SpendableCoin;
}

/** A chain on a node with one coin of ours, of 1 BTC, and the test's changes of its answers. */
async function withCoin(t: TestContext, change: Interference = () => null, signer?: Signer): Promise<Bench> {
  const wallet = new MnemonicWallet(MNEMONIC);
  let script = '';
  const node = await startFixtureNode((call) => {
    const changed = change(call);
    if (changed !== null || call.method !== 'gettxout' || call.params[0] !== 'cd'.repeat(32)) return changed;
    return {
      result: {
        bestblock: present(FIXTURES.bitcoin.blocks.at(-1), 'a block').hash,
        confirmations: 9,
        value: 1,
        scriptPubKey: { hex: script },
      },
    };
  });
  const hotXpub = await wallet.extendedPublicKey(bitcoin.networks.regtest.accounts.hot);
  const { chain } = await utxoChain([node.url], signer === undefined ? {} : { spending: { signer, hotXpub } });
  t.after(async () => {
    await chain.close();
    await node.stop();
  });
  const [own] = await chain.deriveAddresses(0, 1);
  assert.ok(own !== undefined && chain.payments !== null);
  script = own.key;
  return { payments: chain.payments, coin: { ref: REF, address: own.address, index: 0, units: COIN } };
}

const price = ({ payments, coin }: Bench, units = COIN / 2n): ReturnType<ChainPayments['price']> =>
  payments.price({
    source: { address: payments.hotAddress, index: null },
    lines: [line(units)],
    coins: [coin],
    replaces: null,
  });

async function sign(bench: Bench, units = COIN / 2n): ReturnType<ChainPayments['sign']> {
  const priced = await price(bench, units);
  return bench.payments.sign({
    source: { address: bench.payments.hotAddress, index: null },
    lines: [line(units - priced.feeUnits)],
    priced,
    nonce: null,
  });
}

describe('fee rates within the operator’s bounds', () => {
  // One input, two outputs.
  const VBYTES = 141n;
  const estimate =
    (feerate: unknown): Interference =>
    ({ method }) =>
      method === 'estimatesmartfee' ? { result: { feerate, blocks: 6 } } : null;

  for (const [what, change, perByte] of [
    ['the fallback where the node has seen too little', (): null => null, 10n],
    ['the estimate', estimate(0.0002), 20n],
    ['the least that is configured', estimate(0.000001), 1n],
    ['the most that is configured', estimate(0.5), 500n],
    [
      'what the node’s full pool asks for',
      (({ method }) => (method === 'getmempoolinfo' ? { result: { mempoolminfee: 0.0003 } } : null)) as Interference,
      30n,
    ],
  ] as const) {
    test(`pays ${what}`, async (t) => {
      assert.equal((await price(await withCoin(t, change))).feeUnits, VBYTES * perByte);
    });
  }

  test('a network that asks for more than is allowed is waited for', async (t) => {
    const bench = await withCoin(t, ({ method }) =>
      method === 'getmempoolinfo' ? { result: { mempoolminfee: 0.006 } } : null,
    );
    await assert.rejects(price(bench), failsWith('STATE_CONFLICT', /600 per virtual byte.*500/));
  });

  test('a rate that is no amount is refused, never rounded', async (t) => {
    for (const feerate of ['', 'x', null, -1, '0.000000001']) {
      await assert.rejects(price(await withCoin(t, estimate(feerate))), failsWith('NODE_FAILED', /fee rate/));
    }
  });

  test('a bump within the bounds keeps to both rules; beyond them it is refused', async (t) => {
    const bench = await withCoin(t);
    const signed = await sign(bench);
    const again = (replaces: typeof signed): ReturnType<ChainPayments['price']> =>
      bench.payments.price({
        source: { address: bench.payments.hotAddress, index: null },
        lines: [line(COIN / 2n - signed.feeUnits)],
        coins: [bench.coin],
        replaces,
      });
    const { feeUnits } = await again(signed);
    assert.ok(feeUnits >= signed.feeUnits + VBYTES, `${feeUnits}`);
    await assert.rejects(again({ ...signed, feeUnits: VBYTES * 500n }), failsWith('STATE_CONFLICT', /maxFeeRate/));
  });
});

describe('signing', () => {
  test('the same payment gives the same bytes, whose lock time is the height', async (t) => {
    const bench = await withCoin(t);
    const [one, two] = [await sign(bench), await sign(bench)];
    assert.deepEqual(one, two);
    assert.equal(
      Buffer.from(one.raw, 'hex').readUInt32LE(one.raw.length / 2 - 4),
      FIXTURES.bitcoin.blocks.at(-1)?.height,
    );
  });

  test('a signature of another key, or none, is not kept', async (t) => {
    const wallet = new MnemonicWallet(MNEMONIC);
    const other: Signer = {
      extendedPublicKey: (path) => wallet.extendedPublicKey(path),
      sign: (intent, build) =>
        wallet.sign(intent, (again) => {
          const built = build(again);
          return { ...built, inputs: built.inputs.map(({ digest }) => ({ path: "m/84'/1'/1'/0/77", digest })) };
        }),
    };
    const junk: Signer = { ...other, sign: async () => [{ bytes: new Uint8Array(64), recovery: 0 }] };
    for (const signer of [other, junk])
      await assert.rejects(
        sign(await withCoin(t, undefined, signer)),
        failsWith('NOT_READY', /something else than a signature/),
      );
  });

  test('the signer gets the whole transaction: what it spends, whom it pays, what comes back', async (t) => {
    const wallet = new MnemonicWallet(MNEMONIC);
    const intents: unknown[] = [];
    const signer: Signer = {
      extendedPublicKey: (path) => wallet.extendedPublicKey(path),
      sign(intent, build) {
        const { payments, feeUnits, spends, inputs } = build(intent);
        intents.push({ payments, feeUnits, spends, paths: inputs.map(({ path }) => path) });
        return wallet.sign(intent, build);
      },
    };
    const bench = await withCoin(t, undefined, signer);
    const { feeUnits } = await sign(bench);
    const { hotAddress } = bench.payments;
    const half = COIN / 2n;
    assert.deepEqual(intents, [
      {
        payments: [
          { to: TO, contract: null, units: half - feeUnits, ownPath: null },
          { to: hotAddress, contract: null, units: half, ownPath: "m/84'/1'/0'/0/0" },
        ],
        feeUnits,
        spends: [{ ref: REF, units: COIN }],
        paths: ["m/84'/1'/1'/0/0"],
      },
    ]);
  });

  test('more than the coins are worth is never signed', async (t) => {
    const bench = await withCoin(t);
    const priced = await price(bench);
    const source = { address: bench.payments.hotAddress, index: null };
    await assert.rejects(bench.payments.sign({ source, lines: [line(COIN)], priced, nonce: null }), /Assertion failed/);
    const foreign = { ...priced, coins: [{ ...bench.coin, index: 5 }] };
    await assert.rejects(
      bench.payments.sign({ source, lines: [line(COIN / 4n)], priced: foreign, nonce: null }),
      /Assertion failed: .* is not the address/,
    );
  });
});

describe('fault 56: the outcome of a payment at a lying node', () => {
  const { blocks } = FIXTURES.bitcoin;
  const last = present(blocks.at(-1), 'a block');

  const outcomeOf = async (
    t: TestContext,
    change: (signed: { readonly txid: string }) => Interference,
    spentRef = REF,
  ): Promise<Awaited<ReturnType<ChainPayments['outcome']>>> => {
    let lie: Interference = () => null;
    const bench = await withCoin(t, (call) => lie(call));
    const signed = await sign(bench);
    lie = change(signed);
    return bench.payments.outcome({
      source: { address: bench.payments.hotAddress, index: null },
      nonce: null,
      coins: [spentRef],
      attempts: [signed],
    });
  };

  test('an honest one that has never seen it: missing', async (t) => {
    assert.deepEqual(await outcomeOf(t, () => () => null), { kind: 'missing' });
  });

  test('outputs that it shows, without the transaction in the block, are not believed', async (t) => {
    const shows =
      ({ txid }: { readonly txid: string }): Interference =>
      ({ method, params }) =>
        method === 'gettxout' && params[0] === txid
          ? { result: { bestblock: last.hash, confirmations: 1, value: 0.5, scriptPubKey: { hex: '00' } } }
          : null;
    await assert.rejects(outcomeOf(t, shows), failsWith('NODE_FAILED', /is not in the block/));
  });

  test('a coin that is gone, and no block that spends it, is unclear', async (t) => {
    const gone =
      (): Interference =>
      ({ method, params }) => {
        // The node has no blocks below those of the fixtures.
        if (method === 'getblockhash' && (params[0] as number) > 0 && (params[0] as number) < (blocks[0]?.height ?? 0))
          return { result: blocks[0]?.hash };
        return method === 'gettxout' ? { result: null } : null;
      };
    const outcome = await outcomeOf(t, gone);
    assert.equal(outcome.kind, 'unclear');
  });

  test('answers that are none are a failure to try again', async (t) => {
    for (const result of [
      7,
      [],
      { value: 'x' },
      { bestblock: 'x', confirmations: 1, value: 1, scriptPubKey: { hex: '00' } },
    ]) {
      await assert.rejects(
        outcomeOf(
          t,
          () =>
            ({ method }) =>
              method === 'gettxout' ? { result } : null,
        ),
        failsWith('NODE_FAILED', /malformed/),
      );
    }
  });

  test('a node that takes the bytes for another transaction has not taken them', async (t) => {
    const bench = await withCoin(t, ({ method }) =>
      method === 'sendrawtransaction' ? { result: 'ef'.repeat(32) } : null,
    );
    await assert.rejects(bench.payments.broadcast(await sign(bench)), failsWith('NODE_FAILED', /another id/));
  });

  for (const [what, code, message, has] of [
    ['in the chain already', -27, 'Transaction outputs already in utxo set', true],
    ['waiting already', -26, 'txn-already-in-mempool', true],
    ['known already', -26, 'txn-already-known', true],
    ['known with another witness', -26, 'txn-same-nonwitness-data-in-mempool', true],
    ['refused in unknown words', -1, 'already paid', false],
    ['in conflict with another', -26, 'txn-mempool-conflict', false],
    ['without its coins', -25, 'bad-txns-inputs-missingorspent', false],
    ['too cheap', -26, 'insufficient fee, rejecting replacement', false],
  ] as const) {
    test(`a transaction that is ${what} ${has ? 'has been taken' : 'is a question for its outcome'}`, async (t) => {
      const bench = await withCoin(t, ({ method }) =>
        method === 'sendrawtransaction' ? { error: { code, message } } : null,
      );
      const signed = await sign(bench);
      if (has) await bench.payments.broadcast(signed);
      else await assert.rejects(bench.payments.broadcast(signed), failsWith('NODE_FAILED', /sendrawtransaction/));
    });
  }
});
