import type { Check, Json, Read } from './recorded.ts';

type Token = { name: string } | { item: number } | 'each' | 'some';

/** What of the reads does not hold in an answer, as sentences; empty when all hold. */
export const failures = (answer: unknown, reads: readonly Read[]): string[] =>
  reads.flatMap((read) => {
    const failure = follow(answer, tokens(read.path), read);
    return failure === null ? [] : [`${read.path === '' ? 'the answer' : read.path}: ${failure}`];
  });

/** The value at a path without `[]` and `[?]`; undefined where there is none. */
export function valueAt(answer: unknown, path: string): unknown {
  let value = answer;
  for (const token of tokens(path)) {
    if (token === 'each' || token === 'some') throw new Error(`${path} has no single value`);
    value = 'name' in token ? member(value, token.name) : Array.isArray(value) ? value[token.item] : undefined;
  }
  return value;
}

function tokens(path: string): Token[] {
  const found: Token[] = [];
  for (const [, name, item] of path.matchAll(/([^.[\]]+)|\[([0-9]*|\?)\]/g))
    if (name !== undefined) found.push({ name });
    else if (item === '') found.push('each');
    else found.push(item === '?' ? 'some' : { item: Number(item) });
  return found;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function follow(value: unknown, [token, ...rest]: readonly Token[], check: Check): string | null {
  if (token === undefined) return holds(value, check) ? null : `${wanted(check)}, but it is ${shown(value)}`;
  if (token !== 'each' && token !== 'some' && 'name' in token) return follow(member(value, token.name), rest, check);
  if (!Array.isArray(value)) return `a list is needed, but it is ${shown(value)}`;
  if (token !== 'each' && token !== 'some') return follow(value[token.item], rest, check);
  if (value.length === 0) return 'the list is empty';
  const found = value.map((item) => follow(item, rest, check));
  if (token === 'each') return found.find((failure) => failure !== null) ?? null;
  return found.includes(null) ? null : `in no item: ${found[0]}`;
}

const DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;

function holds(value: unknown, check: Check): boolean {
  switch (check.is) {
    case 'present':
      return value !== undefined;
    case 'filled':
      return Boolean(value) && (typeof value !== 'object' || Object.keys(value as object).length > 0);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'whole':
      return Number.isSafeInteger(value) || (typeof value === 'string' && /^[0-9]+$/.test(value));
    case 'decimal':
      return typeof value === 'string' && DECIMAL.test(value);
    case 'string':
    case 'boolean':
      return typeof value === check.is;
    case 'equals':
      return same(value, check.value);
    case 'among':
      return check.values.some((one) => same(value, one));
    case 'matches':
      return typeof value === 'string' && new RegExp(check.pattern).test(value);
    case 'contains':
      return typeof value === 'string' && value.includes(check.text);
    case 'above':
      return (
        (typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value))) && Number(value) > check.than
      );
  }
}

/** Both come from JSON, and what is compared has its names in one order. */
const same = (one: unknown, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);

function wanted(check: Check): string {
  switch (check.is) {
    case 'equals':
      return `${shown(check.value)} is needed`;
    case 'among':
      return `one of ${check.values.map(shown).join(', ')} is needed`;
    case 'matches':
      return `a string that matches ${check.pattern} is needed`;
    case 'contains':
      return `a string with ${shown(check.text)} in it is needed`;
    case 'above':
      return `more than ${check.than} is needed`;
    default:
      return `"${check.is}" is needed`;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
