import type { BrowserFile } from './browser-files.ts';
import { LANGUAGES } from './languages.ts';
import type { Language } from './languages.ts';
import { SLOTS } from './template.ts';

/** The two files that the page loads; see `browser-files.ts`. */
export interface PageFiles {
  readonly script: BrowserFile;
  readonly style: BrowserFile;
}

/** The content of one document. */
export interface DocumentParts {
  readonly title: string;
  readonly main: string;
  readonly refresh: string | null;
}

/** Makes documents of one language: what they have in common is put together once. */
export class DocumentFrame {
  readonly #parts: readonly [start: string, files: string, body: string, end: string];

  /** @param assets - where the files are, relative to the document */
  constructor(language: Language, { script, style }: PageFiles, assets: string) {
    const { tag, direction, name } = language;
    const languages = LANGUAGES.map(
      (each) =>
        `<li><a href="?lang=${each.tag}" lang="${each.tag}"${each.tag === tag ? ' aria-current="true"' : ''}>${each.name}</a></li>`,
    );
    this.#parts = [
      `<!doctype html><html lang="${tag}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>`,
      `</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${assets}/${style.name}" integrity="${style.integrity}" nonce="${SLOTS.nonce}"><script type="module" src="${assets}/${script.name}" integrity="${script.integrity}" nonce="${SLOTS.nonce}"></script>`,
      `</head><body><header class="top"><details class="languages"><summary><span class="unseen">${escape(language.text('language'))}: </span>${name}</summary><ul>${languages.join('')}</ul></details></header>`,
      '</body></html>',
    ];
  }

  /** A whole document, its slots still to be filled. */
  write({ title, main, refresh }: DocumentParts): string {
    const [start, files, body, end] = this.#parts;
    const again =
      refresh === null ? '' : `<noscript><meta http-equiv="refresh" content="${escape(refresh)}"></noscript>`;
    return `${start}${escape(title)}${files}${again}${body}${main}${end}`;
  }
}

/** The main part of a page that only says something. */
export function messageMain(title: string, text: string): string {
  return `<main id="checkout" data-follow="never"><section id="status" class="card status bad"><h1 id="title">${escape(title)}</h1><p>${escape(text)}</p></section></main>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string);
}

/**
 * What a browser may do with the page: show it, run its one script, call this till, and submit its forms. Nothing else runs or
 * is fetched, whatever a field of an order contains.
 */
export function contentPolicy(nonce: string): string {
  return `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
}
