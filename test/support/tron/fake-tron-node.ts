import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stringify } from 'lossless-json';
import { PRICES, Refusal } from './fake-tron-network.ts';
import type { FakeBlock, FakeMined, FakeTronNetwork } from './fake-tron-network.ts';
import { encodeSigned } from './tron-codec.ts';
import type { DecodedTransaction } from './tron-codec.ts';

type Body = Readonly<Record<string, unknown>>;

interface Intercepted {
  readonly status: number;
  readonly text: string;
}

/** A node's faults, which may change while it runs. */
export interface NodeManners {
  /** The number of latest blocks that it has not seen yet. */
  lag: number;
  /** Transactions that it denies. */
  readonly hidden: Set<string>;
  /** Paths whose requests take effect but get no reply. */
  readonly losesReply: Set<string>;
  /** Answers in place of the node. */
  intercept: (path: string, body: Body) => Intercepted | null | Promise<Intercepted>;
  offersEstimates: boolean;
  /** The node solidifies nothing above this height. */
  solidStuckAt: number | null;
}

/** A node's HTTP API on loopback. */
export interface FakeTronNode extends NodeManners {
  readonly url: string;
  /** The requested paths, oldest first. */
  readonly asked: readonly string[];
  /** The API keys of the requests. */
  readonly keys: readonly (string | undefined)[];
  stop(): Promise<void>;
}

/** Starts a node of a network. As with a full node, `/wallet/…` and `/walletsolidity/…` are on two ports. */
export async function startTronNode(
  network: FakeTronNetwork,
  serves: 'all' | 'wallet' | 'walletsolidity' = 'all',
): Promise<FakeTronNode> {
  const asked: string[] = [];
  const keys: (string | undefined)[] = [];
  const manners: NodeManners = {
    lag: 0,
    hidden: new Set(),
    losesReply: new Set(),
    intercept: () => null,
    offersEstimates: false,
    solidStuckAt: null,
  };
  const server = createServer((request, response) => {
    void answer(request, response, async (path, body) => {
      asked.push(path);
      keys.push(request.headers['tron-pro-api-key'] as string | undefined);
      const instead = await node.intercept(path, body);
      if (instead !== null) return instead;
      const [, family] = path.split('/');
      if (serves !== 'all' && serves !== family) return { status: 404, text: '' };
      const value = new NodeView(network, node).answer(path, body);
      if (node.losesReply.has(path)) return null;
      return value === undefined ? { status: 404, text: '' } : { status: 200, text: stringify(value) ?? '' };
    });
  });
  const url = await listen(server);
  const node: FakeTronNode = Object.assign(manners, { url, asked, keys, stop: () => close(server) });
  return node;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  work: (path: string, body: Body) => Promise<{ readonly status: number; readonly text: string } | null>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const path = (request.url ?? '').split('?')[0] ?? '';
  let reply: { readonly status: number; readonly text: string } | null;
  try {
    reply = await work(path, (text === '' ? {} : JSON.parse(text)) as Body);
  } catch (error) {
    reply = { status: 200, text: JSON.stringify({ Error: `class java.lang.Exception : ${(error as Error).message}` }) };
  }
  if (reply === null) request.socket.destroy();
  else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text);
}

/** The view of the network by a node with these faults. */
class NodeView {
  readonly #network: FakeTronNetwork;
  readonly #manners: NodeManners;

  constructor(network: FakeTronNetwork, manners: NodeManners) {
    this.#network = network;
    this.#manners = manners;
  }

  answer(path: string, body: Body): unknown {
    const value = typeof body['value'] === 'string' ? body['value'] : '';
    switch (path) {
      case '/wallet/getnowblock':
        return blockJson(this.#head);
      case '/walletsolidity/getnowblock':
        return blockJson(this.#solid);
      case '/wallet/getblock': {
        const { transactions: _, ...header } = blockJson(this.#head) as Record<string, unknown>;
        return header;
      }
      case '/wallet/getblockbynum':
        return blockJson(this.#at(Number(body['num'])));
      case '/wallet/getblockbylimitnext':
        return this.#range(Number(body['startNum']), Number(body['endNum']));
      case '/wallet/gettransactioninfobyblocknum': {
        const block = this.#at(Number(body['num']));
        return block === undefined ? [] : block.mined.map((mined) => infoJson(mined, block));
      }
      case '/wallet/gettransactioninfobyid':
        return this.#info(value, this.#head);
      case '/wallet/gettransactionbyid':
        return this.#transaction(value, this.#head) ?? this.#pending(value);
      case '/wallet/gettransactionfrompending':
        return this.#pending(value);
      case '/walletsolidity/gettransactionbyid':
        return this.#transaction(value, this.#solid) ?? {};
      case '/walletsolidity/gettransactioninfobyid':
        return this.#info(value, this.#solid);
      case '/wallet/getaccount':
        return this.#account(String(body['address']));
      case '/wallet/getaccountresource':
        return this.#resource(String(body['address']));
      case '/wallet/getchainparameters':
        return parametersJson();
      case '/wallet/triggerconstantcontract':
        return this.#constant(body);
      case '/wallet/estimateenergy':
        return this.#estimate(body);
      case '/wallet/broadcasthex':
        return this.#broadcast(String(body['transaction']));
      case '/wallet/broadcasttransaction':
        return this.#broadcast(encodeSigned(String(body['raw_data_hex']), body['signature'] as readonly string[]));
      default:
        return undefined;
    }
  }

  get #head(): FakeBlock {
    const { blocks } = this.#network;
    return blocks[Math.max(0, blocks.length - 1 - this.#manners.lag)] as FakeBlock;
  }

  get #solid(): FakeBlock {
    const { number } = this.#network.solid.header;
    return this.#network.blocks[
      Math.min(number, this.#head.header.number, this.#manners.solidStuckAt ?? Infinity)
    ] as FakeBlock;
  }

  #at(height: number): FakeBlock | undefined {
    return height > this.#head.header.number ? undefined : this.#network.blocks[height];
  }

  #range(start: number, end: number): unknown {
    const blocks = Array.from({ length: end - start }, (_, offset) => this.#at(start + offset)).filter(
      (block) => block !== undefined,
    );
    return blocks.length === 0 ? {} : { block: blocks.map(blockJson) };
  }

  #find(txid: string, upTo: FakeBlock): readonly [FakeMined, FakeBlock] | null {
    if (this.#manners.hidden.has(txid)) return null;
    for (const block of this.#network.blocks.slice(0, upTo.header.number + 1)) {
      const mined = block.mined.find((one) => one.txid === txid);
      if (mined !== undefined) return [mined, block];
    }
    return null;
  }

  #info(txid: string, upTo: FakeBlock): unknown {
    const found = this.#find(txid, upTo);
    return found === null ? {} : infoJson(...found);
  }

  #transaction(txid: string, upTo: FakeBlock): unknown {
    const found = this.#find(txid, upTo);
    return found === null ? null : transactionJson(found[0]);
  }

  #pending(txid: string): unknown {
    const decoded = this.#manners.hidden.has(txid) ? null : this.#network.isPending(txid);
    return decoded === null ? {} : pendingJson(decoded);
  }

  #account(address: string): unknown {
    const account = this.#head.state.accounts.get(address.slice(2));
    if (account === undefined) return {};
    return {
      address,
      ...(account.sun === 0n ? {} : { balance: account.sun }),
      create_time: 1_700_000_000_000,
      net_window_size: 28_800_000,
    };
  }

  #resource(address: string): unknown {
    const account = this.#head.state.accounts.get(address.slice(2));
    if (account === undefined) return {};
    return {
      freeNetLimit: 600,
      ...(account.freeNetUsed === 0 ? {} : { freeNetUsed: account.freeNetUsed }),
      TotalNetLimit: 43_200_000_000,
      TotalEnergyLimit: 180_000_000_000,
    };
  }

  #constant(body: Body): unknown {
    const { output, energy, logs, reverted, missing } = this.#run(body);
    if (missing !== null) return { result: { code: 'CONTRACT_VALIDATE_ERROR', message: hex(missing) } };
    return {
      result: { result: true, ...(reverted === null ? {} : { message: hex('REVERT opcode executed') }) },
      energy_used: energy,
      constant_result: [output],
      ...(logs.length === 0 ? {} : { logs }),
      transaction: { ret: [reverted === null ? {} : { ret: 'FAILED' }], visible: false, txID: '00'.repeat(32) },
    };
  }

  #estimate(body: Body): unknown {
    if (!this.#manners.offersEstimates)
      return { result: { code: 'OTHER_ERROR', message: hex('this node does not support estimate energy') } };
    const { energy, reverted } = this.#run(body);
    return reverted === null
      ? { result: { result: true }, energy_required: energy + 100 }
      : { result: { code: 'CONTRACT_EXE_ERROR', message: hex('REVERT opcode executed') } };
  }

  #run(body: Body): {
    output: string;
    energy: number;
    logs: readonly unknown[];
    reverted: string | null;
    missing: string | null;
  } {
    const selectors: Readonly<Record<string, string>> = {
      'decimals()': '313ce567',
      'balanceOf(address)': '70a08231',
      'transfer(address,uint256)': 'a9059cbb',
    };
    const data = `${selectors[String(body['function_selector'])] ?? ''}${String(body['parameter'])}`;
    try {
      return {
        ...this.#network.tryOut(
          String(body['owner_address']).slice(2),
          String(body['contract_address']).slice(2),
          data,
        ),
        missing: null,
      };
    } catch (error) {
      return { output: '', energy: 0, logs: [], reverted: null, missing: (error as Error).message };
    }
  }

  #broadcast(transaction: string): unknown {
    try {
      const txid = this.#network.submit(transaction);
      return { result: true, code: 'SUCCESS', message: '', transaction: '{}', txid };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { result: false, code: error.code, message: error.message, transaction: '{}', txid: '' };
    }
  }
}

const hex = (text: string): string => Buffer.from(text).toString('hex');

/** Like every node's JSON, it omits zeros: the first block has neither number nor time. */
function blockJson(block: FakeBlock | undefined): unknown {
  if (block === undefined) return {};
  const { number, timestamp, txTrieRoot, parentHash, witnessAddress, version } = block.header;
  const raw = {
    ...(number === 0 ? {} : { number }),
    txTrieRoot,
    witness_address: witnessAddress,
    parentHash,
    version,
    ...(timestamp === 0 ? {} : { timestamp }),
  };
  return {
    blockID: block.id,
    block_header: { raw_data: raw, witness_signature: '00'.repeat(65) },
    ...(block.mined.length === 0 ? {} : { transactions: block.mined.map(transactionJson) }),
  };
}

function transactionJson({ txid, contractRet, decoded }: FakeMined): unknown {
  const body =
    decoded === null
      ? { raw_data: { contract: [] }, raw_data_hex: '' }
      : { raw_data: decoded.rawData, raw_data_hex: decoded.rawDataHex };
  return { ret: [{ contractRet }], signature: decoded?.signatures ?? [], txID: txid, ...body };
}

function pendingJson({ txid, signatures, rawData, rawDataHex }: DecodedTransaction): unknown {
  return { signature: signatures, txID: txid, raw_data: rawData, raw_data_hex: rawDataHex };
}

function infoJson(
  { txid, contractRet, isContract, fee, energy, logs, contractAddress }: FakeMined,
  { header }: FakeBlock,
): unknown {
  const failed = contractRet !== 'SUCCESS';
  const receipt = isContract
    ? { energy_fee: energy * 100, energy_usage_total: energy, net_usage: 345, result: contractRet }
    : { net_usage: 267 };
  return {
    id: txid,
    ...(fee === 0n ? {} : { fee }),
    blockNumber: header.number,
    blockTimeStamp: header.timestamp,
    contractResult: [failed ? '' : '0'.repeat(64)],
    ...(contractAddress === null ? {} : { contract_address: `41${contractAddress}` }),
    receipt,
    ...(logs.length === 0 ? {} : { log: logs }),
    ...(failed ? { result: 'FAILED', resMessage: hex(contractRet) } : {}),
  };
}

function parametersJson(): unknown {
  const entries: readonly (readonly [string, bigint | undefined])[] = [
    ['getMaintenanceTimeInterval', 21_600_000n],
    ['getCreateAccountFee', PRICES.newAccountBandwidth],
    ['getTransactionFee', PRICES.bandwidth],
    ['getCreateNewAccountFeeInSystemContract', PRICES.newAccount],
    ['getAllowUpdateAccountName', undefined],
    ['getEnergyFee', PRICES.energy],
    ['getMaxFeeLimit', PRICES.maxFeeLimit],
  ];
  return { chainParameter: entries.map(([key, value]) => ({ key, ...(value === undefined ? {} : { value }) })) };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
}
