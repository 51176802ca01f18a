import { toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { HDAccount } from 'viem/accounts';
import { openPayingKeys } from '../../../adapters/chains/index.ts';
import type { EvmChain, EvmChainOptions, EvmPayingOptions } from '../../../adapters/chains/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { present } from '../../../core/index.ts';
import type {
  PayoutOutcome,
  ChainPayments,
  PaymentLine,
  PayingAddress,
  SignedPayout,
  SignedTransaction,
} from '../../../core/index.ts';
import type { Anvil } from '../../support/anvil.ts';
import type { MemoryLogger } from '../../support/fakes.ts';
import { waitFor } from '../../support/wait.ts';
import { evmChain } from './evm-support.ts';

/** Not anvil's own mnemonic: only the till signs with these keys, and tests that do so explicitly. */
export const TILL_WORDS =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const ACCOUNTS = { hot: "m/44'/60'/0'", deposit: "m/44'/60'/1'" };
const ETHER = 10n ** 18n;

/** A chain that can pay. */
export interface PayingChain {
  readonly chain: EvmChain;
  readonly payments: ChainPayments;
  readonly logger: MemoryLogger;
  readonly hot: PayingAddress;
  /** A deposit address. */
  deposit(index: number): Promise<PayingAddress>;
  /** Prices and signs a payment from an address, by default at its next nonce. */
  sign(line: Partial<PaymentLine> & { readonly to: string }, more?: SigningOptions): Promise<Signed>;
}

/** Options of a signed payment. */
export interface SigningOptions {
  readonly source?: PayingAddress;
  readonly nonce?: number;
  readonly replaces?: SignedTransaction;
}

/** A signed payment and the payout that contains only it. */
export interface Signed extends SignedTransaction {
  readonly nonce: number;
  readonly payout: SignedPayout;
}

/** A chain on the given nodes, with the till's own keys. */
export async function payingChain(
  rpcUrls: readonly string[],
  tokens: Readonly<Record<string, string>> = {},
  options: Partial<EvmChainOptions> = {},
  paying: Partial<EvmPayingOptions> = {},
): Promise<PayingChain> {
  const wallet = new MnemonicWallet(TILL_WORDS);
  const keys = await openPayingKeys(wallet, ACCOUNTS, null);
  const xpub = await wallet.extendedPublicKey(ACCOUNTS.deposit);
  const { chain, logger } = await evmChain(rpcUrls, tokens, { xpub, paying: { keys, ...paying }, ...options });
  const payments = present(chain.payments, 'the paying side');
  const hot = { address: payments.hotAddress, index: null };
  return {
    chain,
    payments,
    logger,
    hot,
    deposit: async (index) => ({
      address: present((await chain.deriveAddresses(index, 1))[0], 'an address').address,
      index,
    }),
    sign: async ({ to, currency = 'ETH', units = 1_000n }, { source = hot, nonce, replaces } = {}) => {
      const lines = [{ to, currency, units }];
      const priced = await payments.price({ source, lines, coins: [], replaces: replaces ?? null });
      const due = nonce ?? present(await payments.nextNonce(source.address), 'a nonce');
      const signed = await payments.sign({ source, lines, priced, nonce: due });
      return { ...signed, nonce: due, payout: payoutOf(source, due, [signed]) };
    },
  };
}

export function payoutOf(source: PayingAddress, nonce: number, attempts: readonly SignedTransaction[]): SignedPayout {
  return { source, nonce, coins: [], attempts };
}

/** The account with the till's mnemonic, which signs as the till does. */
export function tillAccount(): HDAccount {
  return mnemonicToAccount(TILL_WORDS);
}

/** Sets the balance of an address to ten coins. */
export async function fund(anvil: Anvil, { address }: PayingAddress): Promise<void> {
  await anvil.rpc('anvil_setBalance', [address, toHex(10n * ETHER)]);
}

type Mined = Extract<PayoutOutcome, { kind: 'mined' }>;

/** The outcome of a payout that must be mined. The node mines after it has answered the broadcast. */
export async function minedOutcome(payments: ChainPayments, payout: SignedPayout): Promise<Mined> {
  let kind = '';
  return waitFor(
    async () => {
      const outcome = await payments.outcome(payout);
      kind = outcome.kind;
      return outcome.kind === 'mined' && outcome;
    },
    { describe: () => `a payment that is mined; it is ${kind}` },
  );
}
