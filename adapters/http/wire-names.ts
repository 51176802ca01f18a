import type { FieldError } from '../../core/index.ts';

/** The names of the APIs whose words or units differ from those of core. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([['expiresInMs', 'expires_in']]);

/** Fields whose members have names of the caller's choice: methods of nodes, headers. */
const OWN_NAMES: ReadonlySet<string> = new Set(['headers', 'units']);

const CAMEL_CASE = /^[a-z]+[a-zA-Z\d]*$/;

/** The name in the APIs of a field of core: `vs_price` for `vsPrice`. */
export function wireName(name: string): string {
  if (!CAMEL_CASE.test(name)) return name;
  return OTHER_WORDS.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The path in the APIs of a field of core: `limits.requests_per_second` for `limits.requestsPerSecond`. */
function wirePath(path: string): string {
  const segments = path.split('.');
  const own = segments.findIndex((segment) => OWN_NAMES.has(segment));
  const named = own < 0 ? segments.length : own + 1;
  return [...segments.slice(0, named).map(wireName), ...segments.slice(named)].join('.');
}

/** An error of core with the names that its fields have in the APIs, also where its message begins with one. */
export function wireFields(
  message: string,
  fields: readonly FieldError[],
): { readonly message: string; readonly fields: readonly FieldError[] } {
  const first = fields[0]?.path ?? '';
  const begins = first !== '' && message.startsWith(`${first}: `);
  return {
    message: begins ? wirePath(first) + message.slice(first.length) : message,
    fields: fields.map((field) => ({ ...field, path: wirePath(field.path) })),
  };
}
