/**
 * Somebody who floods a WebSocket of the gateway with pings: `node ping-flood.ts PORT HOST KEY`. Any line on its input begins a flood
 * or ends it. A connection that is closed is opened again.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';

const AGAIN_MS = 100;
const HANDSHAKE_END = '\r\n\r\n';
/** Empty pings of a client: two bytes of head, four of mask. */
const PINGS = Buffer.alloc(10_000 * 6, Buffer.from([0x89, 0x80, 0, 0, 0, 0]));

const [port = '', host = '', key = ''] = process.argv.slice(2);
let flooding = false;
let socket: Socket | null = null;

function open(): void {
  if (!flooding) return;
  const opened = connect(Number(port), '127.0.0.1');
  socket = opened;
  opened.write(
    `GET /${key} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  opened.on('error', () => undefined);
  opened.on('drain', () => flood(opened));
  opened.on('data', (chunk: Buffer) => {
    if (chunk.includes(HANDSHAKE_END)) flood(opened);
  });
  opened.once('close', () => setTimeout(open, AGAIN_MS));
}

function flood(to: Socket): void {
  while (!to.destroyed && to.write(PINGS));
}

createInterface(process.stdin).on('line', () => {
  flooding = !flooding;
  if (flooding) open();
  else socket?.destroy();
});
