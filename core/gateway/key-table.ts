import type { AccountId, AppId, AppKeyId } from '../kernel/ids.ts';
import { assert } from '../kernel/guard.ts';
import type { StoredKeyState } from '../keys/app-key.ts';
import type { DirectoryAccount, DirectoryApp, DirectoryKey } from '../ports/app-store.ts';
import type { AppView, KeyView } from './admission.ts';
import { grown, RowIndex } from './row-index.ts';

const STATES: readonly StoredKeyState[] = ['active', 'grace', 'revoked'];
/** 128 bits of the look-up hash tell keys apart; guessing one is as hopeless as guessing all 256. */
const HASH_WORDS = 4;
const FIRST_ROWS = 1024;
/** Of a key: its id, its App's row, its state, its end; of an App: its account's row, its flag, its profile. */
const KEY_WORDS = 8;
const APP_WORDS = 4;
const NO_END = 0xffffffff;

type AppProfile = Pick<AppView, 'chains' | 'admissionMode' | 'limits'>;

/** An App as it was when it was looked at. Its ids become text where somebody reads them. */
class TableApp implements AppView {
  readonly enabled: boolean;
  readonly accountActive: boolean;
  readonly #profile: AppProfile;
  readonly #apps: RowIndex;
  readonly #row: number;
  readonly #accounts: RowIndex;
  readonly #account: number;
  #id: AppId | null = null;

  constructor(enabled: boolean, accountActive: boolean, profile: AppProfile, apps: RowIndex, row: number, accounts: RowIndex, account: number) {
    this.enabled = enabled;
    this.accountActive = accountActive;
    this.#profile = profile;
    this.#apps = apps;
    this.#row = row;
    this.#accounts = accounts;
    this.#account = account;
  }

  get id(): AppId {
    return (this.#id ??= idText(this.#apps.word(this.#row, 0), this.#apps.word(this.#row, 1)) as AppId);
  }

  get accountId(): AccountId {
    return idText(this.#accounts.word(this.#account, 0), this.#accounts.word(this.#account, 1)) as AccountId;
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
}

/** A key as it was when it was looked at. */
class TableKey implements KeyView {
  readonly state: StoredKeyState;
  readonly expiresAt: number | null;
  readonly app: AppView;
  readonly #high: number;
  readonly #low: number;
  #id: AppKeyId | null = null;

  constructor(high: number, low: number, state: StoredKeyState, expiresAt: number | null, app: AppView) {
    this.#high = high;
    this.#low = low;
    this.state = state;
    this.expiresAt = expiresAt;
    this.app = app;
  }

  get id(): AppKeyId {
    return (this.#id ??= idText(this.#high, this.#low) as AppKeyId);
  }
}

/**
 * Every key, App and account that a gateway needs, in flat arrays: some 60 bytes a key and 35 an App, so that a million
 * of each fits into a small process, and a look at one reads few places of memory. Views are made when they are asked for.
 */
export class KeyTable {
  readonly #keyIndex = new RowIndex(HASH_WORDS);
  #keys = new Uint32Array(FIRST_ROWS * KEY_WORDS);
  readonly #appIndex = new RowIndex(2);
  #apps = new Uint32Array(FIRST_ROWS * APP_WORDS);
  readonly #accountIndex = new RowIndex(2);
  #active = new Uint8Array(FIRST_ROWS);
  /** Most Apps are alike in what they may do. */
  readonly #profiles: AppProfile[] = [];
  readonly #profileOf = new Map<string, number>();

  /** How many keys there are. */
  get size(): number {
    return this.#keyIndex.size;
  }

  hasAccount(id: AccountId): boolean {
    return this.#accountIndex.find(idWords(id)) >= 0;
  }

  hasApp(id: AppId): boolean {
    return this.#appIndex.find(idWords(id)) >= 0;
  }

  putAccount({ id, active }: DirectoryAccount): void {
    const row = this.#accountIndex.ensure(idWords(id));
    if (row >= this.#active.length) this.#active = grown(this.#active);
    this.#active[row] = active ? 1 : 0;
  }

  /** Its account must be known. */
  putApp({ id, accountId, enabled, ...profile }: DirectoryApp): void {
    const account = this.#accountIndex.find(idWords(accountId));
    assert(account >= 0, `the account of App ${id} is unknown`);
    const at = this.#appIndex.ensure(idWords(id)) * APP_WORDS;
    if (at + APP_WORDS > this.#apps.length) this.#apps = grown(this.#apps);
    this.#apps[at] = account;
    this.#apps[at + 1] = enabled ? 1 : 0;
    this.#apps[at + 2] = this.#profile(profile);
  }

  /** Its App must be known. */
  putKey({ id, appId, lookupHash, state, expiresAt }: DirectoryKey): void {
    const app = this.#appIndex.find(idWords(appId));
    assert(app >= 0, `the App of key ${id} is unknown`);
    const at = this.#keyIndex.ensure(hashWords(lookupHash)) * KEY_WORDS;
    if (at + KEY_WORDS > this.#keys.length) this.#keys = grown(this.#keys);
    this.#keys.set(idWords(id), at);
    this.#keys[at + 2] = app;
    this.#keys[at + 3] = STATES.indexOf(state);
    this.#keys[at + 4] = expiresAt === null ? NO_END : Math.floor(expiresAt / 2 ** 32);
    this.#keys[at + 5] = expiresAt === null ? 0 : expiresAt % 2 ** 32;
  }

  /** The row of a look-up hash, for good; -1 when there is no such key. */
  rowOf(lookupHash: string): number {
    return this.#keyIndex.find(hashWords(lookupHash));
  }

  /** The key in a row, as it is now. */
  view(row: number): KeyView {
    const keys = this.#keys;
    const at = row * KEY_WORDS;
    const endHigh = keys[at + 4] as number;
    const end = endHigh === NO_END ? null : endHigh * 2 ** 32 + (keys[at + 5] as number);
    const state = STATES[keys[at + 3] as number] as StoredKeyState;
    return new TableKey(keys[at] as number, keys[at + 1] as number, state, end, this.#appView(keys[at + 2] as number));
  }

  #appView(row: number): AppView {
    const at = row * APP_WORDS;
    const account = this.#apps[at] as number;
    const profile = this.#profiles[this.#apps[at + 2] as number] as AppProfile;
    return new TableApp(this.#apps[at + 1] === 1, this.#active[account] === 1, profile, this.#appIndex, row, this.#accountIndex, account);
  }

  #profile({ chains, admissionMode, limits }: Pick<DirectoryApp, 'chains' | 'admissionMode' | 'limits'>): number {
    const name = JSON.stringify([[...chains].sort(), admissionMode, limits]);
    const known = this.#profileOf.get(name);
    if (known !== undefined) return known;
    this.#profileOf.set(name, this.#profiles.length);
    return this.#profiles.push({ chains: new Set(chains), admissionMode, limits }) - 1;
  }
}

/** An id's 64 bits. */
function idWords(id: string): [high: number, low: number] {
  const value = BigInt(id);
  return [Number(value >> 32n), Number(value & 0xffffffffn)];
}

function idText(high: number, low: number): string {
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}

const hash = new Uint32Array(HASH_WORDS);

/** The first words of a look-up hash; the array is the same for each call. */
function hashWords(lookupHash: string): Uint32Array {
  for (let at = 0; at < HASH_WORDS; at++) hash[at] = parseInt(lookupHash.slice(at * 8, at * 8 + 8), 16);
  return hash;
}
