import { resolved } from './description.ts';
import type { ApiDescription, Schema } from './description.ts';

const DEEPEST = 8;
const ID = '1530217733414232064';

/** Texts that a field of a name usually has; a text must also fit the pattern and length of its schema. */
const BY_NAME: readonly (readonly [name: RegExp, text: string])[] = [
  [/(^|_)(id|order|account|webhook|refund|payout|link|app|batch|claim|pull_payment)$/, ID],
  [/^(price|amount|.*_amount|received|.*_received|balance|available|units?)$/, '25'],
  [/(^|_)(rate|worth)$/, '1.0842'],
  [/^(currency|vs_currency|.*_currency)$/, 'EUR'],
  [/^chain$/, 'ETH'],
  [/^coin$/, 'USDT-ERC20'],
  [/(^|_)address$/, '0x8ba1f109551bd432803012645ac136ddd64dba72'],
  [/(^|_)(tx_hash|hash|txid)$/, `0x${'5b9a'.repeat(16)}`],
  [/email/, 'shop@example.com'],
  [/url|uri|callback/, 'https://shop.example.com/'],
];
const TIMES = ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00'];
const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': TIMES[0] ?? '',
  date: '2026-01-31',
  uri: 'https://shop.example.com/',
  email: 'shop@example.com',
};
const ANY_TEXT = ['text', '25', '0', 'ETH', ID, 'a'.repeat(32), 'a'.repeat(64), ...TIMES];

/** A value that fits a schema, with texts that its names suggest, for a body that has no written example. */
export function exampleOf(given: Schema, api: ApiDescription, name = '', depth = 0): unknown {
  const schema = resolved(given, api);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const [choice] = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  if (choice !== undefined) return exampleOf(choice, api, name, depth);
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, api, name, depth))) as unknown;
  const types = [schema.type ?? []].flat();
  if (schema.properties !== undefined) return objectOf(schema, api, depth);
  if (schema.items !== undefined)
    return depth > DEEPEST ? [] : [exampleOf(schema.items, api, singularOf(name), depth + 1)];
  if (types.includes('string')) return textOf(schema, name);
  if (types.includes('integer') || types.includes('number')) return Math.max(schema.minimum ?? 0, 1);
  if (types.includes('boolean')) return true;
  return types.includes('object') ? {} : null;
}

function objectOf({ properties = {}, required = [] }: Schema, api: ApiDescription, depth: number): object {
  const shown = Object.entries(properties).filter(([name]) => depth <= DEEPEST || required.includes(name));
  return Object.fromEntries(shown.map(([name, each]) => [name, exampleOf(each, api, name, depth + 1)]));
}

const singularOf = (name: string): string => name.replace(/s$/, '');

function textOf({ format, pattern, maxLength = Number.POSITIVE_INFINITY }: Schema, name: string): string {
  const fits = (text: string): boolean =>
    text.length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(text));
  const named = BY_NAME.filter(([names]) => names.test(name)).map(([, text]) => text);
  const formatted = BY_FORMAT[format ?? ''];
  return [...(formatted === undefined ? [] : [formatted, ...TIMES]), ...named, ...ANY_TEXT].find(fits) ?? '';
}
