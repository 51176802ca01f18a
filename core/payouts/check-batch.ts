import type { Account } from '../access/index.ts';
import {
  findFiat,
  formatUnits,
  invalidField,
  isTillgateError,
  LIGHTNING_ASSET,
  readDecimal,
  TillgateError,
  toUnits,
} from '../kernel/index.ts';
import type { Asset, AssetCatalogue, Clock, FieldError, Storage } from '../kernel/index.ts';
import { coinPrice, merchantAccount, unitsAtRate } from '../ledger/index.ts';
import type { RateBook } from '../ledger/index.ts';
import type { ChainAdapter, ChainRegistry, LightningNode } from '../chain/index.ts';
import { estimateRows, feesOf } from './batch-fees.ts';
import type { PayoutFeeEstimator } from './fee-estimator.ts';
import { maxRoutingFee } from './lightning-settings.ts';
import type { LightningFeeSettings } from './lightning-settings.ts';
import { MAX_BATCH_ROWS } from './payout-batch.ts';
import type { FiatAmount, PayoutBatchRow } from './payout-batch.ts';
import { readPayableInvoice } from './request-payment.ts';
import type { WithdrawalSettings } from './withdrawal-settings.ts';
import { checkLimits, isVerified, lacking } from './withdrawal-rules.ts';
import { wrongAddress } from './withdrawal-addresses.ts';

/** The fields of a row as they were sent; an absent one is empty. */
export interface BatchRowInput {
  readonly reference: string;
  /** An address, or a Lightning invoice. */
  readonly address: string;
  /** A currency code. */
  readonly coin: string;
  /** A plain decimal in the coin. */
  readonly amount: string;
  /** A plain decimal in `fiatCurrency`, in place of `amount`. */
  readonly fiatAmount: string;
  readonly fiatCurrency: string;
}

/** The fields of a row, by their names in core. */
export const BATCH_ROW_FIELDS = ['reference', 'address', 'coin', 'amount', 'fiatAmount', 'fiatCurrency'] as const;
type RowField = (typeof BATCH_ROW_FIELDS)[number];

/** A row that may be paid. */
export type CheckedRow = Omit<PayoutBatchRow, 'batchId' | 'transferId' | 'problem'>;

export interface CheckBatchDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  /** `null` without a Lightning node. */
  readonly lightning: LightningNode | null;
  readonly rates: Pick<RateBook, 'payoutRate'>;
  readonly fees: PayoutFeeEstimator;
  readonly clock: Clock;
  readonly withdrawals: WithdrawalSettings;
  readonly lightningFees: LightningFeeSettings;
  readonly longestInvoiceMs?: number | undefined;
}

const MAX_REFERENCE = 64;
const MAX_INVOICE = 2_048;
/** The most problems that one answer lists. */
const MAX_REPORTED = 100;
/** The addresses of one look-up. */
const LOOKED_UP = 1_000;
/** Invoices that the node decodes at the same time. */
const DECODED = 8;
const CONTROL = /[\p{Cc}\p{Cs}]/u;
const AMOUNT = /^\d{1,78}(?:\.\d{1,78})?$/;

/** A row on its way through the checks. */
interface Draft {
  readonly line: number;
  readonly input: BatchRowInput;
  readonly asset: Asset;
  address: string;
  units: bigint;
  fiat: FiatAmount | null;
  feeUnits: bigint;
  maxFeeUnits: bigint;
}

/** A field, and what it must be. */
type Problem = readonly [field: RowField, message: string];

/** The problems of a batch, in the order in which they were found. */
class Problems {
  readonly #fields: FieldError[] = [];
  readonly #lines = new Set<number>();
  readonly #firstLine: number;

  constructor(firstLine: number) {
    this.#firstLine = firstLine;
  }

  add(line: number, field: RowField, message: string): void {
    this.#lines.add(line);
    if (this.#fields.length < MAX_REPORTED)
      this.#fields.push({ path: `rows.${line - this.#firstLine}.${field}`, message: `line ${line}: ${message}` });
  }

  addAny(line: number, problem: Problem | null): void {
    if (problem !== null) this.add(line, ...problem);
  }

  has(line: number): boolean {
    return this.#lines.has(line);
  }

  /** @throws TillgateError `INVALID_FIELDS` with the problems, when there is one */
  throwAny(): void {
    const [first] = this.#fields;
    if (first === undefined) return;
    const count = this.#lines.size === 1 ? '1 row is' : `${this.#lines.size} rows are`;
    const message = `rows: ${count} invalid, and nothing was stored. The first problem is in ${first.message}`;
    throw new TillgateError('INVALID_FIELDS', message, {
      fields: [...this.#fields].sort((a, b) => lineOf(a) - lineOf(b)),
    });
  }
}

const lineOf = ({ path }: FieldError): number => Number(path.split('.')[1]);

/** Checks all rows of a batch before any of them counts. */
export class CheckBatch {
  readonly #deps: CheckBatchDeps;

  constructor(deps: CheckBatchDeps) {
    this.#deps = deps;
  }

  /**
   * The rows as they would be paid.
   *
   * @param firstLine - the line of the first row; each row has a line of its own
   * @throws TillgateError `INVALID_FIELDS` with the problems of every row, up to a bound; `INSUFFICIENT_BALANCE` when all
   *   rows are valid and cost more than there is; `NODE_FAILED`, `NOT_READY`
   */
  async run(account: Account, inputs: readonly BatchRowInput[], firstLine: number): Promise<readonly CheckedRow[]> {
    if (inputs.length === 0) throw invalidField('rows', 'must not be empty');
    if (inputs.length > MAX_BATCH_ROWS) throw invalidField('rows', `must have at most ${MAX_BATCH_ROWS} rows`);
    const problems = new Problems(firstLine);
    const drafts: Draft[] = [];
    for (const [at, input] of inputs.entries()) {
      const draft = this.#readForm(account, input, firstLine + at, problems);
      if (draft !== null) drafts.push(draft);
    }
    await this.#checkReferences(account, drafts, problems);
    await this.#checkAddresses(drafts, problems);
    for (const draft of drafts) await this.#readAmount(draft, problems);
    await this.#readInvoices(drafts, problems);
    for (const draft of drafts) this.#checkBounds(draft, problems);
    const payable = drafts.filter(({ line }) => !problems.has(line));
    for (const [asset, rows] of byAsset(payable)) await this.#checkFees(account, asset, rows, problems);
    problems.throwAny();
    await this.#requireBalance(account, drafts);
    return drafts.map(({ line, input, asset, address, units, fiat, feeUnits, maxFeeUnits }) => ({
      ...{ line, reference: input.reference, chain: asset.chain, currency: asset.currency, toAddress: address },
      ...{ units, fiat, feeUnits, maxFeeUnits },
    }));
  }

  /** The row, if it has a coin of which it can be read further. */
  #readForm(account: Account, input: BatchRowInput, line: number, problems: Problems): Draft | null {
    const { reference, address, coin, amount, fiatAmount, fiatCurrency } = input;
    const add = (field: RowField, message: string): void => problems.add(line, field, message);
    if (reference === '' || reference.length > MAX_REFERENCE || CONTROL.test(reference))
      add('reference', `must have 1 to ${MAX_REFERENCE} characters without control characters`);
    if (address === '') add('address', 'is required');
    else if (address.length > MAX_INVOICE) add('address', `must have at most ${MAX_INVOICE} characters`);
    if (fiatAmount !== '' && amount !== '') add('fiatAmount', 'must be empty where there is an amount in the coin');
    if (fiatAmount !== '' && fiatCurrency === '') add('fiatCurrency', 'is required with an amount in a fiat currency');
    if (fiatAmount === '' && fiatCurrency !== '') add('fiatAmount', 'is required with a fiat currency');
    const asset = this.#deps.assets.find(coin);
    const problem = asset === null ? 'must be the code of a coin' : this.#coinProblem(account, asset);
    if (problem !== null) add('coin', problem);
    if (asset === null || problem !== null) return null;
    return { line, input, asset, address, units: 0n, fiat: null, feeUnits: 0n, maxFeeUnits: 0n };
  }

  #coinProblem(account: Account, { chain, currency }: Asset): string | null {
    const { assets, chains, lightning } = this.#deps;
    const isEnabled = assets.enabled().some((asset) => asset.currency === currency);
    if (!isEnabled) return 'must be a coin that is enabled';
    const pays = chain === LIGHTNING_ASSET.chain ? lightning !== null : (chains.get(chain)?.payments ?? null) !== null;
    if (!pays) return 'cannot be paid out: its chain is watch-only here';
    return isVerified(account, currency)
      ? null
      : 'cannot be paid out before the account has passed business verification for it';
  }

  async #checkReferences({ id }: Account, drafts: readonly Draft[], problems: Problems): Promise<void> {
    const lines = new Map<string, number>();
    for (const { line, input } of drafts) {
      const former = lines.get(input.reference);
      if (former === undefined) lines.set(input.reference, line);
      else problems.add(line, 'reference', `must be unique in the batch; line ${former} has the same`);
    }
    const sound = [...lines].filter(([, line]) => !problems.has(line)).map(([reference]) => reference);
    for (const part of partsOf(sound)) {
      for (const used of await this.#deps.storage.batches.usedReferences(id, part))
        problems.add(
          lines.get(used) ?? 0,
          'reference',
          'was paid or is waiting in an earlier batch; each is paid once',
        );
    }
  }

  /** Brings addresses into their chain's usual form. */
  async #checkAddresses(drafts: readonly Draft[], problems: Problems): Promise<void> {
    for (const [code, rows] of byChain(drafts)) {
      const chain = this.#deps.chains.get(code);
      if (chain === undefined) continue;
      const read: Draft[] = [];
      for (const draft of rows) {
        if (draft.address === '' || draft.address.length > MAX_INVOICE) continue;
        const problem = addressProblem(chain, draft);
        if (problem === null) read.push(draft);
        else problems.add(draft.line, 'address', problem);
      }
      await this.#refuseOwn(chain, read, problems);
    }
  }

  /** A payment of the till to itself would be booked as paid without reaching anyone. */
  async #refuseOwn(chain: ChainAdapter, drafts: readonly Draft[], problems: Problems): Promise<void> {
    const hot = chain.payments === null ? null : chain.normaliseAddress(chain.payments.hotAddress);
    for (const part of partsOf(drafts)) {
      const keys = part.map(({ address }) => chain.keyOf(address));
      const owned = new Set((await this.#deps.storage.deposits.owners(chain.code, keys)).map(({ key }) => key));
      for (const [at, { line, address }] of part.entries())
        if (address === hot || owned.has(keys[at] as string))
          problems.add(line, 'address', 'must be an address that can be paid; this one belongs to this till');
    }
  }

  /** Reads an amount in the coin, or converts one in a fiat currency. */
  async #readAmount(draft: Draft, problems: Problems): Promise<void> {
    const { line, input, asset } = draft;
    const { amount, fiatAmount, fiatCurrency } = input;
    const isInvoice = asset.chain === LIGHTNING_ASSET.chain;
    if (amount === '' && fiatAmount === '') {
      if (!isInvoice) problems.add(line, 'amount', 'is required, or an amount in a fiat currency');
    } else if (fiatAmount === '') {
      const units = unitsOf(amount, asset.decimals);
      if (units === null)
        problems.add(line, 'amount', `must be a number above 0 with at most ${asset.decimals} decimals`);
      draft.units = units ?? 0n;
    } else if (fiatCurrency !== '' && amount === '') problems.addAny(line, await this.#convert(draft));
  }

  /** @returns why the amount cannot be converted; `null` when it was */
  async #convert(draft: Draft): Promise<Problem | null> {
    const { asset, input } = draft;
    const fiat = findFiat(input.fiatCurrency);
    if (fiat === null) return ['fiatCurrency', 'must be the code of a fiat currency'];
    const minor = unitsOf(input.fiatAmount, fiat.decimals);
    if (minor === null) return ['fiatAmount', `must be a number above 0 with at most ${fiat.decimals} decimals`];
    try {
      const rate = await this.#deps.rates.payoutRate(asset, fiat);
      const units = unitsAtRate(minor, fiat, asset, rate);
      if (units === 0n) return ['fiatAmount', `is worth less than the smallest unit of ${asset.currency}`];
      draft.units = units;
      draft.fiat = {
        amount: formatUnits(minor, fiat.decimals),
        currency: fiat.code,
        rate: coinPrice(rate, fiat.decimals),
      };
      return null;
    } catch (error) {
      if (!isTillgateError(error, 'NOT_READY')) throw error;
      return ['fiatAmount', error.message];
    }
  }

  /** An invoice has its own amount; what leaves the balance is that and the most that routing may cost. */
  async #readInvoices(drafts: readonly Draft[], problems: Problems): Promise<void> {
    const { lightning: node, storage, clock, longestInvoiceMs, lightningFees } = this.#deps;
    if (node === null) return;
    const hashes = new Map<string, number>();
    const queue = drafts.filter(({ asset, address }) => asset.chain === LIGHTNING_ASSET.chain && address !== '');
    const deps = { node, storage, clock, ...(longestInvoiceMs === undefined ? {} : { longestInvoiceMs }) };
    const read = async (draft: Draft): Promise<Problem | null> => {
      const { text, invoice } = await readPayableInvoice(deps, draft.address);
      const former = hashes.get(invoice.paymentHash);
      if (former !== undefined) return ['address', `must be an invoice of its own; line ${former} has the same`];
      hashes.set(invoice.paymentHash, draft.line);
      const { msat } = invoice;
      if (msat === null && draft.units === 0n) return ['amount', 'is required, because the invoice has no amount'];
      if (msat !== null && draft.units !== 0n && msat !== draft.units)
        return ['amount', 'differs from that of the invoice: leave it empty, or give the same amount'];
      const paid = msat ?? draft.units;
      const most = maxRoutingFee(lightningFees, paid);
      Object.assign(draft, { address: text, units: paid + most, feeUnits: most, maxFeeUnits: most });
      return null;
    };
    const worker = async (): Promise<void> => {
      for (let draft = queue.shift(); draft !== undefined; draft = queue.shift()) {
        try {
          if (!problems.has(draft.line)) problems.addAny(draft.line, await read(draft));
        } catch (error) {
          if (!isTillgateError(error, 'INVOICE_INVALID')) throw error;
          problems.add(draft.line, 'address', error.message);
        }
      }
    };
    await Promise.all(Array.from({ length: DECODED }, worker));
  }

  #checkBounds({ line, input, asset, units, feeUnits }: Draft, problems: Problems): void {
    if (problems.has(line)) return;
    try {
      checkLimits(this.#deps.withdrawals, asset, asset.chain === LIGHTNING_ASSET.chain ? units - feeUnits : units);
    } catch (error) {
      if (!isTillgateError(error, 'AMOUNT_OUT_OF_RANGE')) throw error;
      problems.add(line, input.fiatAmount === '' ? 'amount' : 'fiatAmount', error.message);
    }
  }

  async #checkFees(account: Account, asset: Asset, drafts: readonly Draft[], problems: Problems): Promise<void> {
    if (asset.chain === LIGHTNING_ASSET.chain) return;
    const tooSmall = (line: number): void =>
      problems.add(line, 'amount', "does not cover the network's fee; use a larger amount");
    const rows = drafts.map(({ address: toAddress, units }) => ({ toAddress, units }));
    try {
      const { estimate, dust, unpayable } = await estimateRows(this.#deps, asset, account.id, rows);
      const refused = new Map(unpayable.map(({ toAddress, reason }) => [toAddress, reason]));
      for (const draft of drafts) {
        const reason = refused.get(draft.address);
        if (reason !== undefined) problems.add(draft.line, 'address', reason);
        if (estimate === null) continue;
        const fees = feesOf(estimate, draft.units, dust);
        if (fees === null) tooSmall(draft.line);
        else Object.assign(draft, fees);
      }
    } catch (error) {
      // The largest payment was priced: where it does not cover the fee, none does.
      if (!isTillgateError(error, 'AMOUNT_OUT_OF_RANGE')) throw error;
      for (const { line } of drafts) tooSmall(line);
    }
  }

  async #requireBalance({ id }: Account, drafts: readonly Draft[]): Promise<void> {
    const { ledger, transfers } = this.#deps.storage;
    const [balances, immovable] = await Promise.all([
      ledger.balances(merchantAccount(id, 'available')),
      transfers.frozenOf(id),
    ]);
    for (const [{ currency }, rows] of byAsset(drafts)) {
      const booked = balances.find((balance) => balance.currency === currency)?.units ?? 0n;
      const wanted = rows.reduce((sum, { units }) => sum + units, 0n);
      if (wanted > booked - (immovable.get(currency) ?? 0n)) throw lacking({ currency });
    }
  }
}

/** Sets the address in the chain's usual form. @returns why it cannot be paid; `null` when it can */
function addressProblem(chain: ChainAdapter, draft: Draft): string | null {
  const { address: text } = draft;
  if (text.includes('@')) return 'must be an address; a Lightning address (name@host) cannot be paid here';
  const address = chain.normaliseAddress(text);
  if (address === null) return wrongAddress(chain, text);
  draft.address = address;
  const problem = chain.destinationProblem?.(address) ?? null;
  return problem === null ? null : `must be an address that can be paid; this one ${problem}`;
}

/** `null` for text that is no amount above 0 with at most these decimals. */
function unitsOf(text: string, decimals: number): bigint | null {
  const value = AMOUNT.test(text) ? readDecimal(text) : null;
  const units = value === null ? null : toUnits(value, decimals);
  return units === null || units === 0n ? null : units;
}

function byChain(drafts: readonly Draft[]): ReadonlyMap<string, readonly Draft[]> {
  return groupBy(drafts, ({ asset }) => asset.chain);
}

function byAsset(drafts: readonly Draft[]): ReadonlyMap<Asset, readonly Draft[]> {
  return groupBy(drafts, ({ asset }) => asset);
}

function groupBy<Key>(drafts: readonly Draft[], keyOf: (draft: Draft) => Key): ReadonlyMap<Key, readonly Draft[]> {
  const groups = new Map<Key, Draft[]>();
  for (const draft of drafts) {
    const group = groups.get(keyOf(draft));
    if (group === undefined) groups.set(keyOf(draft), [draft]);
    else group.push(draft);
  }
  return groups;
}

function* partsOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += LOOKED_UP) yield list.slice(start, start + LOOKED_UP);
}
