/** Documents that are stored encrypted; the key of each is its context. */
export const SEALED_DOCUMENTS = ['host:wallet', 'host:demo-merchant'] as const;
export type SealedDocument = (typeof SEALED_DOCUMENTS)[number];

/**
 * Every kind of secret that is stored encrypted. A secret of another kind does not compile, and neither does a kind
 * without a place in `sealed-places.ts` or without columns in the storage: a rotation of the master key cannot miss
 * any.
 */
export type SealedRecordKind =
  'credential' | 'callback-credential' | 'totp' | 'app-key' | 'route' | 'cordon' | 'webhook';

/** The context to which an encrypted text is bound: the kind and id of its record, or its document. */
export type SealContext = `${SealedRecordKind}:${string}` | SealedDocument;

/** The purposes of keyed look-up hashes; each purpose has its own hashes. */
export type LookupPurpose =
  'api-key' | 'api-token' | 'app-key' | 'session' | 'session-csrf' | 'master-key' | 'cursor' | 'link-form' | 'upstream';
