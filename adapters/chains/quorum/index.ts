/** Chains that several nodes have to agree about. @packageDocumentation */
export { NodeGroup } from './node-group.ts';
export type { ChainNode } from './node-group.ts';
export { openByNodes } from './open-by-nodes.ts';
export type { NodesOptions, PickNodes } from './open-by-nodes.ts';
export { QuorumChain } from './quorum-chain.ts';
export { lowestFee } from './quorum-payments.ts';
export type { AgreePrice } from './quorum-payments.ts';
export type { Disagreements } from './disagreements.ts';
export type { Answer, Question, Replies } from './node-group.ts';
