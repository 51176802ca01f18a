import { createSecretKey, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { TillgateError } from '../../core/index.ts';

const MASTER_KEY_BYTES = 32;

/**
 * The master keys of an installation, 32 bytes each: `current` seals; those of `former`, the previous keys, only open.
 */
export interface MasterKeys {
  readonly current: Uint8Array;
  /** Newest first. */
  readonly former?: readonly Uint8Array[];
}

/** The purposes of sub-keys; each gives an independent key (HKDF-SHA256, RFC 5869). */
export type KeyPurpose = 'tillgate/key-id' | 'tillgate/vault' | 'tillgate/lookup' | 'tillgate/access-token';

/** A sub-key of one master key for one purpose. `id` names the master key: 8 hexadecimal digits that do not reveal it. */
export interface SubKey {
  readonly id: string;
  readonly key: KeyObject;
}

function derive(master: Uint8Array, purpose: KeyPurpose, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', master, new Uint8Array(0), purpose, length));
}

/** Names a master key without revealing it: 8 hexadecimal digits, with which every text that it has sealed begins. */
export const masterKeyId = (master: Uint8Array): string => derive(master, 'tillgate/key-id', 4).toString('hex');

/**
 * The sub-keys for one purpose, one for each master key, the current one's first.
 *
 * @throws TillgateError `CONFIG_INVALID` when a key does not have 32 bytes, or two keys are equal.
 */
export function deriveSubKeys(
  { current, former = [] }: MasterKeys,
  purpose: KeyPurpose,
): readonly [SubKey, ...SubKey[]] {
  const masters = [current, ...former];
  if (masters.some((key) => key.byteLength !== MASTER_KEY_BYTES)) {
    throw new TillgateError('CONFIG_INVALID', `A master key must have ${MASTER_KEY_BYTES} bytes.`);
  }
  const subKeys = masters.map((master) => ({
    id: masterKeyId(master),
    key: createSecretKey(derive(master, purpose, 32)),
  }));
  if (new Set(subKeys.map(({ id }) => id)).size !== subKeys.length) {
    throw new TillgateError('CONFIG_INVALID', 'A master key is given twice; list each former key once.');
  }
  return subKeys as [SubKey, ...SubKey[]];
}
