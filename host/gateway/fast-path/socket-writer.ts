import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';

/** A request of libuv to write, made by Node for each write of a stream. */
interface WriteRequest {
  /** {@link UNUSED} unless libuv has the request and will complete it. */
  getAsyncId(): number;
  oncomplete?: (status: number) => void;
  /** Keeps the bytes until they are written. */
  buffer?: Buffer;
}

/** The internal parts of a Node socket that write. */
interface WriteHandle {
  /** @returns 0, or the negative number of an error */
  writeLatin1String(request: WriteRequest, text: string): number;
  writeBuffer(request: WriteRequest, bytes: Buffer): number;
}

interface InnerSocket {
  readonly _handle?: WriteHandle | null;
}

/** The id of a request that libuv does not have. */
const UNUSED = -1;
/** Longer pieces go through the stream, which counts what the other side has not taken. */
const MAX_DIRECT = 32 * 1024;

/** The class of Node's write requests, which is not public: it is taken from the first write of a stream. */
let NewRequest: (new () => WriteRequest) | null = null;
/** Used for every write that the kernel takes at once: such a write leaves nothing in it. */
let spare: WriteRequest | null = null;

/**
 * Writes short pieces to a socket past its stream, whose bookkeeping costs as much as a tenth of a request: the kernel
 * nearly always takes them at once. While it does not, and wherever this version of Node is built differently, they go
 * through the stream. The order of the pieces is kept either way.
 */
export class SocketWriter {
  readonly #socket: Socket;
  /** True while the kernel has not taken all of the last direct write. */
  #pending = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** True while bytes wait for the kernel. */
  get waiting(): boolean {
    return this.#pending || this.#socket.writableLength > 0;
  }

  /** @param piece - a text has one character for each byte */
  write(piece: string | Buffer): void {
    const socket = this.#socket;
    const handle = (socket as unknown as InnerSocket)._handle;
    if (
      this.#pending ||
      piece.length > MAX_DIRECT ||
      handle == null ||
      socket.writableLength > 0 ||
      socket.writableEnded ||
      socket.connecting ||
      (socket.timeout ?? 0) > 0
    )
      socket.write(piece, 'latin1');
    else if (NewRequest === null) learn(socket, handle, piece);
    else this.#writeTo(handle, piece, (spare ??= new NewRequest()));
  }

  #writeTo(handle: WriteHandle, piece: string | Buffer, request: WriteRequest): void {
    const status =
      typeof piece === 'string' ? handle.writeLatin1String(request, piece) : handle.writeBuffer(request, piece);
    if (status < 0) this.#fail(status);
    // Not by the length of libuv's queue: it may have taken the request and written it already.
    else if (request.getAsyncId() !== UNUSED) this.#await(request, piece);
  }

  /** The request belongs to libuv until it is complete. */
  #await(request: WriteRequest, piece: string | Buffer): void {
    spare = null;
    this.#pending = true;
    if (typeof piece !== 'string') request.buffer = piece;
    request.oncomplete = (status) => {
      this.#pending = false;
      if (status < 0) this.#fail(status);
    };
  }

  #fail(status: number): void {
    this.#socket.destroy(Object.assign(new Error('write'), { code: getSystemErrorName(status) }));
  }
}

/** Writes through the stream and takes the class of the request that the stream makes. */
function learn(socket: Socket, handle: WriteHandle, piece: string | Buffer): void {
  if (!('writeLatin1String' in handle && 'writeBuffer' in handle)) {
    socket.write(piece, 'latin1');
    return;
  }
  const write = handle.writeBuffer.bind(handle);
  handle.writeBuffer = (request, bytes) => {
    if ('getAsyncId' in request) NewRequest = request.constructor as new () => WriteRequest;
    return write(request, bytes);
  };
  socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  // The method of its class again.
  delete (handle as Partial<WriteHandle>).writeBuffer;
}
