import { faultOfStatus, meaningOfBody } from '../../core/index.ts';
import type { AnswerMeaning, MethodFamily, NodeFault } from '../../core/index.ts';
import { guardMethods } from './guard-methods.ts';
import type { Abortable } from './guard-methods.ts';
import { codingOf, decodeBody } from './reads/decode-body.ts';
import type { Judgeable, UpstreamFailure, UpstreamResponseHandler } from './upstream-request.ts';
import type { Upstream } from './upstream.ts';

/** The request whose answers are judged. `RequestForwarder` implements it. */
export interface JudgeOwner extends Abortable {
  /** `null` for an answer that is not JSON-RPC, of which only the status counts. */
  readonly rpc: { readonly family: MethodFamily | null; readonly batch: boolean } | null;
  /**
   * The upstream did not answer the call.
   *
   * @returns true if the answer was not passed on, because another upstream is asked or the caller must not see it
   */
  onNotAnswered(upstream: Upstream, meaning: NotAnswered, status: number, answer: JudgedResponse): boolean;
  /** The upstream answered the call. @param opening - of the body, or all of it; it may be overwritten afterwards */
  onAnswered(upstream: Upstream, opening: Buffer): void;
  /** What the caller gets in place of an error; `null` for the error itself. */
  inPlaceOf(error: string): string | null;
}

/** Why an upstream did not answer. */
export type NotAnswered = Extract<AnswerMeaning, { readonly reason: NodeFault }>;

const PLAIN = 'identity';
const JSON_TYPE = ['Content-Type', 'application/json'];
/** Errors are short; a longer body is passed on as it comes. */
const MAX_JUDGED_BYTES = 64 * 1024;
/** A compressed body is judged up to this size: no error is longer. */
const MAX_CODED_BYTES = 4 * 1024;
/** A reply says within this many bytes whether it is a result. */
const OPENING_BYTES = 512;

interface Head {
  readonly status: number;
  readonly fields: readonly string[];
  readonly length: string | null;
}

/**
 * Holds an upstream's answer until it is known what it means. A result is passed on from its first bytes on; an error is
 * read as a whole, and told to the owner where it is the node's and not the caller's.
 */
export class JudgedResponse implements UpstreamResponseHandler, Abortable {
  readonly #owner: JudgeOwner;
  readonly #upstream: Upstream;
  readonly #next: UpstreamResponseHandler;
  #request: Judgeable | null = null;
  #head: Head | null = null;
  /** `null` until something is held: most answers begin with a result. */
  #held: Buffer[] | null = null;
  #heldBytes = 0;
  #coding = PLAIN;
  #dropped = false;

  /** @param next - receives the answer where the owner does not refuse it */
  constructor(owner: JudgeOwner, upstream: Upstream, next: UpstreamResponseHandler) {
    this.#owner = owner;
    this.#upstream = upstream;
    this.#next = next;
  }

  onUpstreamConnect(): void {
    this.#next.onUpstreamConnect();
  }

  onResponseHeaders(status: number, fields: readonly string[], length: string | null, request: Judgeable): boolean {
    const fault = faultOfStatus(status, this.#owner.rpc !== null);
    if (fault !== null) {
      request.judged('erred');
      this.#dropped = this.#owner.onNotAnswered(this.#upstream, { kind: 'fault', reason: fault }, status, this);
    } else if (this.#owner.rpc !== null) {
      this.#request = request;
      this.#head = { status, fields, length };
      this.#coding = codingOf(fields);
      return true;
    }
    if (!this.#dropped) this.#next.onResponseHeaders(status, fields, length, request);
    return false;
  }

  onResponseData(chunk: Buffer): boolean {
    if (this.#dropped) return true;
    if (this.#head === null) return this.#next.onResponseData(chunk);
    if (this.#heldBytes === 0 && this.#coding === PLAIN && isResult(chunk, this.#owner.rpc?.batch === true)) {
      this.#owner.onAnswered(this.#upstream, chunk);
      this.#pass('succeeded');
      return this.#next.onResponseData(chunk);
    }
    // The chunk may be overwritten afterwards.
    this.#held ??= [];
    this.#held.push(Buffer.from(chunk));
    this.#heldBytes += chunk.length;
    const most = this.#coding === PLAIN ? MAX_JUDGED_BYTES : MAX_CODED_BYTES;
    return this.#heldBytes <= most || this.#pass('succeeded');
  }

  onResponseIdle(): void {
    // More of a held answer is coming, and the client waits for all of it.
    if (this.#head === null && !this.#dropped) this.#next.onResponseIdle();
  }

  get retainsChunks(): boolean {
    return this.#head === null && this.#next.retainsChunks;
  }

  onResponseEnd(): void {
    if (this.#dropped) return;
    if (this.#head === null) this.#next.onResponseEnd();
    else if (this.#coding === PLAIN) this.#judge(this.#body());
    else void this.#decode();
  }

  onResponseError(failure: UpstreamFailure): void {
    if (this.#dropped) return;
    // What was held of it never reached the client, so that another upstream may be asked.
    this.#head = null;
    this.#next.onResponseError(failure);
  }

  abort(error: unknown): void {
    this.#owner.abort(error);
  }

  /** Passes on an answer that was refused, where no other upstream gave a better one. @returns false without one */
  release(): boolean {
    if (this.#head === null) return false;
    this.#dropped = false;
    this.#pass('abandoned');
    this.#next.onResponseEnd();
    return true;
  }

  async #decode(): Promise<void> {
    const body = await decodeBody(this.#body(), this.#coding, MAX_JUDGED_BYTES);
    try {
      if (body !== null) {
        this.#judge(body);
        return;
      }
      // Of a coding that is not known here: the caller has asked for it.
      this.#pass('succeeded');
      this.#next.onResponseEnd();
    } catch (error) {
      this.abort(error);
    }
  }

  #body(): Buffer {
    return Buffer.concat(this.#held ?? [], this.#heldBytes);
  }

  #judge(body: Buffer): void {
    const { rpc } = this.#owner;
    const text = body.toString('utf8');
    const meaning = this.#heldBytes === 0 ? EMPTY : meaningOfBody(text, rpc?.family ?? null);
    const status = this.#head?.status ?? 0;
    if (meaning.kind === 'fault' || meaning.kind === 'lacks') {
      // A node that does not have something is no worse for it.
      this.#request?.judged(meaning.kind === 'fault' ? 'erred' : 'abandoned');
      this.#dropped = this.#owner.onNotAnswered(this.#upstream, meaning, status, this);
      if (this.#dropped) return;
    }
    if (meaning.kind === 'answer') this.#owner.onAnswered(this.#upstream, body);
    if (meaning.kind === 'caller') this.#replace(this.#owner.inPlaceOf(text));
    // The caller's own bad calls say nothing about the node.
    this.#pass(meaning.kind === 'answer' ? 'succeeded' : 'abandoned');
    this.#next.onResponseEnd();
  }

  #replace(reply: string | null): void {
    if (reply === null) return;
    const body = Buffer.from(reply);
    this.#head = { status: 200, fields: JSON_TYPE, length: String(body.length) };
    this.#held = [body];
  }

  /** Passes on what is held, and from now on everything. */
  #pass(outcome: 'succeeded' | 'abandoned'): boolean {
    const head = this.#head;
    const request = this.#request;
    if (head === null || request === null) return true;
    this.#head = null;
    request.judged(outcome);
    this.#next.onResponseHeaders(head.status, head.fields, head.length, request);
    let ready = true;
    for (const chunk of this.#held ?? []) ready = this.#next.onResponseData(chunk);
    this.#held = null;
    return ready;
  }
}

/** An empty body is none of a JSON-RPC answer, but nodes answer notifications with it. */
const EMPTY: AnswerMeaning = { kind: 'answer' };

/** Whether the opening of a body shows that it is a result. Of a batch all replies have to be read. */
function isResult(chunk: Buffer, batch: boolean): boolean {
  return !batch && isResultText(chunk.toString('latin1', 0, Math.min(chunk.length, OPENING_BYTES)));
}

/** The same for the reply to a single call. @param text - one character for each byte */
export function isResultText(text: string): boolean {
  const opening = text.length > OPENING_BYTES ? text.slice(0, OPENING_BYTES) : text;
  return opening.includes('"result"') && !opening.includes('"error"');
}

guardMethods(JudgedResponse, ['onResponseHeaders', 'onResponseData', 'onResponseEnd', 'onResponseError']);
