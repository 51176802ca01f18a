/** Header values by lower-case name, each as it was sent; a repeated header has several. */
export type HeaderMap = ReadonlyMap<string, readonly string[]>;

/** The body of a request, before it is read. */
export interface RequestBody {
  /** Whether the request announces a body (a length above zero, or chunks). */
  readonly present: boolean;
  /**
   * Reads the whole body.
   * @returns `null` when it is longer than `limit` bytes; the binding handles the rest
   * @throws ClientGone when the client left before the end of the body
   */
  read(limit: number): Promise<Uint8Array | null>;
}

/** A request as plain data, which every binding (Express, `fetch`) creates from its own kind of request. */
export interface HttpRequest {
  /** As sent, upper case. */
  readonly method: string;
  /** The request target exactly as it was sent: signatures cover it. */
  readonly target: string;
  /** The path under which the table is mounted; an empty string at the root. */
  readonly mount: string;
  readonly headers: HeaderMap;
  readonly body: RequestBody;
  /** The address of the connection's client. */
  readonly peer: string;
  /** Calls the listener when the client leaves before its reply; returns a function that removes the listener. */
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

/**
 * Called once the headers are sent. The function it returns is called once, when the reply or its connection is over.
 */
export type ReplyStream = (sink: ReplySink) => () => void;

/** A reply as plain data. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Writes the reply after the headers for as long as it likes (event streams); `body` is then empty. */
  readonly stream?: ReplyStream;
  /**
   * The parts of a document of any length; `body` is then empty. The next part is read once the client has received the
   * previous one, and none after it has left. An error breaks the connection, so that a part is never taken for the
   * whole.
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
