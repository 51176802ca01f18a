import type { ChainCode, Clock, Millis } from '../kernel/index.ts';
import { present, TillgateError, Turns } from '../kernel/index.ts';
import type { BuiltPayment, BuiltTransaction, EcdsaSignature, Signer, SigningIntent } from './signer.ts';
import type { ChainSigning } from './chain-signing.ts';
import { NO_OUTFLOW, outflowBeyond } from './signing-journal.ts';
import type { JournalView, SigningJournal } from './signing-journal.ts';
import { keyOf, outflowOf, refusedBy, requireRoom } from './signing-policy.ts';
import type { SigningPolicy, Outflow } from './signing-policy.ts';

/** The keys of a seed. */
export interface SigningKeys {
  extendedPublicKey(account: string): Promise<string>;
  signDigest(path: string, digest: Uint8Array): Promise<EcdsaSignature>;
}

/** A chain with its signing policy. */
export interface GuardedChain {
  readonly chain: ChainSigning;
  readonly policy: SigningPolicy;
}

export interface PolicySignerDeps {
  readonly keys: SigningKeys;
  readonly journal: SigningJournal;
  readonly clock: Clock;
  readonly chains: ReadonlyMap<ChainCode, GuardedChain>;
  /** The hash of these digests, as text. */
  readonly hash: (digests: readonly Uint8Array[]) => string;
}

const DAY_MS = 24 * 3_600_000;
/** A replacement that comes later than this counts in full. */
const KEEP_MS = 30 * DAY_MS;

/**
 * A signer with its own limits, for the only process that has the seed. It builds what it signs, and journals a
 * transaction before its signature exists, so that the limits hold for every caller and after a kill at any time.
 */
export class PolicySigner implements Signer {
  readonly #deps: PolicySignerDeps;
  readonly #addresses = new Map<string, string>();
  readonly #turns = new Turns();

  constructor(deps: PolicySignerDeps) {
    this.#deps = deps;
  }

  /** Allowed for any account, because no one can pay with a public key. */
  extendedPublicKey(path: string): Promise<string> {
    return this.#deps.keys.extendedPublicKey(path);
  }

  async sign(intent: SigningIntent): Promise<readonly EcdsaSignature[]> {
    const guarded = this.#deps.chains.get(intent.chain);
    if (guarded === undefined) throw refusedBy('chain', `${intent.chain} is not in the signer's settings.`);
    const built = guarded.chain.build(intent);
    await this.#turns.run(() => this.#admit(guarded, built));
    const signatures: EcdsaSignature[] = [];
    for (const { path, digest } of built.inputs) signatures.push(await this.#deps.keys.signDigest(path, digest));
    return signatures;
  }

  /** Journals the transaction if every rule allows it. One at a time, so that two never use the same limit. */
  async #admit({ chain, policy }: GuardedChain, built: BuiltTransaction): Promise<void> {
    const { journal, clock, hash } = this.#deps;
    const stop = await journal.stop();
    if (stop !== null) throw new TillgateError('SIGNER_UNAVAILABLE', `The signer is stopped: ${stop}`);
    const outflow = await outflowOf(chain, policy, built, (payment) => this.#isOwn(chain, payment));
    const id = hash(built.inputs.map(({ digest }) => digest));
    const refs = built.spends.map(({ ref }) => ref);
    const now = clock.now();
    const since = (latestAt: Millis | null): Millis => Math.max(now, latestAt ?? now) - DAY_MS;
    const view = await journal.read({ id, chain: chain.code, refs, since });
    requireSameWorth(built, view);
    if (view.known) return;
    const { group, counted } = countedIn(view, refs, outflow);
    requireRoom(chain, policy, counted, view.taken);
    const at = since(view.latestAt) + DAY_MS;
    const coins = built.spends.filter(({ units }) => units !== null);
    await journal.append({ id, chain: chain.code, at, group, outflow, counted }, coins, at - KEEP_MS);
  }

  /** The intent's claim that an address is the till's own is not trusted: the address is derived and compared. */
  async #isOwn(chain: ChainSigning, { to, ownPath }: BuiltPayment): Promise<boolean> {
    if (ownPath === null) return false;
    const key = keyOf(chain, ownPath);
    if (key !== null && (await this.#addressOf(chain, key)) === to) return true;
    throw refusedBy('own-address', `${to} is not the till's address at ${ownPath}.`);
  }

  async #addressOf(chain: ChainSigning, { account, index }: { readonly account: string; readonly index: number }) {
    const path = `${chain.code} ${account}/${index}`;
    const known = this.#addresses.get(path);
    if (known !== undefined) return known;
    const address = chain.addressOf(await this.#deps.keys.extendedPublicKey(account), index);
    // Addresses of the hot wallets are cached, for change and sweeps; those of deposit addresses are derived each time.
    if (account === chain.accounts.hot) this.#addresses.set(path, address);
    return address;
  }
}

/**
 * A segwit signature for a coin commits to the amount of that coin only (BIP-143). Two requests for one transaction,
 * each understating another coin, would give signatures for a transaction with a fee that neither request showed.
 */
function requireSameWorth({ spends }: BuiltTransaction, { coins }: JournalView): void {
  const other = spends.find(({ ref, units }) => units !== null && (coins.get(ref) ?? units) !== units);
  if (other === undefined) return;
  throw refusedBy('coin-worth', `${other.ref} was worth ${coins.get(other.ref)} units when it was first signed for.`);
}

/**
 * Only one of the transactions that spend the same coin or nonce can be mined, so the limits count the largest of them
 * once: a replacement adds only what it pays beyond those before it.
 */
function countedIn(
  { groups }: JournalView,
  refs: readonly string[],
  outflow: Outflow,
): { readonly group: string; readonly counted: Outflow } {
  const group = refs.find((ref) => groups.has(ref)) ?? present(refs[0], 'what a transaction spends');
  return { group, counted: outflowBeyond(outflow, groups.get(group) ?? NO_OUTFLOW) };
}
