import type { AccountId, Storage } from '../../core/index.ts';

/** Makes an account an admin of long standing, whose approvals count. */
export async function establishAdmin({ accounts }: Pick<Storage, 'accounts'>, id: AccountId): Promise<void> {
  await accounts.update(id, { adminSince: 0, modifiedAt: 0 });
}
