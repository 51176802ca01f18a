import type { JsonRpcRequest } from '../json-rpc.ts';
import { isRead } from '../method-policy.ts';
import { replyIds } from './reply-ids.ts';

/** A request, single or a batch, that was sent to a node and has no answer yet. */
export interface CallInFlight {
  readonly batch: boolean;
  readonly ids: readonly (string | null)[];
  /** What may be sent to another node; `null` for what must not be sent twice. */
  readonly text: string | null;
  /** Whether it subscribes at this node. */
  readonly subscribes: boolean;
}

/** What a node that has ended owes to a client. */
export interface OwedAnswers {
  /** To be sent to another node. */
  readonly again: readonly CallInFlight[];
  /** To be answered with an error. */
  readonly lost: readonly CallInFlight[];
}

const MAX_CALLS = 4_096;
/** The most characters of requests that are kept to be sent again. */
const MAX_TEXT = 1024 * 1024;
const SUBSCRIBE = 'eth_subscribe';

/** The calls of one connection that a node has not answered. The oldest are forgotten over the bound. */
export class CallsInFlight {
  readonly #byId = new Map<string, CallInFlight>();
  #size = 0;

  get count(): number {
    return this.#byId.size;
  }

  /** Records a request that is sent to a node for the first time. */
  sent({ batch, ids, methods, text }: JsonRpcRequest): void {
    const again = methods.every(isRead) && this.#size + text.length <= MAX_TEXT;
    this.#add({ batch, ids, text: again ? text : null, subscribes: methods.includes(SUBSCRIBE) });
  }

  /** Records a request that is sent to a second node: it is not sent to a third one. */
  sentAgain(call: CallInFlight): void {
    this.#add({ ...call, text: null });
  }

  /** The request that a node's message answers; `null` for a notification, and for what was not asked. */
  answered(message: string): CallInFlight | null {
    if (this.#byId.size === 0) return null;
    for (const id of replyIds(message)) {
      const call = this.#byId.get(keyOf(id));
      if (call === undefined) continue;
      this.#remove(call);
      return call;
    }
    return null;
  }

  /** Empties the list. */
  take(): OwedAnswers {
    const calls = [...new Set(this.#byId.values())];
    this.#byId.clear();
    this.#size = 0;
    return { again: calls.filter(({ text }) => text !== null), lost: calls.filter(({ text }) => text === null) };
  }

  #add(call: CallInFlight): void {
    let kept = false;
    for (const id of call.ids) {
      if (id === null) continue;
      const former = this.#byId.get(keyOf(id));
      if (former !== undefined && former !== call) this.#remove(former);
      this.#byId.set(keyOf(id), call);
      kept = true;
    }
    if (kept) this.#size += call.text?.length ?? 0;
    for (const oldest of this.#byId.values()) {
      if (this.#byId.size <= MAX_CALLS) break;
      this.#remove(oldest);
    }
  }

  #remove(call: CallInFlight): void {
    for (const id of call.ids) if (id !== null && this.#byId.get(keyOf(id)) === call) this.#byId.delete(keyOf(id));
    this.#size -= call.text?.length ?? 0;
  }
}

/** A node may write a string in another way than the client did. */
function keyOf(id: string): string {
  if (!id.startsWith('"') || !id.includes('\\')) return id;
  try {
    return JSON.stringify(JSON.parse(id));
  } catch {
    return id;
  }
}
