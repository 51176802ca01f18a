import { isTillgateError } from '../../../core/index.ts';
import type { NodeStatus } from '../../../core/index.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import { asCount, asObject } from './rpc-values.ts';

const AT_THE_HEAD: NodeStatus = { behind: null, initialDownload: false, firstBlock: 0 };

/**
 * What the node says of its own progress.
 *
 * @param finalityBlocks - a node that is further behind than this does not merely lag
 */
export async function fetchStatus(client: JsonRpcClient, finalityBlocks: number): Promise<NodeStatus> {
  const syncing = await progress(client);
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

/** A service in front of many nodes may not have the method: then the head's age alone decides. */
async function progress(client: JsonRpcClient): Promise<unknown> {
  try {
    return await client.call('eth_syncing', []);
  } catch (error) {
    if (isTillgateError(error, 'NODE_FAILED') && error.details['rpcCode'] !== undefined) return false;
    throw error;
  }
}
