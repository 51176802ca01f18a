import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import type { Asset, BalanceSheet, ChainBalances } from '../../../core/index.ts';
import type { ScanObject, UnspentScans } from './unspent-scans.ts';
import type { UtxoNetworkTerms } from './utxo-coins.ts';

const base58check = createBase58check((bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest());

/**
 * The forms of address that a wallet derives from a key. `xpub` and similar prefixes do not identify the form, so all
 * are checked.
 */
const FORMS = {
  segwit: ['wpkh(KEY)'],
  nested: ['sh(wpkh(KEY))'],
  any: ['wpkh(KEY)', 'sh(wpkh(KEY))', 'pkh(KEY)'],
} as const;

/** Prefixes of extended public keys (SLIP-132), with their network and form of address. */
const SPELLINGS: ReadonlyMap<number, { readonly main: boolean; readonly forms: readonly string[] }> = new Map([
  [0x0488b21e, { main: true, forms: FORMS.any }],
  [0x019da462, { main: true, forms: FORMS.any }],
  [0x049d7cb2, { main: true, forms: FORMS.nested }],
  [0x01b26ef6, { main: true, forms: FORMS.nested }],
  [0x04b24746, { main: true, forms: FORMS.segwit }],
  [0x043587cf, { main: false, forms: FORMS.any }],
  [0x044a5262, { main: false, forms: FORMS.nested }],
  [0x045f1cf6, { main: false, forms: FORMS.segwit }],
]);
const MAIN_VERSION = 0x0488b21e;
/** BIP-44's branches: addresses given to payers, and change. */
const BRANCHES = [0, 1];
/** One scan covers them all, so that a gap of 20 unused addresses needs no second scan. */
const LAST_INDEX = 999;

interface ReadKey {
  /** In the format of the node's descriptors. */
  readonly nodeText: string;
  readonly forms: readonly string[];
}

/** Self-custody balances from the node's set of unspent outputs. */
export class UtxoBalances implements ChainBalances {
  readonly assets: readonly Asset[];
  readonly #asset: Asset;
  readonly #network: UtxoNetworkTerms;
  readonly #scans: UnspentScans;

  constructor(asset: Asset, network: UtxoNetworkTerms, scans: UnspentScans) {
    this.assets = [asset];
    this.#asset = asset;
    this.#network = network;
    this.#scans = scans;
  }

  readExtendedKey(text: string): string | null {
    return this.#read(text) === null ? null : text;
  }

  ofAddress(address: string): Promise<BalanceSheet> {
    return this.#sheet([`addr(${address})`]);
  }

  async ofExtendedKey(key: string): Promise<BalanceSheet> {
    const read = this.#read(key);
    if (read === null) return new Map([[this.#asset.currency, 0n]]);
    return this.#sheet(
      read.forms.flatMap((form) =>
        BRANCHES.map((branch) => ({
          desc: form.replace('KEY', `${read.nodeText}/${branch}/*`),
          range: [0, LAST_INDEX] as const,
        })),
      ),
    );
  }

  async #sheet(objects: readonly ScanObject[]): Promise<BalanceSheet> {
    return new Map([[this.#asset.currency, await this.#scans.sum(objects)]]);
  }

  /**
   * The key with the prefix `xpub` or `tpub`, and the facts of its original prefix; `null` for private keys, keys of
   * other networks and anything else.
   */
  #read(text: string): ReadKey | null {
    try {
      const bytes = Uint8Array.from(base58check.decode(text));
      const version = new DataView(bytes.buffer);
      const spelling = SPELLINGS.get(version.getUint32(0));
      const isMain = this.#network.publicKeyVersion === MAIN_VERSION;
      if (bytes.length !== 78 || spelling === undefined || spelling.main !== isMain) return null;
      version.setUint32(0, MAIN_VERSION);
      // Refuses a key that is not a point of the curve.
      HDKey.fromExtendedKey(base58check.encode(bytes));
      version.setUint32(0, this.#network.publicKeyVersion);
      return { nodeText: base58check.encode(bytes), forms: spelling.forms };
    } catch {
      return null;
    }
  }
}
