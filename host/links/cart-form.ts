import { CART, invalidField, readDecimal } from '../../core/index.ts';
import type { Decimal, LinkVisit, TipChoice } from '../../core/index.ts';

/** The texts of a form's fields, by name. */
export type FormFields = Readonly<Record<string, unknown>>;

/** What was chosen on a page, as its form shows it again. */
export interface ShownChoice {
  /** Quantities as they were typed, by the ids of items. */
  readonly quantities: ReadonlyMap<string, string>;
  /** A percentage, `own`, or empty for none. */
  readonly tip: string;
  /** The own tip as it was typed. */
  readonly ownTip: string;
}

export const NO_CHOICE: ShownChoice = { quantities: new Map(), tip: '', ownTip: '' };
/** The value of the field `tip` for an amount in the field {@link OWN_TIP}. */
export const OWN = 'own';
export const OWN_TIP = 'own-tip';
const ITEM = /^item-([A-Za-z0-9_-]{1,32})$/;
const QUANTITY = /^\d{1,3}$/;
const PERCENT = /^\d{1,3}$/;
const OFFER = /^[0-9a-f]{64}$/;
const AMOUNT = /^[\d.,]{1,20}$/;

export const itemField = (id: string): string => `item-${id}`;

/** Accepts a comma as the decimal separator, as in many languages. */
export const typedAmount = (text: string): Decimal | null =>
  /^\d{1,15}(?:[.,]\d{1,8})?$/.test(text) ? readDecimal(text.replace(',', '.')) : null;

/**
 * What a form chose; `null` for a form without items and tips. What cannot be read is refused with its field.
 *
 * @throws TillgateError `INVALID_FIELDS`
 */
export function cartOf(fields: FormFields): LinkVisit['cart'] | null {
  const offer = textOf(fields, 'offer');
  if (offer === '') return null;
  const { quantities, tip, ownTip } = choiceOf(Object.entries(fields));
  return {
    offer: OFFER.test(offer) ? offer : '',
    quantities: new Map([...quantities].map(([id, text]) => [id, QUANTITY.test(text) ? Number(text) : Number.NaN])),
    tip: tipOf(tip, ownTip),
  };
}

function tipOf(tip: string, ownTip: string): TipChoice | null {
  if (tip === '') return null;
  const amount = tip === OWN ? typedAmount(ownTip) : null;
  if (amount !== null) return { amount };
  if (!PERCENT.test(tip)) throw invalidField('tip', 'must be a percentage or an amount');
  return { percent: Number(tip) };
}

function choiceOf(fields: Iterable<readonly [string, unknown]>): ShownChoice {
  const quantities = new Map<string, string>();
  const texts = new Map<string, string>();
  for (const [name, value] of fields) {
    const text = typeof value === 'string' ? value.trim() : '';
    const id = ITEM.exec(name)?.[1];
    if (id === undefined) texts.set(name, text);
    else if (text !== '') quantities.set(id, text);
  }
  return { quantities, tip: texts.get('tip') ?? '', ownTip: texts.get(OWN_TIP) ?? '' };
}

/** The choice of a refused form, for the query of the page that shows it again; empty for none. */
export function choiceQuery(fields: FormFields): string {
  const { quantities, tip, ownTip } = choiceOf(Object.entries(fields));
  const chosen = [...quantities].filter(([, text]) => QUANTITY.test(text) && Number(text) > 0).slice(0, CART.items);
  const query = new URLSearchParams(chosen.map(([id, text]) => [itemField(id), text]));
  if (PERCENT.test(tip) || tip === OWN) query.set('tip', tip);
  if (AMOUNT.test(ownTip)) query.set(OWN_TIP, ownTip);
  return query.toString();
}

/** Reads {@link choiceQuery}, of which anybody can write another. */
export function shownChoice(text: string): ShownChoice {
  const { quantities, tip, ownTip } = choiceOf(new URLSearchParams(text));
  return {
    quantities: new Map([...quantities].filter(([, quantity]) => QUANTITY.test(quantity))),
    tip: PERCENT.test(tip) || tip === OWN ? tip : '',
    ownTip: AMOUNT.test(ownTip) ? ownTip : '',
  };
}

function textOf(fields: FormFields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : '';
}
