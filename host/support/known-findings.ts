import type { DatabaseFacts, Fact } from '../../adapters/storage/knex/index.ts';
import { SignerClient } from '../../adapters/signer/index.ts';
import type { FindingName } from '../cli/findings.ts';
import type { HostConfig } from '../settings/config.ts';
import { weakSettings } from '../settings/weak-settings.ts';

/** The tolerated difference of clocks: an instance beyond it holds no leases. */
const TOLERATED_MS = 5_000;

export interface Known {
  /** `null` when the settings cannot be used. */
  readonly config: HostConfig | null;
  readonly database: Fact<DatabaseFacts>;
  readonly signer: FindingName | null;
  /** This machine's time. */
  readonly now: number;
}

/** The findings of `doctor` that need no node, service or plugin: only settings, database and signer. */
export function knownFindings({ config, database, signer, now }: Known): readonly FindingName[] {
  const found = new Set<FindingName>();
  if (config === null) found.add('configuration-wrong');
  else if (weakSettings(config).length > 0) found.add('setting-weak');
  if (signer !== null) found.add(signer);
  if ('unknown' in database) return [...found, ...(config === null ? [] : (['database-unusable'] as const))];
  if (Math.abs(database.engine.now - now) > TOLERATED_MS) found.add('clock-wrong');
  for (const name of findingsOfChains(database)) found.add(name);
  return [...found].sort();
}

function findingsOfChains({ chains, epoch }: DatabaseFacts): readonly FindingName[] {
  if ('unknown' in chains) return [];
  const restored = epoch === null || 'unknown' in epoch ? null : epoch;
  return chains.flatMap(({ halted, trouble, payoutsStoppedAt, caughtUpAt }) => {
    const waits =
      restored !== null &&
      (restored.status === 'pending' || (restored.number > 1 && (caughtUpAt ?? 0) <= restored.startedAt));
    const each: readonly (readonly [boolean, FindingName])[] = [
      [halted, 'chain-stopped'],
      [trouble !== null, 'chain-not-read'],
      [payoutsStoppedAt !== null, 'payouts-stopped'],
      [waits, 'payouts-wait'],
    ];
    return each.flatMap(([is, name]) => (is ? [name] : []));
  });
}

/** The finding about the signer; `null` when it signs, or when there is none. */
export async function signerFinding(address: HostConfig['signer'] | undefined): Promise<FindingName | null> {
  if (address == null) return null;
  try {
    const { stopped } = await new SignerClient(address).status();
    return stopped === null ? null : 'signer-stopped';
  } catch {
    // `doctor` reports the reason, with the address.
    return 'signer-unreachable';
  }
}
