import { TillgateError } from '../kernel/index.ts';
import type { DocumentStore, Vault } from '../kernel/index.ts';

const DOCUMENT = 'host:master-key-check';

/** The master keys of a database, each as a mark: a keyed hash that does not reveal the key. */
export interface MasterKeyState {
  /** The key that encrypts. */
  readonly current: string;
  /** Keys that may still be needed for decryption, because a rotation is not finished. */
  readonly opens: readonly string[];
  /** Keys that were rotated out and decrypt nothing any more. */
  readonly retired: readonly string[];
}

interface Stored {
  readonly state: MasterKeyState | null;
  readonly version: number;
}

/** The state of a database's master keys; a bare mark comes from a release without rotation. */
async function readState(documents: DocumentStore): Promise<Stored> {
  const stored = await documents.read(DOCUMENT);
  if (stored === null) return { state: null, version: 0 };
  const { value, version } = stored;
  const state = value.startsWith('{')
    ? (JSON.parse(value) as MasterKeyState)
    : { current: value, opens: [], retired: [] };
  return { state, version };
}

const marksOf = (vault: Vault): readonly string[] => vault.lookupHashes('master-key', 'check');

function wrongKey(message: string): TillgateError {
  return new TillgateError('CONFIG_INVALID', message);
}

/**
 * Compares the configured master keys with those of the database. The first start with a new key besides the previous
 * one begins the rotation; from then on no instance starts with the previous key alone.
 *
 * @throws TillgateError `CONFIG_INVALID` for keys that could not decrypt a secret, or would encrypt with a retired key
 */
export async function admitMasterKeys(documents: DocumentStore, vault: Vault): Promise<MasterKeyState> {
  for (;;) {
    const { state, version } = await readState(documents);
    const next = admitted(state, marksOf(vault));
    if (state !== null && next.current === state.current) return next;
    if (await documents.write(DOCUMENT, JSON.stringify(next), version)) return next;
  }
}

function admitted(state: MasterKeyState | null, [current = '', ...former]: readonly string[]): MasterKeyState {
  if (state === null) return { current, opens: [], retired: [] };
  if (state.retired.includes(current))
    throw wrongKey('TILLGATE_MASTER_KEY is a master key that was replaced: set the current one.');
  if (state.current === current) {
    if (state.opens.every((mark) => former.includes(mark))) return state;
    throw wrongKey(
      'The rotation to this master key is not finished: set the former key in TILLGATE_MASTER_KEY_FORMER and run "master-key rotate".',
    );
  }
  if (!former.includes(state.current))
    throw wrongKey(
      'This database uses another master key: give that key (masterKeyFile, TILLGATE_MASTER_KEY or its _FILE), or set it in TILLGATE_MASTER_KEY_FORMER to replace it.',
    );
  if (!state.opens.every((mark) => former.includes(mark)))
    throw wrongKey('An earlier rotation of the master key is not finished: finish it before you begin another.');
  return { current, opens: [...state.opens, state.current], retired: state.retired };
}

/** Whether a rotation has begun and is not finished. */
export async function isRotating(documents: DocumentStore): Promise<boolean> {
  const { state } = await readState(documents);
  return state !== null && state.opens.length > 0;
}

/** Retires the previous keys, once nothing is encrypted with them. */
export async function retireFormerKeys(documents: DocumentStore): Promise<void> {
  for (;;) {
    const { state, version } = await readState(documents);
    if (state === null || state.opens.length === 0) return;
    const next: MasterKeyState = { ...state, opens: [], retired: [...state.retired, ...state.opens] };
    if (await documents.write(DOCUMENT, JSON.stringify(next), version)) return;
  }
}
