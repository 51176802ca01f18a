import { Socket } from 'node:net';
import type { SocketConstructorOpts } from 'node:net';
import { readBuffers } from './read-buffers.ts';

/** What a client's socket reports to the connection that it belongs to. */
export interface ClientSocketHandler {
  /** @param bytes - valid only during the call: those to keep must be copied */
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

/** A socket of Node's with what it keeps inside: its connection to the system, and its `onread`. */
interface InnerSocket {
  readonly _handle?: { useUserBuffer?(buffer: Buffer): void } | null;
  [symbol: symbol]: unknown;
}

/** Where a socket keeps the buffer and the callback of its `onread`. */
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
  /** The client read nothing for too long; or it has read everything, and its idle connection was kept long enough. */
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

/** Leaves the socket to others: from now on it reads as any other. */
export function detachHandler(socket: ClientSocket): void {
  socket[HANDLER] = undefined;
  for (const [event, listener] of Object.entries(LISTENERS)) socket.off(event, listener);
}

/**
 * Gives an accepted socket what `net.connect` takes as `onread`, and `net.createServer` does not: one buffer for the reads of all, in place
 * of 64 KiB that Node allocates for each read, which takes a twentieth of a request's time. Where this Node keeps it elsewhere, the event
 * 'data' brings the bytes.
 */
function readIntoShared(socket: InnerSocket): void {
  const handle = socket._handle;
  if (PLACES === null || typeof handle?.useUserBuffer !== 'function' || !(PLACES.buffer in socket)) return;
  socket[PLACES.buffer] = readBuffers.shared;
  socket[PLACES.callback] = onRead;
  handle.useUserBuffer(readBuffers.shared);
}

/** Found by what is in them: they have no public names. */
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

/** False to read no further, until the socket is resumed. */
const onRead: ReadCallback = function (size, buffer) {
  const bytes = buffer.subarray(0, size);
  const handler = this[HANDLER];
  if (handler === undefined) return this.push(Buffer.from(bytes));
  handler.onData(bytes);
  readBuffers.invalidate(bytes);
  return true;
};
