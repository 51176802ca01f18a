import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { waitFor } from '../../../support/wait.ts';

/** Payers who look at their pages: one open event stream each. */
export interface StreamCrowd {
  /** How many have been told the state of their order at least so many times. */
  told(times: number): number;
  /** Streams that the server ended or refused. */
  readonly lost: number;
  leave(): void;
}

/** So many streams share an address: one client may not have thousands. */
const PER_ADDRESS = 50;
const OPENING_AT_ONCE = 100;

/** Opens one stream for each path, from loopback addresses of their own, and waits until each was told its order's state. */
export async function openStreams(url: string, paths: readonly string[]): Promise<StreamCrowd> {
  const { port, host } = new URL(url);
  const counts = new Array<number>(paths.length).fill(0);
  const sockets: Socket[] = [];
  let lost = 0;
  let leaving = false;
  for (let at = 0; at < paths.length; at++) {
    const number = Math.floor(at / PER_ADDRESS);
    const socket = connect({
      host: '127.0.0.1',
      port: Number(port),
      localAddress: `127.0.${1 + (number >> 7)}.${1 + (number & 127)}`,
    });
    socket.setEncoding('latin1');
    socket.on('data', (text) => (counts[at] = (counts[at] ?? 0) + (String(text).match(/event: state/g)?.length ?? 0)));
    socket.on('error', () => undefined);
    socket.on('close', () => (lost += leaving ? 0 : 1));
    socket.write(`GET ${paths[at] ?? ''} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
    sockets.push(socket);
    // A crowd comes over a while; a listen queue is short.
    if (at % OPENING_AT_ONCE === OPENING_AT_ONCE - 1)
      await waitFor(() => counts.slice(0, at + 1).filter((count) => count > 0).length + lost > at, {
        timeoutMs: 60_000,
        describe: 'the streams to open',
      });
  }
  await waitFor(() => counts.filter((count) => count > 0).length + lost >= paths.length, {
    timeoutMs: 60_000,
    describe: () => `every stream to begin; ${counts.filter((count) => count > 0).length} did, ${lost} were lost`,
  });
  return {
    told: (times) => counts.filter((count) => count >= times).length,
    get lost() {
      return lost;
    },
    leave: () => {
      leaving = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
