import type { MethodFamily } from './method-policy.ts';

/**
 * Why a node did not answer a call that another node may answer. The first five are faults of the node; the last four
 * say what this node does not have.
 */
export type NodeFault =
  | 'unauthorised'
  | 'rate_limited'
  | 'timeout'
  | 'internal'
  | 'unavailable'
  | 'no_method'
  | 'no_state'
  | 'no_block'
  | 'range_limit';

/**
 * What an answer says. `answer`: the chain's answer, whatever it is. `caller`: the call itself was wrong, which every
 * node would say. `fault`: the node failed. `lacks`: the node works, and does not have what was asked for.
 */
export type AnswerMeaning =
  | { readonly kind: 'answer' }
  | { readonly kind: 'caller' }
  | { readonly kind: 'fault' | 'lacks'; readonly reason: NodeFault };

/** The error of a JSON-RPC reply; what is missing is 0 or empty. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** One row of the table: an error with one of these codes, or whose message matches, means this. */
export interface MeaningRow {
  readonly meaning: 'caller' | NodeFault;
  readonly codes?: readonly number[];
  readonly words?: RegExp;
  /** Where the error is specified, or written by whom. */
  readonly source: string;
}

const LACKING: ReadonlySet<NodeFault> = new Set(['no_method', 'no_state', 'no_block', 'range_limit']);

/**
 * The errors of Ethereum-like nodes, the first row that matches counts. But for an unknown method, codes come last: clients and providers use the
 * general ones, such as -32000, for everything.
 */
export const EVM_ERRORS: readonly MeaningRow[] = [
  {
    meaning: 'no_method',
    codes: [-32601],
    // Before all words: the message repeats the method, which the caller has chosen.
    source: 'JSON-RPC 2.0 section 5.1; go-ethereum rpc/errors.go',
  },
  {
    meaning: 'caller',
    codes: [3],
    words: /\brevert(?:ed)?\b|vm execution error|vm exception|invalid opcode|stack (?:under|over)flow|invalid jump/i,
    source: 'go-ethereum internal/ethapi/errors.go; Nethermind "VM execution error."',
  },
  {
    meaning: 'caller',
    words:
      /insufficient funds|nonce too (?:low|high)|underpriced|already known|known transaction|intrinsic gas|out of gas|gas required exceeds|exceeds block gas limit|(?:fee cap|max fee per gas) less than|tip (?:above|higher)|invalid sender|exceeds the configured cap|AlreadyKnown|NonceTooLow|InsufficientFunds/i,
    source: 'go-ethereum core/txpool/errors.go and core/error.go; Nethermind AcceptTxResult',
  },
  {
    meaning: 'range_limit',
    words:
      /block range|range (?:is )?too (?:large|wide)|max(?:imum)? range|query returned more than|exceeds? max(?:imum)? results|response size (?:should not|exceed)|response (?:is )?too (?:large|big)|limited to (?:a )?[\d,]+ (?:block|range)|query timeout exceeded/i,
    source:
      'eth_getLogs of Infura (-32005), Alchemy (-32602), QuickNode (-32614), go-ethereum --rpc.rangelimit, reth, erigon',
  },
  {
    meaning: 'rate_limited',
    words:
      /rate.?limit|too many requests|request limit|(?:exceeded|reached) (?:the |your |its )?(?:[\w ]+ )?(?:quota|capacity|limit|tier)|capacity limit|compute units|requests? per second|daily request|throttl/i,
    source: 'Infura, Alchemy, QuickNode (-32007), Ankr, dRPC',
  },
  {
    meaning: 'unauthorised',
    words:
      /must be authenticated|unauthori[sz]ed|invalid (?:api|project|access|auth)[ -]?(?:key|id|token)|api key (?:is )?(?:not|missing|disabled|required|invalid)|not allowed to access|access denied|permission denied|forbidden|project id (?:is )?(?:required|invalid)/i,
    source: 'Alchemy "Must be authenticated!", Infura "invalid project id", Ankr "Unauthorized"',
  },
  {
    meaning: 'no_state',
    words:
      /missing trie node|state .*(?:is |are )?not available|historical state|state (?:histories|is pruned|has been pruned|at block .* is pruned)|no state available|world state unavailable|prun(?:ed|ing)|proof window|state already discarded|layer stale/i,
    source:
      'go-ethereum trie/errors.go and core/state, reth "state at block … is pruned", Nethermind "No state available for block …", Besu "World state unavailable", erigon "old data not available due to pruning"',
  },
  {
    meaning: 'no_method',
    codes: [-32004],
    words:
      /method .*(?:not found|does not exist|not (?:supported|available|whitelisted|enabled)|is disabled|unavailable)|unsupported method|not (?:included|available) (?:in|on) your (?:current )?(?:plan|tier)|(?:module|namespace) .*(?:disabled|not (?:enabled|available))/i,
    source: 'EIP-1474 (-32004); erigon, QuickNode and Alchemy plans',
  },
  {
    meaning: 'no_block',
    words:
      /header (?:for hash )?not found|(?:unknown|missing) (?:block|header)|block (?:.{1,80} )?(?:not found|is not available|not available|not yet available|is out of range)|cannot query unfinalized data|after last accepted block|ancient block|block(?:s)? .*not (?:been )?(?:synced|indexed)/i,
    source:
      'go-ethereum eth/api_backend.go "header not found", reth and erigon "block not found: …", Nethermind, Avalanche',
  },
  {
    meaning: 'timeout',
    words: /timed? ?out|execution aborted|context (?:deadline exceeded|canceled)|deadline exceeded/i,
    source: 'go-ethereum rpc/errors.go -32002 "request timed out", internal/ethapi "execution aborted (timeout = 5s)"',
  },
  {
    meaning: 'unavailable',
    codes: [-32002],
    words:
      /(?:server|node|service|upstream|backend) .*(?:busy|overloaded|unavailable|not ready|syncing|unreachable)|too much load|connection (?:refused|reset|closed)|no (?:available )?(?:upstream|backend|node)|temporar(?:y|ily) |bad gateway|try again (?:later|in)/i,
    source: 'EIP-1474 -32002 "Resource unavailable"; providers\' own proxies',
  },
  { meaning: 'rate_limited', codes: [-32005, -32029, 429], source: 'EIP-1474 -32005 "Limit exceeded"; Alchemy 429' },
  {
    meaning: 'caller',
    codes: [-32700, -32600, -32602, -32003, -32006],
    source: 'JSON-RPC 2.0 section 5.1; EIP-1474 "Transaction rejected", "Version not supported"',
  },
  {
    meaning: 'no_block',
    codes: [-32001, 4444],
    source: 'EIP-1474 "Resource not found"; EIP-4444 in go-ethereum (4444)',
  },
  {
    meaning: 'internal',
    codes: [-32603],
    words: /internal (?:server )?error|panic/i,
    source: 'JSON-RPC 2.0 section 5.1',
  },
];

/** The errors of Bitcoin Core and what follows its interface. */
export const BITCOIN_ERRORS: readonly MeaningRow[] = [
  {
    meaning: 'unavailable',
    codes: [-28, -9, -10],
    source: 'src/rpc/protocol.h: RPC_IN_WARMUP, RPC_CLIENT_NOT_CONNECTED, RPC_CLIENT_IN_INITIAL_DOWNLOAD',
  },
  { meaning: 'unavailable', words: /work queue depth exceeded/i, source: 'src/httpserver.cpp, with status 503' },
  {
    meaning: 'no_state',
    words: /pruned|not available \(not fully|block not (?:available|found on disk)|undo data/i,
    source: 'src/rpc/blockchain.cpp: "Block not available (pruned data)"',
  },
  {
    meaning: 'no_block',
    words: /block (?:height out of range|not found)|header not found/i,
    source: 'src/rpc/blockchain.cpp: RPC_INVALID_PARAMETER (-8), RPC_INVALID_ADDRESS_OR_KEY (-5)',
  },
  {
    meaning: 'no_method',
    codes: [-32601],
    words: /method .*(?:not found|disabled)|-txindex|-coinstatsindex|index is not enabled/i,
    source: 'src/rpc/server.cpp; src/rpc/rawtransaction.cpp names the index that is missing',
  },
  {
    meaning: 'internal',
    codes: [-7, -20, -32603],
    source: 'src/rpc/protocol.h: RPC_OUT_OF_MEMORY, RPC_DATABASE_ERROR, RPC_INTERNAL_ERROR',
  },
];

/** What the status of an answer says about the node, whatever is in its body; RFC 9110, section 15. */
const STATUSES: ReadonlyMap<number, NodeFault> = new Map([
  [401, 'unauthorised'],
  [402, 'unauthorised'],
  [403, 'unauthorised'],
  [407, 'unauthorised'],
  [408, 'timeout'],
  [429, 'rate_limited'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'timeout'],
]);

const ANSWER: AnswerMeaning = { kind: 'answer' };
const CALLER: AnswerMeaning = { kind: 'caller' };

/** Of an HTTP API these may be about the path that the caller chose. */
const ABOUT_PATH: ReadonlySet<number> = new Set([402, 403]);

/**
 * The fault that a status alone shows; `null` where the body, or the call, decides.
 *
 * @param rpc - whether the call was JSON-RPC, all of whose calls have the same path
 */
export function faultOfStatus(status: number, rpc: boolean): NodeFault | null {
  if (!rpc && ABOUT_PATH.has(status)) return null;
  return STATUSES.get(status) ?? (status > 504 || status === 501 ? 'unavailable' : null);
}

/**
 * What the body of a JSON-RPC answer says. Of a batch, the worst of its replies counts. A body that is no JSON-RPC
 * reply, such as an error page with status 200, is a fault.
 */
export function meaningOfBody(body: string, family: MethodFamily | null): AnswerMeaning {
  const replies = repliesOf(body);
  if (replies === null) return { kind: 'fault', reason: 'internal' };
  let found = ANSWER;
  for (const reply of replies) {
    const error = errorOf(reply);
    const meaning = error === null ? ANSWER : meaningOfError(error, family);
    if (meaning.kind === 'fault') return meaning;
    if (meaning.kind === 'lacks' || found.kind === 'answer') found = meaning;
  }
  return found;
}

/** What an error says. One that no row knows is taken for the chain's answer. */
export function meaningOfError(error: RpcError, family: MethodFamily | null): AnswerMeaning {
  const rows = family === 'bitcoin' ? BITCOIN_ERRORS : EVM_ERRORS;
  const row = rows.find(
    ({ codes, words }) => words?.test(error.message) === true || codes?.includes(error.code) === true,
  );
  if (row === undefined || row.meaning === 'caller') return CALLER;
  return { kind: LACKING.has(row.meaning) ? 'lacks' : 'fault', reason: row.meaning };
}

function repliesOf(body: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(body);
    const replies: readonly unknown[] = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
    return replies.every((each) => typeof each === 'object' && each !== null) ? replies : null;
  } catch {
    return null;
  }
}

function errorOf(reply: unknown): RpcError | null {
  const { error } = reply as { readonly error?: unknown };
  if (error === undefined || error === null) return null;
  if (typeof error !== 'object') return { code: 0, message: JSON.stringify(error) };
  const { code, message, data } = error as { readonly [Name in 'code' | 'message' | 'data']?: unknown };
  const words = [message, data].filter((each): each is string => typeof each === 'string');
  return { code: typeof code === 'number' ? code : 0, message: words.join(' ') };
}
