import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

const LENGTH_BYTES = 4;
const TYPE_BYTES = 1;

/** A proxy to PostgreSQL that counts statements. */
export interface StatementCounter {
  /** The URL to use in place of the database's. */
  readonly url: string;
  /** The count of each statement's text. */
  readonly sent: ReadonlyMap<string, number>;
  total(): number;
  close(): Promise<void>;
}

/** Starts forwarding connections to the database. Prepared, named statements are counted by their name. */
export async function countStatements(database: string): Promise<StatementCounter> {
  const target = new URL(database);
  const sent = new Map<string, number>();
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const read = messageReader((text) => sent.set(text, (sent.get(text) ?? 0) + 1));
    client.on('data', read);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => [client, upstream].forEach((each) => each.destroy()));
      socket.on('close', () => open.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(database);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    sent,
    total: () => [...sent.values()].reduce((sum, count) => sum + count, 0),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Parses a client's messages (PostgreSQL's protocol, version 3): a query, or the statement of an execution. */
function messageReader(onStatement: (text: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  let started = false;
  let parsed = '';
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = started ? TYPE_BYTES : 0;
      if (rest.length < head + LENGTH_BYTES) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      const type = started ? String.fromCharCode(rest[0]!) : '';
      const body = rest.subarray(head + LENGTH_BYTES, end);
      // A start-up message contains version 3; a request for TLS may precede it.
      if (!started) started = body.readInt32BE(0) >> 16 === 3;
      else if (type === 'Q') onStatement(body.toString('utf8', 0, body.length - 1));
      else if (type === 'P') parsed = body.toString('utf8').split('\0')[1] ?? '';
      else if (type === 'B') parsed = body.toString('latin1').split('\0')[1] || parsed;
      else if (type === 'E') onStatement(parsed);
      rest = rest.subarray(end);
    }
  };
}
