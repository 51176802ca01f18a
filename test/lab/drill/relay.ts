/**
 * A way to the database that takes longer when its parent says so: each message of the parent is the delay of one
 * direction in milliseconds. It takes the place of `tc netem`, which many kernels do not have.
 *
 *     relay.ts PORT HOST
 */
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

const [port, host] = process.argv.slice(2);
let delayMs = 0;
process.on('message', (ms: number) => (delayMs = ms));

/** Passes bytes on in their order, however the delay changes. */
function pass(from: Socket, to: Socket): void {
  let last = 0;
  const later = (act: () => void): void => {
    last = Math.max(last, performance.now() + delayMs);
    setTimeout(act, last - performance.now());
  };
  from.on('data', (bytes) => later(() => void to.write(bytes)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => later(() => to.destroy()));
}

createServer((client) => {
  const server = connect(5432, host);
  pass(client, server);
  pass(server, client);
}).listen(Number(port), '127.0.0.1', () => process.send?.('listens'));
