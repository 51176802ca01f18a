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

/**
 * A chain by its nodes. With a quorum of one the first that answers is believed, and the others are asked only when it fails.
 *
 * @param open - the chain as the nodes at these places of `urls` show it
 */
export function openByNodes(
  { urls, quorum, mainNetwork, insecureNodes, clock, agreePrice }: NodesOptions,
  open: (places: readonly number[]) => ChainAdapter,
): ChainAdapter {
  const nodes: NodesInUse = {
    hosts: [...nodesAt(urls).keys()],
    quorum,
    mainNetwork,
    insecure: insecureNodes ? [] : urls.filter(isInsecure).map((url) => new URL(url).host),
  };
  if (quorum === 1) return Object.assign(open(urls.map((_, place) => place)), { nodes });
  const members = [...nodesAt(urls)].map(([host, places]) => ({ host, chain: open(places) }));
  return new QuorumChain(new NodeGroup(members, quorum, clock), nodes, agreePrice);
}

/** Whoever is between can answer for the node. */
function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
