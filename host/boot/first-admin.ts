import { OPERATOR } from '../../core/index.ts';
import type { Account, Manage } from '../../core/index.ts';

/** The first active admin that is found; `null` when there is none. */
export async function firstAdmin({ accounts }: Pick<Manage, 'accounts'>): Promise<Account | null> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await accounts.list(OPERATOR, { limit: 100, cursor });
    const found = items.find(({ account }) => account.role === 'admin' && account.status === 'active');
    if (found !== undefined) return found.account;
    if (nextCursor === null) return null;
    cursor = nextCursor;
  }
}
