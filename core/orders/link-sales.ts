import type {
  AssetCatalogue,
  Clock,
  Decimal,
  Digest,
  ErrorCode,
  Fiat,
  IdempotencyClaim,
  IdGenerator,
  LinkDeviceId,
  Millis,
  OrderId,
  Random,
  Storage,
} from '../kernel/index.ts';
import {
  CLAIM_KEPT_MS,
  findFiat,
  formatUnits,
  hex,
  isTillgateError,
  present,
  readDecimal,
  TillgateError,
} from '../kernel/index.ts';
import type { Actor } from '../access/index.ts';
import { addAuditRow } from '../access/index.ts';
import { choiceText, decimalText, linesOf, storedItems, sumOf, tipOf } from './cart.ts';
import type { Cart, CartChoice } from './cart.ts';
import type { ChoosePayment } from './choose-payment.ts';
import type { CreateOrder, MadeOrder } from './create-order.ts';
import type { OrderAdminActions } from './order-admin-actions.ts';
import { ORDER_STATUSES } from './order-status.ts';
import type { Order } from './order.ts';
import type { OrderSettings } from './order-settings.ts';
import type { PlaceRefusal } from './order-store.ts';
import { linkAmount } from './link-fields.ts';
import { linkState, MAX_LINK_DEVICES, onlyCoin } from './payment-link.ts';
import type { LinkState, PaymentLink } from './payment-link.ts';

export interface LinkSalesDeps {
  readonly storage: Pick<Storage, 'accounts' | 'links' | 'orders' | 'transaction'>;
  readonly createOrder: Pick<CreateOrder, 'ofLink'>;
  readonly choosePayment: Pick<ChoosePayment, 'choose'>;
  readonly orderAdminActions: Pick<OrderAdminActions, 'terminate'>;
  readonly assets: Pick<AssetCatalogue, 'find'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly random: Random;
  readonly digest: Digest;
  readonly settings: Pick<OrderSettings, 'openPerLink'>;
}

/** A link as its page shows it. */
export interface LinkView {
  readonly link: PaymentLink;
  readonly state: LinkState;
}

/** The request of a visitor. */
export interface LinkVisit {
  /** The chosen amount; `null` where the link has its own. */
  readonly amount: Decimal | null;
  /** What was chosen, with the {@link LinkSales.offer} of the page; absent where the link has neither items nor tips. */
  readonly cart?: CartChoice & { readonly offer: string };
  /** Identifies the visit: the same key, amount and choice return the order that they created. */
  readonly key: string;
  /** True to create a new order when that of the key is finished. */
  readonly renew: boolean;
}

/** An order that was created at a point of sale. */
export interface ChargedSale {
  readonly order: Order;
  /** Why the link's only coin could not be selected; the payer's page offers it again. `null` when it was. */
  readonly refused: ErrorCode | null;
}

/** Who cancelled, in the history of an order. */
const CASHIER = 'point-of-sale';
/** How many times creating an order is tried while its link changes. */
const TRIES = 4;
/** The most finished orders of one visitor that are followed by a new one within a day. */
const MOST_VISITS = 20;
const SECRET_BYTES = 32;
const MOST_LISTED = 200;

/** Payment links as used by visitors and points of sale (core/decisions/pages.md). */
export class LinkSales {
  readonly #deps: LinkSalesDeps;

  constructor(deps: LinkSalesDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_FOUND` */
  async find(token: string): Promise<LinkView> {
    const { storage, clock } = this.#deps;
    const link = await storage.links.findByToken(token);
    if (link === null) throw noSuchLink();
    const account = await storage.accounts.find(link.accountId);
    if (account?.status !== 'active') return { link, state: 'ended' };
    const counts =
      link.maxSales === null ? { open: 0, sold: 0 } : await storage.links.counts(link.id, link.maxSales, clock.now());
    return { link, state: linkState(link, counts, clock.now()) };
  }

  /**
   * The order of a visit: a new one, or the one that the same visit created before.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` with the `reason` `ended`, `sold-out`, `reserved`, `busy` or
   *   `changed`;
   *   `INVALID_FIELDS` and `AMOUNT_OUT_OF_RANGE` for the amount; as {@link CreateOrder.ofLink}
   */
  async order(token: string, visit: LinkVisit): Promise<Order> {
    let key = visit.key;
    for (let visits = 0; visits < MOST_VISITS; visits++) {
      const { order, repeated } = await this.#made(token, { ...visit, key });
      if (!repeated || !visit.renew || this.#isOpen(order)) return order;
      key = `${visit.key} after ${order.id}`;
    }
    throw new TillgateError('RATE_LIMITED', 'Too many orders of one visitor today.');
  }

  /**
   * The order of a sale at a point of sale. If the link offers one coin, it is selected at once. If it cannot be
   * selected now, the order stays unchanged, and the same sale tries again.
   *
   * @throws TillgateError as {@link order}
   */
  async charge(token: string, visit: LinkVisit): Promise<ChargedSale> {
    const order = await this.order(token, visit);
    if (order.payment !== null || !this.#isOpen(order)) return { order, refused: null };
    const coin = onlyCoin((await this.find(token)).link);
    const asset = coin === null ? null : this.#deps.assets.find(coin);
    if (asset === null) return { order, refused: null };
    try {
      const { chain, currency } = asset;
      return { order: await this.#deps.choosePayment.choose(order.checkoutToken, chain, currency), refused: null };
    } catch (error) {
      if (isTillgateError(error)) return { order, refused: error.code };
      throw error;
    }
  }

  /**
   * Cancels a sale of a point of sale, of which no payment was seen; a cancelled one stays as it is. The audit log says
   * so, as of a cancellation in the dashboard.
   *
   * @param client - who asked, on a paired device
   * @throws TillgateError `NOT_FOUND` for an order of another page; `STATE_CONFLICT` once a payment was seen
   */
  async cancel(
    { id, accountId }: Pick<PaymentLink, 'id' | 'accountId'>,
    orderId: OrderId,
    client: Pick<Actor, 'ip' | 'traceId'>,
  ): Promise<Order> {
    const order = await this.#deps.storage.orders.find(orderId);
    if (order?.linkId !== id) throw noSuchLink();
    if (order.status === 'TERMINATED') return order;
    const actor: Actor = { accountId, role: 'user', ...client };
    const changes = { link: { from: null, to: id } };
    return this.#deps.orderAdminActions.terminate(orderId, CASHIER, (tx) =>
      addAuditRow(this.#deps, tx, actor, { action: 'order.terminate', accountId, subjectId: orderId, changes }),
    );
  }

  /** Identifies the prices and tips of a link, so that no page sells at others than it shows. */
  offer({ vsCurrency, price, minPrice, maxPrice, items, tips }: PaymentLink): string {
    const amounts = [price, minPrice, maxPrice].map((units) => units?.toString() ?? null);
    return this.#deps.digest.sha256Hex(JSON.stringify([vsCurrency, amounts, storedItems(items), tips]));
  }

  async #made(token: string, visit: LinkVisit): Promise<MadeOrder> {
    for (let tries = 0; tries < TRIES; tries++) {
      const { link, state } = await this.find(token);
      const former = await this.#former(link, visit);
      if (former !== null) return { order: former, repeated: true };
      // In the state `reserved`, the visitor's own order may have the last place.
      if (state === 'ended' || state === 'sold-out') throw refusedBecause(state);
      const result = await this.#create(link, visit);
      if ('order' in result) return result;
      if (result.refused !== 'link-changed') throw refusedBecause(REASONS[result.refused]);
    }
    throw new TillgateError('NOT_READY', 'The link is being changed; try again.');
  }

  /**
   * The order of a choice that is sent again. It is looked for before the choice is priced, because the items may have
   * changed since: another price must not make a second sale of it.
   */
  async #former(link: PaymentLink, visit: LinkVisit): Promise<Order | null> {
    if (visit.cart === undefined) return null;
    const { storage, clock } = this.#deps;
    return storage.orders.findByClaim(link.accountId, this.#claim(link, choiceKey(visit, visit.cart)), clock.now());
  }

  #create(link: PaymentLink, visit: LinkVisit) {
    const { createOrder } = this.#deps;
    const fiat = present(findFiat(link.vsCurrency), `fiat ${link.vsCurrency}`);
    const hasCart = link.items.length > 0 || link.tips.length > 0;
    if (hasCart ? visit.cart?.offer !== this.offer(link) : visit.cart !== undefined) throw refusedBecause('changed');
    const { units, cart } = priced(link, visit, fiat);
    const input = {
      vsCurrency: link.vsCurrency,
      vsPrice: present(readDecimal(formatUnits(units, fiat.decimals)), 'an amount'),
      links: { succeedUrl: link.returnUrl, callbackUrl: link.callbackUrl, timeoutCallback: link.timeoutCallback },
      enablePostCallback: link.enablePostCallback,
      fixedEncryptPrice: link.fixedEncryptPrice,
      metadata: link.metadata,
      cart,
      referencePrefix: link.referencePrefix,
      place: {
        linkId: link.id,
        version: link.version,
        maxSales: link.maxSales,
        maxOpen: this.#deps.settings.openPerLink,
      },
    };
    const principal = { accountId: link.accountId, credentialId: null, via: 'token' } as const;
    const key = visit.cart === undefined ? `${visit.key} ${units}` : choiceKey(visit, visit.cart);
    return createOrder.ofLink(principal, input, this.#claim(link, key));
  }

  #claim({ id }: PaymentLink, key: string): IdempotencyClaim {
    const { digest, clock } = this.#deps;
    const hash = digest.sha256Hex(key);
    return { route: `link:${id}`, key: hash, bodyHash: hash, expiresAt: clock.now() + CLAIM_KEPT_MS };
  }

  #isOpen({ status, expiresAt }: Order): boolean {
    return status === 'PENDING' && expiresAt > this.#deps.clock.now();
  }

  /** Whether the secret belongs to a device of this point of sale. */
  isPaired({ face, devices }: PaymentLink, secret: string): boolean {
    const hash = this.#deps.digest.sha256Hex(secret);
    return face === 'POINT_OF_SALE' && devices.some((device) => device.hash === hash);
  }

  /**
   * Pairs a device with a point of sale: consumes the code and returns a secret for the device.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` for a code that was used, replaced or has expired, and with too
   *   many devices
   */
  async pair(token: string, code: string, client: Pick<Actor, 'ip' | 'traceId'>): Promise<string> {
    const { storage, random, digest, clock, ids } = this.#deps;
    const found = await storage.links.findByToken(token);
    if (found?.face !== 'POINT_OF_SALE') throw noSuchLink();
    const secret = hex(random.bytes(SECRET_BYTES));
    const hash = digest.sha256Hex(code);
    await storage.transaction(async (tx) => {
      const link = present(await tx.links.lock(found.id), `link ${found.id}`);
      const now = clock.now();
      if (link.pairing?.hash !== hash || now >= link.pairing.until)
        throw new TillgateError(
          'STATE_CONFLICT',
          'This code was used or has expired: create a new one in the dashboard.',
        );
      if (link.devices.length >= MAX_LINK_DEVICES)
        throw new TillgateError('STATE_CONFLICT', `A point of sale has at most ${MAX_LINK_DEVICES} devices.`);
      const device = { id: ids.next() as LinkDeviceId, hash: digest.sha256Hex(secret), pairedAt: now };
      const devices = [...link.devices, device];
      await tx.links.update({ ...link, devices, pairing: null, updatedAt: now });
      const actor: Actor = { accountId: link.accountId, role: 'user', ...client };
      const changes = { device: { from: null, to: device.id } };
      addAuditRow(this.#deps, tx, actor, {
        action: 'link.pair',
        accountId: link.accountId,
        subjectId: link.id,
        changes,
      });
    });
    return secret;
  }

  /** The orders of a link since a time, newest first. */
  salesSince({ id, accountId }: PaymentLink, from: Millis): Promise<readonly Order[]> {
    return this.#deps.storage.orders.search({
      accountId,
      statuses: ORDER_STATUSES,
      currencies: null,
      from,
      to: null,
      traces: null,
      linkId: id,
      after: null,
      limit: MOST_LISTED,
    });
  }
}

/** The amount of an order and what it is for, from the link alone and the visitor's choice. */
function priced(
  link: PaymentLink,
  { amount, cart }: LinkVisit,
  fiat: Fiat,
): { readonly units: bigint; readonly cart: Cart | null } {
  if (cart === undefined) return { units: linkAmount(link, amount, fiat), cart: null };
  const lines = link.items.length === 0 ? [] : linesOf(link.items, cart.quantities ?? new Map());
  const base = link.items.length === 0 ? linkAmount(link, amount, fiat) : sumOf(lines);
  const tip = tipOf(link.tips, cart.tip ?? null, base, fiat);
  return { units: base + tip, cart: lines.length === 0 && tip === 0n ? null : { lines, tip } };
}

/** What identifies a choice: it names the page's offer in place of the amount, which may have changed since. */
function choiceKey({ key, amount }: LinkVisit, cart: NonNullable<LinkVisit['cart']>): string {
  return JSON.stringify([key, cart.offer, amount === null ? null : decimalText(amount), choiceText(cart)]);
}

const noSuchLink = (): TillgateError => new TillgateError('NOT_FOUND', 'There is no such page.');

/** Why a link creates no order now. */
export type LinkRefusal = 'ended' | 'sold-out' | 'reserved' | 'busy' | 'changed';

const REASONS: Readonly<Record<Exclude<PlaceRefusal, 'link-changed'>, LinkRefusal>> = {
  'no-sale-left': 'reserved',
  'too-many-open': 'busy',
};

const WORDS: Readonly<Record<LinkRefusal, string>> = {
  ended: 'This page does not accept payments any more.',
  'sold-out': 'Everything is sold.',
  reserved: 'The remaining items are reserved for payments in progress.',
  busy: 'Too many payments of this page are in progress; try again later.',
  changed: 'What is sold here, or its price, has changed; load the page again.',
};

function refusedBecause(reason: LinkRefusal): TillgateError {
  return new TillgateError('STATE_CONFLICT', WORDS[reason], { reason });
}
