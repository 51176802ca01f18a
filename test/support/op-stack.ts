import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pad, toFunctionSelector, toHex } from 'viem';
import type { Address, Hash, Hex } from 'viem';
import { startAnvil } from './anvil.ts';
import type { Anvil, AnvilOptions } from './anvil.ts';
import { receipt } from './contracts.ts';

const L1_BLOCK = '0x4200000000000000000000000000000000000015';
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F';
const GWEI = 10n ** 9n;

/** An OP Stack chain as its nodes show it. */
export interface OpStackNode {
  /** The node itself, whose receipts lack the first layer's fee. */
  readonly anvil: Anvil;
  /** The same with {@link url} as its address. */
  readonly shown: Anvil;
  /** The same node with op-geth's answers: `l1Fee` in each receipt. */
  readonly url: string;
  /** The first layer's fee of every small transaction, in wei. */
  layerOneFee(): bigint;
  /** Multiplies the first layer's base fee: for transactions at once, in the contract's answers only if `told`. */
  raise(times: bigint, told: boolean): Promise<void>;
  stop(): Promise<void>;
}

/**
 * anvil in its mode `--optimism` takes the first layer's fee from the state of the contract L1Block, but its receipts
 * lack it and it has no GasPriceOracle: both are added here. Transactions up to about 170 bytes have the minimum size
 * and cost the same.
 */
export async function startOpStack({ args = [], ...options }: AnvilOptions = {}): Promise<OpStackNode> {
  const anvil = await startAnvil({ ...options, args: ['--optimism', ...args] });
  const set = (contract: string, slot: number, value: Hex): Promise<unknown> =>
    anvil.rpc('anvil_setStorageAt', [contract, pad(toHex(slot), { size: 32 }), value]);
  const price = async (times: bigint): Promise<void> => void (await set(L1_BLOCK, 1, word(20n * GWEI * times)));
  await price(1n);
  // anvil charges the fee for calls too, which are made for this address.
  await anvil.rpc('anvil_setBalance', [`0x${'00'.repeat(20)}`, toHex(10n ** 24n)]);
  // The scalars of the base fee and of blobs, four bytes each.
  await set(
    L1_BLOCK,
    3,
    `0x${'00'.repeat(12)}${'00'.repeat(4)}${(1_055_762).toString(16).padStart(8, '0')}${'00'.repeat(12)}`,
  );
  await anvil.rpc('anvil_setCode', [GAS_PRICE_ORACLE, oracleCode()]);
  const measured = await probe(anvil);
  let times = 1n;
  const tell = async (units: bigint): Promise<void> => void (await set(GAS_PRICE_ORACLE, 0, word(units)));
  await tell(measured);
  const door = await openDoor(anvil, () => measured * times);
  const stop = async (): Promise<void> => {
    await door.stop();
    await anvil.stop();
  };
  return {
    anvil,
    shown: { ...anvil, url: door.url, stop },
    url: door.url,
    layerOneFee: () => measured * times,
    raise: async (to, told) => {
      times = to;
      await price(to);
      if (told) await tell(measured * to);
    },
    stop,
  };
}

const word = (value: bigint): Hex => pad(toHex(value), { size: 32 });

/** Returns nothing for the operator's fee, and the value stored at 0 for everything else. */
function oracleCode(): Hex {
  const operator = toFunctionSelector('getOperatorFee(uint256)').slice(2);
  return `0x60003560e01c63${operator}14601a5760005460005260206000f35b60206000f3`;
}

/** The cost of a payment from anvil's last account beyond its gas. */
async function probe(anvil: Anvil): Promise<bigint> {
  const from = (await anvil.rpc<Address[]>('eth_accounts')).at(-1);
  const balance = async (): Promise<bigint> => BigInt(await anvil.rpc<Hex>('eth_getBalance', [from, 'latest']));
  const before = await balance();
  const hash = await anvil.rpc<Hash>('eth_sendTransaction', [{ from, to: `0x${'de'.repeat(20)}`, value: '0x1' }]);
  await receipt(anvil, hash);
  const { gasUsed, effectiveGasPrice } = await anvil.rpc<Record<'gasUsed' | 'effectiveGasPrice', Hex>>(
    'eth_getTransactionReceipt',
    [hash],
  );
  return before - (await balance()) - 1n - BigInt(gasUsed) * BigInt(effectiveGasPrice);
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Other nodes charge no first-layer fee for an eth_call; anvil does, and a deposit address has no coins. */
function forFree(call: Call): Call {
  const [transaction, block = 'latest'] = (call.params ?? []) as [{ from?: string; data?: string }?, unknown?];
  const tried = call.method === 'eth_call' || call.method === 'eth_estimateGas';
  if (!tried || transaction?.from === undefined || transaction.data === undefined) return call;
  return { ...call, params: [transaction, block, { [transaction.from]: { balance: toHex(10n ** 24n) } }] };
}

interface Reply {
  readonly id: number;
  readonly result?: Record<string, unknown> | readonly Record<string, unknown>[] | null;
}

async function openDoor(anvil: Anvil, fee: () => bigint): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const fees = new Map<unknown, string>();
  const withFee = (receipt: Record<string, unknown>): Record<string, unknown> => {
    const hash = receipt['transactionHash'];
    const l1Fee = fees.get(hash) ?? toHex(fee());
    fees.set(hash, l1Fee);
    return { ...receipt, l1Fee };
  };
  const shown = (method: string, reply: Reply): Reply => {
    const { result } = reply;
    if (result === null || result === undefined) return reply;
    if (method === 'eth_getTransactionReceipt') return { ...reply, result: withFee(result as Record<string, unknown>) };
    if (method !== 'eth_getBlockReceipts') return reply;
    return { ...reply, result: (result as readonly Record<string, unknown>[]).map(withFee) };
  };
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const parsed = JSON.parse(body) as Call | Call[];
      const asked = JSON.stringify(Array.isArray(parsed) ? parsed.map(forFree) : forFree(parsed));
      const headers = { 'content-type': 'application/json' };
      const answered = await fetch(anvil.url, { method: 'POST', headers, body: asked });
      const replies = (await answered.json()) as Reply | Reply[];
      const methods = new Map([parsed].flat().map(({ id, method }) => [id, method]));
      const one = (reply: Reply): Reply => shown(methods.get(reply.id) ?? '', reply);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(Array.isArray(replies) ? replies.map(one) : one(replies)));
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
