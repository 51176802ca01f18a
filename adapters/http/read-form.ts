import { TillgateError } from '../../core/index.ts';
import { readText } from './read-json.ts';

/**
 * Reads a form body (`application/x-www-form-urlencoded`).
 * @throws TillgateError `MALFORMED_REQUEST` for invalid UTF-8 and for a repeated field
 */
export function readForm(bytes: Uint8Array): Readonly<Record<string, string>> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(readText(bytes))) {
    if (fields.has(name)) throw new TillgateError('MALFORMED_REQUEST', 'The body names a field twice.');
    fields.set(name, value);
  }
  // A name like __proto__ becomes a plain own property here.
  return Object.fromEntries(fields);
}

/** Reads a query. A repeated name yields all its values, which no field accepts. */
export function readQuery(query: string): Readonly<Record<string, string | readonly string[]>> {
  const params = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}
