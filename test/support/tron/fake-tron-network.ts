import type { FakeClock } from '../fakes.ts';
import { blockIdOf, decodeTransaction, sha256, signerOf } from './tron-codec.ts';
import type { DecodedTransaction, HeaderFields } from './tron-codec.ts';
import { copyState, runContract } from './tron-state.ts';
import type { FakeLog, TokenKind, TronState } from './tron-state.ts';

/** The network's fees, in sun. */
export const PRICES = {
  energy: 100n,
  bandwidth: 1_000n,
  newAccount: 1_000_000n,
  newAccountBandwidth: 100_000n,
  maxFeeLimit: 15_000_000_000n,
} as const;
export const BLOCK_MS = 3_000;
const FREE_BANDWIDTH = 600;
const RESULT_BYTES = 64;
const DAY_MS = 86_400_000;
/** The number of producers that must build on a block before it is solidified. */
const SOLID_DEPTH = 18;

/** A mined transaction with its outcome. */
export interface FakeMined {
  readonly txid: string;
  /** `null` for a transaction that a test invented. */
  readonly decoded: DecodedTransaction | null;
  /** `SUCCESS`, `REVERT`, `OUT_OF_ENERGY` … */
  readonly contractRet: string;
  /** True for a contract call; a plain transfer is none. */
  readonly isContract: boolean;
  readonly fee: bigint;
  readonly energy: number;
  readonly logs: readonly FakeLog[];
  readonly contractAddress: string | null;
}

export interface FakeBlock {
  readonly id: string;
  readonly header: HeaderFields;
  readonly mined: readonly FakeMined[];
  readonly state: TronState;
}

/** The reason why a transaction is not accepted, in the protocol's words. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** An invented transaction for the next block. */
export type MadeUp = Partial<Omit<FakeMined, 'decoded'>>;

/**
 * A Tron network that the test advances: accounts, TRC-20 tokens, energy and bandwidth, blocks with the protocol's ids,
 * expiry, reference blocks, solidification, reorganisations.
 */
export class FakeTronNetwork {
  readonly blocks: FakeBlock[] = [];
  /** The logs of an invented transaction in any block but its first, by its id. */
  readonly elsewhere = new Map<string, readonly FakeLog[]>();
  readonly #clock: FakeClock;
  readonly #pending = new Map<string, DecodedTransaction>();
  readonly #offered = new Set<string>();
  #madeUp: FakeMined[] = [];
  #count = 0;
  #solid = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
    this.blocks.push(
      makeBlock({ number: 0, timestamp: 0, parentHash: '00'.repeat(32) }, [], {
        accounts: new Map(),
        tokens: new Map(),
      }),
    );
  }

  get head(): FakeBlock {
    return this.blocks.at(-1) as FakeBlock;
  }

  get solid(): FakeBlock {
    return this.blocks[this.#solid] as FakeBlock;
  }

  get genesis(): string {
    return (this.blocks[0] as FakeBlock).id;
  }

  /** Creates a balance, at the head. */
  fund(key: string, sun: bigint): void {
    const { accounts } = this.head.state;
    const account = accounts.get(key) ?? { sun: 0n, freeNetUsed: 0 };
    account.sun += sun;
    accounts.set(key, account);
  }

  deploy(contract: string, kind: TokenKind): void {
    this.head.state.tokens.set(contract, { kind, balances: new Map() });
  }

  mint(contract: string, key: string, units: bigint): void {
    const balances = this.#token(contract);
    balances.set(key, (balances.get(key) ?? 0n) + units);
  }

  tokens(contract: string, key: string): bigint {
    return this.#token(contract).get(key) ?? 0n;
  }

  sun(key: string): bigint {
    return this.head.state.accounts.get(key)?.sun ?? 0n;
  }

  isPending(txid: string): DecodedTransaction | null {
    return this.#pending.get(txid) ?? null;
  }

  /** Accepts a transaction into the pool. @throws Refusal */
  submit(hex: string): string {
    const decoded = decodeTransaction(hex);
    const { txid } = decoded;
    if (this.#offered.has(txid)) throw new Refusal('DUP_TRANSACTION_ERROR', 'Transaction already exists.');
    this.#offered.add(txid);
    this.#validate(decoded, this.head);
    this.#pending.set(txid, decoded);
    return txid;
  }

  /** Removes a transaction from the pool, as a node's restart does, together with the node's memory of its id. */
  forget(txid: string): void {
    this.#pending.delete(txid);
    this.#offered.delete(txid);
  }

  /** Puts an outcome into the next block that no transaction of these tests could cause. Returns its id. */
  include(outcome: MadeUp): string {
    const txid = outcome.txid ?? sha256(`made up ${this.#count++}`).toString('hex');
    this.#madeUp.push({
      contractRet: 'SUCCESS',
      isContract: true,
      fee: 0n,
      energy: 1,
      logs: [],
      contractAddress: null,
      ...outcome,
      txid,
      decoded: null,
    });
    return txid;
  }

  /** Produces blocks, 3 s apart; the first contains the transactions of the pool. */
  produce(count = 1): FakeBlock {
    for (let made = 0; made < count; made++) {
      this.#clock.advance(BLOCK_MS);
      const parent = this.head;
      const state = copyState(parent.state);
      const mined = [...this.#madeUp.splice(0), ...this.#takePending(parent, state)];
      this.blocks.push(
        makeBlock(
          { number: parent.header.number + 1, timestamp: this.#clock.now(), parentHash: parent.id },
          mined,
          state,
        ),
      );
    }
    this.#solid = Math.max(this.#solid, this.blocks.length - 1 - SOLID_DEPTH);
    return this.head;
  }

  /**
   * Replaces the last `depth` blocks by another branch, one block longer.
   * @param outcome - whether the transactions of the old branch return to the pool or are gone
   */
  reorganise(depth: number, outcome: 'again' | 'gone'): void {
    const removed = this.blocks.splice(this.blocks.length - depth);
    if (this.blocks.length <= this.#solid) throw new Error('what is solidified stays');
    for (const { mined } of removed) {
      for (const one of mined) {
        if (outcome === 'gone') this.#offered.delete(one.txid);
        else if (one.decoded === null) this.#madeUp.push({ ...one, logs: this.elsewhere.get(one.txid) ?? one.logs });
        else this.#pending.set(one.txid, one.decoded);
      }
    }
    this.produce(depth + 1);
  }

  /** The present result of a contract call. */
  tryOut(caller: string, contract: string, data: string): ReturnType<typeof runContract> {
    return runContract(copyState(this.head.state), caller, contract, data);
  }

  #token(contract: string): Map<string, bigint> {
    const token = this.head.state.tokens.get(contract);
    if (token === undefined) throw new Error(`no contract at ${contract}`);
    return token.balances;
  }

  /** The protocol's checks, in its order, against the state after a block. */
  #validate(decoded: DecodedTransaction, parent: FakeBlock): void {
    const { rawData } = decoded;
    const owner = ownerOf(decoded);
    const referenced = this.blocks.findLast(({ id }) => id.slice(12, 16) === rawData.ref_block_bytes);
    if (referenced?.id.slice(16, 32) !== rawData.ref_block_hash) throw new Refusal('TAPOS_ERROR', 'Tapos check error.');
    const time = parent.header.timestamp;
    if (rawData.expiration <= time || rawData.expiration > time + DAY_MS)
      throw new Refusal('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired');
    if (decoded.signatures.length !== 1 || signerOf(decoded) !== owner)
      throw new Refusal('SIGERROR', 'Validate signature error');
    const account = parent.state.accounts.get(owner);
    if (account === undefined)
      throw new Refusal('CONTRACT_VALIDATE_ERROR', `Contract validate error : Validate error, no OwnerAccount`);
    const limit = BigInt(rawData.fee_limit ?? 0);
    if (limit > PRICES.maxFeeLimit)
      throw new Refusal('CONTRACT_VALIDATE_ERROR', 'Contract validate error : feeLimit must be <= max');
    const { amount, toKey } = paymentOf(decoded);
    const { fee } = bandwidthOf(decoded, parent.state);
    const made = decoded.type === 'TransferContract' && !parent.state.accounts.has(toKey) ? PRICES.newAccount : 0n;
    if (account.sun < fee) throw new Refusal('BANDWITH_ERROR', 'Account resource insufficient error.');
    if (account.sun < amount + fee + made)
      throw new Refusal(
        'CONTRACT_VALIDATE_ERROR',
        'Contract validate error : Validate TransferContract error, balance is not sufficient.',
      );
  }

  #takePending(parent: FakeBlock, state: TronState): FakeMined[] {
    const mined: FakeMined[] = [];
    for (const [txid, decoded] of this.#pending) {
      this.#pending.delete(txid);
      try {
        this.#validate(decoded, { ...parent, state });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        continue;
      }
      mined.push(decoded.type === 'TransferContract' ? mineTransfer(decoded, state) : mineCall(decoded, state));
    }
    return mined;
  }
}

function makeBlock(
  place: Pick<HeaderFields, 'number' | 'timestamp' | 'parentHash'>,
  mined: readonly FakeMined[],
  state: TronState,
): FakeBlock {
  const txTrieRoot = sha256(mined.map(({ txid }) => txid).join('')).toString('hex');
  const header: HeaderFields = { ...place, txTrieRoot, witnessAddress: `41${'a1'.repeat(20)}`, version: 31 };
  return { id: blockIdOf(header), header, mined, state };
}

function ownerOf({ rawData }: DecodedTransaction): string {
  return rawData.contract[0]?.parameter.value.owner_address.slice(2).toLowerCase() ?? '';
}

function paymentOf({ rawData }: DecodedTransaction): { readonly amount: bigint; readonly toKey: string } {
  const value = rawData.contract[0]?.parameter.value;
  return { amount: BigInt(value?.amount ?? 0), toKey: (value?.to_address ?? '').slice(2).toLowerCase() };
}

/** Free bandwidth pays for all of a transaction or none of it; a sender that creates an account pays another fee. */
function bandwidthOf(decoded: DecodedTransaction, state: TronState): { readonly fee: bigint; readonly free: number } {
  const { toKey } = paymentOf(decoded);
  if (decoded.type === 'TransferContract' && !state.accounts.has(toKey))
    return { fee: PRICES.newAccountBandwidth, free: 0 };
  const bytes = decoded.size + RESULT_BYTES;
  const used = state.accounts.get(ownerOf(decoded))?.freeNetUsed ?? 0;
  return used + bytes <= FREE_BANDWIDTH ? { fee: 0n, free: bytes } : { fee: BigInt(bytes) * PRICES.bandwidth, free: 0 };
}

function chargeBandwidth(decoded: DecodedTransaction, state: TronState): bigint {
  const { fee, free } = bandwidthOf(decoded, state);
  const account = state.accounts.get(ownerOf(decoded));
  if (account === undefined) throw new Error('a mined transaction of nobody');
  account.freeNetUsed += free;
  account.sun -= fee;
  return fee;
}

function mineTransfer(decoded: DecodedTransaction, state: TronState): FakeMined {
  const { amount, toKey } = paymentOf(decoded);
  let fee = chargeBandwidth(decoded, state);
  const source = state.accounts.get(ownerOf(decoded));
  if (source === undefined) throw new Error('a mined transaction of nobody');
  const target = state.accounts.get(toKey) ?? { sun: 0n, freeNetUsed: 0 };
  if (!state.accounts.has(toKey)) {
    source.sun -= PRICES.newAccount;
    fee += PRICES.newAccount;
  }
  source.sun -= amount;
  target.sun += amount;
  state.accounts.set(toKey, target);
  return {
    txid: decoded.txid,
    decoded,
    contractRet: 'SUCCESS',
    isContract: false,
    fee,
    energy: 0,
    logs: [],
    contractAddress: null,
  };
}

function mineCall(decoded: DecodedTransaction, state: TronState): FakeMined {
  const owner = ownerOf(decoded);
  const value = decoded.rawData.contract[0]?.parameter.value;
  const contract = (value?.contract_address ?? '').slice(2).toLowerCase();
  const bandwidth = chargeBandwidth(decoded, state);
  const account = state.accounts.get(owner);
  if (account === undefined) throw new Error('a mined transaction of nobody');
  const before = copyState(state);
  const run = runContract(state, owner, contract, value?.data ?? '');
  const feeLimit = BigInt(decoded.rawData.fee_limit ?? 0);
  const affordable = Number((feeLimit < account.sun ? feeLimit : account.sun) / PRICES.energy);
  const starved = run.energy > affordable;
  if (starved || run.reverted !== null) state.tokens.set(contract, before.tokens.get(contract) as never);
  const energy = starved ? affordable : run.energy;
  const burnt = BigInt(energy) * PRICES.energy;
  account.sun -= burnt;
  return {
    txid: decoded.txid,
    decoded,
    contractRet: starved ? 'OUT_OF_ENERGY' : run.reverted === null ? 'SUCCESS' : 'REVERT',
    isContract: true,
    fee: bandwidth + burnt,
    energy,
    logs: starved || run.reverted !== null ? [] : run.logs,
    contractAddress: contract,
  };
}
