import { raiseAlert } from '../notify/index.ts';
import { LIGHTNING_ASSET } from '../kernel/index.ts';
import type { ChainState } from '../chain/index.ts';
import type { Lease, Transaction } from '../kernel/index.ts';
import type { LightningDeps } from './lightning-deps.ts';
import { FIRST_SETTLEMENT, settlementCursor } from './node-life.ts';
import type { NodeLife } from './node-life.ts';

const { chain: CHAIN } = LIGHTNING_ASSET;
/** The subject of the alert. */
export const NODE_LIFE_SUBJECT = 'the Lightning node';
const REASON =
  'The Lightning node does not have the last settlement that it reported, so it began anew: from its seed, or from an older copy. It has no record of its earlier payments.';

type Deps = Pick<LightningDeps, 'node' | 'storage' | 'clock' | 'events' | 'logger' | 'metrics'>;

/**
 * Detects, by the last settlement that it reported, a node that began again under the same key. Settlements are then
 * read from the first one again, and nothing is paid before an operator has decided, because such a node may have made
 * payments that it no longer has.
 *
 * @returns the present life of the node
 * @throws TillgateError `LEASE_LOST`, `NODE_FAILED`
 */
export async function checkContinuity(deps: Deps, lease: Lease): Promise<NodeLife> {
  const { storage, node, clock } = deps;
  const [life, state] = [await storage.lightning.life(), await storage.chains.state(CHAIN)];
  const cursor = settlementCursor(state);
  if (state === null || cursor === null || (await node.remembers(cursor))) return life;
  const next = { number: life.number + 1, status: 'pending', reason: REASON, startedAt: clock.now() } as const;
  const begun = await storage.transaction(async (tx) => {
    await tx.leases.check(lease);
    return (await goBack(tx, state)) && beginNodeLife(tx, life, next);
  });
  if (!begun) return storage.lightning.life();
  raiseAlert(deps, 'restored', NODE_LIFE_SUBJECT, REASON);
  return next;
}

/** Begins the next life in the caller's transaction; false when another instance has begun one since `former` was read. */
export async function beginNodeLife(tx: Transaction, former: NodeLife, next: NodeLife): Promise<boolean> {
  if ((await tx.lightning.lockLife()).number !== former.number) return false;
  await tx.lightning.beginLife(next);
  return true;
}

/** Reads settlements from the first one again; booking is idempotent by payment hash. Keeps their count. */
function goBack(tx: Transaction, { cursor }: ChainState): Promise<boolean> | boolean {
  return cursor !== null && tx.chains.moveCursor(CHAIN, cursor.hash, { ...cursor, hash: FIRST_SETTLEMENT });
}
