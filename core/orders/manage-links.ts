import { nameKey } from './brand-texts.ts';
import { storedItems } from './cart.ts';
import type { CallbackPlaces } from '../notify/index.ts';
import type {
  AccountId,
  AssetCatalogue,
  Digest,
  LinkId,
  Millis,
  Random,
  Storage,
  Transaction,
} from '../kernel/index.ts';
import { hex, invalidField, isId, partOf, stateConflict, TillgateError } from '../kernel/index.ts';
import { EMPTY_LINK, requireLinkFiat, withFields } from './link-fields.ts';
import type { LinkFields, LinkRules } from './link-fields.ts';
import { linkState, MAX_LINK_SALES, MAX_LINKS, PAIRING_MS } from './payment-link.ts';
import type { LinkCounts, LinkFace, LinkState, PaymentLink } from './payment-link.ts';
import type { OrderQueries } from './order-queries.ts';
import type { LinkPosition } from './link-store.ts';
import {
  addAuditRow,
  changesOf,
  createdWith,
  listPage,
  listScope,
  lockLive,
  recordNotFound,
  requireAccess,
  requireOwnSecret,
  targetAccount,
} from '../access/index.ts';
import type {
  AccountListInput,
  Actor,
  AuditAction,
  AuditChanges,
  AuditDeps,
  CursorPage,
  ListDeps,
} from '../access/index.ts';

/** The properties of a new link. */
export interface NewLink extends LinkFields {
  /** The actor's own by default. */
  readonly accountId?: AccountId;
  readonly face?: LinkFace;
  readonly title: string;
  readonly vsCurrency: string;
}

/** A link with the counts of its orders. */
export interface ManagedLink extends LinkCounts {
  readonly link: PaymentLink;
  readonly state: LinkState;
  /** The URL of the link's page. */
  readonly url: string;
}

/** A code that pairs a device with a point of sale. It must not be logged. */
export interface PairingCode {
  readonly link: PaymentLink;
  readonly code: string;
  /** The URL of the link's page. */
  readonly url: string;
  readonly until: Millis;
}

export interface ManageLinksDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'links' | 'transaction'>;
  readonly assets: AssetCatalogue;
  readonly random: Random;
  readonly digest: Digest;
  readonly places: CallbackPlaces;
  readonly queries: Pick<OrderQueries, 'linkUrl'>;
}

const TOKEN_BYTES = 16;
const AUDITED = [
  ...['title', 'description', 'coins', 'maxSales', 'expiresAt', 'active', 'returnUrl', 'callbackUrl'],
  ...['timeoutCallback', 'enablePostCallback', 'fixedEncryptPrice', 'referencePrefix', 'metadata'],
  ...['price', 'minPrice', 'maxPrice', 'items', 'tips'],
] as const;

/** Payment links of accounts (core/decisions/pages.md). */
export class ManageLinks {
  readonly #deps: ManageLinksDeps;

  constructor(deps: ManageLinksDeps) {
    this.#deps = deps;
  }

  /**
   * Links, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<ManagedLink>> {
    const scope = listScope(actor, accountId);
    const { items, nextCursor } = await listPage(
      ['links', actor.accountId, scope],
      page,
      this.#deps,
      async (limit, after: LinkPosition | null) =>
        partOf(await this.#deps.storage.links.list(scope, after, limit + 1), limit, (link) => link),
    );
    return { items: await Promise.all(items.map((link) => this.#managed(link))), nextCursor };
  }

  /** @throws TillgateError `NOT_FOUND`, also for a link of another account */
  async find(actor: Actor, id: LinkId): Promise<ManagedLink> {
    return this.#managed(await this.#own(actor, id));
  }

  /**
   * @throws TillgateError `NOT_FOUND`; `INVALID_FIELDS`; `UNSUPPORTED`; `STATE_CONFLICT` for an archived account, and
   *   for one with {@link MAX_LINKS}
   */
  async create(
    actor: Actor,
    { accountId: wanted, face = 'LINK', vsCurrency, ...fields }: NewLink,
  ): Promise<ManagedLink> {
    const { storage, random, ids, clock } = this.#deps;
    const accountId = targetAccount(actor, wanted);
    const fiat = requireLinkFiat(vsCurrency);
    const now = clock.now();
    const content = withFields(EMPTY_LINK, fields, fiat, this.#rules(now));
    const link: PaymentLink = {
      ...content,
      ...{ id: ids.next() as LinkId, accountId, token: hex(random.bytes(TOKEN_BYTES)), face, vsCurrency },
      ...{ pairing: null, devices: [], version: 1, createdAt: now, updatedAt: now },
    };
    await storage.transaction(async (tx) => {
      await lockLive(tx, accountId);
      if ((await tx.links.countOf(accountId)) >= MAX_LINKS)
        throw stateConflict(`An account has at most ${MAX_LINKS} links.`);
      await refuseOthersName(tx, link);
      await tx.links.add(link);
      const { title, price } = link;
      this.#audit(tx, actor, 'link.create', link, createdWith({ face, title, vsCurrency, price: textOf(price) }));
    });
    return this.#managed(link);
  }

  /**
   * Changes a link; its existing orders stay unchanged.
   *
   * @param expectedVersion - the version that the caller has read
   * @throws TillgateError `NOT_FOUND`, also for a link of another account; `VERSION_MISMATCH`; `INVALID_FIELDS`;
   *   `UNSUPPORTED`
   */
  async update(actor: Actor, id: LinkId, expectedVersion: number, fields: LinkFields): Promise<ManagedLink> {
    return this.#change(actor, id, 'link.update', (link, now) => {
      if (link.version !== expectedVersion)
        throw new TillgateError(
          'VERSION_MISMATCH',
          `The link was changed meanwhile and has version ${link.version}: read it again, then repeat your change.`,
          {
            version: link.version,
          },
        );
      return withFields(link, fields, requireLinkFiat(link.vsCurrency), this.#rules(now)) as PaymentLink;
    });
  }

  /**
   * Deactivates a link of any version; its existing orders stay unchanged. @throws TillgateError `NOT_FOUND`, also for
   * a link of another account
   */
  deactivate(actor: Actor, id: LinkId): Promise<ManagedLink> {
    return this.#change(actor, id, 'link.deactivate', (link) => ({ ...link, active: false }));
  }

  /**
   * Creates a code with which the owner pairs one device with a point of sale; it replaces an earlier code.
   *
   * @throws TillgateError `NOT_FOUND`, also for a link of another account; `FORBIDDEN` for an admin; `INVALID_FIELDS`
   *   for a link that is no point of sale
   */
  async pair(actor: Actor, id: LinkId): Promise<PairingCode> {
    const { random, digest, clock } = this.#deps;
    requireOwnSecret(actor, (await this.#own(actor, id)).accountId);
    const code = hex(random.bytes(TOKEN_BYTES));
    const until = clock.now() + PAIRING_MS;
    const { link, url } = await this.#change(actor, id, 'link.pairing', (former) => {
      requirePointOfSale(former);
      return { ...former, pairing: { hash: digest.sha256Hex(code), until } };
    });
    return { link, code, url, until };
  }

  /** Removes every device of a point of sale. @throws TillgateError as {@link pair} */
  unpair(actor: Actor, id: LinkId): Promise<ManagedLink> {
    return this.#change(actor, id, 'link.unpair', (former) => {
      requirePointOfSale(former);
      return { ...former, pairing: null, devices: [] };
    });
  }

  /** Changes a link with only the link locked, because its orders lock it too, and the account after it. */
  async #change(
    actor: Actor,
    id: LinkId,
    action: AuditAction,
    change: (link: PaymentLink, now: Millis) => PaymentLink,
  ): Promise<ManagedLink> {
    const { storage, clock } = this.#deps;
    await this.#own(actor, id);
    const changed = await storage.transaction(async (tx) => {
      const former = await tx.links.lock(id);
      if (former === null) throw recordNotFound();
      const now = clock.now();
      const link: PaymentLink = { ...former, ...change(former, now), updatedAt: now };
      if (link.title !== former.title) await refuseOthersName(tx, link);
      if (!(await tx.links.update(link))) throw recordNotFound();
      this.#audit(tx, actor, action, link, changesOf(shown(former), shown(link), AUDITED));
      return { ...link, version: link.version + 1 };
    });
    return this.#managed(changed);
  }

  async #own(actor: Actor, id: LinkId): Promise<PaymentLink> {
    const found = isId(id) ? await this.#deps.storage.links.find(id) : null;
    if (found === null) throw recordNotFound();
    requireAccess(actor, found.accountId);
    return found;
  }

  async #managed(link: PaymentLink): Promise<ManagedLink> {
    const counts = await this.#deps.storage.links.counts(link.id, MAX_LINK_SALES, this.#deps.clock.now());
    const { queries, clock } = this.#deps;
    return { link, ...counts, state: linkState(link, counts, clock.now()), url: queries.linkUrl(link) };
  }

  #rules(now: Millis): LinkRules {
    const { assets, places, ids } = this.#deps;
    return { assets, places, now, newId: () => ids.next() };
  }

  #audit(
    tx: Transaction,
    actor: Actor,
    action: AuditAction,
    { id, accountId }: PaymentLink,
    changes: AuditChanges,
  ): void {
    addAuditRow(this.#deps, tx, actor, { action, accountId, subjectId: id, changes });
  }
}

const textOf = (units: bigint | null): string | null => (units === null ? null : units.toString());

/** The audit log's view of a link, with amounts as digits. */
function shown(link: PaymentLink): Record<(typeof AUDITED)[number], unknown> {
  const { price, minPrice, maxPrice, items } = link;
  const prices = { price: textOf(price), minPrice: textOf(minPrice), maxPrice: textOf(maxPrice) };
  return { ...link, ...prices, items: storedItems(items) };
}

/**
 * Refuses another account's brand as a heading, because payers would take the page for that account's. @throws
 * TillgateError `INVALID_FIELDS`
 */
async function refuseOthersName({ branding }: Transaction, { title, accountId }: PaymentLink): Promise<void> {
  const owner = await branding.ownerOfName(nameKey(title));
  if (owner !== null && owner !== accountId) throw invalidField('title', 'is the name of another merchant');
}

function requirePointOfSale({ face }: PaymentLink): void {
  if (face !== 'POINT_OF_SALE') throw invalidField('id', 'must be the id of a point of sale');
}
