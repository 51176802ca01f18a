import { isLoopback } from '../../../core/index.ts';
import type { ChainAdapter, Clock, NodesInUse } from '../../../core/index.ts';
import { nodesAt } from '../../plugin-options/option-fields.ts';
import { NodeGroup } from './node-group.ts';
import { QuorumChain } from './quorum-chain.ts';
import type { AgreePrice } from './quorum-payments.ts';

/** A chain's nodes, and how many of them must agree. */
export interface NodesOptions {
  readonly urls: readonly string[];
  readonly quorum: number;
  readonly mainNetwork: boolean;
  /** Whether nodes on other machines may be reached without TLS. */
  readonly insecureNodes: boolean;
  readonly clock: Clock;
  /** Chooses the price of a payment among those of several nodes. */
  readonly agreePrice: AgreePrice;
}

/** Selects the items of the nodes in use from a list with one item for each URL. */
export type PickNodes = <T>(list: readonly T[]) => readonly T[];

/**
 * Opens a chain with its nodes. With a quorum of one the first answer is accepted, and the other nodes are asked only
 * when that node fails.
 *
 * @param open - opens the chain with the nodes whose URLs are picked
 */
export function openByNodes(
  { urls, quorum, mainNetwork, insecureNodes, clock, agreePrice }: NodesOptions,
  open: (pick: PickNodes) => ChainAdapter,
): ChainAdapter {
  const nodes: NodesInUse = {
    hosts: [...nodesAt(urls).keys()],
    quorum,
    mainNetwork,
    insecure: insecureNodes ? [] : urls.filter(isInsecure).map((url) => new URL(url).host),
  };
  if (quorum === 1)
    return Object.assign(
      open((list) => list),
      { nodes },
    );
  const members = [...nodesAt(urls)].map(([host, places]) => ({
    host,
    chain: open((list) => list.filter((_, place) => places.includes(place))),
  }));
  return new QuorumChain(new NodeGroup(members, quorum, clock), nodes, agreePrice);
}

/** Anyone between the till and the node can answer in its place. */
function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}
