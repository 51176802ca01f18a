/** The allowed status changes of each record, written down again: rules from the product would repeat its mistakes. */
export const MOVES: Readonly<Record<string, readonly string[]>> = {
  orders: [
    'PENDING SUCCESS',
    'PENDING OVERDUE',
    'PENDING PARTIAL',
    'PENDING TERMINATED',
    'OVERDUE RESOLVED',
    'PARTIAL RESOLVED',
    'SUCCESS REFUNDED',
    'RESOLVED REFUNDED',
    'PARTIAL REFUNDED',
    'OVERDUE REFUNDED',
    'SUCCESS TERMINATED',
    'RESOLVED TERMINATED',
  ],
  deposits: [
    'SEEN CREDITED',
    'CREDITED SPENDABLE',
    'SEEN ORPHANED',
    'CREDITED ORPHANED',
    'SPENDABLE ORPHANED',
    'ORPHANED SEEN',
    'SEEN DUST',
    'DUST ORPHANED',
  ],
  transfers: [
    'HELD REQUESTED',
    'HELD FAILED',
    'HELD CONFIRMED',
    'REQUESTED HELD',
    'SIGNED HELD',
    'BROADCAST HELD',
    'REQUESTED FAILED',
    'REQUESTED SIGNED',
    'SIGNED BROADCAST',
    'SIGNED CONFIRMED',
    'SIGNED FAILED',
    'BROADCAST CONFIRMED',
    'BROADCAST FAILED',
  ],
  payouts: ['LIVE DONE', 'LIVE VOID'],
  callbacks: ['PENDING DELIVERED', 'PENDING DEAD', 'DELIVERED PENDING', 'DEAD PENDING'],
};

/** True when a record may go from one status to another by any number of moves. */
export function reachable(table: string, from: string, to: string): boolean {
  const moves = MOVES[table] ?? [];
  const seen = new Set([from]);
  for (const status of seen) {
    if (status === to) return true;
    for (const move of moves) if (move.startsWith(`${status} `)) seen.add(move.slice(status.length + 1));
  }
  return false;
}

/** The callback that an order owes with each of its moves. */
export const OWED: Readonly<Record<string, string>> = {
  'PENDING SUCCESS': 'order.succeeded',
  'PENDING OVERDUE': 'order.timeout',
  'PENDING PARTIAL': 'order.timeout',
  'OVERDUE RESOLVED': 'order.succeeded',
  'PARTIAL RESOLVED': 'order.succeeded',
};
