import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** What a round of requests came to. */
export interface PageRun {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly failures: number;
}

const HEAD_END = '\r\n\r\n';

/** Asks for the paths in turn over so many connections, each with one request on its way at a time, for some seconds. */
export async function loadPages(
  url: string,
  paths: readonly string[],
  connections: number,
  seconds: number,
): Promise<PageRun> {
  const { host } = new URL(url);
  const requests = paths.map(
    (path) =>
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nAccept-Language: de-CH,de;q=0.9,en;q=0.8\r\n\r\n`,
  );
  return loadRequests(url, requests, connections, seconds);
}

/** Sends the requests, written out, in turn over so many connections, each with one on its way at a time, for some seconds. */
export async function loadRequests(
  url: string,
  requests: readonly string[],
  connections: number,
  seconds: number,
): Promise<PageRun> {
  const took: number[] = [];
  let next = 0;
  let failures = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  const ask = async (): Promise<void> => {
    const line = new Line(url);
    while (performance.now() < until) {
      const sent = performance.now();
      const status = await line.ask(requests[next++ % requests.length] ?? '');
      took.push(performance.now() - sent);
      if (status !== 200) failures += 1;
    }
    line.close();
  };
  await Promise.all(Array.from({ length: connections }, ask));
  const elapsed = (performance.now() - began) / 1000;
  took.sort((a, b) => a - b);
  return { requests: took.length, perSecond: took.length / elapsed, p50Ms: took[took.length >> 1] ?? NaN, failures };
}

/** One kept-alive connection. Bare on purpose: a client library would take longer than the page. */
class Line {
  readonly #socket: Socket;
  #missing = 0;
  #status = 0;
  #answered: (status: number) => void = () => undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#socket.on('error', () => this.#answered(0));
    this.#socket.on('close', () => this.#answered(0));
  }

  ask(request: string): Promise<number> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#answered = () => undefined;
    this.#socket.destroy();
  }

  /** Heads come in one piece here: they are small, and the first of what a server writes. */
  #receive(chunk: Buffer): void {
    if (this.#missing > 0) {
      this.#missing -= chunk.length;
    } else {
      const end = chunk.indexOf(HEAD_END);
      const head = chunk.toString('latin1', 0, end);
      this.#status = Number(head.slice(9, 12));
      this.#missing =
        Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? NaN) - (chunk.length - end - HEAD_END.length);
    }
    if (this.#missing === 0) this.#answered(this.#status);
  }
}
