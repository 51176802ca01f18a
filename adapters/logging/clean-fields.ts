import { isTillgateError } from '../../core/index.ts';
import type { LogFields } from '../../core/index.ts';
import { REDACTED, cleanName, scrubText } from './secret-text.ts';

/** What a log line may hold. Everything else becomes one of these, or a word for its kind. */
export type CleanValue = string | number | boolean | null | readonly CleanValue[] | { readonly [name: string]: CleanValue };

const MAX_DEPTH = 6;
const MAX_ITEMS = 50;

/**
 * Copies a value into what a log line may hold. Built the safe way round: only plain data is copied, names and texts that
 * may be secret are replaced, and any other object is written as its kind alone.
 */
export function cleanValue(value: unknown, depth = 0): CleanValue {
  switch (typeof value) {
    case 'string':
      return scrubText(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : cleanObject(value, depth);
    default:
      return `[${typeof value}]`;
  }
}

function cleanObject(value: object, depth: number): CleanValue {
  if (value instanceof Error) return cleanError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[Date]' : value.toISOString();
  if (value instanceof URL) return scrubText(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[…]';
  if (Array.isArray(value)) return cleanList(value, depth);
  if (value instanceof Set) return cleanObject([...value], depth);
  if (value instanceof Map) return cleanEntries([...value].map(([key, item]) => [String(key), item]), depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return cleanEntries(Object.entries(value), depth);
  return '[object]';
}

function cleanList(items: readonly unknown[], depth: number): CleanValue {
  // A seed phrase in pieces.
  const words = items.length >= 12 && items.every((item) => typeof item === 'string' && /^[a-z]{3,8}$/.test(item));
  return words ? REDACTED : items.slice(0, MAX_ITEMS).map((item) => cleanValue(item, depth + 1));
}

function cleanEntries(entries: readonly (readonly [string, unknown])[], depth: number): CleanValue {
  // Without a prototype, a field called `__proto__` is one like any other.
  const clean = Object.create(null) as Record<string, CleanValue>;
  for (const [name, value] of entries.slice(0, MAX_ITEMS)) {
    if (value === undefined) continue;
    const { text, secret } = cleanName(name);
    // Whether there is a secret may be said: flags and `null` stay.
    const hidden = secret && typeof value !== 'boolean' && value !== null;
    clean[text] = hidden ? REDACTED : cleanValue(value, depth + 1);
  }
  return clean;
}

/**
 * An error as name, code, message and causes. A refusal explains itself, so its stack is left out; its details come
 * along, but for the signing text, which is the caller's request. Other properties of errors are not copied: libraries
 * hang whole requests on them.
 */
function cleanError(error: Error, depth: number): CleanValue {
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: cleanValue(error.code) } : {};
  const base = { name: scrubText(error.name), ...code, message: scrubText(error.message) };
  const cause = error.cause === undefined ? {} : { cause: depth >= MAX_DEPTH ? '[…]' : cleanValue(error.cause, depth + 1) };
  const errors = error instanceof AggregateError ? { errors: cleanValue(error.errors, depth + 1) } : {};
  if (!isTillgateError(error)) return { ...base, stack: stackOf(error), ...errors, ...cause };
  const { signing: _signing, ...details } = error.details;
  return { ...base, ...(Object.keys(details).length === 0 ? {} : { details: cleanValue(details, depth + 1) }), ...cause };
}

/** The stack's frames; its first lines repeat the message. */
function stackOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return scrubText(frames.slice(0, 12).join('\n'));
}

/** Names that loggers write themselves; a field of that name is written beside it. */
const TAKEN = ['level', 'time', 'msg'] as const;

/** The fields of a line, cleaned. A log line must never be the reason for a failure, whatever a getter does. */
export function cleanFields(fields: LogFields): Record<string, CleanValue> {
  try {
    const clean = cleanValue({ ...fields }) as Record<string, CleanValue>;
    for (const name of TAKEN) {
      const value = clean[name];
      if (value === undefined) continue;
      clean[`${name}_`] = value;
      Reflect.deleteProperty(clean, name);
    }
    return clean;
  } catch {
    return { fields: '[unreadable]' };
  }
}
