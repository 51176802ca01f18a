import type { Asset } from '../../../core/index.ts';
import { SimChain } from './chain.ts';
import { SimNode } from './node.ts';

/** A configured chain without a node. */
export const AWAY = 'AWY';

/** Its node, which answers nothing. The chain takes no orders, because it was never reached. */
export function awayNode(now: () => number): SimNode {
  const chain = new SimChain(AWAY, 'utxo', AWAY, now);
  const coin: Asset = { chain: AWAY, currency: AWAY, symbol: AWAY, decimals: 8, kind: 'native', stable: false };
  const policy = {
    confirmations: () => 2,
    spendableConfirmations: 4,
    finalityBlocks: 64,
    pollIntervalMs: 1,
    maxScanBlocks: 10,
  };
  const node = new SimNode(chain, [coin], policy, { fee: 1n });
  node.trouble.down = true;
  return node;
}
