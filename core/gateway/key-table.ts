import type { AccountId, AppId, AppKeyId } from '../kernel/index.ts';
import { assert, present } from '../kernel/index.ts';
import type { StoredKeyState } from './app-key.ts';
import type { DirectoryAccount, DirectoryApp, DirectoryKey } from './app-store.ts';
import type { AppView, KeyView } from './admission.ts';
import { KeyRules } from './key-rules.ts';
import { grown, RowIndex } from './row-index.ts';

const STATES: readonly StoredKeyState[] = ['active', 'grace', 'revoked'];
/** 128 bits of the look-up hash distinguish keys; guessing them is as infeasible as guessing all 256. */
const HASH_WORDS = 4;
const FIRST_ROWS = 1024;
const KEPT_VIEWS = 1024;
/** Words of a key's record: its id, its expiry, its App's row, its state, its App's grant, and the App's next key. */
const KEY_WORDS = 8;
const [KEY_END, KEY_APP, KEY_STATE, KEY_GRANT, KEY_NEXT] = [2, 4, 5, 6, 7] as const;
/** Words of an App's record: its account's row, the grant of its keys, its first key, and the account's next App. */
const APP_WORDS = 4;
const [APP_ACCOUNT, APP_GRANT, APP_FIRST_KEY, APP_NEXT] = [0, 1, 2, 3] as const;
const NO_END = 0xffffffff;
/** Above the state of a key: it has an entry among the rules. */
const [STATE_MASK, RESTRICTED] = [3, 4] as const;
/** Ends a list, in which rows are counted from 1. */
const NONE = 0;
/** The bits of a grant, the App's part of a key's record: two flags, and the number of the App's profile above them. */
const [ENABLED, ACCOUNT_ACTIVE, PROFILE_SHIFT] = [1, 2, 2] as const;

type AppProfile = Pick<AppView, 'chains' | 'admissionMode' | 'limits' | 'quota' | 'prepaid' | 'buyer'>;

/** A profile, with the data needed to reuse its number once no App has it. */
interface SharedProfile {
  readonly profile: AppProfile;
  readonly name: string;
  apps: number;
}

/** A snapshot of an App. Its ids are converted to text when they are read. */
class TableApp implements AppView {
  readonly #table: KeyTable;
  readonly #row: number;
  readonly #grant: number;
  readonly #profile: AppProfile;
  #id: AppId | null = null;
  #accountId: AccountId | null = null;

  constructor(table: KeyTable, row: number, grant: number) {
    this.#table = table;
    this.#row = row;
    this.#grant = grant;
    // The profile is kept, because its number may be reused later.
    this.#profile = table.profile(grant);
  }

  get id(): AppId {
    return (this.#id ??= this.#table.appId(this.#row));
  }

  get accountId(): AccountId {
    return (this.#accountId ??= this.#table.accountIdOf(this.#row));
  }

  get enabled(): boolean {
    return (this.#grant & ENABLED) !== 0;
  }

  get accountActive(): boolean {
    return (this.#grant & ACCOUNT_ACTIVE) !== 0;
  }

  get chains(): AppView['chains'] {
    return this.#profile.chains;
  }

  get admissionMode(): AppView['admissionMode'] {
    return this.#profile.admissionMode;
  }

  get limits(): AppView['limits'] {
    return this.#profile.limits;
  }

  get quota(): AppView['quota'] {
    return this.#profile.quota;
  }

  get prepaid(): boolean {
    return this.#profile.prepaid;
  }

  get buyer(): AppView['buyer'] {
    return this.#profile.buyer;
  }
}

/** A snapshot of a key. */
class TableKey implements KeyView {
  readonly state: StoredKeyState;
  readonly expiresAt: number | null;
  readonly rules: KeyRules | null;
  readonly app: AppView;
  readonly #table: KeyTable;
  readonly #row: number;
  /** The table's {@link KeyTable.changes} at that time. */
  readonly #changes: number;
  #id: AppKeyId | null = null;

  constructor(
    table: KeyTable,
    row: number,
    { state, expiresAt, rules }: Pick<KeyView, 'state' | 'expiresAt' | 'rules'>,
    app: AppView,
  ) {
    this.state = state;
    this.expiresAt = expiresAt;
    this.rules = rules;
    this.app = app;
    this.#table = table;
    this.#row = row;
    this.#changes = table.changes;
  }

  get id(): AppKeyId {
    return (this.#id ??= this.#table.keyId(this.#row));
  }

  /** True for a view of this row since which nothing has changed. */
  shows(row: number): boolean {
    return this.#row === row && this.#changes === this.#table.changes;
  }
}

/**
 * Every key, App and account that a gateway needs, in flat arrays: some 60 bytes for a key and 35 for an App, so that a
 * million of each fits into a small process. A key's row has a copy of everything that decides about it, so that a
 * look-up reads one place of memory; a change of an App or an account is copied to the rows of all its keys. Views are
 * created on demand, and the latest are cached until something changes.
 */
export class KeyTable {
  readonly #keyIndex = new RowIndex(HASH_WORDS);
  #keys = new Uint32Array(FIRST_ROWS * KEY_WORDS);
  readonly #appIndex = new RowIndex(2);
  #apps = new Uint32Array(FIRST_ROWS * APP_WORDS);
  readonly #accountIndex = new RowIndex(2);
  /** Of each account: whether it is active, and its first App. */
  #active = new Uint8Array(FIRST_ROWS);
  #firstApps = new Uint32Array(FIRST_ROWS);
  /** Most Apps share a profile. */
  readonly #profiles: SharedProfile[] = [];
  readonly #profileOf = new Map<string, number>();
  /** Profile numbers that no App uses any more. */
  readonly #freeProfiles: number[] = [];
  /** The rules of restricted keys that are not revoked, by row. */
  readonly #rules = new Map<number, KeyRules>();
  readonly #views: (TableKey | undefined)[] = Array.from({ length: KEPT_VIEWS }, () => undefined);
  #changes = 0;

  get size(): number {
    return this.#keyIndex.size;
  }

  /** The number of writes to the table. */
  get changes(): number {
    return this.#changes;
  }

  /** The number of allocated profiles: at most one more than there were Apps at once. */
  get profiles(): number {
    return this.#profiles.length;
  }

  hasAccount(id: AccountId): boolean {
    return this.#accountIndex.find(idWords(id)) >= 0;
  }

  hasApp(id: AppId): boolean {
    return this.#appIndex.find(idWords(id)) >= 0;
  }

  putAccount({ id, active }: DirectoryAccount): void {
    this.#changes += 1;
    const row = this.#accountIndex.ensure(idWords(id));
    if (row >= this.#active.length) this.#active = grown(this.#active);
    if (row >= this.#firstApps.length) this.#firstApps = grown(this.#firstApps);
    this.#active[row] = active ? 1 : 0;
    for (
      let app = this.#firstApps[row] as number;
      app !== NONE;
      app = this.#apps[(app - 1) * APP_WORDS + APP_NEXT] as number
    ) {
      const grant = this.#apps[(app - 1) * APP_WORDS + APP_GRANT] as number;
      this.#grant(app - 1, active ? grant | ACCOUNT_ACTIVE : grant & ~ACCOUNT_ACTIVE);
    }
  }

  /** The App's account must be in the table, and stay the same. */
  putApp({ id, accountId, enabled, ...profile }: DirectoryApp): void {
    this.#changes += 1;
    const account = this.#accountIndex.find(idWords(accountId));
    assert(account >= 0, `the account of App ${id} is unknown`);
    const known = this.#appIndex.size;
    const row = this.#appIndex.ensure(idWords(id));
    const at = row * APP_WORDS;
    if (at + APP_WORDS > this.#apps.length) this.#apps = grown(this.#apps);
    if (row === known) {
      this.#apps[at + APP_ACCOUNT] = account;
      this.#apps[at + APP_NEXT] = this.#firstApps[account] as number;
      this.#firstApps[account] = row + 1;
    }
    assert(this.#apps[at + APP_ACCOUNT] === account, `App ${id} has changed its account`);
    const active = this.#active[account] === 1 ? ACCOUNT_ACTIVE : 0;
    const former = row === known ? null : (this.#apps[at + APP_GRANT] as number) >>> PROFILE_SHIFT;
    this.#grant(row, (this.#takeProfile(profile) << PROFILE_SHIFT) | active | (enabled ? ENABLED : 0));
    if (former !== null) this.#leaveProfile(former);
  }

  /** The key's App must be in the table, and stay the same. */
  putKey({ id, appId, lookupHash, state, expiresAt, restrictions }: DirectoryKey): void {
    this.#changes += 1;
    const app = this.#appIndex.find(idWords(appId));
    assert(app >= 0, `the App of key ${id} is unknown`);
    const known = this.#keyIndex.size;
    const row = this.#keyIndex.ensure(hashWords(lookupHash));
    const at = row * KEY_WORDS;
    if (at + KEY_WORDS > this.#keys.length) this.#keys = grown(this.#keys);
    const keys = this.#keys;
    if (row === known) {
      keys[at + KEY_APP] = app;
      keys[at + KEY_NEXT] = this.#apps[app * APP_WORDS + APP_FIRST_KEY] as number;
      this.#apps[app * APP_WORDS + APP_FIRST_KEY] = row + 1;
    }
    assert(keys[at + KEY_APP] === app, `key ${id} has changed its App`);
    keys.set(idWords(id), at);
    keys[at + KEY_END] = expiresAt === null ? NO_END : Math.floor(expiresAt / 2 ** 32);
    keys[at + KEY_END + 1] = expiresAt === null ? 0 : expiresAt % 2 ** 32;
    const rules = restrictions === null || state === 'revoked' ? null : new KeyRules(restrictions);
    if (rules === null) this.#rules.delete(row);
    else this.#rules.set(row, rules);
    keys[at + KEY_STATE] = STATES.indexOf(state) | (rules === null ? 0 : RESTRICTED);
    keys[at + KEY_GRANT] = this.#apps[app * APP_WORDS + APP_GRANT] as number;
  }

  /** The permanent row of a look-up hash; -1 when there is no such key. */
  rowOf(lookupHash: string): number {
    return this.#keyIndex.find(hashWords(lookupHash));
  }

  /** The present state of the key in a row. */
  view(row: number): KeyView {
    const place = row % KEPT_VIEWS;
    const kept = this.#views[place];
    return kept?.shows(row) === true ? kept : (this.#views[place] = this.#newView(row));
  }

  #newView(row: number): TableKey {
    const keys = this.#keys;
    const at = row * KEY_WORDS;
    const endHigh = keys[at + KEY_END] as number;
    const end = endHigh === NO_END ? null : endHigh * 2 ** 32 + (keys[at + KEY_END + 1] as number);
    const app = new TableApp(this, keys[at + KEY_APP] as number, keys[at + KEY_GRANT] as number);
    const word = keys[at + KEY_STATE] as number;
    const state = STATES[word & STATE_MASK] as StoredKeyState;
    const rules = (word & RESTRICTED) === 0 ? null : present(this.#rules.get(row), 'the rules of a restricted key');
    return new TableKey(this, row, { state, expiresAt: end, rules }, app);
  }

  keyId(row: number): AppKeyId {
    return idText(this.#keys[row * KEY_WORDS] as number, this.#keys[row * KEY_WORDS + 1] as number) as AppKeyId;
  }

  appId(row: number): AppId {
    return idText(this.#appIndex.word(row, 0), this.#appIndex.word(row, 1)) as AppId;
  }

  accountIdOf(appRow: number): AccountId {
    const account = this.#apps[appRow * APP_WORDS + APP_ACCOUNT] as number;
    return idText(this.#accountIndex.word(account, 0), this.#accountIndex.word(account, 1)) as AccountId;
  }

  /** The profile of an App, from the grant in its keys' records. */
  profile(grant: number): AppProfile {
    return (this.#profiles[grant >>> PROFILE_SHIFT] as SharedProfile).profile;
  }

  /** Stores an App's new grant in its own record and in all its keys. */
  #grant(app: number, grant: number): void {
    this.#apps[app * APP_WORDS + APP_GRANT] = grant;
    for (
      let key = this.#apps[app * APP_WORDS + APP_FIRST_KEY] as number;
      key !== NONE;
      key = this.#keys[(key - 1) * KEY_WORDS + KEY_NEXT] as number
    ) {
      this.#keys[(key - 1) * KEY_WORDS + KEY_GRANT] = grant;
    }
  }

  /** The number of a profile, and one more App that uses it. */
  #takeProfile({ chains, ...rest }: Omit<DirectoryApp, 'id' | 'accountId' | 'enabled'>): number {
    const { admissionMode, limits, quota, prepaid, buyer } = rest;
    const name = JSON.stringify([[...chains].sort(), admissionMode, limits, quota, prepaid, buyer]);
    const known = this.#profileOf.get(name);
    if (known !== undefined) {
      (this.#profiles[known] as SharedProfile).apps += 1;
      return known;
    }
    const number = this.#freeProfiles.pop() ?? this.#profiles.length;
    this.#profiles[number] = {
      profile: { chains: new Set(chains), admissionMode, limits, quota, prepaid, buyer },
      name,
      apps: 1,
    };
    this.#profileOf.set(name, number);
    return number;
  }

  /** Frees a profile that no App uses, so that repeated changes of an App do not accumulate. */
  #leaveProfile(number: number): void {
    const shared = this.#profiles[number] as SharedProfile;
    shared.apps -= 1;
    if (shared.apps > 0) return;
    this.#profileOf.delete(shared.name);
    this.#freeProfiles.push(number);
  }
}

function idWords(id: string): [high: number, low: number] {
  const value = BigInt(id);
  return [Number(value >> 32n), Number(value & 0xffffffffn)];
}

function idText(high: number, low: number): string {
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}

const hash = new Uint32Array(HASH_WORDS);

/** The first words of a look-up hash, in an array that all calls share. */
function hashWords(lookupHash: string): Uint32Array {
  for (let at = 0; at < HASH_WORDS; at++) hash[at] = parseInt(lookupHash.slice(at * 8, at * 8 + 8), 16);
  return hash;
}
