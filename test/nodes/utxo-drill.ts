import { MnemonicWallet } from '../../adapters/wallet/index.ts';
import { present } from '../../core/index.ts';
import type { SpendableCoin } from '../../core/index.ts';
import type { DrillFixture, ShownTransfer } from '../e2e/chain-drill.ts';
import { OWN_MNEMONIC } from '../e2e/pair-till.ts';
import { startRpcGate } from '../support/rpc-gate.ts';
import type { Daemon, DaemonKind } from './daemons.ts';
import { openChain, toUnits } from './utxo-fixture.ts';
import { openUtxoPairFixture } from './utxo-pair-fixture.ts';

/** Of the deposits of a drill. */
const INDEXES = 50;

/**
 * A daemon behind a gate. The till that was lost has signed anew what the backup has as signed: the same coins pay the same
 * receiver the same amount in another transaction. Its fee is the same, so that the till needs no coins of its own.
 */
export async function openUtxoDrill(kind: DaemonKind): Promise<DrillFixture> {
  const fixture = await openUtxoPairFixture(kind);
  const { daemon, plugin, chain: currency } = fixture;
  const gate = await startRpcGate(daemon.url.replace(/\/\/.*@/, '//'));
  let deposit: { readonly to: string; readonly txid: string } | null = null;
  return {
    ...fixture,
    plugin: { ...plugin, options: { ...plugin.options, rpcUrl: gate.url } },
    ...{ currency, decimals: 8, feeDecimals: 8, price: '3000', coins: true },
    amounts: { signed: '0.01', waiting: '0.02', lost: '0.003', next: '0.004' },
    pay: async (to, paid, units) => {
      const txid = await fixture.pay(to, paid, units);
      deposit ??= { to, txid };
      return txid;
    },
    hold: () => gate.hold('before', ({ method }) => method === 'sendrawtransaction'),
    payOtherwise: async (till, id, to) => {
      const { received } = (await till.command('transfer', 'show', id)) as ShownTransfer;
      // It is not valid below the height at which it is signed: one block later its bytes differ.
      await fixture.mine(1);
      const { chain } = await openChain(daemon, {}, new MnemonicWallet(OWN_MNEMONIC));
      const payments = present(chain.payments, 'a chain that pays');
      const funded = present(deposit, 'the first deposit');
      const derived = (await chain.deriveAddresses(0, INDEXES)).find(({ address }) => address === funded.to);
      const coin = await coinOf(daemon, funded, present(derived, funded.to).index);
      const source = { address: payments.hotAddress, index: null };
      const lines = [{ to, currency, units: toUnits(received) }];
      const gross = [{ to, currency, units: toUnits('0.01') }];
      const priced = await payments.price({ source, lines: gross, coins: [coin], replaces: null });
      await payments.broadcast(await payments.sign({ source, lines, priced, nonce: null }));
      await chain.close();
      await fixture.mine(1);
      await till.startServer();
    },
    stop: async () => {
      await gate.close();
      await fixture.stop();
    },
  };
}

/** The output of a transaction of the purse that pays an address. */
async function coinOf(
  { rpc }: Daemon,
  { to, txid }: { readonly to: string; readonly txid: string },
  index: number,
): Promise<SpendableCoin> {
  const { hex } = await rpc<{ hex: string }>('gettransaction', txid);
  const { vout } = await rpc<{
    vout: { n: number; value: string | number; scriptPubKey: { address?: string; addresses?: string[] } }[];
  }>('decoderawtransaction', hex);
  const paid = vout.find(({ scriptPubKey: { address, addresses } }) => (address ?? addresses?.[0]) === to);
  const { n, value } = present(paid, `an output to ${to}`);
  return { ref: `${txid}:${n}`, address: to, index, units: toUnits(value) };
}
