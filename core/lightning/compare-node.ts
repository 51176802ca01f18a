import { isFromBackup } from '../epochs/epoch.ts';
import type { Epoch } from '../epochs/epoch.ts';
import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import { custodyAccount, operatorAccount } from '../ledger/entry.ts';
import type { LedgerBalance } from '../ledger/entry.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { LightningNode } from '../ports/lightning.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { LiveTransfer } from '../ports/transfer-store.ts';
import { bookFloat } from '../transfers/operator-float.ts';
import type { FloatChange } from '../transfers/operator-float.ts';

const { chain: CHAIN, currency: CURRENCY } = LIGHTNING_ASSET;

/** The node's channels held against the books, in millisatoshi. */
export interface NodeComparison {
  /** The custody that it was computed from. */
  readonly custody: readonly LedgerBalance[];
  /** What the node holds at least beyond the books; 0 unless it is sure. */
  readonly more: bigint;
  /** What the node lacks at least of what the books say that it holds; below zero when it lacks nothing. */
  readonly less: bigint;
  /** No payment under way makes the difference uncertain. */
  readonly isSure: boolean;
}

/** @throws TillgateError `NODE_FAILED` */
export async function compareNode(
  node: Pick<LightningNode, 'balance'>,
  { ledger, transfers }: Pick<Storage, 'ledger' | 'transfers'>,
  epoch: Epoch,
): Promise<NodeComparison> {
  // In this order: what is settled meanwhile changes the custody, or is there to be found.
  const custody = await ledger.balances(custodyAccount(CHAIN));
  const open = (await transfers.live(CHAIN)).filter((each) => mayBePaid(each, epoch));
  const { localMsat, unsettledMsat } = await node.balance();
  const held = -unitsOf(custody, custodyAccount(CHAIN));
  const underWay = open.reduce((sum, { units }) => sum + units, 0n);
  const isSure = open.length === 0;
  return { custody, more: isSure ? localMsat - held : 0n, less: held - localMsat - unsettledMsat - underWay, isSure };
}

/** The node may have paid it, or may still, and the books do not say. */
function mayBePaid({ status, createdAt }: LiveTransfer, epoch: Epoch): boolean {
  return status === 'SIGNED' || status === 'BROADCAST' || isFromBackup(epoch, createdAt);
}

/** What is booked as the operator's on Lightning. */
export async function bookedFloat({ ledger }: Pick<Storage, 'ledger'>): Promise<bigint> {
  return unitsOf(await ledger.balances(operatorAccount(CHAIN)), operatorAccount(CHAIN));
}

/**
 * Takes the node as it is, on an operator's word: what it lacks was taken out by him, up to what is his.
 *
 * @param record - writes the operator's audit row, in the transaction that books
 * @throws TillgateError `NODE_FAILED`
 */
export async function takeNode(
  node: Pick<LightningNode, 'balance'> | null,
  { storage, ...deps }: { readonly storage: Storage; readonly clock: Clock; readonly ids: IdGenerator },
  record: (tx: Transaction, booked: readonly FloatChange[]) => Promise<unknown>,
): Promise<void> {
  const found = node === null ? null : await compareNode(node, storage, await storage.epochs.current());
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
