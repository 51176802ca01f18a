import assert from 'node:assert/strict';
import { present } from '../../core/index.ts';
import type {
  PayoutOutcome,
  ChainAdapter,
  ChainPayments,
  DerivedAddress,
  PaymentLine,
  PayingAddress,
  PricedPayment,
  SignedPayout,
  SignedTransaction,
  SpendableCoin,
} from '../../core/index.ts';
import type { ChainWorld } from './chain-harness.ts';
import { freshAddress, scanFrom, trick } from './chain-sight.ts';

/** A stored payment. */
export interface Payment {
  readonly to: DerivedAddress;
  readonly line: PaymentLine;
  readonly source: PayingAddress;
  readonly priced: PricedPayment;
  readonly coins: readonly SpendableCoin[];
  readonly nonce: number | null;
  readonly signed: SignedTransaction;
  readonly payout: SignedPayout;
  /** The height of the head before the payment. */
  readonly since: number;
}

export function payingSide(chain: ChainAdapter): ChainPayments {
  return present(chain.payments, 'the paying side');
}

export function hotWallet(chain: ChainAdapter): PayingAddress {
  return { address: payingSide(chain).hotAddress, index: null };
}

/** The payout that consists of several attempts at one payment. */
export function payoutOf(
  { source, nonce, priced }: Pick<Payment, 'source' | 'nonce' | 'priced'>,
  ...attempts: readonly SignedTransaction[]
): SignedPayout {
  return { source, nonce, coins: priced.coins.map(({ ref }) => ref), attempts };
}

/** A signed transaction as it is after a round trip through the database. */
export function stored({ txid, raw }: SignedTransaction): { readonly txid: string; readonly raw: string } {
  return JSON.parse(JSON.stringify({ txid, raw })) as { txid: string; raw: string };
}

/** Funds an address, prices a payment and signs it; nothing is broadcast. */
export async function signPayment(
  world: ChainWorld,
  source: PayingAddress = hotWallet(world.chain),
  to?: DerivedAddress,
): Promise<Payment> {
  const { chain, currency, units } = world;
  const payments = payingSide(chain);
  const coins = await trick(world, 'fund')(source, units * 2n);
  const receiver = to ?? (await freshAddress(world));
  const { height: since } = await chain.head();
  const priced = await payments.price({
    source,
    lines: [{ to: receiver.address, currency, units }],
    coins,
    replaces: null,
  });
  const line = { to: receiver.address, currency, units };
  const nonce = await payments.nextNonce(source.address);
  const signed = await payments.sign({ source, lines: [line], priced, nonce });
  return {
    to: receiver,
    line,
    source,
    priced,
    coins,
    nonce,
    signed,
    since,
    payout: payoutOf({ source, nonce, priced }, signed),
  };
}

/**
 * The amount that the recipient of a payment has received on chain since its start. On account chains it is read from
 * the balance, because an adapter may omit from the deposits what the till itself sent.
 */
export async function gotten(
  { chain, currency }: Pick<ChainWorld, 'chain' | 'currency'>,
  { to, since }: Pick<Payment, 'to' | 'since'>,
): Promise<bigint> {
  const payments = payingSide(chain);
  if (payments.model === 'account') return payments.balance(to.address, currency);
  return (await scanFrom(chain, since + 1, to.key)).transfers.reduce((sum, { units }) => sum + units, 0n);
}

/** The outcome of a payment, which must be mined. */
export async function mined(
  { chain }: Pick<ChainWorld, 'chain'>,
  payout: SignedPayout,
): Promise<Extract<PayoutOutcome, { kind: 'mined' }>> {
  const outcome = await payingSide(chain).outcome(payout);
  assert.ok(
    outcome.kind === 'mined',
    JSON.stringify(outcome, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  return outcome;
}
