import { faultOfStatus } from '../../core/index.ts';
import type { NodeFault } from '../../core/index.ts';
import type { Upstream } from './upstream.ts';

/** The longest answer to one of the gateway's own calls, in bytes. */
export const MAX_REPLY_BYTES = 1024 * 1024;

/** An upstream that answers a call of the gateway's own, but not with an answer. */
export class UpstreamFault extends Error {
  readonly reason: NodeFault;

  constructor(reason: NodeFault) {
    super(reason);
    this.reason = reason;
  }
}

/** The members of a JSON-RPC reply, which are not checked. */
export interface RpcReply {
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * One call of the gateway's own.
 *
 * @throws UpstreamFault when the status shows a fault; Error when there is no readable answer
 */
export async function callRpc(
  upstream: Upstream,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<RpcReply> {
  const own = upstream.own.names.has('content-type') ? [] : ['content-type', 'application/json'];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await upstream.pool.request({
    path: upstream.rpcTarget('/'),
    method: 'POST',
    headers: [...own, ...upstream.own.pairs],
    body,
    signal,
  });
  let text = '';
  const fault = faultOfStatus(reply.statusCode, true);
  for await (const chunk of reply.body) {
    text += String(chunk);
    if (text.length > MAX_REPLY_BYTES) throw new Error('too long');
  }
  if (fault !== null) throw new UpstreamFault(fault);
  return JSON.parse(text) as RpcReply;
}

/** The hash of a block of an Ethereum-like chain, in lower case; `null` where the upstream does not return one. */
export async function blockHashOf(upstream: Upstream, block: number, signal: AbortSignal): Promise<string | null> {
  try {
    const { result } = await callRpc(upstream, 'eth_getBlockByNumber', [`0x${block.toString(16)}`, false], signal);
    const { hash } = (result ?? {}) as { readonly hash?: unknown };
    return typeof hash === 'string' ? hash.toLowerCase() : null;
  } catch {
    // Whoever asks goes on without an answer.
    return null;
  }
}
