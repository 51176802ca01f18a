import { randomBytes } from 'node:crypto';
import { NO_BRAND } from './brands.ts';
import { readBrowserFiles } from './browser-files.ts';
import type { PageFiles } from './browser-files.ts';
import type { RenderedMain } from './checkout-page.ts';
import { contentPolicy, DocumentFrame, messageMain } from './document.ts';
import type { Language } from './languages.ts';
import type { MessageName } from './messages/en.ts';
import { Template } from './template.ts';

export interface PageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The headers that do not depend on the content. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Cookie',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Adds the common document to the content of pages. */
export class PageWriter {
  readonly files: PageFiles = readBrowserFiles();
  readonly #assets: string;
  readonly #sandbox: boolean;
  readonly #frames = new Map<Language, DocumentFrame>();

  /**
   * @param assets - the URL of the pages' files, relative to the page
   * @param sandbox - whether no real money is paid
   */
  constructor(assets: string, sandbox: boolean) {
    this.#assets = assets;
    this.#sandbox = sandbox;
  }

  /** @param partOnly - only the variable part, without the document around it: for the page's own script */
  template({ title, html, refresh }: RenderedMain, language: Language, partOnly = false, brand = NO_BRAND): Template {
    return new Template(partOnly ? html : this.#frame(language).write({ title, main: html, refresh, brand }));
  }

  /** A page with only a message. */
  message(status: number, title: MessageName, text: MessageName, language: Language, partOnly = false): PageReply {
    const html = messageMain(language.text(title), language.text(text));
    const main = { title: language.text(title), html, refresh: null };
    return this.reply(status, this.template(main, language, partOnly), language);
  }

  /**
   * @param leftMs - the time left to pay, in milliseconds
   * @param framedBy - the origins whose pages may show it in a frame; none by default
   */
  reply(
    status: number,
    template: Template,
    language: Language,
    leftMs = 0,
    framedBy: readonly string[] = [],
  ): PageReply {
    // A new nonce for each reply: only the page's own script and style run.
    const nonce = randomBytes(16).toString('base64');
    const headers = {
      ...HEADERS,
      ...(framedBy.length === 0 ? { 'X-Frame-Options': 'DENY' } : {}),
      'Content-Language': language.tag,
      'Content-Security-Policy': contentPolicy(nonce, framedBy),
    };
    const values = {
      nonce,
      leftMs: String(leftMs),
      leftText: language.span(leftMs),
      shops: framedBy.join(' '),
      style: this.files.style,
    };
    return { status, headers, body: template.fill(values) };
  }

  #frame(language: Language): DocumentFrame {
    const frame = this.#frames.get(language) ?? new DocumentFrame(language, this.files, this.#assets, this.#sandbox);
    this.#frames.set(language, frame);
    return frame;
  }
}
