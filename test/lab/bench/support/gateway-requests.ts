import { createHash } from 'node:crypto';
import { HOSTS } from './gateway-fixture.ts';

/** Enough that no two of those under way at the same time are equal. */
const DIFFERENT = 512;

const digest = (n: number): string => createHash('sha256').update(String(n)).digest('hex');

/**
 * JSON-RPC calls as clients send them, written out: each has another `X-Request-Id`, another id and another address to
 * ask for, and bodies of different lengths.
 */
export function rpcRequests(key: string): readonly string[] {
  return Array.from({ length: DIFFERENT }, (_, n) => {
    const params = [`0x${digest(n).slice(0, 40)}`, 'latest'];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 10 ** (n % 9) + n, method: 'eth_getBalance', params });
    const lines = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    return `${head('POST /', HOSTS.jsonrpc, key, n)}${lines}\r\n${body}`;
  });
}

/** Requests for a reply of 1 MB. */
export function largeRequests(key: string): readonly string[] {
  return Array.from({ length: DIFFERENT }, (_, n) => `${head('GET /large', HOSTS.http, key, n)}\r\n`);
}

/** A request whose body is still to come. */
export function unfinishedRequest(key: string): string {
  return `${head('POST /x', HOSTS.http, key, 0)}Content-Length: 100000\r\n\r\n${'a'.repeat(70_000)}`;
}

function head(target: string, host: string, key: string, n: number): string {
  const id = `X-Request-Id: ${digest(n).slice(0, 32)}`;
  return `${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${id}\r\n`;
}
