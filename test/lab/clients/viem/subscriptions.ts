/** Subscriptions of viem through the gateway: prints what each client is told, as ../subscriptions.test.ts wants it. */
import { createPublicClient, webSocket } from 'viem';
import type { Hex } from 'viem';

const { GATEWAY_WS = '', GATEWAY_KEY = '', EMITTER = '', CLIENTS = '0' } = process.env;
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

for (let client = 0; client < Number(CLIENTS); client++) {
  // viem shares one connection for equal URLs and keys.
  const transport = webSocket(`${GATEWAY_WS}/${GATEWAY_KEY}`, { key: `client ${client}`, reconnect: false });
  const { transport: connection } = createPublicClient({ transport });
  const on = (params: readonly unknown[], onData: (result: Record<string, Hex | boolean>) => void): Promise<unknown> =>
    connection.subscribe({
      params: params as ['newHeads'],
      onData: ({ result }: { result?: unknown }) => onData(result as Record<string, Hex | boolean>),
      onError: (error: unknown) => print({ client, error: String(error) }),
    });
  await on(['newHeads'], ({ number, hash, parentHash }) =>
    print({ client, head: { number: Number(number), hash, parentHash } }),
  );
  await on(['logs', { address: EMITTER }], ({ blockHash, logIndex, removed }) =>
    print({ client, log: { blockHash, logIndex: Number(logIndex), removed } }),
  );
}
print({ ready: true });
