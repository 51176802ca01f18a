import type { AnswerMeaning, MethodFamily, NodeFault } from '../../core/index.ts';

/** An error as a node or provider writes it, and what it means. */
export interface RecordedError {
  readonly by: string;
  readonly family: MethodFamily;
  readonly code: number;
  readonly message: string;
  readonly kind: AnswerMeaning['kind'];
  readonly reason?: NodeFault;
}

const evm = (
  by: string,
  code: number,
  message: string,
  kind: AnswerMeaning['kind'],
  reason?: NodeFault,
): RecordedError => ({ by, family: 'evm', code, message, kind, ...(reason && { reason }) });
const bitcoin = (code: number, message: string, kind: AnswerMeaning['kind'], reason?: NodeFault): RecordedError => ({
  by: 'Bitcoin Core',
  family: 'bitcoin',
  code,
  message,
  kind,
  ...(reason && { reason }),
});

const HASH = '5c0ee75d9dd668839db2895c93257f6a3a77282740c045d286ff0d1f297ffa24';

export const RECORDED_ERRORS: readonly RecordedError[] = [
  evm(
    'geth',
    -32000,
    `missing trie node ${HASH} (path ) state 0x${HASH} is not available, not found`,
    'lacks',
    'no_state',
  ),
  evm('geth', -32000, `historical state ${HASH} is not available`, 'lacks', 'no_state'),
  evm('geth', 4444, 'pruned history unavailable', 'lacks', 'no_state'),
  evm('reth', -32000, 'state at block #17000000 is pruned', 'lacks', 'no_state'),
  evm('Nethermind', -32002, 'No state available for block 17000000 (0x5c0e…ffa24)', 'lacks', 'no_state'),
  evm('Besu', -32000, 'World state unavailable', 'lacks', 'no_state'),
  evm('erigon', -32000, 'old data not available due to pruning', 'lacks', 'no_state'),
  evm('geth', -32000, 'header not found', 'lacks', 'no_block'),
  evm('geth', -32000, 'header for hash not found', 'lacks', 'no_block'),
  evm('reth', -32001, 'block not found: 0x112a880', 'lacks', 'no_block'),
  evm('Avalanche', -32000, 'cannot query unfinalized data', 'lacks', 'no_block'),
  evm('a provider', -32001, 'Unable to complete request at this time', 'lacks', 'no_block'),
  evm('geth', -32601, 'the method trace_block does not exist/is not available', 'lacks', 'no_method'),
  evm('geth', -32601, 'the method x_ratelimit does not exist/is not available', 'lacks', 'no_method'),
  evm('erigon', -32000, 'the method debug_traceCall is not whitelisted', 'lacks', 'no_method'),
  evm(
    'QuickNode',
    -32612,
    'Custom trace blockers: method trace_block not available on your plan',
    'lacks',
    'no_method',
  ),
  evm(
    'Infura',
    -32005,
    'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    'lacks',
    'range_limit',
  ),
  evm('QuickNode', -32614, 'eth_getLogs is limited to a 10,000 range', 'lacks', 'range_limit'),
  evm(
    'Alchemy',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    'lacks',
    'range_limit',
  ),
  evm('Infura', -32005, 'daily request count exceeded, request rate limited', 'fault', 'rate_limited'),
  evm('Alchemy', 429, 'Your app has exceeded its compute units per second capacity.', 'fault', 'rate_limited'),
  evm(
    'QuickNode',
    -32007,
    '50/second request limit reached - reduce calls per second or upgrade your account',
    'fault',
    'rate_limited',
  ),
  evm('a provider', -32005, 'limit exceeded', 'fault', 'rate_limited'),
  evm('Alchemy', -32600, 'Must be authenticated!', 'fault', 'unauthorised'),
  evm('Infura', -32002, 'invalid project id', 'fault', 'unauthorised'),
  evm('Ankr', -32000, 'Unauthorized: You must authenticate your request with an API key.', 'fault', 'unauthorised'),
  evm('geth', -32002, 'request timed out', 'fault', 'timeout'),
  evm('geth', -32000, 'execution aborted (timeout = 5s)', 'fault', 'timeout'),
  evm('a provider', -32000, 'context deadline exceeded', 'fault', 'timeout'),
  evm('a provider', -32000, 'upstream is temporarily unavailable, please try again later', 'fault', 'unavailable'),
  evm('a provider', -32002, 'Resource not ready', 'fault', 'unavailable'),
  evm('geth', -32603, 'method handler crashed', 'fault', 'internal'),
  evm('Nethermind', -32603, 'Internal error', 'fault', 'internal'),
  evm('geth', 3, 'execution reverted: ERC20: transfer amount exceeds balance', 'caller'),
  evm('Nethermind', -32015, 'VM execution error.', 'caller'),
  evm('geth', -32000, 'out of gas: gas required exceeds: 550000000', 'caller'),
  evm('geth', -32000, 'nonce too low: next nonce 5, tx nonce 4', 'caller'),
  evm('geth', -32000, 'insufficient funds for gas * price + value: balance 0, tx cost 21000', 'caller'),
  evm('geth', -32000, 'replacement transaction underpriced', 'caller'),
  evm('geth', -32000, 'already known', 'caller'),
  evm('geth', -32602, 'invalid argument 0: hex string has length 2, want 40 for common.Address', 'caller'),
  evm('geth', -32600, 'invalid request', 'caller'),
  evm('geth', -32000, 'filter not found', 'caller'),
  bitcoin(-28, 'Loading block index…', 'fault', 'unavailable'),
  bitcoin(-10, 'Bitcoin Core is in initial sync and waiting for blocks...', 'fault', 'unavailable'),
  bitcoin(-32000, 'Work queue depth exceeded', 'fault', 'unavailable'),
  bitcoin(-1, 'Block not available (pruned data)', 'lacks', 'no_state'),
  bitcoin(-8, 'Block height out of range', 'lacks', 'no_block'),
  bitcoin(-5, 'Block not found', 'lacks', 'no_block'),
  bitcoin(-32601, 'Method not found', 'lacks', 'no_method'),
  bitcoin(
    -5,
    'No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries.',
    'lacks',
    'no_method',
  ),
  bitcoin(-20, 'Database error', 'fault', 'internal'),
  bitcoin(-5, 'Invalid address', 'caller'),
  bitcoin(-25, 'bad-txns-inputs-missingorspent', 'caller'),
  bitcoin(-26, 'min relay fee not met, 0 < 141', 'caller'),
];
