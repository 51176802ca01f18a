import { SEALED_DOCUMENTS } from '../../../../../core/index.ts';
import type { LookupField, LookupHashes, SealedPlace, SealedStore, SealedText } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row } from '../../dialects/dialect.ts';
import { text } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';

interface Columns {
  readonly table: keyof Tables;
  readonly key: string;
  readonly sealed: string;
  readonly hashes?: Readonly<Partial<Record<LookupField, string>>>;
  /** The keys of sealed documents, where others are not sealed. */
  readonly only?: readonly string[];
}

/** The columns of every place of a sealed secret. */
export const SEALED_COLUMNS: Readonly<Record<SealedPlace, Columns>> = {
  credential: {
    table: 'credentials',
    key: 'id',
    sealed: 'sealed',
    hashes: { apiKeyHash: 'api_key_hash', apiTokenHash: 'api_token_hash' },
  },
  'callback-credential': { table: 'callbackCredentials', key: 'account_id', sealed: 'sealed' },
  'former-callback-credential': { table: 'callbackCredentials', key: 'account_id', sealed: 'previous_sealed' },
  totp: { table: 'security', key: 'account_id', sealed: 'totp_sealed' },
  'app-key': { table: 'appKeys', key: 'id', sealed: 'sealed', hashes: { lookupHash: 'lookup_hash' } },
  route: { table: 'routes', key: 'id', sealed: 'sealed_upstreams' },
  cordon: { table: 'cordons', key: 'id', sealed: 'sealed_url' },
  webhook: { table: 'webhooks', key: 'id', sealed: 'sealed' },
  'former-webhook': { table: 'webhooks', key: 'id', sealed: 'previous_sealed' },
  document: { table: 'documents', key: 'document_key', sealed: 'value', only: SEALED_DOCUMENTS },
};

const hashesOf = ({ hashes = {} }: Columns): [LookupField, string][] =>
  Object.entries(hashes) as [LookupField, string][];

/** The sealed columns of every table. */
export class SqlSealedStore implements SealedStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async list(place: SealedPlace, after: string, limit: number): Promise<readonly SealedText[]> {
    const columns = SEALED_COLUMNS[place];
    const { key, sealed, only } = columns;
    const { tables, dialect } = this.#db;
    const names = [`${key} AS id`, `${sealed} AS sealed`, ...hashesOf(columns).map(([, column]) => column)];
    const rows = await this.#db.read(
      `SELECT ${names.join(', ')} FROM ${tables[columns.table]} WHERE ${sealed} IS NOT NULL AND ${key} > ?
       ${only === undefined ? '' : `AND ${dialect.anyOf(key)}`} ORDER BY ${key} LIMIT ?`,
      [after, ...(only === undefined ? [] : [dialect.list(only)]), limit],
    );
    return rows.map((row) => textOf(place, columns, row));
  }

  async replace({ place, id, sealed: former }: SealedText, sealed: string, hashes: LookupHashes): Promise<boolean> {
    const columns = SEALED_COLUMNS[place];
    const lookups = hashesOf(columns);
    const set = [columns.sealed, ...lookups.map(([, column]) => column)].map((column) => `${column} = ?`);
    const rows = await this.#db.write(
      `UPDATE ${this.#db.tables[columns.table]} SET ${set.join(', ')} WHERE ${columns.key} = ? AND ${columns.sealed} = ?
       RETURNING ${columns.key}`,
      [sealed, ...lookups.map(([field]) => hashes[field] ?? null), id, former],
    );
    return rows.length > 0;
  }
}

function textOf(place: SealedPlace, columns: Columns, row: Row): SealedText {
  const hashes = Object.fromEntries(hashesOf(columns).map(([field, column]) => [field, text(row, column)]));
  return { place, id: text(row, 'id'), sealed: text(row, 'sealed'), hashes };
}
