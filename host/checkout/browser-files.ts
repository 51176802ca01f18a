import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TillgateError } from '../../core/index.ts';
import type { HttpResponse } from '../../adapters/http/index.ts';

/** The script that a page loads. Its name contains a hash of its content, so that it may be cached for ever. */
export interface BrowserScript {
  readonly name: string;
  readonly body: Buffer;
  /** For subresource integrity: a proxy or CDN cannot change the file unnoticed. */
  readonly integrity: string;
}

/** What the browser needs for a page: its script, and its style, which stands in the page itself and costs no request. */
export interface PageFiles {
  readonly script: BrowserScript;
  readonly style: Buffer;
}

const YEAR_SECONDS = 31_536_000;

/**
 * The scripts of the page, each in a block of its own, so that their names cannot clash. `refund.js` is the last one,
 * because it fails in browsers without storage.
 */
const SCRIPTS = ['live.js', 'countdown.js', 'copy.js', 'receipt.js', 'wallet.js', 'frame.js', 'refund.js'];

/** Reads the page's files from beside this one; they are served without compilation. */
export function readBrowserFiles(): PageFiles {
  const script = SCRIPTS.map((name) => `{\n${withoutComments(read(name))}}\n`).join('');
  return { script: browserScript('checkout', script), style: styleWith('') };
}

/** The style of the payer's page, and additions to it. */
export function styleWith(additions: string): Buffer {
  return Buffer.from(withoutComments(`${read('page.css')}${additions}`));
}

/** @param kind - the beginning of its name */
export function browserScript(kind: string, text: string): BrowserScript {
  const body = Buffer.from(text);
  const hash = createHash('sha256').update(body).digest();
  return {
    name: `${kind}.${hash.toString('hex').slice(0, 16)}.js`,
    body,
    integrity: `sha256-${hash.toString('base64')}`,
  };
}

/** The reply to a request for a page's script. @throws TillgateError `NOT_FOUND` for another name */
export function scriptReply({ script }: PageFiles, name: string | undefined, traceId: string): HttpResponse {
  if (name !== script.name) throw new TillgateError('NOT_FOUND', 'There is no such file.');
  const headers = {
    'X-Trace-Id': traceId,
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
    'X-Content-Type-Options': 'nosniff',
  };
  return { status: 200, headers, body: script.body };
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
