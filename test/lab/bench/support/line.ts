import { connect } from 'node:net';
import type { Socket } from 'node:net';

export const HEAD_END = '\r\n\r\n';

/**
 * One kept-alive connection with one request on its way at a time. Bare on purpose: a client library would take a third
 * of the processor time of the order it sends, on the cores that are being measured.
 */
export class Line {
  readonly #socket: Socket;
  #text = '';
  #answered: (reply: string) => void = () => undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#answered(error.message));
    this.#socket.on('close', () => this.#answered('the server closed the connection'));
  }

  /** The whole reply to a whole request, or what went wrong with the connection. */
  ask(request: string): Promise<string> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#answered = () => undefined;
    this.#socket.destroy();
  }

  #receive(chunk: string): void {
    this.#text += chunk;
    const end = this.#text.indexOf(HEAD_END);
    if (end === -1) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1] ?? NaN);
    if (this.#text.length < end + HEAD_END.length + length) return;
    const reply = this.#text;
    this.#text = '';
    this.#answered(reply);
  }
}
