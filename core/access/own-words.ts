/** Shorter words are parts of too many other words. */
const MIN_WORD = 4;
/** The fewest characters of a password outside the words that are associated with its account. */
const MIN_REST = 8;
/** The product's name is in every word list against accounts here (ASVS 6.1.2). */
const PRODUCT = 'tillgate';

/** The words that are associated with an account: those of its email, and the product's name. */
function wordsOf(email: string): readonly string[] {
  const words = email.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [PRODUCT, ...words.filter((word) => word.length >= MIN_WORD)].sort((a, b) => b.length - a.length);
}

/** True for a password that consists of little more than words associated with its account. */
export function isMadeOfOwnWords(password: string, email: string): boolean {
  const rest = wordsOf(email).reduce((text, word) => text.replaceAll(word, ''), password.toLowerCase());
  return Array.from(rest).length < MIN_REST;
}
