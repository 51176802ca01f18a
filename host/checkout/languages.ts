import { ar } from './messages/ar.ts';
import { de } from './messages/de.ts';
import { en } from './messages/en.ts';
import type { MessageName, Messages } from './messages/en.ts';
import { es } from './messages/es.ts';
import { fr } from './messages/fr.ts';
import { ja } from './messages/ja.ts';
import { ko } from './messages/ko.ts';
import { pt } from './messages/pt.ts';
import { ru } from './messages/ru.ts';
import { zh } from './messages/zh.ts';

/** A language of the payer's page. */
export interface Language {
  /** The BCP 47 tag, for `lang` and for language negotiation. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  /** The language's name in that language. */
  readonly name: string;
  readonly messages: Messages;
  /** A text, with its placeholders replaced by these words. */
  text(name: MessageName, words?: Readonly<Record<string, string | number>>): string;
  /** Formats a decimal as an amount of a fiat currency. */
  money(decimal: string, currency: string, decimals: number): string;
  /** A whole number with grouped digits. */
  count(value: number): string;
  /** A decimal with grouped digits. */
  grouped(decimal: string): string;
  /** A time in UTC: date and time, or the time alone. */
  moment(at: number, short?: boolean): string;
  /** A remaining time, rounded down: `12 minutes`, `45 seconds`. */
  span(ms: number): string;
  /** An estimated time, rounded up to what an estimate can say: `20 s`, `3 min`, `2 hr`. */
  about(ms: number): string;
}

/** Every language, in the order of the language menu. */
export const LANGUAGES: readonly Language[] = [
  language('en', 'English', en),
  language('de', 'Deutsch', de),
  language('es', 'Español', es),
  language('fr', 'Français', fr),
  language('pt', 'Português', pt),
  language('ru', 'Русский', ru),
  language('ar', 'العربية', ar, 'rtl'),
  language('zh', '中文', zh),
  language('ja', '日本語', ja),
  language('ko', '한국어', ko),
];

const ENGLISH = LANGUAGES[0] as Language;
const BY_TAG = new Map(LANGUAGES.map((each) => [each.tag, each]));
const RANGES_MOST = 32;

/** The language of a tag; `null` for an unsupported one. */
export function findLanguage(tag: string | null): Language | null {
  return tag === null ? null : (BY_TAG.get(tag) ?? null);
}

/**
 * The language that a browser prefers (RFC 9110, section 12.5.4; RFC 4647, lookup by the primary subtag). English
 * without the header, or when no supported language is accepted.
 */
export function negotiateLanguage(acceptLanguage: string | null): Language {
  let best: Language | null = null;
  let quality = 0;
  for (const range of (acceptLanguage ?? '').split(',', RANGES_MOST)) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const q = qualityOf(parameters);
    const found = tag.trim() === '*' ? ENGLISH : findLanguage(tag.trim().split('-', 1)[0] ?? '');
    if (found !== null && q > quality) [best, quality] = [found, q];
  }
  return best ?? ENGLISH;
}

function qualityOf(parameters: readonly string[]): number {
  const q = parameters.map((each) => each.trim()).find((each) => each.startsWith('q='));
  if (q === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q.slice(2)) : 0;
}

/** Seconds of an estimate are said in steps of five. */
const SECOND_STEP = 5;
/** The step of an estimate in milliseconds, its unit, and the longest time that is said in it. */
const LONGEST = [3_600_000, 'hour', Infinity] as const;
const ABOUT = [[SECOND_STEP * 1000, 'second', 60_000], [60_000, 'minute', 7_200_000], LONGEST] as const;

function language(tag: string, name: string, messages: Messages, direction: 'ltr' | 'rtl' = 'ltr'): Language {
  // Amounts and addresses use Latin digits in every language, so counts do too.
  const locale = `${tag}-u-nu-latn`;
  const units = new Map<string, Intl.NumberFormat>();
  const unitFormat = (unit: string, unitDisplay: 'long' | 'short' = 'long'): Intl.NumberFormat => {
    const name = `${unit} ${unitDisplay}`;
    const format = units.get(name) ?? new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay });
    units.set(name, format);
    return format;
  };
  return {
    tag,
    name,
    direction,
    messages,
    text: (message, words = {}) =>
      messages[message].replace(/\{(\w+)\}/g, (_, word: string) => String(words[word] ?? '')),
    money: (decimal, currency, decimals) => {
      const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
      // A decimal in a string is formatted exactly, but the type allows only numbers.
      return new Intl.NumberFormat(locale, { style: 'currency', currency, ...digits }).format(decimal as `${number}`);
    },
    grouped: (decimal) => new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(decimal as `${number}`),
    moment: (at, short = false) => {
      const day = short ? {} : ({ year: 'numeric', month: 'short', day: 'numeric' } as const);
      const time = { hour: '2-digit', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' } as const;
      return new Intl.DateTimeFormat(locale, { ...day, ...time }).format(at);
    },
    count: (value) => new Intl.NumberFormat(locale).format(value),
    about: (ms) => {
      const [size, unit] = ABOUT.find(([, , most]) => ms <= most) ?? LONGEST;
      const count = Math.max(1, Math.ceil(ms / size));
      return unitFormat(unit, 'short').format(unit === 'second' ? count * SECOND_STEP : count);
    },
    span: (ms) => {
      const seconds = Math.max(0, Math.floor(ms / 1000));
      if (seconds >= 7200) return unitFormat('hour').format(Math.floor(seconds / 3600));
      return seconds >= 60
        ? unitFormat('minute').format(Math.floor(seconds / 60))
        : unitFormat('second').format(seconds);
    },
  };
}
