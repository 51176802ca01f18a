const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

const STYLE =
  'display:inline-block;padding:12px 24px;border-radius:12px;background:#0a5bab;color:#fff;font:600 16px/1.25 system-ui,sans-serif;text-decoration:none';

/** HTML of a button for any site: a plain link, without script. */
export function buttonSnippet(url: string, words: string): string {
  return `<a href="${escaped(url)}" rel="noopener" style="${STYLE}">${escaped(words)}</a>`;
}
