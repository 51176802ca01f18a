import type { Deadlines } from './deadlines.ts';
import { SHUT_DOWN } from './failure-words.ts';
import { KnownHeads } from './known-heads.ts';
import { Line } from './line.ts';
import type { LineOwner, LineUser } from './line.ts';

/** The plain connections to one upstream; the one that was used last is used first. */
export class Lines implements LineOwner {
  readonly host: string;
  readonly port: number;
  readonly connectMs: number;
  readonly heads = new KnownHeads();
  readonly #max: number;
  readonly #deadlines: Deadlines;
  readonly #all = new Set<Line>();
  readonly #idle: Line[] = [];
  /** Calls without a connection, the first first. */
  readonly #waiting = new Set<LineUser>();
  #dialling = 0;
  #retired = false;
  #closed = false;

  constructor(url: URL, connectMs: number, max: number, deadlines: Deadlines) {
    this.host = url.hostname.replace(/^\[|\]$/g, '');
    this.port = url.port === '' ? 80 : Number(url.port);
    this.connectMs = connectMs;
    this.#max = max;
    this.#deadlines = deadlines;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Gives the call a connection, now or as soon as there is one. */
  serve(call: LineUser): void {
    for (let line = this.#idle.pop(); line !== undefined; line = this.#idle.pop()) {
      if (line.usable) {
        line.run(call);
        return;
      }
      line.cut();
    }
    this.#waiting.add(call);
    this.#dial();
  }

  /** The call needs no connection any more. */
  forget(call: LineUser): void {
    this.#waiting.delete(call);
  }

  connected(): void {
    this.#dialling -= 1;
  }

  free(line: Line): void {
    const [call] = this.#waiting;
    if (call !== undefined) {
      this.#waiting.delete(call);
      line.run(call);
    } else if (this.#retired) line.cut();
    else this.#idle.push(line);
  }

  lost(line: Line, dial: { readonly word: string | null } | null): void {
    this.#all.delete(line);
    this.#deadlines.delete(line);
    const at = this.#idle.indexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
    if (dial !== null) {
      this.#dialling -= 1;
      const [call] = this.#waiting;
      if (call !== undefined) {
        this.#waiting.delete(call);
        call.notDialled(dial.word);
      }
    }
    this.#dial();
  }

  /** Closes each connection once it is not used. */
  retire(): void {
    this.#retired = true;
    for (const line of this.#idle.splice(0)) line.cut();
  }

  /** Closes every connection now. */
  close(): void {
    this.#retired = true;
    this.#closed = true;
    for (const line of [...this.#all]) line.close();
    for (const call of [...this.#waiting]) {
      this.#waiting.delete(call);
      call.notDialled(SHUT_DOWN);
    }
  }

  /** As many connections are begun as calls wait, within the bound. */
  #dial(): void {
    while (!this.#closed && this.#dialling < this.#waiting.size && this.#all.size < this.#max) {
      const line = new Line(this);
      this.#dialling += 1;
      this.#all.add(line);
      this.#deadlines.add(line);
    }
  }
}
