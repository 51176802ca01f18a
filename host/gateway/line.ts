import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { CLOSED, NO_REPLY, SHUT_DOWN, wordOf } from './failure-words.ts';
import { ChunkReader } from './http1/chunk-reader.ts';
import { INCOMPLETE, MALFORMED } from './http1/field-lines.ts';
import { MAX_REPLY_HEAD, readReplyHead } from './http1/reply-head.ts';
import type { ReplyHead } from './http1/reply-head.ts';
import type { KnownHeads } from './known-heads.ts';
import type { Dated } from './deadlines.ts';
import { readBuffers } from './read-buffers.ts';

/** Who uses a line, for one request. */
export interface LineUser {
  readonly method: string;
  /** True while somebody may still refer to a chunk of the reply. */
  readonly holding: boolean;
  /** It has a connection: its bytes, to be written now. */
  taken(line: Line): Buffer;
  /** @param fields - names and values in turn */
  answered(status: number, fields: readonly string[]): void;
  /** False to be given no more until the line is resumed. */
  data(chunk: Buffer): boolean;
  /** What had come of the reply so far has all been handed over. */
  pausing(): void;
  /** The reply is complete, and the line has let go of its user. */
  ended(): void;
  /** The reply did not come to its end. */
  broken(word: string): void;
  /** No connection came about; `null` for one that took too long. */
  notDialled(word: string | null): void;
}

/** Who keeps the lines. */
export interface LineOwner {
  readonly host: string;
  readonly port: number;
  readonly connectMs: number;
  readonly heads: KnownHeads;
  /** A connection came about. */
  connected(): void;
  /** The line may be used: it is new, or the reply to its last request is complete. */
  free(line: Line): void;
  /** It is of no use any more. A line that never connected brings the word for it; `null` for a time-out. */
  lost(line: Line, dial: { readonly word: string | null } | null): void;
}

/** How long an unused connection is kept where the upstream does not say, and at most. */
const KEEP_MS = 4_000;
const MAX_KEEP_MS = 600_000;
/** The upstream closes when it says: a request should not meet it on the way. */
const KEEP_MARGIN_MS = 1_000;
/** What is looked at of a reply for its head at first. */
const HEAD_GLANCE = 2 * 1024;
/** A reply that is longer is read into a buffer of its own, and passed on from there without being copied. */
const LONG_REPLY = 64 * 1024;
/** What is left of such a buffer is used when it is at least so much. */
const LEAST_READ = 32 * 1024;

const LINE = Symbol('line');
interface LineSocket extends Socket {
  [LINE]?: Line;
}

/** One connection to an upstream, with one request on it at a time. */
export class Line implements Dated {
  dueAt: number;
  readonly #owner: LineOwner;
  readonly #socket: LineSocket;
  #connected = false;
  #closed = false;
  #call: LineUser | null = null;
  /** The beginning of a head that has not come to its end. */
  #partial: Buffer | null = null;
  #head: ReplyHead | null = null;
  #left = 0;
  /** Bytes of the present body so far. */
  #passed = 0;
  /** Where a long reply is read to. */
  #own: Buffer | null = null;
  /** What of it is in use. */
  #ownUsed = 0;
  #chunks: ChunkReader | null = null;
  /** True once the reply's last byte was read. */
  #complete = false;
  #paused = false;
  #keepMs = KEEP_MS;
  readonly #take = (piece: Buffer): void => this.#pass(piece);

  constructor(owner: LineOwner) {
    this.#owner = owner;
    this.dueAt = performance.now() + owner.connectMs;
    const socket: LineSocket = connect({
      host: owner.host,
      port: owner.port,
      noDelay: true,
      onread: { buffer: () => this.#buffer(), callback: (size, buffer) => this.#read(size, buffer as Buffer) },
    });
    socket[LINE] = this;
    this.#socket = socket;
    socket.on('connect', onConnect).on('end', onEnd).on('error', onError).on('close', onClose);
  }

  /** True while it can take a request. */
  get usable(): boolean {
    return this.#connected && !this.#closed && this.#call === null && this.dueAt > performance.now();
  }

  /** Writes the request of a call, once, and reads its reply. */
  run(call: LineUser): void {
    this.#call = call;
    this.dueAt = Infinity;
    this.#socket.write(call.taken(this));
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket.resume();
  }

  /** Ends the connection; nobody is told but the owner. */
  cut(): void {
    this.#call = null;
    this.#lose(null);
  }

  /** Ends the connection and fails what is under way. */
  close(): void {
    if (this.#connected) this.#break(SHUT_DOWN);
    else this.#lose({ word: SHUT_DOWN });
  }

  /** Too long without a connection, or without use. */
  overdue(): void {
    if (this.#connected) this.cut();
    else this.#lose({ word: null });
  }

  // ---- what its socket tells it

  connected(): void {
    this.#connected = true;
    this.#owner.connected();
    this.#idle();
  }

  #read(size: number, buffer: Buffer): true {
    if (this.#own !== null) this.#ownUsed += size;
    this.#received(buffer.subarray(0, size));
    return true;
  }

  /** Where the next bytes are read to. */
  #buffer(): Buffer {
    if (this.#call === null || this.#head === null) return readBuffers.shared;
    if (this.#own === null) {
      if (this.#left > LONG_REPLY || this.#passed > LONG_REPLY) this.#own = readBuffers.take();
    } else if (!this.#call.holding) {
      this.#ownUsed = 0;
    } else if (this.#own.length - this.#ownUsed < LEAST_READ) {
      this.#own = readBuffers.take();
      this.#ownUsed = 0;
    }
    return this.#own?.subarray(this.#ownUsed) ?? readBuffers.shared;
  }

  #received(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.#call !== null && !this.#complete) {
      const used = this.#head === null ? this.#readHead(chunk, at) : this.#readBody(chunk, at);
      if (used < 0) {
        this.#break(NO_REPLY);
        return;
      }
      at += used;
    }
    if (this.#complete) this.#finish(at === chunk.length);
    // What nobody asked for makes all that follows doubtful.
    else if (at < chunk.length) this.cut();
    else this.#call?.pausing();
  }

  /** The upstream sends no more. */
  ended(): void {
    if (this.#head?.bodyEnd === 'close') this.#finish(false);
    else this.#break(CLOSED);
  }

  failed(error: Error): void {
    if (this.#connected) this.#break(wordOf(error));
    else this.#lose({ word: wordOf(error) });
  }

  closed(): void {
    if (this.#connected) this.#break(CLOSED);
    else this.#lose({ word: CLOSED });
  }

  // ---- the reply

  /** How many bytes of the chunk were used; negative for what is no reply. */
  #readHead(chunk: Buffer, from: number): number {
    const call = this.#call as LineUser;
    const known = this.#partial === null ? this.#owner.heads.find(chunk, from, call.method) : null;
    if (known !== null) {
      this.#begin(known, call);
      return known.length;
    }
    const fresh = from === 0 ? chunk : chunk.subarray(from);
    const bytes = this.#partial === null ? fresh : Buffer.concat([this.#partial, fresh]);
    let head = readReplyHead(bytes.toString('latin1', 0, HEAD_GLANCE), call.method);
    if (head === INCOMPLETE && bytes.length > HEAD_GLANCE) head = readReplyHead(bytes.toString('latin1', 0, MAX_REPLY_HEAD), call.method);
    if (head === MALFORMED || (head === INCOMPLETE && bytes.length >= MAX_REPLY_HEAD)) return -1;
    if (head === INCOMPLETE) {
      this.#partial = Buffer.from(bytes);
      return fresh.length;
    }
    const before = this.#partial?.length ?? 0;
    this.#partial = null;
    // The protocol is never changed; other interim replies are of no interest.
    if (head.status === 101) return -1;
    if (head.status >= 200) {
      this.#owner.heads.keep(bytes, head, call.method);
      this.#begin(head, call);
    }
    return head.length - before;
  }

  #begin(head: ReplyHead, call: LineUser): void {
    this.#head = head;
    this.#left = head.contentLength;
    this.#passed = 0;
    if (head.bodyEnd === 'chunked') this.#chunks = new ChunkReader();
    if (head.keepAliveSeconds !== null) this.#keepMs = Math.min(head.keepAliveSeconds * 1000 - KEEP_MARGIN_MS, MAX_KEEP_MS);
    call.answered(head.status, head.fields);
    this.#complete = head.bodyEnd === 'none' || (head.bodyEnd === 'length' && this.#left === 0);
  }

  #readBody(chunk: Buffer, from: number): number {
    if (this.#chunks !== null) {
      const used = this.#chunks.read(chunk, from, this.#take);
      this.#complete = this.#chunks.over;
      return used;
    }
    const size = this.#head?.bodyEnd === 'length' ? Math.min(this.#left, chunk.length - from) : chunk.length - from;
    this.#pass(from === 0 && size === chunk.length ? chunk : chunk.subarray(from, from + size));
    if (this.#head?.bodyEnd === 'length') {
      this.#left -= size;
      this.#complete = this.#left === 0;
    }
    return size;
  }

  #pass(piece: Buffer): void {
    this.#passed += piece.length;
    if (this.#call === null || this.#call.data(this.#own === null ? Buffer.from(piece) : piece) || this.#paused) return;
    this.#paused = true;
    this.#socket.pause();
  }

  /** @param clean - whether nothing came behind the reply */
  #finish(clean: boolean): void {
    const call = this.#call;
    const keep = clean && this.#head?.keepAlive === true && this.#keepMs > 0 && this.#socket.writableLength === 0 && !this.#closed;
    const own = this.#own;
    this.#call = null;
    this.#head = null;
    this.#chunks = null;
    this.#own = null;
    this.#ownUsed = 0;
    this.#complete = false;
    this.resume();
    if (keep) this.#idle();
    else this.cut();
    call?.ended();
    if (own !== null && call?.holding === false) readBuffers.give(own);
  }

  // ---- ends

  #idle(): void {
    this.dueAt = performance.now() + this.#keepMs;
    this.#owner.free(this);
  }

  #break(word: string): void {
    const call = this.#call;
    this.cut();
    call?.broken(word);
  }

  #lose(dial: { readonly word: string | null } | null): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    this.#owner.lost(this, dial);
  }
}

function onConnect(this: LineSocket): void {
  this[LINE]?.connected();
}

function onEnd(this: LineSocket): void {
  this[LINE]?.ended();
}

function onError(this: LineSocket, error: Error): void {
  this[LINE]?.failed(error);
}

function onClose(this: LineSocket): void {
  this[LINE]?.closed();
}
