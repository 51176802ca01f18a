import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MnemonicWallet, NoWallet } from '../../../adapters/wallet/index.ts';
import { isTillgateError, present } from '../../../core/index.ts';
import type { ChainAdapter, ChainPayments } from '../../../core/index.ts';
import { bsc } from '../../../plugins/bsc/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { receipt } from '../../support/contracts.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';
import { payoutOf, minedOutcome } from './evm-paying.ts';
import { freshAddress, height, MNEMONIC, pay, watching } from './evm-support.ts';

async function open(
  input: unknown,
  wallet: MnemonicWallet | NoWallet = new MnemonicWallet(MNEMONIC),
): Promise<{ chain: ChainAdapter; logger: MemoryLogger }> {
  const chains: ChainAdapter[] = [];
  const logger = new MemoryLogger();
  await bsc.plugin.setup({
    options: bsc.plugin.options(input),
    logger,
    clock: new FakeClock(),
    wallet,
    signer: wallet instanceof MnemonicWallet ? wallet : null,
    documents: { read: async () => null, write: async () => false },
    addChain: (chain) => void chains.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  return { chain: present(chains[0], 'the chain'), logger };
}

describe('the bsc plugin', () => {
  let anvil: Anvil;
  let chain: ChainAdapter;
  let payments: ChainPayments;

  before(async () => {
    anvil = await startAnvil({ chainId: 56 });
    ({ chain } = await open({ rpcUrls: [anvil.url] }));
    payments = present(chain.payments, 'the paying side');
  });

  after(async () => {
    await chain.close();
    await anvil.stop();
  });

  test('takes BNB on the main network, and tokens only where they are named', async () => {
    assert.deepEqual(
      chain.assets.map(({ chain: code, currency, kind }) => [code, currency, kind]),
      [['BSC', 'BNB', 'native']],
    );
    const { policy } = chain;
    assert.deepEqual(
      [policy.confirmations('BNB', 1n), policy.spendableConfirmations, policy.finalityBlocks, policy.pollIntervalMs],
      [15, 32, 256, 1_500],
    );
    assert.ok(chain.settled !== undefined, 'deposits wait for the mark of the validators');
    assert.match(await chain.identify(), /^eip155:56\/0x[0-9a-f]{64}$/);
    const named = await open({
      rpcUrls: [anvil.url],
      tokens: { 'USDT-BEP20': { address: '0x55d398326f99059fF775485246999027B3197955', decimals: 18, stable: true } },
    });
    assert.deepEqual(
      named.chain.assets.map(({ currency, symbol, stable }) => [currency, symbol, stable]),
      [
        ['BNB', 'BNB', false],
        ['USDT-BEP20', 'USDT', true],
      ],
    );
    await named.chain.close();
  });

  test('shares no address with Ethereum: deposits are at account 3, the hot wallet at account 2', async () => {
    const [first] = await chain.deriveAddresses(0, 1);
    const { mnemonicToAccount } = await import('viem/accounts');
    const at = (path: "m/44'/60'/2'/0/0" | "m/44'/60'/3'/0/0"): string => mnemonicToAccount(MNEMONIC, { path }).address;
    assert.equal(first?.address, at("m/44'/60'/3'/0/0"));
    assert.equal(payments.hotAddress, at("m/44'/60'/2'/0/0"));
    assert.deepEqual(
      [payments.model, payments.maxLines, payments.feeAsset.currency, payments.bumpAfterMs],
      ['account', 1, 'BNB', 600_000],
    );
  });

  test('a deposit is found, swept and paid out', async () => {
    const [deposit] = await chain.deriveAddresses(4, 1);
    const from = (await height(anvil)) + 1;
    const hash = await pay(anvil, deposit!.address, 10n ** 18n);
    const { transfers } = await chain.scan(from, from, watching(deposit!.address));
    assert.deepEqual(
      transfers.map(({ txid, currency, units }) => [txid, currency, units]),
      [[hash, 'BNB', 10n ** 18n]],
    );
    const to = freshAddress();
    const hops = [
      { source: { address: deposit!.address, index: 4 }, to: payments.hotAddress, units: 10n ** 18n },
      { source: { address: payments.hotAddress, index: null }, to, units: 10n ** 17n },
    ];
    for (const hop of hops) {
      const line = { to: hop.to, currency: 'BNB', units: hop.units };
      const priced = await payments.price({ source: hop.source, lines: [line], coins: [], replaces: null });
      const nonce = await payments.nextNonce(hop.source.address);
      const signed = await payments.sign({
        source: hop.source,
        lines: [{ ...line, units: line.units - priced.feeUnits }],
        priced,
        nonce,
      });
      await payments.broadcast(signed);
      await receipt(anvil, signed.txid as `0x${string}`);
      const outcome = await minedOutcome(payments, payoutOf(hop.source, nonce!, [signed]));
      assert.deepEqual([outcome.succeeded, outcome.feeUnits], [true, priced.feeUnits]);
    }
    assert.ok((await payments.balance(to, 'BNB')) > 9n * 10n ** 16n);
  });

  test('an extended key of somebody else, or no seed, makes it watch-only', async () => {
    const own = await new MnemonicWallet(MNEMONIC).extendedPublicKey("m/44'/60'/3'");
    const foreign = await new MnemonicWallet(MNEMONIC).extendedPublicKey("m/44'/60'/1'");
    const with_ = async (xpub: string, wallet?: NoWallet) => open({ rpcUrls: [anvil.url], xpub }, wallet);
    assert.notEqual((await with_(own)).chain.payments, null);
    const watching_ = await with_(foreign);
    assert.equal(watching_.chain.payments, null);
    assert.ok(watching_.logger.lines.some(({ level, message }) => level === 'warn' && message.includes('watch-only')));
    assert.equal((await with_(own, new NoWallet())).chain.payments, null);
    await assert.rejects(open({ rpcUrls: [anvil.url] }, new NoWallet()), (error: unknown) =>
      isTillgateError(error, 'CONFIG_INVALID'),
    );
  });
});
