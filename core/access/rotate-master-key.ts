import type { Actor } from './actor.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditDeps, AuditEntry } from './audit.ts';
import type { SealedStore } from './sealed-store.ts';
import type { Storage, Vault } from '../kernel/index.ts';
import { isRotating, retireFormerKeys } from './master-key-state.ts';
import { SEALED_PLACE_NAMES, sealedAnew } from './sealed-places.ts';
import type { SealedPlace, SealedText } from './sealed-places.ts';

const TEXTS_AT_ONCE = 200;

export interface SealedTextsDeps {
  readonly sealed: SealedStore;
  readonly vault: Vault;
}

/** The number of texts in a place, and how many of them are not encrypted with the current master key. */
export interface SealedCount {
  readonly place: SealedPlace;
  readonly total: number;
  /** Texts that are encrypted or hashed with a previous key. */
  readonly remaining: number;
  /** Ids of records that no configured key decrypts. */
  readonly unreadable: readonly string[];
}

/** Counts the texts that are still encrypted with a previous master key. */
export async function countSealed(deps: SealedTextsDeps): Promise<readonly SealedCount[]> {
  return eachPlace(deps, () => Promise.resolve(false));
}

export interface RotateMasterKeyDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'sealed' | 'documents' | 'transaction'>;
  readonly vault: Vault;
}

export interface MasterKeyRotation {
  readonly resealed: number;
  readonly counts: readonly SealedCount[];
  /** True when nothing needs a previous key any more; it is retired then. */
  readonly finished: boolean;
}

/**
 * Finishes the rotation that a start with both master keys has begun. Every instance must have the current key.
 *
 * It can be killed at any moment and run again; a run with nothing to do changes nothing.
 */
export async function rotateMasterKey(deps: RotateMasterKeyDeps, actor: Actor): Promise<MasterKeyRotation> {
  const { storage, vault } = deps;
  const { resealed, counts } = await sealAnew({ sealed: storage.sealed, vault });
  const finished = counts.every(({ remaining, unreadable }) => remaining === 0 && unreadable.length === 0);
  if (finished && (await isRotating(storage.documents))) {
    const secrets = counts.reduce((sum, { total }) => sum + total, 0);
    const entry: AuditEntry = {
      action: 'master_key.rotate',
      accountId: null,
      subjectId: 'master_key',
      changes: createdWith({ secrets }),
    };
    await storage.transaction(async (tx) => addAuditRow(deps, tx, actor, entry));
    await retireFormerKeys(storage.documents);
  }
  return { resealed, counts, finished };
}

/**
 * Encrypts every text of a previous master key again, one record at a time; it can be killed anywhere and run again. A
 * record that is changed meanwhile is skipped, because every server already encrypts with the current key.
 *
 * @returns the remaining counts
 */
async function sealAnew(
  deps: SealedTextsDeps,
): Promise<{ readonly resealed: number; readonly counts: readonly SealedCount[] }> {
  let resealed = 0;
  await eachPlace(deps, async (former, { sealed, hashes }) => {
    const replaced = await deps.sealed.replace(former, sealed, hashes);
    if (replaced) resealed += 1;
    return replaced;
  });
  return { resealed, counts: await countSealed(deps) };
}

type OnFormer = (former: SealedText, anew: Pick<SealedText, 'sealed' | 'hashes'>) => Promise<boolean>;

async function eachPlace(deps: SealedTextsDeps, onFormer: OnFormer): Promise<readonly SealedCount[]> {
  const counts: SealedCount[] = [];
  for (const place of SEALED_PLACE_NAMES) counts.push(await inPlace(deps, place, onFormer));
  return counts;
}

async function inPlace(
  { sealed, vault }: SealedTextsDeps,
  place: SealedPlace,
  onFormer: OnFormer,
): Promise<SealedCount> {
  const unreadable: string[] = [];
  let [total, remaining] = [0, 0];
  for (let after = ''; ;) {
    const texts = await sealed.list(place, after, TEXTS_AT_ONCE);
    const last = texts.at(-1);
    if (last === undefined) return { place, total, remaining, unreadable };
    for (const text of texts) {
      total += 1;
      const anew = attempt(vault, text);
      if (anew === 'unreadable') unreadable.push(text.id);
      else if (anew !== null && !(await onFormer(text, anew))) remaining += 1;
    }
    after = last.id;
  }
}

function attempt(vault: Vault, text: SealedText): ReturnType<typeof sealedAnew> | 'unreadable' {
  try {
    return sealedAnew(vault, text);
  } catch {
    return 'unreadable';
  }
}
