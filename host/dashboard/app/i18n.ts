import polyglotI18nProvider from 'ra-i18n-polyglot';
import type { I18nProvider } from 'react-admin';
import { en } from './messages/en.ts';
import type { Catalogue } from './messages/en.ts';

export type Direction = 'ltr' | 'rtl';

interface Language {
  readonly locale: string;
  /** The language's name in that language. */
  readonly name: string;
  readonly direction: Direction;
  readonly load: () => Catalogue | Promise<Catalogue>;
}

/** The languages of the payer's page. English is part of the first load; the others are loaded when chosen. */
export const LANGUAGES: readonly Language[] = [
  { locale: 'en', name: 'English', direction: 'ltr', load: () => en },
  { locale: 'de', name: 'Deutsch', direction: 'ltr', load: async () => (await import('./messages/de.ts')).de },
  { locale: 'es', name: 'Español', direction: 'ltr', load: async () => (await import('./messages/es.ts')).es },
  { locale: 'fr', name: 'Français', direction: 'ltr', load: async () => (await import('./messages/fr.ts')).fr },
  { locale: 'pt', name: 'Português', direction: 'ltr', load: async () => (await import('./messages/pt.ts')).pt },
  { locale: 'ru', name: 'Русский', direction: 'ltr', load: async () => (await import('./messages/ru.ts')).ru },
  { locale: 'ar', name: 'العربية', direction: 'rtl', load: async () => (await import('./messages/ar.ts')).ar },
  { locale: 'zh', name: '中文', direction: 'ltr', load: async () => (await import('./messages/zh.ts')).zh },
  { locale: 'ja', name: '日本語', direction: 'ltr', load: async () => (await import('./messages/ja.ts')).ja },
  { locale: 'ko', name: '한국어', direction: 'ltr', load: async () => (await import('./messages/ko.ts')).ko },
];

const languageOf = (locale: string): Language | undefined => LANGUAGES.find((each) => each.locale === locale);

/** The first of a browser's languages that is supported: `pt-BR` is Portuguese. */
export function preferredLocale(wanted: readonly string[]): string {
  const known = wanted.map((each) => each.split('-', 1)[0] ?? each).find((each) => languageOf(each) !== undefined);
  return known ?? 'en';
}

/**
 * The texts of the application.
 *
 * @param onDirection - receives the text direction of a language once its texts are loaded
 */
export function createI18nProvider(onDirection: (direction: Direction) => void): I18nProvider {
  const provider = polyglotI18nProvider(
    (locale) => languageOf(locale)?.load() ?? en,
    'en',
    LANGUAGES.map(({ locale, name }) => ({ locale, name })),
    { allowMissing: true },
  );
  return {
    ...provider,
    changeLocale: async (locale) => {
      await provider.changeLocale(locale);
      const { documentElement } = document;
      const direction = languageOf(locale)?.direction ?? 'ltr';
      documentElement.lang = locale;
      documentElement.dir = direction;
      onDirection(direction);
    },
  };
}
