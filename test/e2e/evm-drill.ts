import { mnemonicToAccount } from 'viem/accounts';
import { parseEther, parseTransaction } from 'viem';
import type { Address, Hex } from 'viem';
import { startRpcGate } from '../support/rpc-gate.ts';
import type { DrillFixture, ShownTransfer } from './chain-drill.ts';
import { openEvmFixture } from './evm-fixture.ts';
import { OWN_MNEMONIC } from './pair-till.ts';

const CHAIN_ID = 31_337;
const GWEI = 10n ** 9n;

/** anvil behind a gate; a till that was lost has raised the fee of what the backup has as signed. */
export async function openEvmDrill(): Promise<DrillFixture> {
  const fixture = await openEvmFixture({ use: 'ethereum', chainId: CHAIN_ID, coin: 'ETH', tokens: {} });
  const [node] = fixture.plugin.options['rpcUrls'] as readonly [string];
  const gate = await startRpcGate(node);
  const signer = mnemonicToAccount(OWN_MNEMONIC);
  const send = async (raw: Hex): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] });
    await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  };
  return {
    ...fixture,
    plugin: { ...fixture.plugin, options: { ...fixture.plugin.options, rpcUrls: [gate.url] } },
    ...{ currency: 'ETH', decimals: 18, feeDecimals: 18, price: '2500', coins: false },
    amounts: { signed: '0.1', waiting: '0.2', lost: '0.05', next: '0.07' },
    hold: (to) =>
      gate.hold(
        'before',
        ({ method, params }) =>
          method === 'eth_sendRawTransaction' &&
          parseTransaction(params[0] as Hex).to?.toLowerCase() === to.toLowerCase(),
      ),
    payOtherwise: async (till, id, to) => {
      const { received, chain_transaction: signed } = (await till.command('transfer', 'show', id)) as ShownTransfer;
      const fees = { gas: 21_000n, maxFeePerGas: 50n * GWEI, maxPriorityFeePerGas: 50n * GWEI };
      const payment = { to: to as Address, value: parseEther(received), nonce: signed?.nonce ?? 0 };
      await send(await signer.signTransaction({ type: 'eip1559', chainId: CHAIN_ID, ...payment, ...fees }));
      await fixture.mine(1);
      await till.startServer();
    },
    stop: async () => {
      await gate.close();
      await fixture.stop();
    },
  };
}
