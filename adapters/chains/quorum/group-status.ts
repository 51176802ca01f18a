import type { NodeStatus } from '../../../core/index.ts';
import type { NodeGroup } from './node-group.ts';

/** The status that the nodes report, and their lasting disagreement. It fails only when all nodes fail. */
export async function groupStatus(group: NodeGroup): Promise<NodeStatus> {
  const disagreement = group.disagreements.report();
  const { answers } = await group.replies(async (chain) => (await chain.status?.()) ?? null);
  const answered = answers.flatMap((answer) => ('value' in answer ? [{ host: answer.host, said: answer.value }] : []));
  const behind = answered.flatMap(({ host, said }) => (said?.behind == null ? [] : [`${host} ${said.behind}`]));
  const isEnough = answered.length - behind.length >= group.quorum;
  const silent = group.nodes.length - answered.length;
  const reasons = [...behind, ...(silent === 0 ? [] : [`${silent} of ${group.nodes.length} nodes do not answer`])];
  const firsts = answered.map(({ said }) => said?.firstBlock ?? 0).sort((a, b) => a - b);
  return {
    behind: isEnough ? null : `is not one of ${group.quorum} at the head: ${reasons.join('; ')}`,
    initialDownload: !isEnough && answered.some(({ said }) => said?.initialDownload === true),
    firstBlock: firsts[group.quorum - 1] ?? 0,
    disagreement,
  };
}
