import type { AccountId, Actor, Millis } from '../../core/index.ts';
import { accountRecord } from './domain.ts';
import type { Domain } from './domain.ts';

/**
 * Another person: an active admin with an account of its own.
 *
 * @param since - when it became an admin; now by default
 */
export async function anAdmin({ storage, ids, clock }: Domain, since: Millis = clock.now()): Promise<Actor> {
  const accountId = ids.next() as AccountId;
  await storage.accounts.create({ ...accountRecord(accountId, clock.now()), role: 'admin', adminSince: since });
  return { accountId, role: 'admin', ip: null, traceId: null };
}
