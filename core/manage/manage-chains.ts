import { lagMs } from '../deposits/chain-reports.ts';
import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import type { ChainCode } from '../kernel/asset.ts';
import { TillgateError } from '../kernel/errors.ts';
import { requireChain } from '../kernel/require-chain.ts';
import { takeNode } from '../lightning/compare-node.ts';
import type { ChainRegistry } from '../ports/chain-adapter.ts';
import type { ChainState } from '../ports/chain-store.ts';
import type { EventBus } from '../ports/events.ts';
import type { LightningNode } from '../ports/lightning.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import { takeHotWallet } from '../transfers/operator-float.ts';
import type { FloatChange } from '../transfers/operator-float.ts';
import { canPay } from '../transfers/payout-deps.ts';
import { resumePayouts } from '../transfers/resume-payouts.ts';
import { writeOffCoins } from '../transfers/write-off-coins.ts';
import type { WrittenOff } from '../transfers/write-off-coins.ts';
import { requireAdmin } from './actor.ts';
import type { Actor } from './actor.ts';
import { reconcile } from '../transfers/reconcile.ts';
import type { CustodyLine } from '../transfers/reconcile.ts';
import type { PayingChain } from '../transfers/payout-deps.ts';
import { addAuditRow, createdWith } from './audit.ts';
import type { AuditDeps } from './audit.ts';
import type { AuditChanges } from './audit-row.ts';

/** How far a chain has been read, and whether it pays. */
export interface ChainView {
  readonly code: ChainCode;
  /** `null` before it was followed. */
  readonly state: ChainState | null;
  readonly lagMs: number | null;
  /** False for a watch-only chain. */
  readonly pays: boolean;
  /** What payouts are made from; `null` for a watch-only chain, and for Lightning. */
  readonly hotAddress: string | null;
  /** Why its payouts are stopped; `null` while they run. */
  readonly payoutStop: string | null;
}

/** What the node shows of a chain, beside the books. */
export interface ChainWallet {
  readonly code: ChainCode;
  readonly hotAddress: string;
  readonly lines: readonly ChainWalletLine[];
}

export interface ChainWalletLine extends CustodyLine {
  /** At the hot address; `null` on UTXO chains, where coins are spent where they are. */
  readonly hot: bigint | null;
}

export interface ManageChainsDeps extends AuditDeps {
  readonly storage: Storage;
  readonly events: Pick<EventBus, 'emit'>;
  readonly chains: ChainRegistry;
  /** `null` without a Lightning node. */
  readonly lightning: LightningNode | null;
}

/** Before an operator's words, so that no such stop is taken for one that ends by itself. */
const BY_OPERATOR = 'Stopped by an operator: ';

/** The chains and their payouts; for admins only (decisions, section 12). */
export class ManageChains {
  readonly #deps: ManageChainsDeps;
  /** One look at the nodes for each chain at a time; who asks meanwhile gets its result. */
  readonly #looks = new Map<ChainCode, Promise<ChainWallet>>();

  constructor(deps: ManageChainsDeps) {
    this.#deps = deps;
  }

  /** Every configured chain by code, Lightning too once it was followed. @throws TillgateError `FORBIDDEN` */
  async list(actor: Actor): Promise<readonly ChainView[]> {
    requireAdmin(actor);
    const { storage, chains, clock } = this.#deps;
    const states = new Map((await storage.chains.states()).map((state) => [state.chain, state]));
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
          payoutStop: await storage.transfers.payoutStop(code),
        };
      }),
    );
  }

  /**
   * Compares what a chain holds with the books, by currency, and changes nothing.
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
   * Stops a chain's payouts until they are resumed: nothing more is signed there; what is signed goes on.
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
      await this.#audit(tx, actor, 'chain.stop_payouts', code, { payoutStop: { from: former, to: reason } });
    });
    return reason;
  }

  /**
   * Resumes the payouts of a chain after a manual check. The operator takes the hot wallet as it is: what is beyond the books
   * becomes part of his float, and what is missing is taken from it.
   *
   * @returns the reason of the stop
   * @throws TillgateError `FORBIDDEN`, `UNSUPPORTED`, `STATE_CONFLICT` when they are not stopped, `NOT_READY`, `NODE_FAILED`
   */
  async resumePayouts(actor: Actor, code: ChainCode): Promise<string> {
    requireAdmin(actor);
    this.#requireKnown(code);
    const { storage, events } = this.#deps;
    const reason = await storage.transfers.payoutStop(code);
    if (reason === null) throw new TillgateError('STATE_CONFLICT', `Payouts on the chain ${code} are not stopped.`);
    if (code === LIGHTNING_ASSET.chain) await this.#resumeLightning(actor, reason);
    else await this.#resumeOnChain(actor, code, reason);
    events.emit('transfer.queued', { chain: code });
    return reason;
  }

  /**
   * Takes coins of a UTXO chain that somebody has spent without the till from the operator's float; see {@link writeOffCoins}.
   *
   * @throws TillgateError `FORBIDDEN`, `UNSUPPORTED`, `NOT_READY` on a watch-only chain, and as {@link writeOffCoins}
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

  async #resumeOnChain(actor: Actor, code: ChainCode, reason: string): Promise<void> {
    const chain = requireChain(this.#deps.chains, code);
    // The audit row is committed first: payouts must not resume without one.
    await takeHotWallet(chain, this.#deps, (tx, booked) => this.#auditResumed(tx, actor, code, reason, booked));
    if (!(await resumePayouts(chain, this.#deps.storage, reason))) throw stoppedAnew(code);
  }

  /** As {@link #resumeOnChain}, in one transaction: there is no nonce to take over. */
  #resumeLightning(actor: Actor, reason: string): Promise<void> {
    const { chain: code } = LIGHTNING_ASSET;
    return takeNode(this.#deps.lightning, this.#deps, async (tx, booked) => {
      if (!(await tx.transfers.replacePayoutStop(code, reason, null))) throw stoppedAnew(code);
      await this.#auditResumed(tx, actor, code, reason, booked);
    });
  }

  #auditResumed(
    tx: Transaction,
    actor: Actor,
    code: ChainCode,
    reason: string,
    booked: readonly FloatChange[],
  ): Promise<void> {
    const float = booked.map(({ currency, units }) => `${units} units of ${currency}`).join(', ');
    return this.#audit(tx, actor, 'chain.resume_payouts', code, {
      payoutStop: { from: reason, to: null },
      ...(float === '' ? {} : { float: { from: null, to: float } }),
    });
  }

  #requireKnown(code: ChainCode): void {
    if (code !== LIGHTNING_ASSET.chain) requireChain(this.#deps.chains, code);
  }

  #audit(tx: Transaction, actor: Actor, action: string, code: ChainCode, changes: AuditChanges): Promise<void> {
    return addAuditRow(this.#deps, tx, actor, { action, accountId: null, subjectId: code, changes });
  }
}

function stoppedAnew(code: ChainCode): TillgateError {
  return new TillgateError(
    'STATE_CONFLICT',
    `Payouts on the chain ${code} were stopped for another reason meanwhile: look at it, then resume them again.`,
  );
}
