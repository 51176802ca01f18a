/** Header values by lower-case name, each as it came in; a repeated header has several. */
export type HeaderMap = ReadonlyMap<string, readonly string[]>;

/** The body of a request, not read yet. */
export interface RequestBody {
  /** True when the request announces a body (a length above zero, or chunks). */
  readonly present: boolean;
  /**
   * Reads all of it.
   * @returns `null` when it is longer than `limit` bytes; the rest is left to the binding
   * @throws ClientGone when the client left before its end
   */
  read(limit: number): Promise<Uint8Array | null>;
}

/** A request as plain data: what every binding (Express, `fetch`) makes of its own kind. */
export interface HttpRequest {
  /** As sent, upper case. */
  readonly method: string;
  /** The request target exactly as it came in: signatures cover it. */
  readonly target: string;
  /** The path under which the table is mounted; an empty string at the root. */
  readonly mount: string;
  readonly headers: HeaderMap;
  readonly body: RequestBody;
  /** The address of the connection's client. */
  readonly peer: string;
  /** Calls back when the client has left before its reply; returns how to stop listening. */
  readonly onGone: (listener: () => void) => () => void;
}

/** The target of a streamed reply. */
export interface ReplySink {
  /**
   * Sends a text at once.
   * @returns false when the client reads too slowly: the writer should end
   */
  write(text: string): boolean;
  end(): void;
}

/** Called once the headers are out; what it returns is called once, when the reply or its connection is over. */
export type ReplyStream = (sink: ReplySink) => () => void;

/** A reply as plain data. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Follows on the body, which is empty then, for as long as it likes: event streams. */
  readonly stream?: ReplyStream;
  /**
   * Follow on the body, which is empty then: documents of any length. The next part is asked for once the client has taken
   * the former one, none after it has left. An error ends the connection, so that a part is never taken for the whole.
   */
  readonly parts?: AsyncIterable<string>;
}

/** The client disconnected before its request was complete; no reply is sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The first value of a header; `null` without it. */
export function header(headers: HeaderMap, name: string): string | null {
  return headers.get(name)?.[0] ?? null;
}
