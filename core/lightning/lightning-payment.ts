import type { TransferId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** The invoice that a Lightning withdrawal pays. The payment hash is unique for ever, so that no invoice is paid twice. */
export interface LightningPayment {
  readonly paymentHash: string;
  readonly transferId: TransferId;
  readonly paymentRequest: string;
  /** Only for an invoice that carries no amount; `null` otherwise. */
  readonly msat: bigint | null;
  readonly expiresAt: Millis;
}
