import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import type { Logger } from '../../core/index.ts';

/** The folder of the sockets of a data folder's servers, one each, named by its process. */
const folderOf = (dataDir: string): string => join(dataDir, 'control');
/** The path of a socket is limited by the system: 104 bytes on macOS, 108 on Linux, with the zero at the end. */
const MAX_PATH_BYTES = 103;
const REQUEST = 'reload\n';
const MAX_ANSWER = 1024 * 1024;
const PATIENCE_MS = 60_000;

/** The answer of a running server to a request. */
export interface Answered<T> {
  readonly pid: number;
  readonly answer: T;
}

/** Listens on a socket of the file system that only this user can use, for requests to read the settings again. */
export class ControlSocket {
  readonly #server: Server;
  readonly #path: string;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.#path = path;
  }

  /** @returns `null` where there can be no socket; that is logged, and signals still work */
  static async open(dataDir: string, reload: () => Promise<unknown>, logger: Logger): Promise<ControlSocket | null> {
    const folder = folderOf(dataDir);
    const path = join(folder, `${process.pid}.sock`);
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
      logger.info('tillgate reload does not reach this server, because the path of dataDir is too long: send SIGHUP');
      return null;
    }
    const server = createServer((socket) => serve(socket, reload));
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
      rmSync(path, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      });
    } catch (error) {
      logger.info('tillgate reload does not reach this server: send SIGHUP', { error });
      return null;
    }
    server.unref();
    return new ControlSocket(server, path);
  }

  close(): void {
    this.#server.close();
    rmSync(this.#path, { force: true });
  }
}

function serve(socket: Socket, reload: () => Promise<unknown>): void {
  let asked = '';
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.setEncoding('utf8').on('data', (text: string) => {
    asked += text;
    if (asked.length > REQUEST.length) socket.destroy();
    else if (asked === REQUEST)
      reload().then(
        (answer) => void socket.end(`${JSON.stringify(answer)}\n`),
        () => void socket.destroy(),
      );
  });
}

/** Asks every server that runs with a data folder on this machine to read its settings again. */
export async function askToReload<T>(dataDir: string): Promise<readonly Answered<T>[]> {
  const answers = await Promise.all(
    socketsOf(folderOf(dataDir)).map(async ({ path, pid }) => {
      const answer = await ask(path);
      return answer === null ? [] : [{ pid, answer: JSON.parse(answer) as T }];
    }),
  );
  return answers.flat();
}

function socketsOf(folder: string): readonly { readonly path: string; readonly pid: number }[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const [, pid] = /^(\d+)\.sock$/.exec(name) ?? [];
      return pid === undefined ? [] : [{ path: join(folder, name), pid: Number(pid) }];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** @returns `null` from a server that has ended, whose socket is removed */
function ask(path: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(path, () => socket.write(REQUEST));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('The server does not answer.')));
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      if (answer.length > MAX_ANSWER) socket.destroy(new Error('The answer is too long.'));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') {
        rmSync(path, { force: true });
        resolve(null);
      } else reject(error);
    });
    socket.on('end', () => (answer === '' ? reject(new Error('The server ended.')) : resolve(answer)));
  });
}
