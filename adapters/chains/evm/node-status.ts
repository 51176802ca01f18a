import type { NodeStatus } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { RpcReply } from '../json-rpc-replies.ts';
import { asCount, asObject } from './rpc-values.ts';

const AT_THE_HEAD: NodeStatus = { behind: null, initialDownload: false, firstBlock: 0 };

/**
 * What the node says of its own progress.
 *
 * @param finalityBlocks - a node that is further behind than this does not merely lag
 * @param checkChainId - throws when the answer is another chain's
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
  // Whoever is asked by this address now may be another than at the start.
  if (chainId.problem === null) checkChainId(chainId.result);
  // A service in front of many nodes may not have the method: then the head's age alone decides.
  const syncing = progress.problem === null ? progress.result : false;
  // `false` at the head; some nodes also describe other work that they do there.
  if (typeof syncing !== 'object' || syncing === null) return AT_THE_HEAD;
  const { currentBlock, highestBlock } = asObject(syncing, 'the progress of the node');
  // Some networks' nodes tell of their progress in words of their own.
  if (highestBlock === undefined) return { ...AT_THE_HEAD, behind: 'is synchronising' };
  const [current, highest] = [asCount(currentBlock, 'its block'), asCount(highestBlock, 'the highest block')];
  if (highest <= current) return AT_THE_HEAD;
  return {
    behind: `is synchronising, at block ${current} of ${highest}`,
    initialDownload: highest - current > finalityBlocks,
    firstBlock: 0,
  };
}
