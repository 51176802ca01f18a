import { beginEpochAfterRestore, confirmRestore, OPERATOR } from '../../../core/index.ts';
import { approveTransfer, isTillgateError, rejectByOperator, settleHeldTransfer } from '../../../core/index.ts';
import type { Transfer, TransferId } from '../../../core/index.ts';
import { keptOf } from '../../../core/payouts/till-budget.ts';
import { QUIET_EVENTS, QUIET_LOGGER, QUIET_METRICS } from '../world/quiet.ts';
import type { Instance } from '../world/instance.ts';
import type { SimOutput, SimTx } from '../world/chain.ts';
import type { World } from '../world/world.ts';
import { POLICIES } from '../world/world.ts';
import { inside, NOTHING } from './action.ts';
import type { Action, Scene } from './action.ts';

/** The state on chain of a held transfer: `open` while a transaction that pays it may still be mined. */
export type Finding = { readonly kind: 'unpaid' | 'open' } | { readonly kind: 'paid'; readonly tx: SimTx };

/** The transactions that paid the receiver of a batch's row, which the batch of a restored backup may pay again. */
function paymentsOfRow({ driver, sent }: World, id: string): readonly string[] {
  const [row] = driver.all<{ to_address: string }>(
    'SELECT to_address FROM transfers WHERE id = ? AND batch_id IS NOT NULL',
    id,
  );
  if (row === undefined) return [];
  return [...sent].filter(([, tx]) => tx.outputs.some(({ to }) => to === row.to_address)).map(([txid]) => txid);
}

/** The operator's findings on the chain before deciding on a held transfer. */
export function findPayment(world: World, id: string, code: string): Finding {
  const txids = [...new Set([...(world.payments.get(id) ?? []), ...paymentsOfRow(world, id)])];
  if (code === 'BLN' || txids.length === 0) return { kind: 'unpaid' };
  const { chain } = world.node(code);
  for (const txid of txids) {
    const mined = chain.included.get(txid);
    if (mined === undefined || !mined.succeeded) continue;
    const depth = chain.height - mined.height + 1;
    return depth < (POLICIES[code]?.finalityBlocks ?? 0) ? { kind: 'open' } : { kind: 'paid', tx: mined.tx };
  }
  const isOpen = txids.some((txid) => chain.mempool.has(txid) || !chain.isOver(world.sent.get(txid)));
  return { kind: isOpen ? 'open' : 'unpaid' };
}

/** True for the output that may have paid a transfer: one transaction can pay several to the same receiver. */
function isFor({ to, currency, units }: SimOutput, transfer: Transfer | null): boolean {
  if (transfer === null || to !== transfer.toAddress || currency !== transfer.currency) return false;
  return units <= transfer.units && units >= transfer.units - transfer.maxFeeUnits;
}

/** Rejects a transfer as an operator does. */
export async function operatorRejects(
  { now }: World,
  { storage, ids, chains }: Instance,
  id: TransferId,
): Promise<void> {
  const transfer = await storage.transfers.find(id);
  const kept = transfer === null ? 0n : await keptOf(chains.get(transfer.chain), storage, transfer);
  await storage.transaction((tx) => rejectByOperator(tx, id, 'An operator says no.', { now, ids, kept }));
}

/** Settles a transfer that the Lightning node has paid; `null` where it has not. */
async function settleOnLightning(world: World, instance: Instance, id: TransferId): Promise<string | null> {
  const { storage, ids, payouts } = instance;
  const payment = await storage.lightning.paymentOf(id);
  const view = payment === null ? undefined : world.lightning.views.get(payment.paymentHash);
  if (view?.state === 'in-flight') return `${id} may still be paid`;
  if (payment === null || view?.state !== 'settled') return null;
  const cost = { currency: 'BTC-LN', units: view.feeMsat };
  const context = { ids, now: world.now, stateMachine: payouts.stateMachine };
  await storage.transaction(async (tx) => {
    const held = await tx.transfers.lock(id);
    const obtainedUnits = view.msat ?? (held === null ? 0n : held.units - held.feeUnits);
    const found = { txHash: payment.paymentHash, cost, obtainedUnits, isReportedByNode: view.msat !== null };
    await settleHeldTransfer(tx, id, found, context);
  });
  return `settles ${id}`;
}

/** Approves, rejects or settles a held transfer, by its state on the chain. */
export async function decideHeld(
  world: World,
  instance: Instance,
  id: TransferId,
  code: string,
  approve: boolean,
): Promise<string> {
  const { storage, ids, payouts } = instance;
  const now = world.now;
  if (code === 'BLN') {
    const settled = await settleOnLightning(world, instance, id);
    if (settled !== null) return settled;
  }
  const found = findPayment(world, id, code);
  if (found.kind === 'open') return `${id} may still be mined`;
  if (found.kind === 'paid') {
    const { payments } = world.node(code);
    const context = { payments, ids, now, stateMachine: payouts.stateMachine };
    const { txid: txHash, fee, outputs } = found.tx;
    // If one transaction pays several transfers, the first settled one bears its fee.
    const isFirst =
      world.driver.all("SELECT 1 FROM transactions WHERE status = 'SUCCESS' AND tx_hash = ?", txHash).length === 0;
    const cost = { currency: payments.feeAsset.currency, units: isFirst ? fee : 0n };
    await storage.transaction(async (tx) => {
      const held = await tx.transfers.lock(id);
      const paid = outputs.find((output) => isFor(output, held));
      await settleHeldTransfer(tx, id, { txHash, cost, obtainedUnits: paid?.units ?? 0n }, context);
    });
    return `settles ${id}`;
  }
  const reject = (): Promise<unknown> => operatorRejects(world, instance, id);
  if (!approve) {
    await reject();
    return `rejects ${id}`;
  }
  try {
    world.approved.add(id);
    await storage.transaction((tx) => approveTransfer(tx, id, now));
    return `approves ${id}`;
  } catch (error) {
    // The account is frozen, or its address has changed: the merchant may request again.
    if (!isTillgateError(error, 'STATE_CONFLICT')) throw error;
    await reject();
    return `rejects ${id}, which cannot be approved`;
  }
}

/** An operator confirms a restored backup, once the till has noticed it. */
export async function confirm(world: World, { storage, ids }: Instance): Promise<string> {
  const epoch = await storage.epochs.current();
  if (epoch.status !== 'pending') return NOTHING;
  const { held } = await confirmRestore({ storage, ids, clock: { now: () => world.now } }, OPERATOR, world.marker);
  return `${held} held`;
}

/** Loses the till's machine and restores its backup. */
async function restore(scene: Scene): Promise<string> {
  const { world, random } = scene;
  if (!random.chance(0.5)) return NOTHING;
  await world.note();
  if (!world.restore()) return NOTHING;
  const { storage, chains } = world.instances[0] as Instance;
  const { number } = await beginEpochAfterRestore(
    {
      storage,
      chains,
      clock: { now: () => world.now },
      events: QUIET_EVENTS,
      logger: QUIET_LOGGER,
      metrics: QUIET_METRICS,
    },
    world.marker,
  );
  return `epoch ${number}`;
}

/** Actions around backups. */
export const RESTORES: readonly Action[] = [
  {
    name: 'back-up',
    weight: 0.4,
    faulty: false,
    run: async ({ world }) => ((await world.backUp()) ? 'done' : NOTHING),
  },
  { name: 'restore', weight: 0.25, faulty: false, run: restore },
  inside('confirm-restore', 0.6, ({ world, instance }) => confirm(world, instance)),
];
