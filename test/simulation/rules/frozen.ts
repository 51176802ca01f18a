import type { World } from '../world/world.ts';

interface Signed {
  readonly id: string;
  readonly account_id: string;
  readonly currency: string;
}

const SIGNED = `SELECT id, account_id, currency FROM transfers
  WHERE chain = 'ETH' AND account_id IS NOT NULL AND currency <> 'ETH' AND status IN ('SIGNED', 'BROADCAST') ORDER BY id`;
const sumOf = (rows: readonly { readonly units: string }[]): bigint =>
  rows.reduce((sum, { units }) => sum + BigInt(units), 0n);

/**
 * Frozen coins pay nobody: once an account's payment is signed, its remaining balance covers its coins that cannot be
 * moved. Coins frozen within the step may have been frozen after the signature.
 */
export class FrozenRule {
  readonly #world: World;
  #seen = new Set<string>();
  #frozenBefore: ReadonlySet<string> = new Set();

  constructor(world: World) {
    this.#world = world;
  }

  /** After a restored backup: its signed payments were checked before. */
  beginAnew(): void {
    this.#seen = new Set(this.#world.driver.all<Signed>(SIGNED).map(({ id }) => id));
  }

  check(): readonly string[] {
    const signed = this.#world.driver.all<Signed>(SIGNED);
    const fresh = signed.filter(({ id }) => !this.#seen.has(id));
    const breaches = fresh.flatMap((transfer) => this.#breachOf(transfer));
    this.#seen = new Set(signed.map(({ id }) => id));
    const { frozen } = this.#world.node('ETH').chain;
    this.#frozenBefore = new Set(frozen);
    return breaches;
  }

  #breachOf({ id, account_id: account, currency }: Signed): readonly string[] {
    const { driver } = this.#world;
    const { frozen } = this.#world.node('ETH').chain;
    const stuck = driver
      .all<{ units: string; address: string }>(
        `SELECT units, address FROM holdings WHERE chain = 'ETH' AND account_id = ? AND currency = ? AND status = 'FREE' AND address_index IS NOT NULL`,
        account,
        currency,
      )
      .filter(({ address }) => frozen.has(address) && this.#frozenBefore.has(address));
    if (stuck.length === 0) return [];
    const available = driver.all<{ units: string }>(
      'SELECT units FROM ledger_balances WHERE account = ? AND currency = ?',
      `merchant:${account}:available`,
      currency,
    );
    const waiting = driver.all<{ units: string }>(
      `SELECT units FROM transfers WHERE account_id = ? AND currency = ? AND status IN ('HELD', 'REQUESTED')`,
      account,
      currency,
    );
    const owed = sumOf(available) + sumOf(waiting);
    return owed >= sumOf(stuck)
      ? []
      : [
          `frozen: transfer ${id} is signed, its account is owed ${owed} more, and ${sumOf(stuck)} of its coins are frozen`,
        ];
  }
}
