import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readBrowserFiles } from '../checkout/browser-files.ts';
import type { BrowserFile } from '../checkout/browser-files.ts';
import type { PageFiles } from '../checkout/document.ts';

/** Each in a block of its own, so that their names cannot clash. */
const SCRIPTS = ['point-of-sale.js', 'cart.js'];

/** The script of the point of sale, and the style of the payer's page with the additions for it. */
export function readLinkFiles(): PageFiles {
  const read = (name: string): string => readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
  const style = `${readBrowserFiles().style.body.toString()}${read('links.css')}`;
  return {
    script: pageFile('links', 'js', SCRIPTS.map((name) => `{\n${read(name)}}\n`).join('')),
    style: pageFile('links', 'css', style),
  };
}

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

/** A file of a page, under a name that changes with its content. */
export function pageFile(kind: string, extension: keyof typeof TYPES, text: string): BrowserFile {
  const body = Buffer.from(text);
  const hash = createHash('sha256').update(body).digest();
  const name = `${kind}.${hash.toString('hex').slice(0, 16)}.${extension}`;
  return { name, type: TYPES[extension], body, integrity: `sha256-${hash.toString('base64')}` };
}
