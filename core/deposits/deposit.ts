import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { AccountId, DepositId, OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/**
 * SEEN in a block; CREDITED to the merchant's pending balance; SPENDABLE; ORPHANED by a reorganisation; DUST when it is
 * confirmed and credited as nothing, because spending it would cost more than it is worth.
 */
export const DEPOSIT_STATUSES = ['SEEN', 'CREDITED', 'SPENDABLE', 'ORPHANED', 'DUST'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

/** Every transition of a deposit, by event. ORPHANED → SEEN is the same transaction mined again. */
export const DEPOSIT_TRANSITIONS = {
  confirm: { from: ['SEEN'], to: 'CREDITED' },
  disregard: { from: ['SEEN'], to: 'DUST' },
  makeSpendable: { from: ['CREDITED'], to: 'SPENDABLE' },
  orphan: { from: ['SEEN', 'CREDITED', 'SPENDABLE', 'DUST'], to: 'ORPHANED' },
  remine: { from: ['ORPHANED'], to: 'SEEN' },
} as const satisfies Record<string, { from: readonly DepositStatus[]; to: DepositStatus }>;

/** True for a deposit that is in the chain and worth something: it is credited, or will be. */
export function countsForOrder({ status }: Pick<Deposit, 'status'>): boolean {
  return status !== 'ORPHANED' && status !== 'DUST';
}

export type DepositEvent = keyof typeof DEPOSIT_TRANSITIONS;

/**
 * Whose a deposit is. ORDER: its order's. UNASSIGNED: nobody's yet, an operator decides. RETURNING: a payment back to the
 * payer is under way; RETURNED: it is final. Independent of the status, which the chain alone decides.
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

/** Why a deposit was not its address's order's. */
export const UNASSIGNED_REASONS = ['late', 'before-address'] as const;
export type UnassignedReason = (typeof UNASSIGNED_REASONS)[number];

/** One transfer to an address of the till's. Unique by (chain, txid, index). */
export interface Deposit {
  readonly id: DepositId;
  /** The order that it belongs to; of one that belongs to none, the order that the address was given to. */
  readonly orderId: OrderId;
  /** The account of that order. */
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
  /** How often it was credited. Part of the ledger reference, so that each credit and reversal is booked once. */
  readonly credits: number;
  /** What a reversal could not take from its owner's balance; booked to the loss account. */
  readonly lossUnits: bigint;
  /** What payments of it back that failed have cost the network; that much less of it is owed. */
  readonly returnCostUnits: bigint;
  readonly assignment: DepositAssignment;
  /** Why it was recorded as unassigned; `null` for one that was not. Kept when it is assigned. */
  readonly unassignedReason: UnassignedReason | null;
}

/** What its owner gets of it. */
export function owedUnits({ units, returnCostUnits }: Pick<Deposit, 'units' | 'returnCostUnits'>): bigint {
  return units - returnCostUnits;
}

/** The reference of a spendable deposit among the spendable outputs; on UTXO chains its outpoint. */
export function holdingRef({ txid, index }: Pick<Deposit, 'txid' | 'index'>): string {
  return `${txid}:${index}`;
}
