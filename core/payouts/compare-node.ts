import { isFromBackup } from './epoch.ts';
import type { Epoch } from './epoch.ts';
import { LIGHTNING_ASSET } from '../kernel/index.ts';
import { custodyAccount, operatorAccount } from '../ledger/index.ts';
import type { LedgerBalance } from '../ledger/index.ts';
import type { Clock, IdGenerator, Storage, Transaction } from '../kernel/index.ts';
import type { OpenPayment } from './lightning-store.ts';
import type { LightningNode } from '../chain/index.ts';
import { bookFloat } from './operator-float.ts';
import type { FloatChange } from './operator-float.ts';
import { isOfFormerLife } from './node-life.ts';
import type { NodeLife } from './node-life.ts';

const { chain: CHAIN, currency: CURRENCY } = LIGHTNING_ASSET;

/** The epoch of the database and the life of the node: payments of an earlier one may be unknown in the present one. */
export interface Lives {
  readonly epoch: Epoch;
  readonly life: NodeLife;
}

/** The node's channels compared with the ledger, in millisatoshi. */
export interface NodeComparison {
  /** The custody from which it was computed. */
  readonly custody: readonly LedgerBalance[];
  /** The least excess of the node over the ledger; 0 unless it is sure. */
  readonly more: bigint;
  /** The least shortfall of the node against the ledger; below zero for none. */
  readonly less: bigint;
  /** True when no payment in flight makes the difference uncertain. */
  readonly isSure: boolean;
}

/** @throws TillgateError `NODE_FAILED` */
export async function compareNode(
  node: Pick<LightningNode, 'balance'>,
  { ledger, lightning }: Pick<Storage, 'ledger' | 'lightning'>,
  lives: Lives,
): Promise<NodeComparison> {
  // Read in this order: a settlement meanwhile either changes the custody, or is found later.
  const custody = await ledger.balances(custodyAccount(CHAIN));
  const open = (await lightning.open()).filter((each) => mayBePaid(each, lives));
  const { localMsat, unsettledMsat } = await node.balance();
  const held = -unitsOf(custody, custodyAccount(CHAIN));
  const underWay = open.reduce((sum, { units }) => sum + units, 0n);
  const isSure = open.length === 0;
  return { custody, more: isSure ? localMsat - held : 0n, less: held - localMsat - unsettledMsat - underWay, isSure };
}

/**
 * Whether the node may have paid it, or may still, while the ledger does not say so. A refused payment was not paid.
 */
function mayBePaid(payment: OpenPayment, { epoch, life }: Lives): boolean {
  const { status, createdAt, refusedAt } = payment;
  if (isFromBackup(epoch, createdAt) || status === 'BROADCAST') return true;
  return status === 'SIGNED' ? refusedAt === null : status === 'HELD' && isOfFormerLife(life, payment);
}

/** The operator's booked float on Lightning. */
export async function bookedFloat({ ledger }: Pick<Storage, 'ledger'>): Promise<bigint> {
  return unitsOf(await ledger.balances(operatorAccount(CHAIN)), operatorAccount(CHAIN));
}

/**
 * Books the node's present balance at an operator's request: a shortfall counts as withdrawn by the operator, up to the
 * operator's float.
 *
 * @param record - writes the operator's audit row, in the same transaction
 * @throws TillgateError `NODE_FAILED`
 */
export async function takeNode(
  node: Pick<LightningNode, 'balance'> | null,
  { storage, ...deps }: { readonly storage: Storage; readonly clock: Clock; readonly ids: IdGenerator },
  record: (tx: Transaction, booked: readonly FloatChange[]) => Promise<unknown>,
): Promise<void> {
  const lives = { epoch: await storage.epochs.current(), life: await storage.lightning.life() };
  const found = node === null ? null : await compareNode(node, storage, lives);
  const lacks = found !== null && found.isSure && found.less > 0n;
  const change = { currency: CURRENCY, units: lacks ? -found.less : 0n };
  await storage.transaction(async (tx) => {
    const isBooked = lacks && (await bookFloat(tx, CHAIN, change, found.custody, deps));
    await record(tx, isBooked ? [change] : []);
  });
}

function unitsOf(balances: readonly LedgerBalance[], account: string): bigint {
  return balances.find((each) => each.account === account && each.currency === CURRENCY)?.units ?? 0n;
}
