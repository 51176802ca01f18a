import { Buffer } from 'node:buffer';
import type { AccountId, Branding, BrandingStore, BrandingWrites, Logo, LogoType } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { integer, text, textOrNull } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { isStorable } from '../common.ts';

/** Without the logo's bytes, which pages do not need. */
const COLUMNS = 'account_id, name, colour, support, logo_id, logo_type, version, updated_at';

function brandingOf(row: Row): Branding {
  const logoId = textOrNull(row, 'logo_id');
  return {
    accountId: text(row, 'account_id') as AccountId,
    name: textOrNull(row, 'name'),
    colour: textOrNull(row, 'colour'),
    support: textOrNull(row, 'support'),
    logo: logoId === null ? null : { id: logoId, type: text(row, 'logo_type') as LogoType },
    version: integer(row, 'version'),
    updatedAt: integer(row, 'updated_at'),
  };
}

async function find(run: Run, { branding }: Tables, accountId: AccountId): Promise<Branding | null> {
  if (!isStorable(accountId)) return null;
  const [row] = await run(`SELECT ${COLUMNS} FROM ${branding} WHERE account_id = ?`, [accountId]);
  return row === undefined ? null : brandingOf(row);
}

/** The branding of accounts, in `branding`. */
export class SqlBrandingStore implements BrandingStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  of(accountId: AccountId): Promise<Branding | null> {
    return find(this.#db.read, this.#db.tables, accountId);
  }

  async logo(id: string): Promise<Logo | null> {
    if (!isStorable(id)) return null;
    const sql = `SELECT logo_type, logo FROM ${this.#db.tables.branding} WHERE logo_id = ? LIMIT 1`;
    const [row] = await this.#db.read(sql, [id]);
    if (row === undefined) return null;
    return { id, type: text(row, 'logo_type') as LogoType, bytes: Buffer.from(text(row, 'logo'), 'base64') };
  }
}

/** Writes of branding in one transaction. A logo is stored as base64. */
export class SqlBrandingWrites implements BrandingWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  of(accountId: AccountId): Promise<Branding | null> {
    return find(this.#session.run, this.#session.tables, accountId);
  }

  async save(branding: Branding, nameKey: string | null, bytes: Uint8Array | null): Promise<boolean> {
    if (!(await this.#claimName(branding.accountId, nameKey))) return false;
    const { run, tables } = this.#session;
    const { accountId, name, colour, support, logo, version, updatedAt } = branding;
    const data = bytes === null ? null : Buffer.from(bytes).toString('base64');
    await run(
      `INSERT INTO ${tables.branding} (${COLUMNS}, logo) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (account_id) DO UPDATE SET name = excluded.name, colour = excluded.colour, support = excluded.support,
         logo_id = excluded.logo_id, logo_type = excluded.logo_type, version = excluded.version, updated_at = excluded.updated_at,
         logo = CASE WHEN excluded.logo_id IS NULL THEN NULL ELSE coalesce(excluded.logo, ${tables.branding}.logo) END`,
      [accountId, name, colour, support, logo?.id ?? null, logo?.type ?? null, version, updatedAt, data],
    );
    return true;
  }

  async ownerOfName(nameKey: string): Promise<AccountId | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT account_id FROM ${tables.brandNames} WHERE name_key = ?`, [nameKey]);
    return row === undefined ? null : (text(row, 'account_id') as AccountId);
  }

  /** The primary key decides when two accounts choose the same name at the same time. */
  async #claimName(accountId: AccountId, nameKey: string | null): Promise<boolean> {
    const { run, tables } = this.#session;
    const mine = await run(`SELECT name_key FROM ${tables.brandNames} WHERE account_id = ?`, [accountId]);
    if ((mine[0] === undefined ? null : text(mine[0], 'name_key')) === nameKey) return true;
    if (nameKey !== null) {
      if ((await this.ownerOfName(nameKey)) !== null) return false;
    }
    await run(`DELETE FROM ${tables.brandNames} WHERE account_id = ?`, [accountId]);
    if (nameKey === null) return true;
    const sql = `INSERT INTO ${tables.brandNames} (name_key, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING name_key`;
    return (await run(sql, [nameKey, accountId])).length === 1;
  }
}
