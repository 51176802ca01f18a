/** viem through the gateway: prints a line for each feature of ../features.ts. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createPublicClient, createWalletClient, defineChain, http, webSocket } from 'viem';
import type { Hex, PublicClient, Transport } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const given = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};
const [url, wsUrl, key] = [given('GATEWAY_HTTP'), given('GATEWAY_WS'), given('GATEWAY_KEY')];
const [rich, receiver] = [given('RICH') as Hex, given('RECEIVER') as Hex];
const say = (feature: string, ...values: readonly unknown[]): void => console.log([feature, ...values].join(' '));
const restart = async (): Promise<bigint> => BigInt(await (await fetch(given('RESTART_URL'))).text());

const chain = defineChain({
  id: Number(given('CHAIN_ID')),
  name: 'of the test',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
});
const clientOf = (transport: Transport): PublicClient => createPublicClient({ chain, transport, pollingInterval: 200 });

async function overHttp(): Promise<void> {
  const inHeader = http(url, { fetchOptions: { headers: { Authorization: `Bearer ${key}` } } });
  const client = clientOf(inHeader);
  say('http-header', await client.getChainId());
  say('http-path', await clientOf(http(`${url}/${key}`)).getChainId());
  const inBatches = clientOf(http(`${url}/${key}`, { batch: true }));
  say('http-batch', ...(await Promise.all([inBatches.getChainId(), inBatches.getBalance({ address: rich })])));
  const account = privateKeyToAccount(given('PRIVATE_KEY') as Hex);
  const wallet = createWalletClient({ account, chain, transport: inHeader });
  const request = await wallet.prepareTransactionRequest({ to: receiver, value: 1n });
  const hash = await wallet.sendRawTransaction({ serializedTransaction: await wallet.signTransaction(request) });
  say('transaction', (await client.waitForTransactionReceipt({ hash })).transactionHash);
  await restart();
  say('http-restart', await client.getChainId());
}

/** The hash of the next block after one, of the subscription that is open. */
function blocks(client: PublicClient): { after(block: bigint): Promise<Hex>; stop(): void } {
  let waiting: { readonly block: bigint; readonly resolve: (hash: Hex) => void } | null = null;
  const stop = client.watchBlocks({
    onBlock: ({ number, hash }) => {
      if (waiting !== null && number > waiting.block) waiting.resolve(hash);
    },
  });
  return { stop, after: (block) => new Promise((resolve) => (waiting = { block, resolve })) };
}

async function overWebSocket(): Promise<void> {
  const client = clientOf(webSocket(`${wsUrl}/${key}`, { reconnect: { attempts: 20, delay: 200 } }));
  say('ws-path', await client.getChainId());
  const { after, stop } = blocks(client);
  say('subscription', await after(0n));
  say('ws-restart', await after(await restart()));
  stop();
}

const manifest = readFileSync(fileURLToPath(import.meta.resolve('viem/package.json')), 'utf8');
say('version', (JSON.parse(manifest) as { version: string }).version);
await overHttp();
await overWebSocket();
process.exit();
