import { TillgateError } from '../kernel/errors.ts';
import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import { present } from '../kernel/guard.ts';
import type { LatePayments } from '../orders/late-payments.ts';
import type { OrderStateMachine } from '../orders/order-state-machine.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { LightningNode } from '../ports/lightning.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage } from '../ports/storage.ts';

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
