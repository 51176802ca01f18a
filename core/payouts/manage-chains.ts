import { lagMs, requireChain } from '../chain/index.ts';
import { LIGHTNING_ASSET, TillgateError } from '../kernel/index.ts';
import type { ChainCode, CurrencyCode, EventBus, Storage, Transaction } from '../kernel/index.ts';
import { custodyAccount, gasAccount } from '../ledger/index.ts';
import { takeNode } from './compare-node.ts';
import { confirmNodeLife, dismissNodeLife } from './decide-node-life.ts';
import { nodeLifeHold } from './node-life.ts';
import type { NodeLife } from './node-life.ts';
import type { LedgerBalance } from '../ledger/index.ts';
import type { ChainRegistry, ChainState, LightningNode } from '../chain/index.ts';
import type { CurrencyStop, FrozenCoin } from './transfer-store.ts';
import { takeHotWallet } from './operator-float.ts';
import type { FloatChange } from './operator-float.ts';
import { canPay } from './payout-deps.ts';
import { resumePayouts } from './payout-stop.ts';
import { writeOffCoins } from './write-off-coins.ts';
import type { WrittenOff } from './write-off-coins.ts';
import { writeOffFrozen } from './write-off-frozen.ts';
import type { WrittenOffCoin } from './write-off-frozen.ts';
import { addAuditRow, createdWith, requireAdmin } from '../access/index.ts';
import type { Actor, AuditAction, AuditChanges, AuditDeps } from '../access/index.ts';
import { reconcile } from './reconcile.ts';
import type { CustodyLine } from './reconcile.ts';
import type { PayingChain } from './payout-deps.ts';

/** How far a chain has been read, and whether it pays. */
export interface ChainView {
  readonly code: ChainCode;
  /** `null` before it was followed. */
  readonly state: ChainState | null;
  readonly lagMs: number | null;
  /** False for a watch-only chain. */
  readonly pays: boolean;
  /** The address that payouts are made from; `null` for a watch-only chain, and for Lightning. */
  readonly hotAddress: string | null;
  /** The coin that pays the chain's fees; `null` for a watch-only chain, and for Lightning. */
  readonly feeCurrency: CurrencyCode | null;
  /** What the till holds on the chain according to the ledger, by currency; without zeros. */
  readonly balances: ReadonlyMap<CurrencyCode, bigint>;
  /** Why its payouts are stopped; `null` while they run. */
  readonly payoutStop: string | null;
  /** Why nothing is paid in single currencies of the chain. */
  readonly currencyStops: readonly CurrencyStop[];
  /** Coins at deposit addresses that their token's contract refuses to move. */
  readonly frozen: readonly FrozenCoin[];
}

/** A comparison of a chain with the ledger. */
export interface ChainWallet {
  readonly code: ChainCode;
  readonly hotAddress: string;
  readonly lines: readonly ChainWalletLine[];
}

export interface ChainWalletLine extends CustodyLine {
  /** The balance of the hot address; `null` on UTXO chains, where coins are spent where they are. */
  readonly hot: bigint | null;
}

export interface ManageChainsDeps extends AuditDeps {
  readonly storage: Storage;
  readonly events: Pick<EventBus, 'emit'>;
  readonly chains: ChainRegistry;
  /** `null` without a Lightning node. */
  readonly lightning: LightningNode | null;
}

/** The reason for stopping payments of tokens that the operator declares missing. */
const SHORT_TOKENS = 'The chain holds less of a token than the ledger says.';
/** Prefix of an operator's reason, so that the stop is not mistaken for one that ends by itself. */
const BY_OPERATOR = 'Stopped by an operator: ';

/** The chains and their payouts; for admins only. */
export class ManageChains {
  readonly #deps: ManageChainsDeps;
  /** Running node reads: one for each chain at a time, which concurrent callers share. */
  readonly #looks = new Map<ChainCode, Promise<ChainWallet>>();

  constructor(deps: ManageChainsDeps) {
    this.#deps = deps;
  }

  /** Every configured chain by code, including Lightning once it was followed. @throws TillgateError `FORBIDDEN` */
  async list(actor: Actor): Promise<readonly ChainView[]> {
    requireAdmin(actor);
    const { storage, chains, clock } = this.#deps;
    const states = new Map((await storage.chains.states()).map((state) => [state.chain, state]));
    const balances = await storage.ledger.balances(custodyAccount(''), gasAccount(''));
    const codes = [...chains.keys(), ...(states.has(LIGHTNING_ASSET.chain) ? [LIGHTNING_ASSET.chain] : [])].sort();
    return Promise.all(
      codes.map(async (code) => {
        const state = states.get(code) ?? null;
        return {
          code,
          state,
          lagMs: state === null ? null : lagMs(state, clock.now()),
          pays: code === LIGHTNING_ASSET.chain || (chains.get(code)?.payments ?? null) !== null,
          hotAddress: chains.get(code)?.payments?.hotAddress ?? null,
          feeCurrency: chains.get(code)?.payments?.feeAsset.currency ?? null,
          balances: heldOn(code, balances),
          payoutStop: await this.#payoutStop(code),
          currencyStops: await storage.transfers.currencyStops(code),
          frozen: await storage.transfers.frozenCoins(code),
        };
      }),
    );
  }

  /** A Lightning node that may have begun again pays nothing either. */
  async #payoutStop(code: ChainCode): Promise<string | null> {
    const { transfers, lightning } = this.#deps.storage;
    const hold = code === LIGHTNING_ASSET.chain ? nodeLifeHold(await lightning.life()) : null;
    return hold ?? transfers.payoutStop(code);
  }

  /** The present life of the Lightning node. @throws TillgateError `FORBIDDEN` */
  async nodeLife(actor: Actor): Promise<NodeLife> {
    requireAdmin(actor);
    return this.#deps.storage.lightning.life();
  }

  /** See {@link confirmNodeLife} and {@link dismissNodeLife}. @throws TillgateError `FORBIDDEN`, `STATE_CONFLICT` */
  async decideNodeLife(actor: Actor, status: 'confirmed' | 'dismissed'): Promise<NodeLife> {
    const life = await (status === 'confirmed' ? confirmNodeLife : dismissNodeLife)(this.#deps, actor);
    this.#deps.events.emit('transfer.queued', { chain: LIGHTNING_ASSET.chain });
    return life;
  }

  /**
   * Compares what a chain holds with the ledger, by currency, and changes nothing.
   *
   * @throws TillgateError `FORBIDDEN`, `UNSUPPORTED`, `NOT_READY` on a watch-only chain, `NODE_FAILED`
   */
  async wallet(actor: Actor, code: ChainCode): Promise<ChainWallet> {
    requireAdmin(actor);
    const chain = this.#paying(code);
    const running = this.#looks.get(code);
    if (running !== undefined) return running;
    const look = this.#look(chain).finally(() => this.#looks.delete(code));
    this.#looks.set(code, look);
    return look;
  }

  async #look(chain: PayingChain): Promise<ChainWallet> {
    const { code, payments } = chain;
    const { hotAddress, model } = payments;
    const found = await reconcile(chain, this.#deps);
    const lines: ChainWalletLine[] = [];
    for (const line of found)
      lines.push({ ...line, hot: model === 'utxo' ? null : await payments.balance(hotAddress, line.currency) });
    return { code, hotAddress, lines };
  }

  #paying(code: ChainCode): PayingChain {
    const chain = requireChain(this.#deps.chains, code);
    if (!canPay(chain)) throw new TillgateError('NOT_READY', `The chain ${code} is watch-only.`);
    return chain;
  }

  /**
   * Stops a chain's payouts until they are resumed: nothing more is signed there, and signed payouts continue.
   *
   * @returns the reason as it is stored
   * @throws TillgateError `FORBIDDEN`, `UNSUPPORTED`
   */
  async stopPayouts(actor: Actor, code: ChainCode, words: string): Promise<string> {
    requireAdmin(actor);
    this.#requireKnown(code);
    const reason = `${BY_OPERATOR}${words}`;
    await this.#deps.storage.transaction(async (tx) => {
      const former = await tx.transfers.findPayoutStop(code);
      await tx.transfers.setPayoutStop(code, reason);
      this.#audit(tx, actor, 'chain.stop_payouts', code, { payoutStop: { from: former, to: reason } });
    });
    return reason;
  }

  /**
   * Resumes the payouts of a chain after a manual check. The hot wallet's present balance is accepted: an excess over
   * the ledger is added to the operator's float, and a shortfall is taken from it.
   *
   * @returns the reason of the stop
   * @throws TillgateError `FORBIDDEN`, `UNSUPPORTED`, `STATE_CONFLICT` when they are not stopped, `NOT_READY`,
   *   `NODE_FAILED`
   */
  async resumePayouts(actor: Actor, code: ChainCode): Promise<string> {
    requireAdmin(actor);
    this.#requireKnown(code);
    const { storage, events } = this.#deps;
    const reason = await storage.transfers.payoutStop(code);
    if (reason === null && (await this.#takeShortTokens(actor, code, events))) return SHORT_TOKENS;
    if (reason === null) throw new TillgateError('STATE_CONFLICT', `Payouts on the chain ${code} are not stopped.`);
    if (code === LIGHTNING_ASSET.chain) await this.#resumeLightning(actor, reason);
    else await this.#resumeOnChain(actor, code, reason);
    events.emit('transfer.queued', { chain: code });
    return reason;
  }

  /** Accepts the hot wallet's balance of missing tokens while the chain pays. @returns false when none is missing */
  async #takeShortTokens(actor: Actor, code: ChainCode, events: ManageChainsDeps['events']): Promise<boolean> {
    const { transfers } = this.#deps.storage;
    if (!(await transfers.currencyStops(code)).some(({ cause }) => cause === 'short')) return false;
    const chain = requireChain(this.#deps.chains, code);
    await takeHotWallet(chain, this.#deps, (tx, booked) => this.#auditResumed(tx, actor, code, SHORT_TOKENS, booked));
    events.emit('transfer.queued', { chain: code });
    return true;
  }

  /**
   * Writes off coins of a UTXO chain that were spent outside of the till, at the cost of the operator's float; see
   * {@link writeOffCoins}.
   *
   * @throws TillgateError `FORBIDDEN`, `UNSUPPORTED`, `NOT_READY` on a watch-only chain; as {@link writeOffCoins}
   */
  async writeOffCoins(actor: Actor, code: ChainCode, words: string): Promise<WrittenOff> {
    requireAdmin(actor);
    return writeOffCoins(this.#paying(code), this.#deps, (tx, { currency, gone, found, units }) =>
      this.#audit(tx, actor, 'chain.write_off_coins', code, {
        ...createdWith({ reason: words, gone: gone.map(({ ref }) => ref), found: found.map(({ ref }) => ref) }),
        float: { from: null, to: `${-units} units of ${currency}` },
      }),
    );
  }

  /**
   * Writes off frozen coins at a deposit address of an account chain; see {@link writeOffFrozen}.
   *
   * @throws TillgateError `FORBIDDEN`, `UNSUPPORTED`, `NOT_READY` on a watch-only chain; as {@link writeOffFrozen}
   */
  async writeOffFrozen(
    actor: Actor,
    code: ChainCode,
    address: string,
    words: string,
  ): Promise<readonly WrittenOffCoin[]> {
    requireAdmin(actor);
    return writeOffFrozen(this.#paying(code), this.#deps, address, (tx, { coin, borne }) =>
      addAuditRow(this.#deps, tx, actor, {
        action: 'chain.write_off_frozen',
        accountId: coin.accountId,
        subjectId: code,
        changes: {
          ...createdWith({ reason: words, address, ref: coin.ref, said: coin.reason }),
          available: { from: null, to: `${-borne} units of ${coin.currency}` },
          float: { from: null, to: `${borne - coin.units} units of ${coin.currency}` },
        },
      }),
    );
  }

  async #resumeOnChain(actor: Actor, code: ChainCode, reason: string): Promise<void> {
    const chain = requireChain(this.#deps.chains, code);
    // The audit row is committed first, because payouts must not resume without one.
    await takeHotWallet(chain, this.#deps, (tx, booked) => this.#auditResumed(tx, actor, code, reason, booked));
    if (!(await resumePayouts(chain, this.#deps.storage, reason))) throw stoppedAnew(code);
  }

  /** As {@link #resumeOnChain}, but in one transaction, because there is no nonce to synchronise. */
  #resumeLightning(actor: Actor, reason: string): Promise<void> {
    const { chain: code } = LIGHTNING_ASSET;
    return takeNode(this.#deps.lightning, this.#deps, async (tx, booked) => {
      if (!(await tx.transfers.replacePayoutStop(code, reason, null))) throw stoppedAnew(code);
      this.#auditResumed(tx, actor, code, reason, booked);
    });
  }

  #auditResumed(tx: Transaction, actor: Actor, code: ChainCode, reason: string, booked: readonly FloatChange[]): void {
    const float = booked.map(({ currency, units }) => `${units} units of ${currency}`).join(', ');
    this.#audit(tx, actor, 'chain.resume_payouts', code, {
      payoutStop: { from: reason, to: null },
      ...(float === '' ? {} : { float: { from: null, to: float } }),
    });
  }

  #requireKnown(code: ChainCode): void {
    if (code !== LIGHTNING_ASSET.chain) requireChain(this.#deps.chains, code);
  }

  #audit(tx: Transaction, actor: Actor, action: AuditAction, code: ChainCode, changes: AuditChanges): void {
    addAuditRow(this.#deps, tx, actor, { action, accountId: null, subjectId: code, changes });
  }
}

/** The ledger accounts of a chain are negative by what it holds. */
function heldOn(code: ChainCode, balances: readonly LedgerBalance[]): ReadonlyMap<CurrencyCode, bigint> {
  const accounts: readonly string[] = [custodyAccount(code), gasAccount(code)];
  const held = new Map<CurrencyCode, bigint>();
  for (const { account, currency, units } of balances)
    if (accounts.includes(account)) held.set(currency, (held.get(currency) ?? 0n) - units);
  return new Map([...held].filter(([, units]) => units !== 0n));
}

function stoppedAnew(code: ChainCode): TillgateError {
  return new TillgateError(
    'STATE_CONFLICT',
    `Payouts on the chain ${code} were stopped for another reason meanwhile: check that reason, then resume them again.`,
  );
}
