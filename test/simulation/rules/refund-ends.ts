import type { OrderRow, TransferRow } from './rows.ts';

/** The statuses of an order that a refund of all that is left ends. */
const ENDED_BY_REFUND = new Set(['SUCCESS', 'RESOLVED', 'PARTIAL', 'OVERDUE']);

/**
 * An order is REFUNDED by a refund that left nothing of what the order had received when it was requested, and by no
 * other. Each refund is looked at when its row is first seen. Where pull payments promise a part of an order, it is
 * REFUNDED by a claim when all that it received is paid back.
 */
export class RefundEnds {
  /** What each order had received before this step. */
  readonly #received = new Map<string, string>();
  /** Whether a refund left something; `null` where the received amount changed in the step that requested it. */
  readonly #leaves = new Map<string, boolean | null>();
  readonly #refunded = new Set<string>();

  /** After a restored backup nothing of the rows is known. */
  beginAnew(): void {
    this.#received.clear();
    this.#leaves.clear();
    this.#refunded.clear();
  }

  /** @returns the broken rules */
  check(
    orders: ReadonlyMap<string, OrderRow>,
    transfers: Iterable<TransferRow>,
    promised: ReadonlySet<string>,
  ): readonly string[] {
    const problems: string[] = [];
    for (const [orderId, refunds] of refundsByOrder(transfers)) {
      const order = orders.get(orderId);
      if (order === undefined) continue;
      for (const refund of refunds)
        if (!this.#leaves.has(refund.id)) this.#leaves.set(refund.id, this.#left(order, refund, refunds));
      const last = refunds.findLast(({ status }) => status === 'CONFIRMED');
      if (promised.has(orderId)) {
        if (order.status === 'REFUNDED' && last?.claim_id != null && !this.#refunded.has(orderId))
          problems.push(...this.#unpaid(order, refunds));
        continue;
      }
      const leaves = last === undefined ? null : this.#leaves.get(last.id);
      if (order.status === 'REFUNDED' && leaves === true && !this.#refunded.has(order.id))
        problems.push(`refund-end: order ${order.id} is REFUNDED by ${last?.id}, which left something of it`);
      if (ENDED_BY_REFUND.has(order.status) && leaves === false)
        problems.push(`refund-end: order ${order.id} is ${order.status}, and ${last?.id} left nothing of it`);
    }
    for (const { id, received, status } of orders.values()) {
      this.#received.set(id, received);
      if (status === 'REFUNDED') this.#refunded.add(id);
    }
    return problems;
  }

  #unpaid({ id, received }: OrderRow, refunds: readonly TransferRow[]): readonly string[] {
    const paid = refunds.reduce((sum, { status, units }) => (status === 'CONFIRMED' ? sum + BigInt(units) : sum), 0n);
    const came = [received, this.#received.get(id) ?? received].map(BigInt);
    return came.some((units) => paid >= units)
      ? []
      : [`refund-end: order ${id} is REFUNDED by a claim, and ${paid} of ${received} are paid back`];
  }

  #left({ id, received }: OrderRow, refund: TransferRow, refunds: readonly TransferRow[]): boolean | null {
    if (this.#received.get(id) !== received) return null;
    const others = refunds.filter((other) => other.id < refund.id && other.status !== 'FAILED');
    const left = others.reduce((rest, { units }) => rest - BigInt(units), BigInt(received) - BigInt(refund.units));
    return left < 0n ? null : left > 0n;
  }
}

/** The refunds of each order, in the order of their requests. */
function refundsByOrder(transfers: Iterable<TransferRow>): ReadonlyMap<string, readonly TransferRow[]> {
  const refunds = new Map<string, TransferRow[]>();
  for (const row of [...transfers].sort((a, b) => (a.id < b.id ? -1 : 1)))
    if (row.kind === 'refund' && row.order_id !== null)
      refunds.set(row.order_id, [...(refunds.get(row.order_id) ?? []), row]);
  return refunds;
}
