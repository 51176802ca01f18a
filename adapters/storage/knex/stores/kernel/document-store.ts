import type { DocumentStore, DocumentWrites } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { integer, text } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';

/** Versioned documents in `documents`. */
export class SqlDocumentStore implements DocumentStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async read(key: string): Promise<{ readonly value: string; readonly version: number } | null> {
    const [row] = await this.#db.read(
      `SELECT value, version FROM ${this.#db.tables.documents} WHERE document_key = ?`,
      [key],
    );
    return row === undefined ? null : { value: text(row, 'value'), version: integer(row, 'version') };
  }

  write(key: string, value: string, expectedVersion: number): Promise<boolean> {
    return write(this.#db.write, this.#db.tables, key, value, expectedVersion);
  }
}

/** Document writes of one transaction. */
export class SqlDocumentWrites implements DocumentWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  write(key: string, value: string, expectedVersion: number): Promise<boolean> {
    return write(this.#session.run, this.#session.tables, key, value, expectedVersion);
  }
}

async function write(
  run: Run,
  { documents }: Tables,
  key: string,
  value: string,
  expectedVersion: number,
): Promise<boolean> {
  const written =
    expectedVersion === 0
      ? await run(
          `INSERT INTO ${documents} (document_key, value, version) VALUES (?, ?, 1) ON CONFLICT (document_key) DO NOTHING RETURNING version`,
          [key, value],
        )
      : await run(
          `UPDATE ${documents} SET value = ?, version = version + 1 WHERE document_key = ? AND version = ? RETURNING version`,
          [value, key, expectedVersion],
        );
  return written.length > 0;
}
