import type {
  AccountId,
  ChainCode,
  ClaimId,
  CurrencyCode,
  DepositId,
  Millis,
  OrderId,
  PayoutBatchId,
  PayoutId,
  TransferId,
} from '../kernel/index.ts';
import type { Authorization } from '../chain/index.ts';

/**
 * The kinds of outgoing payments: a merchant's `withdrawal` to its own address; the `refund` of an order; a `payout` to
 * anyone else, for a claim of a pull payment or a row of a payout batch; a `sweep` from a deposit address
 * to the hot wallet (on UTXO chains: merging many small coins); `gas` for a token's sweep; `cold` for the amount above
 * the hot wallet's ceiling; the `return` of a deposit that belongs to no order; a `charge`, which sends a payer's
 * authorization for an order.
 */
export const TRANSFER_KINDS = ['withdrawal', 'refund', 'payout', 'sweep', 'gas', 'cold', 'return', 'charge'] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/** HELD waits for an operator; from SIGNED on, only the chain decides the outcome. */
export const TRANSFER_STATUSES = ['HELD', 'REQUESTED', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED'] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/**
 * Every legal status transition of a transfer, by event. `hold`: it must not be signed now, or a restored backup may
 * have paid it already and none of its transactions can be mined any more; `settle`: an operator found it paid on the
 * chain; `abandon`: it was never signed; `fail`: its transaction was mined without effect or can never be mined.
 */
export const TRANSFER_TRANSITIONS = {
  hold: { from: ['REQUESTED', 'SIGNED', 'BROADCAST'], to: 'HELD' },
  approve: { from: ['HELD'], to: 'REQUESTED' },
  abandon: { from: ['HELD', 'REQUESTED'], to: 'FAILED' },
  sign: { from: ['REQUESTED'], to: 'SIGNED' },
  settle: { from: ['HELD'], to: 'CONFIRMED' },
  send: { from: ['SIGNED'], to: 'BROADCAST' },
  confirm: { from: ['SIGNED', 'BROADCAST'], to: 'CONFIRMED' },
  fail: { from: ['SIGNED', 'BROADCAST'], to: 'FAILED' },
} as const satisfies Record<string, { from: readonly TransferStatus[]; to: TransferStatus }>;

export type TransferEvent = keyof typeof TRANSFER_TRANSITIONS;

/** One outgoing payment of the till, requested or made. Its id is its idempotency key. */
export interface Transfer {
  readonly id: TransferId;
  readonly kind: TransferKind;
  /** The account whose balance pays; `null` for the till's own moves. */
  readonly accountId: AccountId | null;
  /** The order that a refund refunds, or a charge pays. */
  readonly orderId: OrderId | null;
  /** The deposit that a return returns; absent or `null` for every other kind. */
  readonly depositId?: DepositId | null;
  /** The authorization that a charge sends; absent for every other kind. */
  readonly authorization?: Authorization;
  /** The claim of a pull payment that a payout, or a refund, pays; absent or `null` for every other transfer. */
  readonly claimId?: ClaimId | null;
  /** The batch that a payout belongs to; absent or `null` for every other transfer. */
  readonly batchId?: PayoutBatchId | null;
  /**
   * The account that requested it in the management API; absent or `null` for a request of the payment API, and for the
   * till's own moves.
   */
  readonly requestedBy?: AccountId | null;
  readonly chain: ChainCode;
  readonly currency: CurrencyCode;
  /** The units that leave the balance, or the swept address. */
  readonly units: bigint;
  /** The part of `units` that is charged as the network's fee: an estimate until SIGNED, fixed from then on. */
  readonly feeUnits: bigint;
  /** The maximum charge; while the network's fee is higher, the transfer waits. */
  readonly maxFeeUnits: bigint;
  readonly sourceAddress: string;
  /** The derivation index of a deposit address; `null` for the hot wallet. */
  readonly sourceIndex: number | null;
  readonly toAddress: string;
  readonly status: TransferStatus;
  readonly payoutId: PayoutId | null;
  /** Why it is FAILED or HELD, or what a REQUESTED one waits for; `null` otherwise. */
  readonly reason: string | null;
  /** It is not signed before this time, because nobody has checked its address yet; absent or `null` for at once. */
  readonly notBefore?: Millis | null;
  /** The time since which it is REQUESTED and could not be signed; `null` when it was not delayed. */
  readonly deferredAt: Millis | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** When it became CONFIRMED or FAILED. */
  readonly finishedAt: Millis | null;
}

/** A transfer that sends a payer's authorization to the chain. Its units are 0 of the native coin. */
export type Charge = Transfer & { readonly kind: 'charge'; readonly authorization: Authorization };

/** True for a transfer that sends a payer's authorization. */
export function isCharge(transfer: Transfer): transfer is Charge {
  return transfer.kind === 'charge';
}

/** The fields of a transfer that are known when it is requested. */
export type TransferRequest = Omit<
  Transfer,
  'status' | 'payoutId' | 'reason' | 'deferredAt' | 'createdAt' | 'updatedAt' | 'finishedAt'
>;

/** A new transfer in status REQUESTED. */
export function newTransfer<Request extends TransferRequest>(request: Request, now: Millis): Request & Transfer {
  return {
    ...request,
    status: 'REQUESTED',
    payoutId: null,
    reason: null,
    deferredAt: null,
    createdAt: now,
    updatedAt: now,
    finishedAt: null,
  };
}

/** True for the till's own moves: nobody is owed the amount, and nobody is charged for the transaction. */
export function isOwnMove({ accountId, kind }: Pick<Transfer, 'accountId' | 'kind'>): boolean {
  return accountId === null && kind !== 'return';
}

/** True for a transfer whose amount was set aside in the account's balance `claims` before it was requested. */
export function isPromised({ claimId = null, batchId = null }: Pick<Transfer, 'claimId' | 'batchId'>): boolean {
  return claimId !== null || batchId !== null;
}

/** True for a sweep on a UTXO chain, which merges coins of an address and pays no one else. */
export function putsCoinsTogether({ kind, sourceAddress, toAddress }: Transfer): boolean {
  return kind === 'sweep' && sourceAddress === toAddress;
}

/** The units that the receiver gets. */
export function obtainedUnits({ units, feeUnits }: Pick<Transfer, 'units' | 'feeUnits'>): bigint {
  return units - feeUnits;
}

/** One person's approval of a held transfer. */
export interface TransferApproval {
  readonly transferId: TransferId;
  /** The start of the hold: approvals of an earlier hold do not count for a later one. */
  readonly heldAt: Millis;
  /** `null` for the operator at the command line. */
  readonly approverId: AccountId | null;
  readonly at: Millis;
}

/** `cancel` pays the till itself with the same nonce or coins, so that none of the payments can be mined any more. */
export type AttemptKind = 'payment' | 'cancel';

/** One signed transaction of a payout. All are kept, and any of them may be the one that is mined. */
export interface Attempt {
  readonly payoutId: PayoutId;
  /** 1 for the first; each raised fee and each cancel adds one. */
  readonly number: number;
  readonly kind: AttemptKind;
  readonly txid: string;
  /** The signed bytes, in the format of the node. */
  readonly raw: string;
  /** The maximum cost, in units of the native coin. */
  readonly feeUnits: bigint;
  /** The chain's own terms (gas, price, inputs …), in the adapter's format. */
  readonly terms: string;
  /** The time from which the chain no longer accepts it; `null` for never. */
  readonly expiresAt: Millis | null;
  readonly createdAt: Millis;
}

/** LIVE until one of its attempts is final; DONE when that is a payment; VOID when no payment can be mined. */
export const PAYOUT_STATUSES = ['LIVE', 'DONE', 'VOID'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/**
 * What one transaction on the chain pays: one transfer on account chains, several where a transaction has many outputs.
 * Its nonce or its coins belong to it alone, so only one of all its attempts can ever be mined.
 */
export interface Payout {
  readonly id: PayoutId;
  readonly chain: ChainCode;
  readonly sourceAddress: string;
  readonly sourceIndex: number | null;
  /** `null` on chains without nonces. */
  readonly nonce: number | null;
  readonly status: PayoutStatus;
  /** The attempt that was mined; `null` until then. */
  readonly minedTxid: string | null;
  /** The height of its block; `null` before that, and while a reorganisation has removed it. */
  readonly minedHeight: number | null;
  /** The reason for cancelling it; `null` while it is to be paid. */
  readonly cancelReason: string | null;
  /** The time since which it is unmined and its fee cannot be raised any more; `null` while it can. */
  readonly stuckAt: Millis | null;
  /** When its bytes were last sent to a node. */
  readonly sentAt: Millis | null;
  readonly createdAt: Millis;
}

/** A payout with all its transfers and every attempt, oldest first. */
export interface PayoutView {
  readonly payout: Payout;
  readonly attempts: readonly Attempt[];
  readonly transfers: readonly Transfer[];
}

/** FREE; TAKEN by a payout; SPENT by a mined one; GONE by a reorganisation. */
export const HOLDING_STATUSES = ['FREE', 'TAKEN', 'SPENT', 'GONE'] as const;
export type HoldingStatus = (typeof HOLDING_STATUSES)[number];

/**
 * Coins at an address of the till: each spendable deposit, and the change of the till's own transactions.
 * Unique by (chain, ref): on UTXO chains the ref is the outpoint, so that no coin is ever spent by two payouts.
 */
export interface Holding {
  readonly chain: ChainCode;
  /** `txid:index` of the deposit or the change. */
  readonly ref: string;
  readonly address: string;
  /** The derivation index of a deposit address; `null` for the hot wallet. */
  readonly index: number | null;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly status: HoldingStatus;
  readonly payoutId: PayoutId | null;
}

declare module '../kernel/events.ts' {
  interface DomainEvents {
    'transfer.status': { readonly transferId: TransferId; readonly from: TransferStatus; readonly to: TransferStatus };
    /** A chain has a new transfer to sign or to send. */
    'transfer.queued': { readonly chain: string };
  }
}
