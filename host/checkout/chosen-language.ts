import { header } from '../../adapters/http/index.ts';
import type { HttpRequest } from '../../adapters/http/index.ts';
import { findLanguage, negotiateLanguage } from './languages.ts';
import type { Language } from './languages.ts';

const LANGUAGE_COOKIE = 'tillgate_language';
const YEAR_SECONDS = 31_536_000;

/** The language for a page's request, and the headers that remember a choice. */
export interface ChosenLanguage {
  readonly language: Language;
  readonly headers: Readonly<Record<string, string>>;
}

/** Taken from the query's `lang`, else an earlier choice, else the browser's preference. */
export function chosenLanguage({ headers }: HttpRequest, query: URLSearchParams): ChosenLanguage {
  const chosen = findLanguage(query.get('lang'));
  if (chosen !== null) {
    const cookie = `${LANGUAGE_COOKIE}=${chosen.tag}; Max-Age=${YEAR_SECONDS}; SameSite=Lax; HttpOnly`;
    return { language: chosen, headers: { 'Set-Cookie': cookie } };
  }
  const kept = findLanguage(cookieOf(header(headers, 'cookie')));
  return { language: kept ?? negotiateLanguage(header(headers, 'accept-language')), headers: {} };
}

function cookieOf(text: string | null): string | null {
  return text === null ? null : (/(?:^|;\s*)tillgate_language=([a-z-]{1,16})(?:;|$)/.exec(text)?.[1] ?? null);
}
