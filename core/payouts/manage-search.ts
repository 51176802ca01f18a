import { isTillgateError, isId, PAGE_MAX } from '../kernel/index.ts';
import type {
  AccountId,
  CallbackId,
  ClaimId,
  LinkId,
  Millis,
  PayoutBatchId,
  PullPaymentId,
  TransferId,
} from '../kernel/index.ts';
import type { ManageCallbacks } from '../notify/index.ts';
import type { ManageLinks, ManageTransactions } from '../orders/index.ts';
import type { Actor } from '../access/index.ts';
import type { ManageBatches } from './manage-batches.ts';
import type { ManageOrders } from './manage-orders.ts';
import type { ManagePullPayments } from './manage-pull-payments.ts';
import type { ManageWithdrawals } from './manage-withdrawals.ts';

/** The most records that a search finds. */
export const MAX_FOUND = 10;

/** The most pull payments with a name whose claims a search reads. */
const MAX_NAMED = 3;

/** The kinds of records that a search finds. */
export const FOUND_KINDS = ['order', 'payout', 'claim', 'pull_payment', 'payout_batch', 'link', 'callback'] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

/** A record that a search found. */
export interface FoundRecord {
  readonly kind: FoundKind;
  readonly id: string;
  /** `null` for the till's own moves. */
  readonly accountId: AccountId | null;
  /** The merchant's reference or name, or the receiving address; `null` where there is none. */
  readonly label: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: Millis;
}

export interface ManageSearchDeps {
  readonly orders: Pick<ManageOrders, 'list'>;
  readonly transactions: Pick<ManageTransactions, 'list'>;
  readonly withdrawals: Pick<ManageWithdrawals, 'show'>;
  readonly pullPayments: Pick<ManagePullPayments, 'find' | 'findClaim' | 'list' | 'claims'>;
  readonly batches: Pick<ManageBatches, 'find'>;
  readonly links: Pick<ManageLinks, 'find' | 'list'>;
  readonly callbacks: Pick<ManageCallbacks, 'find'>;
}

/**
 * Finds records of several kinds by one text. Each kind is read by its own use case, which decides what the actor may
 * see, so a search finds what the actor could open, and nothing else. Every read is limited.
 */
export class ManageSearch {
  readonly #deps: ManageSearchDeps;

  constructor(deps: ManageSearchDeps) {
    this.#deps = deps;
  }

  /**
   * @param text - an id, a merchant's reference, an address, a transaction's hash, or a part of the name of a link or a
   *   pull payment among the newest {@link PAGE_MAX}
   * @returns the records with that text, each once, newest first; at most {@link MAX_FOUND}
   */
  async run(actor: Actor, text: string): Promise<readonly FoundRecord[]> {
    const found = (
      await Promise.all([
        this.#orders(actor, text),
        this.#paid(actor, text),
        ...(isId(text) ? this.#byId(actor, text) : [this.#namedLinks(actor, text), this.#namedPulls(actor, text)]),
      ])
    ).flat();
    const distinct = new Map(found.map((record) => [`${record.kind} ${record.id}`, record]));
    return [...distinct.values()]
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .slice(0, MAX_FOUND);
  }

  async #orders(actor: Actor, q: string): Promise<readonly FoundRecord[]> {
    const { items } = await this.#deps.orders.list(actor, { q, limit: MAX_FOUND });
    return items.map(({ order: { id, accountId, merchantReference, createdAt } }) => ({
      ...{ kind: 'order', id, accountId, label: merchantReference, createdAt },
    }));
  }

  /** Payouts by what their transactions show; an order is found by its own search. */
  async #paid(actor: Actor, q: string): Promise<readonly FoundRecord[]> {
    const { items } = await this.#deps.transactions.list(actor, { q, limit: MAX_FOUND });
    return items.flatMap(({ id, type, accountId, toAddress, at }): readonly FoundRecord[] =>
      type === 'WITHDRAW' || type === 'REFUND' || type === 'PAYOUT'
        ? [{ kind: 'payout', id, accountId, label: toAddress, createdAt: at }]
        : [],
    );
  }

  #byId(actor: Actor, id: string): readonly Promise<readonly FoundRecord[]>[] {
    const { withdrawals, pullPayments, batches, links, callbacks } = this.#deps;
    return [
      visible(async () => {
        const { transfer } = await withdrawals.show(actor, id as TransferId);
        const { accountId, toAddress: label, createdAt } = transfer;
        return { kind: 'payout', id, accountId, label, createdAt };
      }),
      visible(async () => {
        const { claim } = await pullPayments.findClaim(actor, id as ClaimId);
        const { accountId, toAddress: label, createdAt } = claim;
        return { kind: 'claim', id, accountId, label, createdAt };
      }),
      visible(async () => {
        const { pull } = await pullPayments.find(actor, id as PullPaymentId);
        const { accountId, name: label, createdAt } = pull;
        return { kind: 'pull_payment', id, accountId, label, createdAt };
      }),
      visible(async () => {
        const { batch } = await batches.find(actor, id as PayoutBatchId);
        const { accountId, name: label, createdAt } = batch;
        return { kind: 'payout_batch', id, accountId, label, createdAt };
      }),
      visible(async () => {
        const { link } = await links.find(actor, id as LinkId);
        const { accountId, title: label, createdAt } = link;
        return { kind: 'link', id, accountId, label, createdAt };
      }),
      visible(async () => {
        const { callback } = await callbacks.find(actor, id as CallbackId);
        const { accountId, event: label, createdAt } = callback;
        return { kind: 'callback', id, accountId, label, createdAt };
      }),
    ];
  }

  async #namedLinks(actor: Actor, text: string): Promise<readonly FoundRecord[]> {
    const { items } = await this.#deps.links.list(actor, { limit: PAGE_MAX });
    return items
      .filter(({ link }) => isNamed(link.title, text))
      .map(({ link: { id, accountId, title: label, createdAt } }) => ({
        ...{ kind: 'link', id, accountId, label, createdAt },
      }));
  }

  /** Pull payments by their name, and the claims of the newest of them. */
  async #namedPulls(actor: Actor, text: string): Promise<readonly FoundRecord[]> {
    const { pullPayments } = this.#deps;
    const { items } = await pullPayments.list(actor, { limit: PAGE_MAX });
    const pulls = items.map(({ pull }) => pull).filter(({ name }) => isNamed(name, text));
    const claims = await Promise.all(
      pulls.slice(0, MAX_NAMED).map(({ id }) => pullPayments.claims(actor, { pullPaymentId: id, limit: MAX_FOUND })),
    );
    return [
      ...pulls.map(({ id, accountId, name: label, createdAt }): FoundRecord => ({
        ...{ kind: 'pull_payment', id, accountId, label, createdAt },
      })),
      ...claims.flatMap((page) =>
        page.items.map(({ claim: { id, accountId, toAddress: label, createdAt } }): FoundRecord => ({
          ...{ kind: 'claim', id, accountId, label, createdAt },
        })),
      ),
    ];
  }
}

const isNamed = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());

/** The record of a read; nothing where the actor has no such record. */
async function visible(read: () => Promise<FoundRecord>): Promise<readonly FoundRecord[]> {
  try {
    return [await read()];
  } catch (error) {
    if (isTillgateError(error, 'NOT_FOUND')) return [];
    throw error;
  }
}
