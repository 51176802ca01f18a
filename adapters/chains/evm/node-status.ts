import type { NodeStatus } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { RpcReply } from '../json-rpc-replies.ts';
import { asCount, asObject } from './rpc-values.ts';

const AT_THE_HEAD: NodeStatus = { behind: null, initialDownload: false, firstBlock: 0 };

/**
 * The synchronisation status that a node reports.
 *
 * @param finalityBlocks - a node that is further behind than this is not merely lagging
 * @param checkChainId - throws for the chain id of another chain
 */
export async function fetchStatus(
  client: JsonRpcClient,
  finalityBlocks: number,
  checkChainId: (answer: unknown) => void,
): Promise<NodeStatus> {
  const [progress, chainId] = (await client.batch([
    { method: 'eth_syncing', params: [] },
    { method: 'eth_chainId', params: [] },
  ])) as [RpcReply, RpcReply];
  // The node at this URL may not be the one that answered at the start.
  if (chainId.problem === null) checkChainId(chainId.result);
  // A load balancer in front of nodes may not offer the method: then only the age of the head decides.
  const syncing = progress.problem === null ? progress.result : false;
  // `false` at the head; some nodes also report other work that they do there.
  if (typeof syncing !== 'object' || syncing === null) return AT_THE_HEAD;
  const { currentBlock, highestBlock } = asObject(syncing, 'the progress of the node');
  // The nodes of some networks report their progress in another format.
  if (highestBlock === undefined) return { ...AT_THE_HEAD, behind: 'is synchronising' };
  const [current, highest] = [asCount(currentBlock, 'its block'), asCount(highestBlock, 'the highest block')];
  if (highest <= current) return AT_THE_HEAD;
  return {
    behind: `is synchronising, at block ${current} of ${highest}`,
    initialDownload: highest - current > finalityBlocks,
    firstBlock: 0,
  };
}
