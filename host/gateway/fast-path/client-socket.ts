import { Socket } from 'node:net';
import type { SocketConstructorOpts } from 'node:net';
import { readBuffers } from './read-buffers.ts';

/** The events that a client's socket reports to its connection. */
export interface ClientSocketHandler {
  /** @param bytes - valid only during the call: copy those to keep */
  onData(bytes: Buffer): void;
  onEnd(): void;
  onClose(): void;
  onDrain(): void;
}

const HANDLER = Symbol('handler of a client socket');
/** A client's socket, with the connection that reads it. */
export interface ClientSocket extends Socket {
  [HANDLER]?: ClientSocketHandler | undefined;
}

type ReadCallback = (this: ClientSocket, size: number, buffer: Buffer) => boolean;

/** The internal parts of a Node socket: its handle, and its `onread`. */
interface InnerSocket {
  readonly _handle?: { useUserBuffer?(buffer: Buffer): void } | null;
  [symbol: symbol]: unknown;
}

/** The symbols under which a socket keeps the buffer and the callback of its `onread`. */
interface OnreadPlaces {
  readonly buffer: symbol;
  readonly callback: symbol;
}

const LISTENERS = {
  data(this: ClientSocket, bytes: Buffer): void {
    this[HANDLER]?.onData(bytes);
  },
  end(this: ClientSocket): void {
    this[HANDLER]?.onEnd();
  },
  /** The event 'close' follows. */
  error(this: ClientSocket): void {
    this.destroy();
  },
  close(this: ClientSocket): void {
    this[HANDLER]?.onClose();
  },
  drain(this: ClientSocket): void {
    this[HANDLER]?.onDrain();
  },
  /** The client read nothing for too long, or its connection was idle for too long. */
  timeout(this: ClientSocket): void {
    this.destroy();
  },
};

/** Reads a socket that a server has accepted. */
export function attachHandler(socket: ClientSocket, handler: ClientSocketHandler): void {
  socket[HANDLER] = handler;
  for (const [event, listener] of Object.entries(LISTENERS)) socket.on(event, listener);
  readIntoShared(socket as unknown as InnerSocket);
}

/** Restores the socket's normal way of reading. */
export function detachHandler(socket: ClientSocket): void {
  socket[HANDLER] = undefined;
  for (const [event, listener] of Object.entries(LISTENERS)) socket.off(event, listener);
}

/**
 * Gives an accepted socket the `onread` option that `net.connect` takes and `net.createServer` does not: one buffer for
 * all reads instead of 64 KiB that Node allocates for each, which costs a twentieth of a request's time. If this
 * version of Node stores the option elsewhere, the event 'data' is used.
 */
function readIntoShared(socket: InnerSocket): void {
  const handle = socket._handle;
  if (PLACES === null || typeof handle?.useUserBuffer !== 'function' || !(PLACES.buffer in socket)) return;
  socket[PLACES.buffer] = readBuffers.shared;
  socket[PLACES.callback] = onRead;
  handle.useUserBuffer(readBuffers.shared);
}

/** The symbols are private, so they are found by their values. */
const PLACES = ((): OnreadPlaces | null => {
  const [bytes, callback] = [Buffer.alloc(1), (): boolean => true];
  // Documented, but not in the types.
  const socket = new Socket({ onread: { buffer: bytes, callback } } as SocketConstructorOpts);
  const inner = socket as unknown as InnerSocket;
  const placeOf = (value: unknown): symbol | undefined =>
    Object.getOwnPropertySymbols(inner).find((symbol) => inner[symbol] === value);
  const places = { buffer: placeOf(bytes), callback: placeOf(callback) };
  socket.destroy();
  return places.buffer === undefined || places.callback === undefined ? null : (places as OnreadPlaces);
})();

/** Returns false to stop reading until the socket is resumed. */
const onRead: ReadCallback = function (size, buffer) {
  const bytes = buffer.subarray(0, size);
  const handler = this[HANDLER];
  if (handler === undefined) return this.push(Buffer.from(bytes));
  handler.onData(bytes);
  readBuffers.invalidate(bytes);
  return true;
};
