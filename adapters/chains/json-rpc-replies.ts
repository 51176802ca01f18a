import { TransportFailure } from './http-endpoint.ts';

/** A node's refusal of a call. */
export interface RpcProblem {
  readonly code: number;
  readonly message: string;
  /** The error's additional data, if it is text. */
  readonly data?: string;
}

/** The outcome of one call of a batch: a result, or the node's refusal. */
export type RpcReply =
  { readonly result: unknown; readonly problem: null } | { readonly result: null; readonly problem: RpcProblem };

/** The endpoint that answered: its host, and how to redact its text. */
export interface ReplySource {
  readonly host: string;
  redact(text: string): string;
}

/** Rate-limited by the node: another one is tried, without more load on any. */
const THROTTLED = /too many requests|rate.?limit|quota|exceeded .*(?:capacity|throughput|per second)/i;

interface Envelope {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Reads the text of a reply, parsed once, into one outcome for each id, in their order.
 *
 * @throws TransportFailure when it is not a JSON-RPC reply to these ids
 */
export function readReplies(
  text: string,
  ids: readonly number[],
  source: ReplySource,
  read: (text: string) => unknown = JSON.parse,
): readonly RpcReply[] {
  const parsed = parse(text, source, read);
  if (!Array.isArray(parsed)) {
    const only = readEnvelope(parsed, source);
    if (only.problem !== null) {
      if (THROTTLED.test(only.problem.message)) throw new TransportFailure(`${source.host}: ${only.problem.message}`);
      // One object for many calls: the batch as a whole was refused.
      return ids.map(() => only);
    }
    if (ids.length !== 1 || (parsed as Envelope).id !== ids[0]) throw notAnAnswer(source);
    return [only];
  }
  const byId = new Map((parsed as readonly (Envelope | null)[]).map((entry) => [entry?.id, entry]));
  return ids.map((id) => {
    const entry = byId.get(id);
    if (entry === undefined) throw notAnAnswer(source);
    return readEnvelope(entry, source);
  });
}

function parse(text: string, source: ReplySource, read: (text: string) => unknown): unknown {
  try {
    return read(text);
  } catch {
    throw notAnAnswer(source);
  }
}

function readEnvelope(value: unknown, source: ReplySource): RpcReply {
  if (typeof value !== 'object' || value === null) throw notAnAnswer(source);
  const { error, result } = value as Envelope;
  if (error !== undefined && error !== null) {
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
    return {
      result: null,
      problem: {
        code: typeof code === 'number' ? code : 0,
        message: source.redact(typeof message === 'string' ? message : 'without a reason'),
        ...(typeof data === 'string' ? { data: source.redact(data) } : {}),
      },
    };
  }
  if (result === undefined) throw notAnAnswer(source);
  return { result, problem: null };
}

function notAnAnswer(source: ReplySource): TransportFailure {
  return new TransportFailure(`${source.host}: the answer is no JSON-RPC reply to the request`);
}
