/** Documents that are stored sealed; the key of each is its context. */
export const SEALED_DOCUMENTS = ['host:wallet', 'host:demo-merchant'] as const;
export type SealedDocument = (typeof SEALED_DOCUMENTS)[number];

/**
 * Every kind of secret that is stored sealed. A secret of a kind that is not here does not compile, and a kind without a place below
 * or without columns in the storage does not either: nothing that is sealed can be forgotten by a rotation of the master key.
 */
export type SealedRecordKind = 'credential' | 'callback-credential' | 'totp' | 'app-key' | 'route' | 'webhook';

/** What a sealed text is bound to: the kind of its record and the record's id, or the document that it is. */
export type SealContext = `${SealedRecordKind}:${string}` | SealedDocument;

/** What keyed look-up hashes are made for; each purpose has hashes of its own. */
export type LookupPurpose =
  'api-key' | 'api-token' | 'app-key' | 'session' | 'session-csrf' | 'master-key' | 'cursor' | 'link-form';
