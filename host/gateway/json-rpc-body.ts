import { isUtf8 } from 'node:buffer';
import { readJsonRpc, refuse } from '../../core/index.ts';
import type { JsonRpcRequest, Refusal } from '../../core/index.ts';

/** Reads a JSON-RPC body; a refusal unless it is valid UTF-8 with a request or a batch in it. */
export function readRpcBody(body: Buffer, maxBatch: number): JsonRpcRequest | Refusal {
  if (!isUtf8(body)) return refuse('bad_request', { message: 'The body is not valid UTF-8.', rpcCode: -32700 });
  return readJsonRpc(body.toString('utf8'), maxBatch);
}
