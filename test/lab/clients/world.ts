import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { closeServer, KEY, listen, routeOf, startGateway } from '../../gateway/support.ts';
import type { Path, TestGateway } from '../../gateway/support.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { waitFor } from '../../support/wait.ts';

/** The first two of anvil's well-known development accounts: one for the clients that sign, one for those that do not. */
const SIGNER_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const PREPARED_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
/** The last of them: nobody changes its balance. */
export const RICH = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720';
export const RICH_BALANCE = parseEther('10000');
export const RECEIVER = `0x${'11'.repeat(20)}` as const;
const GAS_PRICE = 2_000_000_000n;

/** A real node with the gateway in front of it, and what a client has to know of both. */
export interface World {
  readonly anvil: Anvil;
  /** What each client finds in its environment. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** How often a client had the gateway restarted. */
  readonly restarts: number;
  close(): Promise<void>;
}

/** A block every second: a subscription and a receipt have something to wait for, as with a chain in use. */
export async function startWorld(path: Path): Promise<World> {
  const anvil = await startAnvil({ blockTime: 1 });
  // 127.0.0.1 and localhost are two hosts of the gateway: clients send what their URLs say.
  const routes = [
    routeOf([anvil.url], { host: '127.0.0.1' }),
    routeOf([anvil.url.replace('http', 'ws')], { host: 'localhost', protocol: 'websocket', id: '5' as never }),
  ];
  let gate: TestGateway = await startGateway(routes, {}, path);
  const { port } = gate;
  let restarts = 0;
  const restart = async (): Promise<string> => {
    await gate.close();
    gate = await startGateway(routes, {}, path, port);
    restarts += 1;
    return anvil.rpc<string>('eth_blockNumber');
  };
  const controls = restartsOnRequest(restart);
  const controlPort = await listen(controls);
  return {
    anvil,
    environment: async () => ({
      GATEWAY_HTTP: `http://127.0.0.1:${port}`,
      GATEWAY_WS: `ws://localhost:${port}`,
      GATEWAY_KEY: KEY,
      RESTART_URL: `http://127.0.0.1:${controlPort}/`,
      CHAIN_ID: String(anvil.chainId),
      PRIVATE_KEY: SIGNER_KEY,
      RAW_TRANSACTION: await prepare(anvil),
      RICH,
      RECEIVER,
    }),
    get restarts() {
      return restarts;
    },
    close: async () => {
      await closeServer(controls);
      await gate.close();
      await anvil.stop();
    },
  };
}

/** Restarts the gateway at each GET, and answers with the number of the latest block then. */
function restartsOnRequest(restart: () => Promise<string>): Server {
  return createServer((_req, res) => {
    res.setHeader('access-control-allow-origin', '*');
    void restart().then(
      (block) => res.end(String(BigInt(block))),
      (error: unknown) => res.writeHead(500).end(String(error)),
    );
  });
}

/** A transfer that is signed already, for clients that cannot sign. */
async function prepare(anvil: Anvil): Promise<string> {
  const account = privateKeyToAccount(PREPARED_KEY);
  const nonce = await anvil.rpc<string>('eth_getTransactionCount', [account.address, 'pending']);
  return account.signTransaction({
    to: RECEIVER,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: GAS_PRICE,
    maxPriorityFeePerGas: 1n,
    nonce: Number(nonce),
    chainId: anvil.chainId,
  });
}

/** Throws unless the node has mined it, with success. */
export async function assertMined({ anvil }: World, hash: string): Promise<void> {
  const receipt = await waitFor(
    () => anvil.rpc<{ status: string; to: string } | null>('eth_getTransactionReceipt', [hash]),
    { timeoutMs: 1_000, describe: `the receipt of ${hash}` },
  );
  if (receipt.status !== '0x1' || receipt.to !== RECEIVER) throw new Error(`${hash} is another transaction`);
}

/** The number of a block. @throws Error where the node has none with that hash */
export async function numberOf({ anvil }: World, hash: string): Promise<bigint> {
  const block = await anvil.rpc<{ number: string } | null>('eth_getBlockByHash', [hash, false]);
  if (block === null) throw new Error(`there is no block ${hash}`);
  return BigInt(block.number);
}
