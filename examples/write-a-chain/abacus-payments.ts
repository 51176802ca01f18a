import { z } from 'zod';
import { AccountKey, assert, TillgateError } from 'tillgate/plugin';
import type {
  PayoutOutcome,
  ChainPayments,
  CurrencyCode,
  ExpectedCoins,
  PayingAddress,
  PaymentLine,
  PricedPayment,
  PriceRequest,
  SignedPayout,
  SignedTransaction,
  Signer,
  SignRequest,
} from 'tillgate/plugin';
import type { AbacusClient } from './abacus-client.ts';
import { ABC, refOf } from './abacus-chain.ts';
import {
  accountSchema,
  blockSchema,
  isSigned,
  keyHash,
  readAddress,
  receiptSchema,
  transactionId,
  transactionSchema,
  writeAddress,
} from './abacus-wire.ts';
import type { WireReceipt, WireTransaction } from './abacus-wire.ts';
import { signTransaction } from './abacus-intent.ts';

/** No chain uses the number 9999' (SLIP-44). The hot wallet is account 0, deposit addresses are account 1. */
export const ACCOUNTS = { hot: "m/44'/9999'/0'", deposit: "m/44'/9999'/1'" } as const;
const BUMP_AFTER_MS = 60_000;

/** Opens the paying side. The till's signer has the keys, and nothing here can read one. */
export async function openPayments(client: AbacusClient, signer: Signer): Promise<ChainPayments> {
  const [hot, deposit] = await Promise.all(
    [ACCOUNTS.hot, ACCOUNTS.deposit].map(async (path) => new AccountKey(await signer.extendedPublicKey(path))),
  );
  assert(hot !== undefined && deposit !== undefined, 'two accounts');
  return new AbacusPayments(client, signer, { hot, deposit });
}

class AbacusPayments implements ChainPayments {
  readonly model = 'account';
  readonly feeAsset = ABC;
  readonly maxLines = 1;
  readonly bumpAfterMs = BUMP_AFTER_MS;
  readonly hotAddress: string;
  readonly #client: AbacusClient;
  readonly #signer: Signer;
  readonly #keys: Readonly<Record<keyof typeof ACCOUNTS, AccountKey>>;

  constructor(client: AbacusClient, signer: Signer, keys: Readonly<Record<keyof typeof ACCOUNTS, AccountKey>>) {
    this.#client = client;
    this.#signer = signer;
    this.#keys = keys;
    this.hotAddress = writeAddress(keyHash(keys.hot.publicKey(0)));
  }

  dust(): bigint {
    return 1n;
  }

  /** The node's fee, or a higher one than that of the transaction to be replaced. */
  async price({ lines, replaces }: PriceRequest): Promise<PricedPayment> {
    if (readAddress(onlyLine(lines).to) === null)
      throw new TillgateError('STATE_CONFLICT', `${onlyLine(lines).to} is not an address of Abacus.`);
    const asked = BigInt((await this.#client.get('fee', z.object({ fee: z.string().regex(/^\d+$/) }))).fee);
    const outbid = replaces === null ? 0n : replaces.feeUnits + 1n;
    return { feeUnits: asked > outbid ? asked : outbid, coins: [], terms: '' };
  }

  async sign({ source, lines, priced: { feeUnits, terms }, nonce }: SignRequest): Promise<SignedTransaction> {
    const { to, units } = onlyLine(lines);
    assert(nonce !== null && units > 0n, `a payment of ${units} units with nonce ${String(nonce)}`);
    if ((await this.balance(source.address)) < units + feeUnits)
      throw new TillgateError('NOT_READY', `${source.address} holds too little ABC to pay it.`);
    const account = source.index === null ? 'hot' : 'deposit';
    const key = this.#keys[account].publicKey(source.index ?? 0);
    assert(
      writeAddress(keyHash(key)) === source.address,
      `${source.address} is not the till's address ${source.index ?? 'hot'}`,
    );
    const unsigned = {
      from: source.address,
      to,
      amount: `${units}`,
      fee: `${feeUnits}`,
      nonce,
      key: Buffer.from(key).toString('hex'),
    };
    const txid = transactionId(unsigned);
    const from = `${ACCOUNTS[account]}/0/${source.index ?? 0}`;
    const { bytes } = await signTransaction(this.#signer, from, unsigned);
    const raw = JSON.stringify({
      ...unsigned,
      signature: Buffer.from(bytes).toString('hex'),
    } satisfies WireTransaction);
    return { txid, raw, feeUnits, terms, change: null, expiresAt: null };
  }

  async broadcast({ txid, raw }: { readonly txid: string; readonly raw: string }): Promise<void> {
    assert(
      transactionId(transactionSchema.parse(JSON.parse(raw))) === txid,
      `the bytes of ${txid} are another transaction's`,
    );
    const status = await this.#client.post('transactions', raw);
    if (status !== 200) throw new TillgateError('NODE_FAILED', `The Abacus node did not take ${txid}: HTTP ${status}.`);
  }

  async outcome({ source, nonce, attempts }: SignedPayout): Promise<PayoutOutcome> {
    const found: WireReceipt[] = [];
    for (const { txid } of attempts) {
      const receipt = await this.#client.find(`transactions/${txid}`, receiptSchema);
      if (receipt !== null) found.push(receipt);
    }
    const mined =
      found.find(({ height }) => height !== null) ??
      (await this.#client.find(`accounts/${source.address}/${nonce ?? 0}`, receiptSchema));
    if (mined === null || mined.height === null) return { kind: found.length > 0 ? 'pending' : 'missing' };
    const { id, transaction, height, ok } = mined;
    // The node's statement is not enough: only the transaction itself, signed by the till's key, proves that the nonce was used.
    if (
      transactionId(transaction) !== id ||
      transaction.from !== source.address ||
      transaction.nonce !== nonce ||
      !isSigned(transaction)
    ) {
      return { kind: 'unclear', reason: `the node names ${id} as this payment, and it is not` };
    }
    const [head, block] = [
      await this.#client.get('head', blockSchema),
      await this.#client.get(`blocks/${height}`, blockSchema),
    ];
    const confirmations = Math.max(1, head.height - height + 1);
    if (!attempts.some(({ txid }) => txid === id)) return { kind: 'conflicted', txid: id, confirmations };
    return {
      kind: 'mined',
      txid: id,
      block: refOf(block),
      confirmations,
      succeeded: ok,
      feeUnits: BigInt(transaction.fee),
      change: null,
    };
  }

  async custody(expected: readonly ExpectedCoins[]): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    let sum = 0n;
    for (const address of new Set(expected.map((coins) => coins.address))) sum += await this.balance(address);
    return new Map(expected.length === 0 ? [] : [[ABC.currency, sum]]);
  }

  async balance(address: PayingAddress['address']): Promise<bigint> {
    return BigInt((await this.#client.get(`accounts/${address}`, accountSchema)).balance);
  }

  async nextNonce(address: string): Promise<number> {
    return (await this.#client.get(`accounts/${address}`, accountSchema)).nextNonce;
  }
}

function onlyLine(lines: readonly PaymentLine[]): PaymentLine {
  const [line] = lines;
  assert(line !== undefined && lines.length === 1, `a transaction with ${lines.length} payments`);
  return line;
}
