import { isLoopback } from '../../../core/index.ts';
import type { ChainAdapter, Clock, NodesInUse } from '../../../core/index.ts';
import { nodesAt } from '../../plugin-options/option-fields.ts';
import { NodeGroup } from './node-group.ts';
import { QuorumChain } from './quorum-chain.ts';
import type { AgreePrice } from './quorum-payments.ts';

/** A chain's nodes, and how many of them have to agree. */
export interface NodesOptions {
  readonly urls: readonly string[];
  readonly quorum: number;
  readonly mainNetwork: boolean;
  /** Nodes of other machines may be asked without TLS. */
  readonly insecureNodes: boolean;
  readonly clock: Clock;
  /** Which of several prices of a payment is believed. */
  readonly agreePrice: AgreePrice;
}

/** Of a list with one item for each URL, those of the nodes that are asked. */
export type PickNodes = <T>(list: readonly T[]) => readonly T[];

/**
 * A chain by its nodes. With a quorum of one the first that answers is believed, and the others are asked only when it fails.
 *
 * @param open - the chain as the nodes show it whose URLs are picked
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

/** Whoever is between can answer for the node. */
function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}
