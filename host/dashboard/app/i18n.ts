import polyglotI18nProvider from 'ra-i18n-polyglot';
import type { I18nProvider } from 'react-admin';
import { en } from './messages/en.ts';
import type { Catalogue } from './messages/en.ts';

/** A language of the dashboard. */
interface Language {
  readonly locale: string;
  /** Its own name for itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  readonly load: () => Promise<Catalogue>;
}

/** English is part of the first load, for what another language does not have. */
export const LANGUAGES: readonly Language[] = [
  { locale: 'en', name: 'English', direction: 'ltr', load: () => Promise.resolve(en) },
];

/** The texts of the application; another language is loaded when it is chosen. */
export function createI18nProvider(): I18nProvider {
  const load = (locale: string): Catalogue | Promise<Catalogue> =>
    locale === 'en' ? en : (LANGUAGES.find((each) => each.locale === locale)?.load() ?? en);
  return polyglotI18nProvider(
    load,
    'en',
    LANGUAGES.map(({ locale, name }) => ({ locale, name })),
    { allowMissing: true },
  );
}
