import type { Language } from '../checkout/languages.ts';
import { ar } from './messages/ar.ts';
import { de } from './messages/de.ts';
import { en } from './messages/en.ts';
import type { ClaimMessageName, ClaimMessages } from './messages/en.ts';
import { es } from './messages/es.ts';
import { fr } from './messages/fr.ts';
import { ja } from './messages/ja.ts';
import { ko } from './messages/ko.ts';
import { pt } from './messages/pt.ts';
import { ru } from './messages/ru.ts';
import { zh } from './messages/zh.ts';

/** The texts of the claim page, by language tag. */
export const CLAIM_MESSAGES: Readonly<Record<string, ClaimMessages>> = { en, de, es, fr, pt, ru, ar, zh, ja, ko };

/** A text in a language, with its placeholders replaced by these words. */
export function claimText(
  { tag }: Pick<Language, 'tag'>,
  name: ClaimMessageName,
  words: Readonly<Record<string, string>> = {},
): string {
  return (CLAIM_MESSAGES[tag] ?? en)[name].replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '');
}
