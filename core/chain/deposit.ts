import type { AccountId, ChainCode, CurrencyCode, DepositId, Millis, OrderId } from '../kernel/index.ts';
import type { RateEvidence } from '../ledger/index.ts';

/**
 * SEEN in a block; CREDITED to the merchant's pending balance; SPENDABLE; ORPHANED by a reorganisation; DUST when it is
 * confirmed and credited as nothing, because spending it would cost more than it is worth.
 */
export const DEPOSIT_STATUSES = ['SEEN', 'CREDITED', 'SPENDABLE', 'ORPHANED', 'DUST'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

/** Every transition of a deposit, by event. ORPHANED → SEEN is the same transaction mined again with the same effect. */
export const DEPOSIT_TRANSITIONS = {
  confirm: { from: ['SEEN'], to: 'CREDITED' },
  disregard: { from: ['SEEN'], to: 'DUST' },
  makeSpendable: { from: ['CREDITED'], to: 'SPENDABLE' },
  orphan: { from: ['SEEN', 'CREDITED', 'SPENDABLE', 'DUST'], to: 'ORPHANED' },
  remine: { from: ['ORPHANED'], to: 'SEEN' },
} as const satisfies Record<string, { from: readonly DepositStatus[]; to: DepositStatus }>;

/** True for a deposit that is in the chain and not dust: it is credited, or will be. */
export function countsForOrder({ status }: Pick<Deposit, 'status'>): boolean {
  return status !== 'ORPHANED' && status !== 'DUST';
}

export type DepositEvent = keyof typeof DEPOSIT_TRANSITIONS;

/**
 * The owner of a deposit. ORDER: its order. UNASSIGNED: none until an operator decides. RETURNING: a payment back to
 * the payer is in progress; RETURNED: that payment is final. Independent of the status, which only the chain
 * determines.
 */
export const DEPOSIT_ASSIGNMENTS = ['ORDER', 'UNASSIGNED', 'RETURNING', 'RETURNED'] as const;
export type DepositAssignment = (typeof DEPOSIT_ASSIGNMENTS)[number];

/** Every change of a deposit's assignment, by event. */
export const DEPOSIT_ASSIGNMENT_TRANSITIONS = {
  assign: { from: ['UNASSIGNED'], to: 'ORDER' },
  return: { from: ['UNASSIGNED'], to: 'RETURNING' },
  keep: { from: ['RETURNING'], to: 'UNASSIGNED' },
  finish: { from: ['RETURNING'], to: 'RETURNED' },
} as const satisfies Record<string, { from: readonly DepositAssignment[]; to: DepositAssignment }>;

/** Why a deposit at an order's address does not belong to the order. */
export const UNASSIGNED_REASONS = ['late', 'before-address', 'unexplained'] as const;
export type UnassignedReason = (typeof UNASSIGNED_REASONS)[number];

/**
 * One transfer to an address of the till. At most one of each (chain, txid, index) is not ORPHANED: a transaction that
 * has another effect in another block is another deposit, and the first one stays ORPHANED with its facts of the
 * removed block.
 */
export interface Deposit {
  readonly id: DepositId;
  /** The order that it belongs to; for an unassigned deposit, the order to which the address was assigned. */
  readonly orderId: OrderId;
  readonly accountId: AccountId;
  readonly chain: ChainCode;
  readonly txid: string;
  readonly index: string;
  readonly blockHeight: number;
  readonly blockHash: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly fromAddress: string | null;
  readonly toAddress: string;
  readonly status: DepositStatus;
  /** When the follower first saw it. */
  readonly seenAt: Millis;
  /** The payment's time: the earlier of the block's time and the time it was first seen. */
  readonly paidAt: Millis;
  readonly creditedAt: Millis | null;
  /** The number of times it was credited; part of the reference, so that each credit is booked once. */
  readonly credits: number;
  /** The part of a reversal that its owner's balance did not cover; booked to the loss account. */
  readonly lossUnits: bigint;
  /** The network fees of failed returns; the till owes its payer that much less. */
  readonly returnCostUnits: bigint;
  readonly assignment: DepositAssignment;
  /** Why it was recorded as unassigned; `null` if it was not. Kept when it is assigned. */
  readonly unassignedReason: UnassignedReason | null;
  /** Confirmations that the chain itself requires before its coins can be spent; `null` for none. */
  readonly leastConfirmations: number | null;
  /** For a deposit after the deadline, the rate when it was first seen; `null` where unknown, and for others. */
  readonly rate: RateEvidence | null;
}

/** The part of a deposit that the till owes its owner. */
export function owedUnits({ units, returnCostUnits }: Pick<Deposit, 'units' | 'returnCostUnits'>): bigint {
  return units - returnCostUnits;
}

/** Identifies a transfer within its chain. */
export function placeOf({ txid, index }: Pick<Deposit, 'txid' | 'index'>): string {
  return `${txid}:${index}`;
}

/** The reference of a spendable deposit among the holdings; on UTXO chains its outpoint. */
export function holdingRef(deposit: Pick<Deposit, 'txid' | 'index'>): string {
  return placeOf(deposit);
}
