import { isUtf8 } from 'node:buffer';
import { readJsonRpc, refuse } from '../../core/index.ts';
import type { JsonRpcRequest, Refusal } from '../../core/index.ts';

/** Parses a JSON-RPC body; returns a refusal unless it is valid UTF-8 and contains a request or a batch. */
export function readRpcBody(body: Buffer, maxBatch: number): JsonRpcRequest | Refusal {
  if (!isUtf8(body)) return refuse('bad_request', { message: 'The body is not valid UTF-8.', rpcCode: -32700 });
  return readJsonRpc(body.toString('utf8'), maxBatch);
}
