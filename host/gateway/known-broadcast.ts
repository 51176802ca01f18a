import { Buffer } from 'node:buffer';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { isRefusal, readJsonRpc, replyWith } from '../../core/index.ts';
import { broadcastAnswer } from '../../adapters/chains/broadcast-answers.ts';
import { EVM_BROADCAST_ANSWERS } from '../../adapters/chains/evm/broadcast-answers.ts';

/** Whole bytes in hexadecimal, as `eth_sendRawTransaction` takes them. */
const RAW = /^0x(?:[0-9a-f]{2})+$/i;
/** EIP-4844: the bytes that are sent hold the blobs too, which the transaction's hash is not of. */
const WITH_BLOBS = '0x03';

/**
 * The reply to `eth_sendRawTransaction` where a node answers that it knows the transaction already: its hash, as for
 * one that it had not known.
 *
 * @param request - a single JSON-RPC request
 * @param reply - the node's
 * @returns `null` for any other answer
 */
export function knownBroadcast(request: string, reply: string): string | null {
  const call = readJsonRpc(request, 1);
  if (isRefusal(call) || call.batch || call.methods[0] !== 'eth_sendRawTransaction') return null;
  const [id = null] = call.ids;
  const [params] = call.params;
  const raw: unknown = Array.isArray(params) ? params[0] : null;
  if (id === null || typeof raw !== 'string' || !RAW.test(raw) || raw.startsWith(WITH_BLOBS)) return null;
  const error = errorOf(reply);
  if (error === null || broadcastAnswer(EVM_BROADCAST_ANSWERS, error)?.means !== 'known') return null;
  const hash = Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex');
  return replyWith(`"result":"0x${hash}"`, id);
}

function errorOf(reply: string): { readonly code: unknown; readonly message: string } | null {
  const { error } = JSON.parse(reply) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } };
  return typeof error?.message === 'string' ? { code: error.code, message: error.message } : null;
}
