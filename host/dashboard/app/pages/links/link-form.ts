import type { LinkRecord } from '../../records.ts';

/** What the form of a link has: the API's fields, each of them empty in some way where nothing was typed. */
export type LinkForm = Readonly<Record<string, unknown>>;

/** Fields that have no "none": empty text is a text. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description']);
/** What may be changed of a link: its kind and its fiat currency stay. */
const CHANGEABLE = [
  ...['title', 'description', 'vs_price', 'min_price', 'max_price', 'coins', 'max_sales', 'expires_at'],
  ...['return_url', 'callback_url', 'reference_prefix'],
] as const;

const isEmpty = (value: unknown): boolean =>
  value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** A field as the API has it: `null` for an empty one, a moment in UTC. */
function valueOf(name: string, value: unknown): unknown {
  if (isEmpty(value)) return TEXTS.has(name) ? '' : null;
  return name === 'expires_at' ? new Date(value as string | Date).toISOString() : value;
}

/** The body that makes a link; of empty fields nothing is sent. */
export function bodyOf(form: LinkForm): Readonly<Record<string, unknown>> {
  const given = Object.entries(form).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(given.map(([name, value]) => [name, valueOf(name, value)]));
}

/**
 * The body that changes a link: the fields that differ from the link as it was read, so that what somebody else changes meanwhile is not
 * undone. An emptied one is `null`, which removes it.
 */
export function changesOf(former: LinkRecord, form: LinkForm): Readonly<Record<string, unknown>> {
  const changes = CHANGEABLE.map((name) => [name, valueOf(name, former[name]), valueOf(name, form[name])] as const);
  const differing = changes.filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after));
  return Object.fromEntries(differing.map(([name, , after]) => [name, after]));
}
