import { LANGUAGES } from './i18n.ts';
import type { ServiceRecord } from './records.ts';

/** The installation's names of coins and fiat currencies; `undefined` until they are loaded. */
export type Names = Pick<ServiceRecord, 'coins' | 'fiats'> | undefined;

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Amounts have Latin digits in every language, as on the payer's page. */
export const latin = (locale: string): string => `${locale}-u-nu-latn`;

/**
 * Writes a decimal of the API in a language, with all its digits and never by way of a binary number: `$1,234.50`,
 * `1.234,5 USDT · Ethereum`. A text that is no decimal is returned with the currency behind it.
 *
 * @param currency - the code of a fiat currency or a coin; the empty text for none
 */
export function moneyText(locale: string, value: string, currency: string, names: Names): string {
  const [, minus = '', whole = '', fraction = ''] = DECIMAL.exec(value) ?? [];
  if (whole === '') return `${value} ${currency}`.trim();
  const fiat = names?.fiats.some((each) => each.currency === currency) === true;
  const format = new Intl.NumberFormat(latin(locale), fiat ? { style: 'currency', currency } : {});
  const digits = fiat ? (format.resolvedOptions().minimumFractionDigits ?? 0) : 0;
  const number = written({
    locale,
    minus: minus !== '',
    whole,
    fraction: fraction.padEnd(digits, '0'),
    fiat,
    currency,
  });
  return isolated(locale, fiat || currency === '' ? number : `${number} ${coinName(currency, names)}`);
}

const LTR_ISOLATE = '\u2066';
const END_OF_ISOLATE = '\u2069';

/** An amount reads from left to right in a language from right to left too, where its sign and symbol would change places. */
export const isolated = (locale: string, text: string): string =>
  LANGUAGES.some((each) => each.locale === locale && each.direction === 'rtl')
    ? `${LTR_ISOLATE}${text}${END_OF_ISOLATE}`
    : text;

interface Written {
  readonly locale: string;
  readonly minus: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly fiat: boolean;
  readonly currency: string;
}

function written({ locale, minus, whole, fraction, fiat, currency }: Written): string {
  const places = { minimumFractionDigits: fraction.length, maximumFractionDigits: fraction.length };
  const style = fiat ? ({ style: 'currency', currency } as const) : {};
  const format = new Intl.NumberFormat(latin(locale), { ...style, ...places });
  const units = BigInt(whole);
  // A negative zero has no integer: the sign is that of -1, whose digit is replaced.
  const parts = format.formatToParts(minus ? -(units === 0n ? 1n : units) : units);
  return parts
    .map(({ type, value }) => {
      if (type === 'fraction') return fraction;
      return type === 'integer' && units === 0n ? '0' : value;
    })
    .join('');
}

/**
 * What people call a coin: `USDT · Ethereum`, and `ETH` where the code says it all. The code of a coin that the
 * installation does not know.
 */
export function coinName(coin: string, names: Names): string {
  const found = names?.coins.find((each) => each.coin === coin);
  if (found === undefined) return coin;
  return found.symbol === coin ? coin : `${found.symbol} · ${found.chain_name}`;
}

/** The separator of decimals in a language. */
function separatorOf(locale: string): string {
  const parts = new Intl.NumberFormat(latin(locale)).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}

/** The Arabic digits and separator as Latin ones, and no spaces, with which some languages group digits. */
function plain(text: string): string {
  return text
    .replaceAll(/\s/g, '')
    .replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x0660))
    .replaceAll(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x06f0))
    .replaceAll('\u066b', '.');
}

/**
 * The decimal of the API that somebody wrote in a language: `19,90` is `19.90` in German. `null` for what cannot be read,
 * and for what could be a thousand times as much: `1.234` in German, `1,234` in English.
 */
export function decimalOf(locale: string, text: string): string | null {
  const given = plain(text);
  const comma = separatorOf(locale) === ',';
  const [group, decimal] = comma ? ['.', ','] : [',', '.'];
  const [whole = '', fraction, ...more] = given.split(decimal);
  if (more.length > 0) return null;
  const grouped = whole.includes(group);
  if (grouped && fraction === undefined) {
    // A single point is a decimal point in every language, unless it could group thousands.
    return comma && /^\d+\.\d+$/.test(whole) && !/^[1-9]\d{0,2}\.\d{3}$/.test(whole) ? whole : null;
  }
  if (grouped && !whole.split(group).every((part, index) => (index === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(part)))
    return null;
  const read = whole.replaceAll(group, '') + (fraction === undefined ? '' : `.${fraction}`);
  return /^\d+(?:\.\d+)?$/.test(read) ? read : null;
}

/** A decimal of the API as an input shows it: with the separator of the language, without groups. */
export const typedDecimal = (locale: string, value: string): string => value.replace('.', separatorOf(locale));
