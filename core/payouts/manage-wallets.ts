import type { AccountId, IdempotencyClaim, Storage } from '../kernel/index.ts';
import type { Transfer } from './transfer.ts';
import type { WalletBalance } from './wallet-balance.ts';
import type { WalletQueries } from './wallet-queries.ts';
import type { RequestWithdrawal, WithdrawalInput, WithdrawalQuote } from './request-withdrawal.ts';
import { accountNotFound, targetAccount } from '../access/index.ts';
import type { Actor, AuditDeps } from '../access/index.ts';
import { requestedByHand } from './requested-by-hand.ts';

export interface ManageWalletsDeps extends AuditDeps {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly walletQueries: Pick<WalletQueries, 'list'>;
  readonly requestWithdrawal: Pick<RequestWithdrawal, 'run' | 'quote'>;
}

/** The balances of an account, and its withdrawals. */
export class ManageWallets {
  readonly #deps: ManageWalletsDeps;

  constructor(deps: ManageWalletsDeps) {
    this.#deps = deps;
  }

  /** Balances as in the payment API. @throws TillgateError `NOT_FOUND` for another account */
  async list(actor: Actor, accountId: AccountId | undefined): Promise<readonly WalletBalance[]> {
    const owner = targetAccount(actor, accountId);
    if ((await this.#deps.storage.accounts.find(owner)) === null) throw accountNotFound();
    return this.#deps.walletQueries.list(owner);
  }

  /** What a withdrawal of the actor's own balance would cost. @throws TillgateError as {@link RequestWithdrawal.quote} */
  quote(actor: Actor, input: Pick<WithdrawalInput, 'chain' | 'currency' | 'amount'>): Promise<WithdrawalQuote> {
    return this.#deps.requestWithdrawal.quote(targetAccount(actor, undefined), input);
  }

  /**
   * Withdraws from the actor's own balance. No person can withdraw for another account; the application in whose process
   * the till runs can.
   *
   * @throws TillgateError `NOT_FOUND` for another account; as {@link RequestWithdrawal.run}
   */
  async withdraw(
    actor: Actor,
    { accountId, ...input }: WithdrawalInput & { readonly accountId?: AccountId | undefined },
    idempotency: IdempotencyClaim | null = null,
  ): Promise<Transfer> {
    const owner = targetAccount(actor, accountId);
    const isOwn = owner === actor.accountId;
    const isThere = isOwn || (actor.program !== undefined && (await this.#deps.storage.accounts.find(owner)) !== null);
    if (!isThere) throw accountNotFound();
    const byHand = requestedByHand(this.#deps, actor, 'withdrawal.request', ({ id }) => id);
    return (await this.#deps.requestWithdrawal.run({ accountId: owner }, input, idempotency, byHand)).withdrawal;
  }
}
