import { invalidField, toUnits } from '../kernel/index.ts';
import type { Decimal, Fiat } from '../kernel/index.ts';
import { lineProblem } from './brand-texts.ts';
import { priceUnits } from './price-units.ts';

/** Something that a payment link sells. */
export interface LinkItem {
  /** Unique among the items of its link; letters, digits, `-` and `_`. */
  readonly id: string;
  readonly name: string;
  /** In minor units of the link's fiat currency. */
  readonly price: bigint;
}

/** An item that was bought, at its price at that time. */
export interface CartLine extends LinkItem {
  readonly quantity: number;
}

/** What an order of a payment link is for. */
export interface Cart {
  /** Empty where the link has no items. */
  readonly lines: readonly CartLine[];
  /** In minor units of the order's fiat currency; part of the order's price. */
  readonly tip: bigint;
}

/** A {@link LinkItem} as a merchant gives it. */
export interface GivenItem {
  /** A new one by default. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly price: Decimal;
}

/** A tip: one of the link's percentages, or an own amount. */
export type TipChoice = { readonly percent: number } | { readonly amount: Decimal };

/** What a visitor chose: quantities by the ids of items, and a tip. */
export interface CartChoice {
  readonly quantities?: ReadonlyMap<string, number>;
  /** `null` for none. */
  readonly tip?: TipChoice | null;
}

/** The limits of items and tips. */
export const CART = { items: 50, idLength: 32, nameLength: 60, quantity: 99, tips: 4, percent: 100 } as const;

const ID = /^[A-Za-z0-9_-]{1,32}$/;
const CONTROL = /\p{Cc}/u;
const HUNDRED = 100n;

/** The items of a link. @throws TillgateError `INVALID_FIELDS` */
export function acceptedItems(given: readonly GivenItem[], fiat: Fiat, newId: () => string): readonly LinkItem[] {
  if (given.length > CART.items) throw invalidField('items', `must have at most ${CART.items} items`);
  const items = given.map(({ id = newId(), name, price }, at) => {
    const path = `items.${at}`;
    if (!ID.test(id)) throw invalidField(`${path}.id`, `must be 1 to ${CART.idLength} letters, digits, - or _`);
    if (name.trim() === '' || name.length > CART.nameLength || CONTROL.test(name))
      throw invalidField(`${path}.name`, `must be 1 to ${CART.nameLength} characters without control characters`);
    const problem = lineProblem(name);
    if (problem !== null) throw invalidField(`${path}.name`, problem);
    return { id, name, price: priceUnits(`${path}.price`, price, fiat) };
  });
  const twice = items.findIndex(({ id }, at) => items.findIndex((other) => other.id === id) !== at);
  if (twice !== -1) throw invalidField(`items.${twice}.id`, 'must not occur twice');
  return items;
}

/** The percentages of a link. @throws TillgateError `INVALID_FIELDS` */
export function acceptedTips(given: readonly number[]): readonly number[] {
  const whole = given.every((tip) => Number.isSafeInteger(tip) && tip >= 1 && tip <= CART.percent);
  const ascending = given.every((tip, at) => at === 0 || tip > (given[at - 1] ?? 0));
  if (given.length > CART.tips || !whole || !ascending)
    throw invalidField(
      'tips',
      `must be at most ${CART.tips} whole percentages from 1 to ${CART.percent}, each more than the one before`,
    );
  return given;
}

/** The items of a link that were chosen, at their prices. @throws TillgateError `INVALID_FIELDS` */
export function linesOf(items: readonly LinkItem[], quantities: ReadonlyMap<string, number>): readonly CartLine[] {
  for (const [id, quantity] of quantities) {
    if (!items.some((item) => item.id === id)) throw invalidField('items', 'must be items of this page');
    if (!Number.isSafeInteger(quantity) || quantity < 0 || quantity > CART.quantity)
      throw invalidField('items', `must have quantities from 0 to ${CART.quantity}`);
  }
  const lines = items.flatMap((item) => {
    const quantity = quantities.get(item.id) ?? 0;
    return quantity === 0 ? [] : [{ ...item, quantity }];
  });
  if (lines.length === 0) throw invalidField('items', 'must have at least one item');
  return lines;
}

/** The sum of lines, in minor units. */
export const sumOf = (lines: readonly CartLine[]): bigint =>
  lines.reduce((sum, { price, quantity }) => sum + price * BigInt(quantity), 0n);

/**
 * The tip in minor units; a percentage is rounded half up to a minor unit. An own tip is at most the amount that it is
 * added to, because a larger one is more likely a slip of the finger.
 *
 * @param base - the amount without the tip
 * @throws TillgateError `INVALID_FIELDS`
 */
export function tipOf(tips: readonly number[], choice: TipChoice | null, base: bigint, fiat: Fiat): bigint {
  if (choice === null) return 0n;
  if ('percent' in choice) {
    if (!tips.includes(choice.percent)) throw invalidField('tip', 'must be a tip of this page');
    return (base * BigInt(choice.percent) + HUNDRED / 2n) / HUNDRED;
  }
  if (tips.length === 0) throw invalidField('tip', 'must be absent, because this page takes no tips');
  const units = toUnits(choice.amount, fiat.decimals);
  if (units === null || units > base)
    throw invalidField('tip', `must be at most the amount, with at most ${fiat.decimals} decimals for ${fiat.code}`);
  return units;
}

/** A {@link Cart} in which amounts are digits, as it is stored. */
export interface StoredCart {
  readonly lines: readonly StoredLine[];
  readonly tip: string;
}
/** A {@link LinkItem} in which the price is digits, as it is stored. */
export type StoredItem = Omit<LinkItem, 'price'> & { readonly price: string };
/** A {@link CartLine} in which the price is digits, as it is stored. */
export type StoredLine = Omit<CartLine, 'price'> & { readonly price: string };

const withDigits = <T extends { readonly price: bigint }>(priced: T) => ({ ...priced, price: String(priced.price) });
const withUnits = <T extends { readonly price: string }>(priced: T) => ({ ...priced, price: BigInt(priced.price) });

/** Writes items as they are stored. */
export const storedItems = (items: readonly LinkItem[]): readonly StoredItem[] => items.map(withDigits);
/** Reads {@link storedItems}. */
export const readItems = (stored: readonly StoredItem[]): readonly LinkItem[] => stored.map(withUnits);
/** Writes a cart as it is stored. */
export const storedCart = ({ lines, tip }: Cart): StoredCart => ({ lines: lines.map(withDigits), tip: String(tip) });
/** Reads {@link storedCart}. */
export const readCart = ({ lines, tip }: StoredCart): Cart => ({ lines: lines.map(withUnits), tip: BigInt(tip) });

/** A text that is equal for equal choices. */
export function choiceText({ quantities = new Map(), tip = null }: CartChoice): string {
  const chosen = [...quantities].filter(([, quantity]) => quantity > 0);
  const sorted = chosen.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([sorted, tip === null ? null : 'percent' in tip ? tip.percent : decimalText(tip.amount)]);
}

/** A text that is equal for decimals that are written alike. */
export const decimalText = ({ digits, scale }: Decimal): string => `${digits}e-${scale}`;
