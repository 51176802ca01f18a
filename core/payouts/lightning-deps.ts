import { LIGHTNING_ASSET, present, TillgateError } from '../kernel/index.ts';
import type { LatePayments, OrderStateMachine } from '../orders/index.ts';
import type { Clock, EventBus, IdGenerator, Logger, Metrics, Storage } from '../kernel/index.ts';
import type { LightningNode } from '../chain/index.ts';

/** The dependencies of the Lightning workers. */
export interface LightningDeps {
  readonly node: LightningNode;
  readonly storage: Storage;
  readonly stateMachine: OrderStateMachine;
  readonly latePayments: LatePayments;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Checks that the node is the one that this till has used from the start: another node does not have its invoices, and
 * would pay again what the first one has paid.
 *
 * @throws TillgateError `CHAIN_HALTED` when it is another node; `NODE_FAILED`
 */
export async function requireSameNode({ node, storage }: Pick<LightningDeps, 'node' | 'storage'>): Promise<void> {
  const { chain } = LIGHTNING_ASSET;
  const identity = await node.identify();
  await storage.chains.initialise(chain, identity);
  const known = present(await storage.chains.state(chain), `state of ${chain}`).identity;
  if (known === identity) return;
  throw new TillgateError(
    'CHAIN_HALTED',
    `${chain} was set up with the Lightning node ${known}, but this one is ${identity}. Correct the node's address.`,
  );
}
