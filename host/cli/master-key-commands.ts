import { countSealed, OPERATOR, rotateMasterKey, TillgateError } from '../../core/index.ts';
import type { SealedCount } from '../../core/index.ts';
import { masterKeyId } from '../../adapters/crypto/index.ts';
import { instancesWithAnotherKey } from '../wallet/master-key.ts';
import type { HostRuntime } from '../boot/open.ts';
import type { CommandCall } from './command.ts';
import { withRuntime } from './with-till.ts';

const remainingOf = (counts: readonly SealedCount[]): number =>
  counts.reduce((sum, { remaining }) => sum + remaining, 0);
const unreadableOf = (counts: readonly SealedCount[]): readonly string[] =>
  counts.flatMap(({ place, unreadable }) => unreadable.map((id) => `${place} ${id}`));

/** `master-key status`: fails when a secret cannot be opened. */
export async function masterKeyStatus({ json, terminal }: CommandCall): Promise<number> {
  const { keys, counts } = await withRuntime(async ({ storage: { sealed }, vault, masterKeys }) => ({
    keys: masterKeys,
    counts: await countSealed({ sealed, vault }),
  }));
  const [remaining, unreadable] = [remainingOf(counts), unreadableOf(counts)];
  const [key, former = null] = [keys.current, ...(keys.former ?? [])].map(masterKeyId);
  if (json) terminal.out(JSON.stringify({ key, former, remaining, unreadable, places: counts }));
  else {
    terminal.out(`Master key ${key ?? ''}${former === null ? '' : `, former key ${former}`}`);
    for (const { place, total, remaining: left } of counts)
      terminal.out(`  ${place.padEnd(26)} ${total - left} of ${total} with the master key`);
    sayUnreadable(unreadable, terminal);
  }
  return unreadable.length === 0 ? 0 : 1;
}

export async function masterKeyRotate({ json, terminal }: CommandCall): Promise<number> {
  const { resealed, counts, finished } = await withRuntime(async (runtime) => {
    await requireOneKey(runtime);
    return rotateMasterKey(runtime, OPERATOR);
  });
  const [remaining, unreadable] = [remainingOf(counts), unreadableOf(counts)];
  if (json) terminal.out(JSON.stringify({ resealed, remaining, unreadable, finished }));
  else {
    terminal.out(`${resealed} secrets were sealed with the master key; ${remaining} remain.`);
    sayUnreadable(unreadable, terminal);
    if (finished)
      terminal.out(
        'The former master key is no longer needed: remove TILLGATE_MASTER_KEY_FORMER and restart every server. Until then access tokens that it signed are accepted. Earlier backups still need it.',
      );
  }
  return finished ? 0 : 1;
}

function sayUnreadable(unreadable: readonly string[], { err }: CommandCall['terminal']): void {
  for (const name of unreadable) err(`None of the given master keys opens the secret of ${name}.`);
}

/**
 * An instance that has only the former key could not open secrets that are sealed with the new one, and would keep
 * sealing with the former.
 */
async function requireOneKey({ storage: { leases }, masterKeys }: HostRuntime): Promise<void> {
  const others = instancesWithAnotherKey(masterKeys, await leases.nodeOwners());
  if (others.length === 0) return;
  throw new TillgateError(
    'STATE_CONFLICT',
    `These instances run without the new master key, or were killed less than ten minutes ago: ${others.join(', ')}. Restart them with both keys first.`,
  );
}
