import { brandColours } from '../../../../checkout/brand-colours.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

const DEFAULT_COLOUR = '#0a5bab';
const COLOUR = /^#[0-9a-f]{6}$/i;

/**
 * HTML of a button for any site: a plain link, without script.
 *
 * @param colour - the merchant's, `#rrggbb`; the till's own for `null`
 */
export function buttonSnippet(url: string, words: string, colour: string | null = null): string {
  const { fill, onFill } = brandColours(colour !== null && COLOUR.test(colour) ? colour : DEFAULT_COLOUR, 'light');
  const style = `display:inline-block;padding:12px 24px;border-radius:12px;background:${fill};color:${onFill};font:600 16px/1.25 system-ui,sans-serif;text-decoration:none`;
  return `<a href="${escaped(url)}" rel="noopener" style="${style}">${escaped(words)}</a>`;
}
