/**
 * Something of Node's that is not documented, or barely, or that only some releases have, and the tests that fail where
 * a release does it otherwise.
 */
interface LeanedOn {
  readonly what: string;
  /** Where the product leans on it. */
  readonly sources: readonly string[];
  /** None of them needs a native module: those of another release's Node would not load. */
  readonly tests: readonly string[];
}

export const LEANED_ON: readonly LeanedOn[] = [
  {
    what: "a server's first listener of `connection` is its own, and takes a socket whose bytes were put back into it",
    sources: ['host/gateway/fast-path/connection-listener.ts'],
    tests: ['test/gateway/client-connections.test.ts', 'test/gateway/raw-socket.test.ts', 'test/gateway/anvil.test.ts'],
  },
  {
    what: 'where a socket keeps its `onread`, which an accepted one is given later, and `useUserBuffer` of its `_handle`',
    sources: ['host/gateway/fast-path/client-socket.ts'],
    tests: ['test/unit/gateway/client-reading.test.ts'],
  },
  {
    what: '`closeIdleConnections` and `closeAllConnections` may be replaced, and `close` calls the first',
    sources: ['host/gateway/fast-path/connection-listener.ts'],
    tests: ['test/gateway/kept-connections.test.ts', 'test/gateway/client-connections.test.ts'],
  },
  {
    what: 'a connection whose parser was detached by `upgrade` may be given to the server again, however often',
    sources: ['adapters/http/express/ignore-upgrade.ts'],
    tests: ['test/gateway/offered-protocols.test.ts', 'test/http/raw-socket.test.ts'],
  },
  {
    what: '`server` and `_httpMessage` of a socket; which requests the parser refuses, with which `clientError`',
    sources: ['adapters/http/express/client-error.ts', 'adapters/http/express/ignore-upgrade.ts'],
    tests: [
      'test/gateway/refusals.test.ts',
      'test/gateway/thrown-errors.test.ts',
      'test/http/kept-connections.test.ts',
    ],
  },
  {
    what: "the constructors of requests and responses may be called on objects with Express's prototypes",
    sources: ['adapters/http/express/server.ts'],
    tests: ['test/http/express.test.ts', 'test/http/bodies.test.ts', 'test/gateway/middleware.test.ts'],
  },
  {
    what: 'a socket made with `onread` reads into buffers of its owner, and may be paused and resumed',
    sources: ['host/gateway/fast-path/upstream-connection.ts', 'host/gateway/fast-path/read-buffers.ts'],
    tests: ['test/gateway/upstream-connections.test.ts', 'test/gateway/streaming.test.ts'],
  },
  {
    what: 'what a socket still has to send (`writableLength`), and a request that is `complete` or not',
    sources: ['host/gateway/fast-path/client-connection.ts', 'host/gateway/http-server-client.ts'],
    tests: ['test/gateway/streaming.test.ts', 'test/gateway/forwarding.test.ts'],
  },
  {
    what: 'a socket that was upgraded is the WebSocket library’s, and a listener of its `data` may come first',
    sources: ['host/gateway/websockets.ts'],
    tests: ['test/gateway/websocket.test.ts', 'test/gateway/cors.test.ts'],
  },
  {
    what: '`node:sqlite`, which is experimental, keeps the promises of a storage; a release without it is refused',
    sources: ['adapters/storage/knex/drivers/node-sqlite-client.ts'],
    tests: ['test/contract/storage/node-sqlite.test.ts'],
  },
];

/** Each file once, in the order of the list. */
export const TEST_FILES: readonly string[] = [...new Set(LEANED_ON.flatMap(({ tests }) => tests))];
