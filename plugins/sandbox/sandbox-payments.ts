import { TillgateError, assert, present } from '../../core/index.ts';
import type {
  Asset,
  PayoutOutcome,
  ChainPayments,
  CurrencyCode,
  ExpectedCoins,
  PriceRequest,
  PricedPayment,
  SignRequest,
  SignedPayout,
  SignedTransaction,
  SpendableCoin,
} from '../../core/index.ts';
import type { Addressing, KeyedAddress } from './addressing.ts';
import { coinIndex, sandboxHash, unitsOfCoin } from './sandbox-blocks.ts';
import type { SandboxBlock, SandboxTransfer } from './sandbox-blocks.ts';

/** The parts of its chain that {@link SandboxPayments} uses. */
export interface SandboxPaymentsOptions {
  readonly addressing: Addressing;
  readonly feeAsset: Asset;
  readonly hot: KeyedAddress;
  read(): Promise<readonly SandboxBlock[]>;
  /** Mines the chosen transfers as a new block; mines nothing for an empty list. */
  mine(decide: (blocks: readonly SandboxBlock[]) => readonly SandboxTransfer[]): Promise<void>;
}

/** The "bytes" of a simulated transaction. */
interface RawPayout {
  readonly currency: CurrencyCode;
  readonly spends: readonly string[];
  readonly to: string;
  readonly units: string;
  readonly change: string;
  readonly fee: string;
}

/** 0.00002 of the native coin. */
const FEE_DECIMALS = 5;
const FEE_DIGIT = 2n;

/**
 * Payments of a simulated chain. Coins are spent directly, each payment is mined at once in its own block, and nothing
 * is really signed. A fee is taken only from a payment in the native coin itself.
 */
export class SandboxPayments implements ChainPayments {
  readonly model = 'utxo';
  readonly maxLines = 1;
  readonly bumpAfterMs = null;
  readonly feeAsset: Asset;
  readonly hotAddress: string;
  readonly #options: SandboxPaymentsOptions;

  constructor(options: SandboxPaymentsOptions) {
    this.#options = options;
    this.feeAsset = options.feeAsset;
    this.hotAddress = options.hot.address;
  }

  dust(_currency: CurrencyCode): bigint {
    return 1n;
  }

  async price({ lines, coins, required = [] }: PriceRequest): Promise<PricedPayment> {
    const [line] = lines;
    assert(line !== undefined && lines.length === 1, `a transaction with ${lines.length} payments`);
    if (this.#options.addressing.read(line.to) === null)
      throw new TillgateError('STATE_CONFLICT', `${line.to} is not an address of the simulated chain.`);
    const picked = [...required];
    let sum = required.reduce((all, { units }) => all + units, 0n);
    for (const coin of coins) {
      if (sum >= line.units) break;
      picked.push(coin);
      sum += coin.units;
    }
    if (sum < line.units)
      throw new TillgateError('INSUFFICIENT_BALANCE', `The free coins hold less ${line.currency} than is to be paid.`);
    // Every coin has more decimals than the fee.
    const feeUnits = FEE_DIGIT * 10n ** BigInt(this.feeAsset.decimals - FEE_DECIMALS);
    return { feeUnits, coins: picked, terms: '' };
  }

  async sign({ lines, priced }: SignRequest): Promise<SignedTransaction> {
    const line = present(lines[0], 'the payment');
    const { feeUnits, coins, terms } = priced;
    const fee = line.currency === this.feeAsset.currency ? feeUnits : 0n;
    const change = coins.reduce((sum, { units }) => sum + units, -line.units - fee);
    assert(line.units > 0n && change >= 0n, `a payment of ${line.units} units that leaves ${change}`);
    const { key } = present(this.#options.addressing.read(line.to), 'the receiver');
    const spends = coins.map(({ ref }) => ref);
    const raw: RawPayout = {
      currency: line.currency,
      spends,
      to: key,
      units: `${line.units}`,
      change: `${change}`,
      fee: `${fee}`,
    };
    const text = JSON.stringify(raw);
    const txid = sandboxHash(this.#options.addressing.hashPrefix, `tillgate sandbox payout ${text}`);
    return { txid, raw: text, feeUnits, terms, change: this.#changeOf(txid, raw), expiresAt: null };
  }

  async broadcast({ txid, raw }: { readonly txid: string; readonly raw: string }): Promise<void> {
    await this.#options.mine((blocks) => {
      const payout = JSON.parse(raw) as RawPayout;
      if (placeOf(blocks, txid) !== null) return [];
      if (spenderOf(blocks, payout.spends) !== null)
        throw new TillgateError('NODE_FAILED', `The simulated chain did not accept ${txid}: its coins are spent.`);
      return this.#outputs(txid, payout);
    });
  }

  async outcome({ coins, attempts }: SignedPayout): Promise<PayoutOutcome> {
    const blocks = await this.#options.read();
    const head = present(blocks.at(-1), 'the head').ref.height;
    for (const { txid, raw } of attempts) {
      const block = placeOf(blocks, txid)?.ref;
      if (block === undefined) continue;
      const payout = JSON.parse(raw) as RawPayout;
      const confirmations = head - block.height + 1;
      return {
        kind: 'mined',
        txid,
        block,
        confirmations,
        succeeded: true,
        feeUnits: BigInt(payout.fee),
        change: this.#changeOf(txid, payout),
      };
    }
    const other = spenderOf(blocks, coins);
    return other === null
      ? { kind: 'missing' }
      : { kind: 'conflicted', txid: other.txid, confirmations: head - other.height + 1 };
  }

  /** A coin that came with a kept or forgotten block is there until a payment spends it. */
  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    const spent = new Set(payoutsIn(await this.#options.read()).flatMap(({ payout }) => payout.spends));
    const sums = new Map<CurrencyCode, bigint>();
    for (const { ref, currency } of expected) {
      if (!spent.has(ref)) sums.set(currency, (sums.get(currency) ?? 0n) + (unitsOfCoin(ref) ?? 0n));
    }
    return sums;
  }

  async balance(_address: string, _currency: CurrencyCode): Promise<bigint> {
    throw new TillgateError('NODE_FAILED', 'A simulated chain has no index of addresses.');
  }

  async nextNonce(_address: string): Promise<null> {
    return null;
  }

  #outputs(txid: string, { currency, spends, to, units, change, fee }: RawPayout): readonly SandboxTransfer[] {
    const payout = { spends, fee };
    const paid: SandboxTransfer = { txid, currency, units, key: to, place: 0, payout };
    return change === '0'
      ? [paid]
      : [paid, { txid, currency, units: change, key: this.#options.hot.key, place: 1, payout }];
  }

  #changeOf(txid: string, { change }: RawPayout): SpendableCoin | null {
    if (change === '0') return null;
    return {
      ref: `${txid}:${coinIndex({ place: 1, units: change })}`,
      address: this.hotAddress,
      index: null,
      units: BigInt(change),
    };
  }
}

/** Payments of the till in the kept blocks, newest last. */
function payoutsIn(blocks: readonly SandboxBlock[]): readonly {
  readonly txid: string;
  readonly height: number;
  readonly payout: { readonly spends: readonly string[] };
}[] {
  return blocks.flatMap(({ ref, transfers }) =>
    transfers.flatMap(({ txid, payout }) => (payout === undefined ? [] : [{ txid, height: ref.height, payout }])),
  );
}

function placeOf(blocks: readonly SandboxBlock[], txid: string): SandboxBlock | null {
  return blocks.find(({ transfers }) => transfers.some((transfer) => transfer.txid === txid)) ?? null;
}

function spenderOf(
  blocks: readonly SandboxBlock[],
  refs: readonly string[],
): { readonly txid: string; readonly height: number } | null {
  const wanted = new Set(refs);
  return payoutsIn(blocks).find(({ payout }) => payout.spends.some((ref) => wanted.has(ref))) ?? null;
}
