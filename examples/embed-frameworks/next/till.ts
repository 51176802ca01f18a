import { openShop, port } from '../shop.ts';
import type { Shop } from '../shop.ts';

/** Next bundles every route by itself: what all of them share has its place on the process. */
const shared = globalThis as { tillgateShop?: Shop };

/** Opens the till, and closes it when the server is told to stop (NEXT_MANUAL_SIG_HANDLE). */
export async function openTill(): Promise<void> {
  const shop = (shared.tillgateShop ??= await openShop());
  console.log(`shop on http://localhost:${port}`);
  process.once('SIGTERM', () => void shop.till.close().then(() => process.exit(0)));
}

/** The till that {@link openTill} has opened. */
export function shop(): Shop {
  if (shared.tillgateShop === undefined) throw new Error('The till is not open yet.');
  return shared.tillgateShop;
}
