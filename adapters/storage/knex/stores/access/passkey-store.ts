import { MAX_CHALLENGES } from '../../../../../core/index.ts';
import type {
  AccountId,
  Millis,
  Passkey,
  PasskeyChallenge,
  PasskeyId,
  PasskeyStore,
  PasskeyWrites,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { insertion, names } from '../../rows/columns.ts';
import { CHALLENGE_COLUMNS, challengeOf, PASSKEY_COLUMNS, passkeyOf } from '../../rows/passkey-row.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { deleteSome } from '../common.ts';

async function ofAccount(run: Run, tables: Tables, accountId: AccountId): Promise<readonly Passkey[]> {
  const sql = `SELECT ${names(PASSKEY_COLUMNS)} FROM ${tables.passkeys} WHERE account_id = ? ORDER BY id`;
  return (await run(sql, [accountId])).map(passkeyOf);
}

/** Passkeys in `passkeys`, their challenges in `passkey_challenges`. */
export class SqlPasskeyStore implements PasskeyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  ofAccount(accountId: AccountId): Promise<readonly Passkey[]> {
    return ofAccount((sql, bindings) => this.#db.read(sql, bindings), this.#db.tables, accountId);
  }

  pruneChallenges(now: Millis, limit: number): Promise<number> {
    return deleteSome(this.#db, this.#db.tables.passkeyChallenges, ['hash'], 'expires_at <= ?', [now], limit);
  }
}

/** Passkey writes of one transaction. */
export class SqlPasskeyWrites implements PasskeyWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  ofAccount(accountId: AccountId): Promise<readonly Passkey[]> {
    return ofAccount(this.#session.run, this.#session.tables, accountId);
  }

  async find(id: PasskeyId): Promise<Passkey | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${names(PASSKEY_COLUMNS)} FROM ${tables.passkeys} WHERE id = ?`, [id]);
    return row === undefined ? null : passkeyOf(row);
  }

  async add(passkey: Passkey): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.passkeys, PASSKEY_COLUMNS, [passkey]);
    return (await run(`${sql} ON CONFLICT (credential_id) DO NOTHING RETURNING id`, bindings)).length > 0;
  }

  async rename(id: PasskeyId, name: string): Promise<void> {
    const { run, tables } = this.#session;
    await run(`UPDATE ${tables.passkeys} SET name = ? WHERE id = ?`, [name, id]);
  }

  async noteUse(id: PasskeyId, signCount: number, at: Millis): Promise<void> {
    const { run, tables } = this.#session;
    await run(`UPDATE ${tables.passkeys} SET sign_count = ?, last_used_at = ? WHERE id = ?`, [signCount, at, id]);
  }

  async remove(id: PasskeyId): Promise<void> {
    const { run, tables } = this.#session;
    await run(`DELETE FROM ${tables.passkeys} WHERE id = ?`, [id]);
  }

  async addChallenge(challenge: PasskeyChallenge): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.passkeyChallenges, CHALLENGE_COLUMNS, [challenge]);
    await run(sql, bindings);
    const { accountId, purpose, sessionHash, hash } = challenge;
    const same = "account_id = ? AND purpose = ? AND COALESCE(session_hash, '') = ?";
    const use = [accountId, purpose, sessionHash ?? ''];
    await run(
      `DELETE FROM ${tables.passkeyChallenges} WHERE ${same} AND hash <> ? AND hash NOT IN (
         SELECT hash FROM ${tables.passkeyChallenges} WHERE ${same} AND hash <> ?
         ORDER BY expires_at DESC, hash LIMIT ${MAX_CHALLENGES - 1})`,
      [...use, hash, ...use, hash],
    );
  }

  async takeChallenge(hash: string): Promise<PasskeyChallenge | null> {
    const { run, tables } = this.#session;
    const sql = `DELETE FROM ${tables.passkeyChallenges} WHERE hash = ? RETURNING ${names(CHALLENGE_COLUMNS)}`;
    const [row] = await run(sql, [hash]);
    return row === undefined ? null : challengeOf(row);
  }
}
