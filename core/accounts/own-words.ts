/** Shorter ones are parts of too many other words. */
const MIN_WORD = 4;
/** So many characters of a password have to be something else than words that its account is known by. */
const MIN_REST = 8;
/** In every list of words to try against an account here (ASVS 6.1.2). */
const PRODUCT = 'tillgate';

/** The words that an account is known by: those of its email, and the product's name. */
function wordsOf(email: string): readonly string[] {
  const words = email.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [PRODUCT, ...words.filter((word) => word.length >= MIN_WORD)].sort((a, b) => b.length - a.length);
}

/** True for a password that is little more than words that its account is known by. */
export function isMadeOfOwnWords(password: string, email: string): boolean {
  const rest = wordsOf(email).reduce((text, word) => text.replaceAll(word, ''), password.toLowerCase());
  return Array.from(rest).length < MIN_REST;
}
