import { createServer } from 'node:net';
import type { Server } from 'node:net';

/** A call to a route's host, written out. */
export function requestOf(host: string, key: string): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  return `POST / HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** A node that answers every request alike; bare on purpose. */
export async function startUpstream(): Promise<Server> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' });
  const reply = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.write(reply, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
