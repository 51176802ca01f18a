import { AesGcmVault, CryptoDigest, CryptoRandom } from '../../../adapters/crypto/index.ts';
import { SEALED_COLUMNS } from '../../../adapters/storage/knex/stores/kernel/sealed-store.ts';
import { tablesOf } from '../../../adapters/storage/knex/tables.ts';
import {
  admitMasterKeys,
  AppKeys,
  Apps,
  Authenticate,
  ConfiguredRoutes,
  countSealed,
  CreateAccount,
  CreateCredential,
  LOOKUP,
  rotateMasterKey,
  RotateCallbackCredential,
  Routes,
  SEALED_DOCUMENTS,
  SEALED_PLACES,
  SEALED_PLACE_NAMES,
  SecondFactor,
  OPERATOR,
  webhookContext,
} from '../../../core/index.ts';
import type {
  AccountId,
  AppId,
  AppKeyId,
  MasterKeyRotation,
  NewCredential,
  SealedPlace,
  SealedText,
  Storage,
  Vault,
  WebhookId,
} from '../../../core/index.ts';
import { QuickHasher, FakeTokenIssuer } from '../../support/fakes.ts';
import type { EngineName, TestStorage } from '../../support/storage.ts';
import { nextId, NOW } from './fixtures.ts';
import { ANY_PLACE } from '../../support/any-place.ts';

export const OLD = new Uint8Array(32).map((_, index) => index * 7 + 1);
export const NEW = new Uint8Array(32).map((_, index) => index * 11 + 3);
export const digest = new CryptoDigest();
const random = new CryptoRandom();
export const clock = { now: (): number => NOW };
const ids = { next: nextId };

/** A till with sealed secrets of every kind. */
export interface Sealed {
  readonly accountId: AccountId;
  readonly keys: NewCredential;
  readonly appId: AppId;
  readonly appKeyId: AppKeyId;
  readonly appKey: string;
  /** The only plain text of each place. */
  readonly plain: Readonly<Record<SealedPlace, readonly string[]>>;
}

/** Seals something of every kind by the till's own use cases. */
export async function sealEverything(storage: Storage, vault: Vault): Promise<Sealed> {
  await admitMasterKeys(storage.documents, vault);
  const deps = { storage, vault, random, clock, ids, digest };
  const { id: accountId } = await new CreateAccount({ ...deps, hasher: new QuickHasher() }).run({
    email: `${nextId()}@example.com`,
    password: 'correct horse battery',
  });
  const keys = await new CreateCredential(deps).run(accountId, 'shop');
  await new RotateCallbackCredential(deps).run(accountId);
  await storage.transaction((tx) =>
    new SecondFactor({ ...deps, issuer: 'Tillgate' }).enrol(tx, { id: accountId, email: 'shop@example.com' }, false),
  );
  const { app, key } = await new Apps(deps).create({ accountId, name: 'shop', chains: ['ETH'] });
  const webhook = { id: nextId() as WebhookId, accountId, url: 'https://shop.example/events', events: ['order.*'] };
  const seal = (secret: string): string => vault.seal(JSON.stringify({ secret }), webhookContext(webhook.id));
  await storage.transaction((tx) =>
    tx.webhooks.add({
      ...webhook,
      ...{ enabled: true, format: 'standard', sealed: seal('new'), previousSealed: seal('former'), previousUntil: NOW },
      ...{ createdAt: NOW, updatedAt: NOW },
    }),
  );
  const upstreams = [{ url: 'https://node.example/v1/secret', headers: {} }];
  const routes = new Routes({ ...deps, configured: new ConfiguredRoutes(), places: ANY_PLACE });
  const gateway = await routes.create({
    host: `${nextId()}.example.com`,
    chain: 'ETH',
    network: 'mainnet',
    protocol: 'jsonrpc',
    upstreams,
  });
  for (const { id } of gateway.upstreams) await routes.cordon(gateway.route.id, id);
  for (const document of SEALED_DOCUMENTS)
    await storage.documents.write(document, vault.seal(`the text of ${document}`, document), 0);
  const plain = await openAll(storage, vault);
  return { accountId, keys, appId: app.id, appKeyId: key.key.id, appKey: key.text, plain };
}

const textsOf = (storage: Storage, place: SealedPlace): Promise<readonly SealedText[]> =>
  storage.sealed.list(place, '', 100);

/** The plain texts of all sealed texts. @throws Error when the vault does not open one */
export async function openAll(storage: Storage, vault: Vault): Promise<Sealed['plain']> {
  const entries = SEALED_PLACE_NAMES.map(async (place) => {
    const texts = await textsOf(storage, place);
    return [place, texts.map(({ id, sealed }) => vault.open(sealed, SEALED_PLACES[place].context(id)))] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as unknown as Sealed['plain'];
}

/** The number of sealed texts that a vault opens. */
export async function openable(storage: Storage, vault: Vault): Promise<number> {
  const counts = await countSealed({ sealed: storage.sealed, vault });
  return counts.reduce((sum, { total, unreadable }) => sum + total - unreadable.length, 0);
}

export const vaults = {
  old: () => new AesGcmVault({ current: OLD }),
  both: () => new AesGcmVault({ current: NEW, former: [OLD] }),
  new: () => new AesGcmVault({ current: NEW }),
};

export const authenticator = (storage: Storage, vault: Vault): Authenticate =>
  new Authenticate({ storage, vault, digest, tokens: new FakeTokenIssuer(), clock, clockSkewMs: 300_000 });

/** Runs the rotation as the command does. */
export async function rotate(storage: Storage, vault: Vault): Promise<MasterKeyRotation> {
  await admitMasterKeys(storage.documents, vault);
  return rotateMasterKey({ storage, vault, ids, clock }, OPERATOR);
}

/** Whether the credentials of a merchant and its App are found. */
export async function finds(storage: Storage, vault: Vault, { keys, appKey }: Sealed): Promise<boolean> {
  const held = [
    ...vault.lookupHashes(LOOKUP.apiKey, keys.apiKey).map((hash) => storage.accounts.findByApiKeyHash(hash)),
    ...vault.lookupHashes(LOOKUP.apiToken, keys.apiToken).map((hash) => storage.accounts.findByApiTokenHash(hash)),
  ];
  const found = (await Promise.all(held)).filter((each) => each !== null);
  const hashes = vault.lookupHashes('app-key', appKey);
  const stored = await storage.sealed.list('app-key', '', 100);
  return found.length === 2 && stored.some((each) => hashes.includes(String(each.hashes.lookupHash)));
}

export const appKeysOf = (storage: Storage, vault: Vault): AppKeys =>
  new AppKeys({ storage, vault, random, ids, clock });

/** Every text column of every table with its values. */
export async function everyText(
  { sql }: TestStorage,
  engine: EngineName,
): Promise<{ readonly column: string; readonly value: string }[]> {
  const columns =
    engine === 'pg'
      ? await sql(
          'SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = current_schema()',
        )
      : await sql(
          `SELECT m.name AS t, p.name AS c FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
        );
  const found: { column: string; value: string }[] = [];
  for (const { t, c } of columns) {
    for (const row of await sql(`SELECT "${String(c)}" AS value FROM "${String(t)}"`))
      found.push({ column: `${String(t)}.${String(c)}`, value: String(row['value']) });
  }
  return found;
}

/** The columns that a rotation handles. */
export const knownColumns = (): ReadonlySet<string> => {
  const tables = tablesOf('');
  return new Set(Object.values(SEALED_COLUMNS).map(({ table, sealed }) => `${tables[table]}.${sealed}`));
};
