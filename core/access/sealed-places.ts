import type { CredentialSecrets } from './account.ts';
import type { LookupPurpose, SealContext, SealedDocument, SealedRecordKind, Vault } from '../kernel/index.ts';

/** The fields in which keyed hashes of parts of an encrypted text are stored. */
export type LookupField = 'apiKeyHash' | 'apiTokenHash' | 'lookupHash';
/** The look-up hashes of an encrypted text: for each, its purpose and the hashed text. */
export type Lookups = Readonly<Partial<Record<LookupField, readonly [LookupPurpose, string]>>>;

/** The context and look-up hashes of the texts of a place. */
export interface PlaceRule {
  readonly context: (id: string) => SealContext;
  /** The look-up hashes that are stored beside an encrypted text. */
  readonly lookups: (plain: string) => Lookups;
}

const bound =
  (kind: SealedRecordKind) =>
  (id: string): SealContext =>
    `${kind}:${id}`;
const none = (): Lookups => ({});

const CALLBACK: PlaceRule = { context: bound('callback-credential'), lookups: none };
const WEBHOOK: PlaceRule = { context: bound('webhook'), lookups: none };

const OF_KIND: Readonly<Record<SealedRecordKind, PlaceRule>> = {
  credential: {
    context: bound('credential'),
    lookups: (plain) => {
      const { apiKey, apiToken } = JSON.parse(plain) as CredentialSecrets;
      return { apiKeyHash: ['api-key', apiKey], apiTokenHash: ['api-token', apiToken] };
    },
  },
  'callback-credential': CALLBACK,
  totp: { context: bound('totp'), lookups: none },
  'app-key': { context: bound('app-key'), lookups: (text) => ({ lookupHash: ['app-key', text] }) },
  route: { context: bound('route'), lookups: none },
  cordon: { context: bound('cordon'), lookups: none },
  webhook: WEBHOOK,
};

/** Every place where encrypted texts are stored. */
export const SEALED_PLACES = {
  ...OF_KIND,
  'former-callback-credential': CALLBACK,
  'former-webhook': WEBHOOK,
  document: { context: (key) => key as SealedDocument, lookups: none },
} as const satisfies Readonly<Record<string, PlaceRule>>;

export type SealedPlace = keyof typeof SEALED_PLACES;

/** The names of all places. */
export const SEALED_PLACE_NAMES = Object.keys(SEALED_PLACES) as readonly SealedPlace[];

/** An encrypted text and its place. */
export interface SealedText {
  readonly place: SealedPlace;
  /** The id of its record. */
  readonly id: string;
  readonly sealed: string;
  readonly hashes: LookupHashes;
}

export type LookupHashes = Readonly<Partial<Record<LookupField, string>>>;

/**
 * Encrypts a text with the current master key; `null` when it already is. @throws Error when no master key decrypts it
 */
export function sealedAnew(
  vault: Vault,
  { place, id, sealed, hashes }: SealedText,
): Omit<SealedText, 'place' | 'id'> | null {
  const { context, lookups } = SEALED_PLACES[place];
  const plain = vault.open(sealed, context(id));
  const entries = Object.entries(lookups(plain)) as [LookupField, readonly [LookupPurpose, string]][];
  const wanted: LookupHashes = Object.fromEntries(
    entries.map(([field, [purpose, text]]) => [field, vault.lookupHash(purpose, text)]),
  );
  const present = entries.every(([field]) => hashes[field] === wanted[field]);
  if (present && vault.isCurrent(sealed)) return null;
  return { sealed: vault.isCurrent(sealed) ? sealed : vault.seal(plain, context(id)), hashes: wanted };
}
