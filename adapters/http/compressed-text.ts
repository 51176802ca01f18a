import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { acceptedEncoding } from './accepted-encoding.ts';
import type { Encoding } from './accepted-encoding.ts';
import { header } from './messages.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';

const COMPRESS = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

/** A text that does not change, kept in each encoding that was asked for. */
export class CompressedText {
  readonly #text: string;
  readonly #bodies = new Map<Encoding, Promise<Uint8Array>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The body and the headers of its encoding, as a client accepts them. */
  async reply({ headers }: Pick<HttpRequest, 'headers'>): Promise<Pick<HttpResponse, 'body' | 'headers'>> {
    const encoding = acceptedEncoding(header(headers, 'accept-encoding'));
    const vary = { Vary: 'Accept-Encoding' };
    if (encoding === 'identity') return { body: this.#text, headers: vary };
    const body = this.#bodies.get(encoding) ?? COMPRESS[encoding](this.#text);
    this.#bodies.set(encoding, body);
    return { body: await body, headers: { ...vary, 'Content-Encoding': encoding } };
  }
}
