import type { World } from '../world/world.ts';
import type { PayoutRow, DepositRow, TransferRow } from './rows.ts';

interface PostingRow {
  readonly rowid: number;
  readonly entry_id: string;
  readonly account: string;
  readonly currency: string;
  readonly units: string;
}

/** Adds up the ledger posting by posting, and compares it with the stored balances and the real payments. */
export class Books {
  readonly #world: World;
  readonly #sums = new Map<string, bigint>();
  /** The real cost of each payment by its booked block; a deep reorganisation may mine it with another effect. */
  readonly #taken = new Map<string, ReadonlyMap<string, bigint>>();
  #last = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** After a restored backup, adds up everything again. */
  beginAnew(): void {
    this.#sums.clear();
    this.#taken.clear();
    this.#last = 0;
  }

  /** The sum of an account's postings; merchants' are above zero, custody below. */
  sum(account: string, currency: string): bigint {
    return this.#sums.get(`${account} ${currency}`) ?? 0n;
  }

  check(deposits: Iterable<DepositRow>, transfers: readonly TransferRow[], payouts: Iterable<PayoutRow>): string[] {
    return [
      ...this.#read(),
      ...this.#cached(),
      ...this.#reserves(transfers),
      ...this.#custody(deposits, transfers, payouts),
      ...this.#lightningFloat(),
    ];
  }

  /** New postings: each entry sums to zero. */
  #read(): string[] {
    const rows = this.#world.driver.all<PostingRow>(
      'SELECT rowid, entry_id, account, currency, units FROM ledger_postings WHERE rowid > ? ORDER BY rowid',
      this.#last,
    );
    const entries = new Map<string, bigint>();
    for (const { rowid, entry_id, account, currency, units } of rows) {
      this.#last = rowid;
      add(this.#sums, `${account} ${currency}`, BigInt(units));
      add(entries, `${entry_id} ${currency}`, BigInt(units));
    }
    return [...entries]
      .filter(([, sum]) => sum !== 0n)
      .map(([entry, sum]) => `balanced-entries: entry ${entry} sums to ${sum}`);
  }

  #cached(): string[] {
    const breaches: string[] = [];
    const seen = new Set<string>();
    for (const { account, currency, units } of this.#world.driver.all<PostingRow>(
      'SELECT account, currency, units FROM ledger_balances',
    )) {
      const key = `${account} ${currency}`;
      seen.add(key);
      if ((this.#sums.get(key) ?? 0n) !== BigInt(units))
        breaches.push(`cached-balances: ${key} is ${units}, its postings make ${this.#sums.get(key) ?? 0n}`);
      if (account.startsWith('merchant:') && BigInt(units) < 0n) breaches.push(`no-debt: ${key} is ${units}`);
    }
    for (const [key, sum] of this.#sums)
      if (sum !== 0n && !seen.has(key)) breaches.push(`cached-balances: ${key} has ${sum} and no balance`);
    return breaches;
  }

  /** The amount that merchants cannot spend equals that of their pending payments. */
  #reserves(transfers: Iterable<TransferRow>): string[] {
    const live = new Map<string, bigint>();
    for (const { account_id, currency, units, status } of transfers) {
      if (account_id !== null && status !== 'CONFIRMED' && status !== 'FAILED')
        add(live, `merchant:${account_id}:reserved ${currency}`, BigInt(units));
    }
    const keys = new Set([...live.keys(), ...[...this.#sums.keys()].filter((key) => key.includes(':reserved '))]);
    return [...keys]
      .filter((key) => (live.get(key) ?? 0n) !== (this.#sums.get(key) ?? 0n))
      .map((key) => `reserves: ${key} is ${this.#sums.get(key) ?? 0n}, under way are ${live.get(key) ?? 0n}`);
  }

  /** The ledger's custody of a chain: every credited deposit, less the cost of the till's mined transactions. */
  #custody(deposits: Iterable<DepositRow>, transfers: readonly TransferRow[], payouts: Iterable<PayoutRow>): string[] {
    const expected = new Map<string, bigint>();
    for (const { chain, currency, units, status } of deposits)
      if (status === 'CREDITED' || status === 'SPENDABLE')
        add(expected, `custody:${chain} ${currency}`, -BigInt(units));
    for (const { chain, status, mined_txid, mined_height } of payouts) {
      // A mined cancel closes its payout as void, and costs its fee.
      if (status === 'LIVE' || mined_txid === null) continue;
      const taken =
        this.#taken.get(mined_txid) ?? this.#world.outflow(chain, mined_txid, this.#block(chain, mined_height));
      this.#taken.set(mined_txid, taken);
      for (const [currency, units] of taken) add(expected, `custody:${chain} ${currency}`, units);
    }
    const found = new Set<string>();
    for (const { id, chain, currency, units, fee_units, status, payout_id } of transfers) {
      if (status !== 'CONFIRMED') continue;
      if (chain === 'BLN')
        add(expected, `custody:${chain} ${currency}`, BigInt(units) - BigInt(fee_units) + this.#routed(id));
      else if (payout_id === null) {
        // An operator found it on the chain, after a restored backup that did not contain its transaction.
        for (const txid of this.#world.payments.get(id) ?? []) found.add(`${chain} ${txid}`);
        add(expected, `custody:${chain} ${currency}`, BigInt(units) - BigInt(fee_units));
      }
    }
    for (const key of found) {
      const [code = '', txid = ''] = key.split(' ');
      const { chain } = this.#world.node(code);
      const mined = chain.included.get(txid);
      if (mined?.succeeded) add(expected, `custody:${code} ${chain.native}`, mined.tx.fee);
    }
    // Gas at deposit addresses is on chain too; the operator's coins came from nobody's payment.
    const held = new Map<string, bigint>();
    for (const [key, units] of this.#sums)
      if (/^(?:custody|gas|operator):/.test(key)) add(held, key.replace(/^\w+:/, 'custody:'), units);
    return [...new Set([...expected.keys(), ...held.keys()])]
      .filter((key) => (expected.get(key) ?? 0n) !== (held.get(key) ?? 0n))
      .map((key) => `custody: ${key} is ${held.get(key) ?? 0n}, the payments make ${expected.get(key) ?? 0n}`);
  }

  /** No money of payers or merchants on the Lightning node is booked as the operator's. */
  #lightningFloat(): string[] {
    const { driver, lightning } = this.#world;
    const booked = this.sum('operator:BLN', 'BTC-LN');
    if (booked <= lightning.endowed) return [];
    // A restored backup lacks the orders that were paid since, so the ledger assigns their payments to nobody.
    const known = new Set(
      driver
        .all<{ key: string }>("SELECT watch_key AS key FROM order_addresses WHERE chain = 'BLN'")
        .map(({ key }) => key),
    );
    let unknown = 0n;
    for (const [hash, { msat }] of lightning.settled)
      if (!known.has(hash) || this.#world.isForgotten(hash)) unknown += msat;
    return booked <= lightning.endowed + unknown
      ? []
      : [`float: ${booked} msat are booked to the operator, who had ${lightning.endowed} on the Lightning node`];
  }

  /** The block that the till has read at a height, which is the only one that it books by. */
  #block(chain: string, height: number | null): string | undefined {
    return this.#world.driver.all<{ hash: string }>(
      'SELECT hash FROM chain_blocks WHERE chain = ? AND height = ?',
      chain,
      height,
    )[0]?.hash;
  }

  /** The routing cost of a Lightning payment. */
  #routed(transferId: string): bigint {
    const hash =
      this.#world.driver.all<{ hash: string }>(
        'SELECT payment_hash AS hash FROM lightning_payments WHERE transfer_id = ?',
        transferId,
      )[0]?.hash ?? '';
    const view = this.#world.lightning.views.get(hash);
    return view?.state === 'settled' ? view.feeMsat : 0n;
  }
}

function add(sums: Map<string, bigint>, key: string, units: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + units);
}
