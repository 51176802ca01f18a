import type { DocumentStore } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { integer, text } from '../../rows/values.ts';

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

  async write(key: string, value: string, expectedVersion: number): Promise<boolean> {
    const { documents } = this.#db.tables;
    const written =
      expectedVersion === 0
        ? await this.#db.write(
            `INSERT INTO ${documents} (document_key, value, version) VALUES (?, ?, 1) ON CONFLICT (document_key) DO NOTHING RETURNING version`,
            [key, value],
          )
        : await this.#db.write(
            `UPDATE ${documents} SET value = ?, version = version + 1 WHERE document_key = ? AND version = ? RETURNING version`,
            [value, key, expectedVersion],
          );
    return written.length > 0;
  }
}
