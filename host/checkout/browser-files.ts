import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that the page loads. Its name contains a hash of its content, so that it may be cached for ever. */
export interface BrowserFile {
  readonly name: string;
  readonly type: string;
  readonly body: Buffer;
  /** For subresource integrity: a proxy or CDN cannot change the file unnoticed. */
  readonly integrity: string;
}

/**
 * The scripts of the page, each in a block of its own, so that their names cannot clash. `refund.js` is the last one,
 * because it fails in browsers without storage.
 */
const SCRIPTS = ['live.js', 'countdown.js', 'copy.js', 'receipt.js', 'wallet.js', 'frame.js', 'refund.js'];

/** Reads the page's files from beside this one; they are served without compilation. */
export function readBrowserFiles(): { readonly script: BrowserFile; readonly style: BrowserFile } {
  const script = SCRIPTS.map((name) => `{\n${withoutComments(read(name))}}\n`).join('');
  return {
    script: fileOf('checkout', 'js', 'text/javascript; charset=utf-8', script),
    style: fileOf('checkout', 'css', 'text/css; charset=utf-8', withoutComments(read('page.css'))),
  };
}

function read(name: string): string {
  return readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
}

/** Removes whole-line comments and indentation. */
function withoutComments(text: string): string {
  return text
    .replace(/^\s*\/\*[\s\S]*?\*\/\s*$\n?/gm, '')
    .replace(/^\s*\/\/.*$\n?/gm, '')
    .replace(/^[ \t]+/gm, '');
}

function fileOf(stem: string, extension: string, type: string, text: string): BrowserFile {
  const body = Buffer.from(text);
  const hash = createHash('sha256').update(body).digest();
  return {
    name: `${stem}.${hash.toString('hex').slice(0, 16)}.${extension}`,
    type,
    body,
    integrity: `sha256-${hash.toString('base64')}`,
  };
}
