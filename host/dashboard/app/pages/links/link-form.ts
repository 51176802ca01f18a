import type { LinkRecord } from '../../records.ts';

/** The fields that are amounts in the fiat currency. */
export const AMOUNTS = ['price', 'min_price', 'max_price'] as const;

/** The form's fields of a link, which are the API's; each may be empty. */
export type LinkForm = Readonly<Record<string, unknown>>;

/** Fields without a "none" value: their empty text is a value. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description']);
/** Fields whose "none" is an empty list. */
const LISTS: ReadonlySet<string> = new Set(['items', 'tips']);
/** The changeable fields: kind and fiat currency are fixed. */
const CHANGEABLE = [
  ...['title', 'description', 'price', 'min_price', 'max_price', 'items', 'tips', 'coins'],
  ...['max_sales', 'expires_at'],
  ...['return_url', 'callback_url', 'reference_prefix'],
] as const;

const isEmpty = (value: unknown): boolean =>
  value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** Converts a field to the API's format: `null` for an empty one, times in UTC. */
function valueOf(name: string, value: unknown): unknown {
  if (isEmpty(value)) return TEXTS.has(name) ? '' : LISTS.has(name) ? [] : null;
  if (name === 'tips') return tipsOf(value);
  if (name === 'items')
    return (value as readonly FormItem[]).map(({ id, name: named, price }) => ({
      ...(id !== undefined && { id }),
      ...{ name: named, price },
    }));
  return name === 'expires_at' ? new Date(value as string | Date).toISOString() : value;
}

interface FormItem {
  readonly id?: string;
  readonly name: string;
  readonly price: string;
}

/** The percentages in a text such as `10, 15, 20`; NaN for what is none. */
export const tipsOf = (value: unknown): readonly number[] =>
  Array.isArray(value)
    ? value.map(Number)
    : (typeof value === 'string' ? value : '')
        .split(/[\s,;%،、]+/)
        .filter((word) => word !== '')
        .map((word) => (/^\d{1,3}$/.test(word) ? Number(word) : Number.NaN));

/** A link with a fixed price has no limits, and one with items no price: what was typed before them does not count. */
function withoutLimits(form: LinkForm): LinkForm {
  const limits = { min_price: null, max_price: null };
  if (!isEmpty(form['items'])) return { ...form, ...limits, price: null };
  return isEmpty(form['price']) ? form : { ...form, ...limits };
}

/** The body that creates a link; empty fields are omitted. */
export function bodyOf(form: LinkForm): Readonly<Record<string, unknown>> {
  const given = Object.entries(withoutLimits(form)).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(given.map(([name, value]) => [name, valueOf(name, value)]));
}

/**
 * The body that changes a link: only the fields that differ from the link as read, so that simultaneous changes by
 * others are kept. An emptied field is `null`, which removes it.
 */
export function changesOf(former: LinkRecord, form: LinkForm): Readonly<Record<string, unknown>> {
  const next = withoutLimits(form);
  const changes = CHANGEABLE.map((name) => [name, valueOf(name, former[name]), valueOf(name, next[name])] as const);
  const differing = changes.filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after));
  return Object.fromEntries(differing.map(([name, , after]) => [name, after]));
}
