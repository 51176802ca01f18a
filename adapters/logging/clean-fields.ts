import { isTillgateError } from '../../core/index.ts';
import type { LogFields } from '../../core/index.ts';
import { REDACTED, cleanName, scrubText } from './secret-text.ts';

/** Values of a log line. Everything else is converted to one of these, or replaced by its kind. */
export type CleanValue =
  string | number | boolean | null | readonly CleanValue[] | { readonly [name: string]: CleanValue };

const MAX_DEPTH = 6;
const MAX_ITEMS = 50;

/**
 * Copies a value into a log line. An allow list: only plain data is copied, names and texts that may be secret are
 * redacted, and any other object is written as its kind only.
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
  if (value instanceof Map)
    return cleanEntries(
      [...value].map(([key, item]) => [String(key), item]),
      depth,
    );
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return cleanEntries(Object.entries(value), depth);
  return '[object]';
}

function cleanList(items: readonly unknown[], depth: number): CleanValue {
  // A seed phrase as a list of words.
  const words = items.length >= 12 && items.every((item) => typeof item === 'string' && /^[a-z]{3,8}$/.test(item));
  return words ? REDACTED : items.slice(0, MAX_ITEMS).map((item) => cleanValue(item, depth + 1));
}

function cleanEntries(entries: readonly (readonly [string, unknown])[], depth: number): CleanValue {
  const clean: [string, CleanValue][] = [];
  for (const [name, value] of entries.slice(0, MAX_ITEMS)) {
    if (value === undefined) continue;
    const { text, secret } = cleanName(name);
    // Flags and `null` are kept: they only say whether there is a secret.
    const hidden = secret && typeof value !== 'boolean' && value !== null;
    clean.push([text, hidden ? REDACTED : cleanValue(value, depth + 1)]);
  }
  // A field named `__proto__` is an ordinary field then, and a console prints an ordinary object.
  return Object.fromEntries(clean);
}

/**
 * An error as name, code, message and causes. A TillgateError is written without its stack, with its details except the
 * signing text, which is the caller's request. Other properties of errors are not copied: libraries attach whole
 * requests to them.
 */
function cleanError(error: Error, depth: number): CleanValue {
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
      ? { code: cleanValue(error.code) }
      : {};
  const base = { name: scrubText(error.name), ...code, message: scrubText(error.message) };
  const cause =
    error.cause === undefined ? {} : { cause: depth >= MAX_DEPTH ? '[…]' : cleanValue(error.cause, depth + 1) };
  const errors = error instanceof AggregateError ? { errors: cleanValue(error.errors, depth + 1) } : {};
  if (!isTillgateError(error)) return { ...base, stack: stackOf(error), ...errors, ...cause };
  const { signing: _signing, ...details } = error.details;
  return {
    ...base,
    ...(Object.keys(details).length === 0 ? {} : { details: cleanValue(details, depth + 1) }),
    ...cause,
  };
}

/** The stack's frames; its first lines repeat the message. */
function stackOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return scrubText(frames.slice(0, 12).join('\n'));
}

/** Names that loggers use themselves; a field with such a name is renamed. */
const TAKEN = ['level', 'time', 'msg'] as const;

/** The redacted fields of a line. Logging must never fail, whatever a getter does. */
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
