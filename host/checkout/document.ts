import { NO_BRAND } from './brands.ts';
import type { Brand } from './brands.ts';
import type { PageFiles } from './browser-files.ts';
import { LANGUAGES } from './languages.ts';
import type { Language } from './languages.ts';
import { SLOTS } from './template.ts';

export interface DocumentParts {
  readonly title: string;
  readonly main: string;
  readonly refresh: string | null;
  /** The merchant's branding; none by default. */
  readonly brand?: Brand;
}

/** Builds documents of one language; their common part is built once. */
export class DocumentFrame {
  readonly #parts: readonly [start: string, files: string, body: string, main: string];
  readonly #language: Language;

  /**
   * @param assets - the URL of the script's folder, relative to the document
   * @param sandbox - whether no real money is paid
   */
  constructor(language: Language, { script }: Pick<PageFiles, 'script'>, assets: string, sandbox: boolean) {
    const { tag, direction, name } = language;
    const languages = LANGUAGES.map(
      (each) =>
        `<li><a href="?lang=${each.tag}" lang="${each.tag}"${each.tag === tag ? ' aria-current="true"' : ''}>${each.name}</a></li>`,
    );
    const bar = sandbox ? `<p class="sandbox">${escape(language.text('sandbox'))}</p>` : '';
    this.#language = language;
    this.#parts = [
      `<!doctype html><html lang="${tag}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><meta name="shop-origins" content="${SLOTS.shops}"><title>`,
      `</title><link rel="icon" href="data:,"><style nonce="${SLOTS.nonce}">${SLOTS.style}</style><script type="module" src="${assets}/${script.name}" integrity="${script.integrity}" nonce="${SLOTS.nonce}"></script>`,
      `</head><body><header>${bar}<div class="top">`,
      `<details class="languages"><summary><span class="unseen">${escape(language.text('language'))}: </span>${name}</summary><ul>${languages.join('')}</ul></details></div></header>`,
    ];
  }

  /** A complete document with unfilled slots. */
  write({ title, main, refresh, brand = NO_BRAND }: DocumentParts): string {
    const [start, files, body, top] = this.#parts;
    const again =
      refresh === null ? '' : `<noscript><meta http-equiv="refresh" content="${escape(refresh)}"></noscript>`;
    const style = brand.style === '' ? '' : `<style nonce="${SLOTS.nonce}">${brand.style}</style>`;
    return `${start}${escape(title)}${files}${style}${again}${body}${nameplate(brand)}${top}${main}${this.#foot(brand)}</body></html>`;
  }

  #foot({ support }: Brand): string {
    if (support === null) return '';
    const { text, href } = support;
    return `<footer class="foot"><p class="soft">${escape(this.#language.text('support'))}</p><a class="quiet" href="${escape(href)}" rel="noreferrer noopener"><bdi dir="ltr">${escape(text)}</bdi></a></footer>`;
  }
}

/** The merchant's logo and name. The name is escaped text, and its writing direction does not extend beyond it. */
function nameplate({ name, logo }: Brand): string {
  const picture = logo === null ? '' : `<img src="${escape(logo)}" alt="">`;
  const text = name === null ? '' : `<strong><bdi>${escape(name)}</bdi></strong>`;
  return picture + text === '' ? '' : `<div class="brand">${picture}${text}</div>`;
}

/** The main part of a page with only a message. */
export function messageMain(title: string, text: string): string {
  return `<main id="checkout" data-follow="never"><section id="status" class="card status bad"><h1 id="title">${escape(title)}</h1><p>${escape(text)}</p></section></main>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string);
}

/**
 * Lets the page show its merchant's logo, run its one script, call this till and submit its forms. Nothing else runs or
 * is fetched, whatever a field of an order contains.
 *
 * @param framedBy - the origins whose pages may show the page in a frame; none by default
 */
export function contentPolicy(nonce: string, framedBy: readonly string[] = []): string {
  const ancestors = framedBy.length === 0 ? "'none'" : framedBy.join(' ');
  return `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors}`;
}
