import { openStorage } from '../../../adapters/storage/knex/index.ts';
import { Apps, CreateAccount, CreateCredential, IdSequence } from '../../../core/index.ts';
import type { AccountId, AppId, CredentialId, Principal, Storage } from '../../../core/index.ts';
import { FakeVault, QuickHasher, SeededRandom, START } from '../../support/fakes.ts';
import { SqliteDriver } from '../../support/sqlite-driver.ts';
import { RecordingDispatcher } from '../../../adapters/testing/recording-dispatcher.ts';
import { keepEvents, subscribe } from './event-log.ts';
import { QUIET_LOGGER } from './quiet.ts';

/** A merchant of the simulation, with its keys and credentials. */
export interface SimMerchant {
  readonly number: number;
  readonly principal: Principal;
  readonly apiToken: string;
  readonly signingSecret: string;
  readonly appId: AppId;
  readonly appKey: string;
}

/** A database with its merchants, from which every run begins. */
export interface BaseImage {
  /** In SQLite's file format. */
  readonly bytes: Uint8Array;
  readonly merchants: readonly SimMerchant[];
  /** Its endpoint gets the events of operators. */
  readonly adminId: AccountId;
}

const MERCHANTS = 2;

/** The withdrawal address of each merchant on a chain. */
export const payeeOf = (chain: string, merchant: number): string => `${chain.toLowerCase()}-merchant-${merchant}`;

let image: Promise<BaseImage> | null = null;

/** The image, made once in a process. */
export function baseImage(): Promise<BaseImage> {
  return (image ??= make());
}

async function make(): Promise<BaseImage> {
  const driver = new SqliteDriver(null, () => START);
  const storage = await openStorage({ knex: driver.knex }, { logger: QUIET_LOGGER });
  storage.dispatchTo(new RecordingDispatcher());
  await storage.migrate();
  const merchants = await enrol(storage);
  const adminId = await addAdmin(storage);
  const accounts = [...merchants.map(({ principal }) => principal.accountId), adminId];
  for (const [number, accountId] of accounts.entries()) await subscribe(storage, accountId, number);
  keepEvents(driver);
  return { bytes: driver.serialize(), merchants, adminId };
}

async function addAdmin(storage: Storage): Promise<AccountId> {
  const now = (): number => START - 50_000;
  const sequence = new IdSequence(now, 1, () => 0);
  const deps = { storage, vault: new FakeVault(), random: new SeededRandom('admin'), hasher: new QuickHasher() };
  const created = new CreateAccount({ ...deps, ids: { next: () => sequence.next() }, clock: { now } });
  return (await created.run({ email: 'admin@example.com', password: 'a long password', role: 'admin' })).id;
}

/** Creates the merchants in an empty database. */
export async function enrol(storage: Storage): Promise<readonly SimMerchant[]> {
  const sequence = new IdSequence(
    () => START - 60_000,
    0,
    () => 0,
  );
  const clock = { now: () => START - 60_000 };
  const deps = {
    storage,
    vault: new FakeVault(),
    random: new SeededRandom('merchants'),
    ids: { next: () => sequence.next() },
    clock,
    hasher: new QuickHasher(),
  };
  const merchants: SimMerchant[] = [];
  for (let number = 0; number < MERCHANTS; number++) {
    const account = await new CreateAccount(deps).run({
      email: `merchant${number}@example.com`,
      password: 'a long password',
      verifiedCurrencies: ['*'],
    });
    const { credentialId, apiToken, signingSecret } = await new CreateCredential(deps).run(account.id);
    const { app, key } = await new Apps(deps).create({ accountId: account.id, name: 'Simulated', chains: ['ETH'] });
    await registerPayees(storage, account.id, number);
    merchants.push({
      number,
      principal: principalOf(account.id, credentialId),
      apiToken,
      signingSecret,
      appId: app.id,
      appKey: key.text,
    });
  }
  return merchants;
}

async function registerPayees(storage: Storage, accountId: AccountId, number: number): Promise<void> {
  await storage.transaction(async (tx) => {
    for (const chain of ['ETH', 'BTC']) {
      const record = {
        accountId,
        chain,
        formerAddress: null,
        address: payeeOf(chain, number),
        activeFrom: START - 60_000,
        updatedAt: START - 60_000,
      };
      await tx.wallets.saveWithdrawalAddress(record);
    }
  });
}

function principalOf(accountId: AccountId, credentialId: CredentialId): Principal {
  return { accountId, credentialId, via: 'signature' };
}
