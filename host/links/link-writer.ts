import { randomBytes } from 'node:crypto';
import { NO_BRAND } from '../checkout/brands.ts';
import type { Brand } from '../checkout/brands.ts';
import { contentPolicy, DocumentFrame } from '../checkout/document.ts';
import type { PageFiles } from '../checkout/browser-files.ts';
import type { Language } from '../checkout/languages.ts';
import type { PageReply } from '../checkout/page-writer.ts';
import { Template } from '../checkout/template.ts';
import { readLinkFiles } from './link-files.ts';

/** The content of a page. */
export interface LinkPage {
  readonly status: number;
  readonly title: string;
  readonly html: string;
  /** Delay in seconds and URL of the page that follows without script; `null` for none. */
  readonly refresh: string | null;
  /** The merchant's branding; none by default. */
  readonly brand?: Brand;
}

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Cookie',
  // The code of a point of sale is in the fragment, which no header contains; this keeps the token from other sites.
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Puts the content of links' pages into the document of the payer's pages. */
export class LinkWriter {
  readonly files: PageFiles;
  readonly #sandbox: boolean;
  readonly #frames = new Map<Language, DocumentFrame>();

  /**
   * @param sandbox - whether no real money is paid
   * @param files - those of the links' pages by default
   */
  constructor(sandbox: boolean, files = readLinkFiles()) {
    this.#sandbox = sandbox;
    this.files = files;
  }

  reply({ status, title, html, refresh, brand = NO_BRAND }: LinkPage, language: Language): PageReply {
    const frame = this.#frames.get(language) ?? new DocumentFrame(language, this.files, 'assets', this.#sandbox);
    this.#frames.set(language, frame);
    const nonce = randomBytes(16).toString('base64');
    const headers = { ...HEADERS, 'Content-Language': language.tag, 'Content-Security-Policy': contentPolicy(nonce) };
    const parts = { title: withoutSlots(title), main: withoutSlots(html), refresh, brand: besides(brand) };
    const template = new Template(frame.write(parts));
    return {
      status,
      headers,
      body: template.fill({ nonce, leftMs: '0', leftText: '', shops: '', style: this.files.style }),
    };
  }
}

/** Adapts the branding to a page in another folder than the payer's pages, whose logo URLs it uses. */
const besides = ({ logo, ...brand }: Brand): Brand => ({
  ...brand,
  logo: logo === null ? null : `../checkout/${logo}`,
});

/** Removes private-use characters, so that a merchant's text cannot contain a template's slot. */
const withoutSlots = (text: string): string => text.replace(/[\uE000-\uF8FF]/g, '');
