/** A process of its own with many connections: `idle-clients.ts PORT COUNT BYTES` says "open" once each has what it waits for. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';

const AT_ONCE = 100;
const [port = '', count = '', bytes = ''] = process.argv.slice(2);

/** Resolves once the connection is open; with bytes, once they were answered. */
function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1').on('error', reject);
    if (bytes === '') socket.once('connect', () => resolve(socket));
    else socket.once('data', () => resolve(socket)).write(bytes);
  });
}

const sockets: Socket[] = [];
while (sockets.length < Number(count)) sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, open))));
process.send?.('open');
