/** Specification, "Refund information", with the fields of the other documented shape. `amount`, `network_fee`, `obtained` and `refund_amount` are plain decimals here and JSON numbers on the wire. */
export interface RefundRecord {
  readonly order_id: string;
  readonly chain: string;
  readonly currency: string;
  readonly amount: string;
  readonly network_fee: string;
  readonly obtained: string;
  readonly from_addr: string;
  readonly to_addr: string;
  /** Unix seconds of the refund; 0 until it is final. */
  readonly refund_et: number;
  readonly refund_status: 'PENDING' | 'SUCCESS' | 'TERMINATED';
  readonly refund_amount: string;
  /** `YYYY-MM-DDTHH:MM:SS`; `null` until it is final. */
  readonly refund_date: string | null;
}
