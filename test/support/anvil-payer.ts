import { parseEther } from 'viem';
import type { Anvil } from './anvil.ts';

/** The plugin of a till in production mode that reads this node, and no tokens. */
export const ethereumOn = ({ url, chainId }: Anvil) =>
  ({
    use: 'ethereum',
    options: { rpcUrls: [url], chainId, confirmations: 1, pollIntervalMs: 200, tokens: {} },
  }) as const;

/** Pays an order in ETH from one of the node's accounts, and mines what confirms it. */
export async function payOnAnvil(
  anvil: Anvil,
  payment: { readonly address: string; readonly amount: string },
): Promise<void> {
  const [from = ''] = await anvil.rpc<string[]>('eth_accounts');
  const value = `0x${parseEther(payment.amount).toString(16)}`;
  await anvil.rpc('eth_sendTransaction', [{ from, to: payment.address, value }]);
  await anvil.mine(3);
}
