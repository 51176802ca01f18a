import type { RpcProblem } from '../json-rpc-replies.ts';

/**
 * How a client reports that a contract refused a call or exceeded a limit: by the code, the message, or the data beside
 * them.
 */
interface RevertWording {
  readonly client: string;
  /** The source of the wording. */
  readonly source: string;
  readonly codes?: readonly number[];
  readonly words?: RegExp;
  readonly data?: RegExp;
}

/** Selectors of `Error(string)` and `Panic(uint256)`, as Solidity encodes the reason of a revert. */
const REASON_DATA = /^(?:Reverted )?0x(?:08c379a0|4e487b71)/;

/** Everything else that a node reports about a call is a failure of the node. */
export const REVERT_WORDINGS: readonly RevertWording[] = [
  {
    client: 'geth, Erigon, reth, anvil and others',
    source: 'execution-apis tests/eth_call/call-revert-abi-error.io',
    codes: [3],
    words: /execution reverted/i,
  },
  { client: 'Lotus', source: 'filecoin-project/lotus api/api_errors.go', codes: [11] },
  {
    client: 'OpenEthereum, Nethermind, Rootstock and relays behind wallets',
    source: 'code -32015, message "VM execution error.", data "Reverted 0x08c379a0…"',
    codes: [-32015],
    words: /VM execution error/i,
    data: /^Reverted 0x/,
  },
  { client: 'Besu', source: 'code -32000, message "Execution reverted"', words: /revert/i },
  {
    client: 'Ganache, Hardhat, Frontier',
    source: 'code -32000 or -32603, message "VM Exception while processing transaction: revert …"',
    words: /VM Exception while processing transaction/i,
  },
  {
    client: 'geth',
    source: 'go-ethereum core/vm/errors.go and eth/gasestimator',
    words: /out of gas|exceeds allowance|invalid (?:opcode|jump)|stack (?:underflow|limit reached)|write protection/i,
  },
  { client: 'any that words it otherwise', source: 'Solidity, "Errors and the Revert Statement"', data: REASON_DATA },
];

/** Whether a contract refused the call, so that the node itself works. */
export function isRevert({ code, message, data = '' }: RpcProblem): boolean {
  return REVERT_WORDINGS.some(
    ({ codes, words, data: pattern }) =>
      codes?.includes(code) === true || words?.test(message) === true || pattern?.test(data) === true,
  );
}

/** The contract's own message, shortened to what may be stored; `null` when there is none. */
export function revertReason({ message, data = '' }: RpcProblem): string | null {
  const [, said] = /revert(?:ed)?(?![a-z]):?\s*(?:with reason string)?\s*['"]?([^'"]{1,80})/i.exec(message) ?? [];
  return printable(said ?? '') ?? printable(encodedReason(data));
}

/** The text in `Error(string)`. */
function encodedReason(data: string): string {
  const [, body] = /0x08c379a0[0-9a-f]{64}[0-9a-f]{64}((?:[0-9a-f]{2}){1,80})/i.exec(data) ?? [];
  return Buffer.from(body ?? '', 'hex')
    .toString('latin1')
    .slice(0, 80);
}

function printable(text: string): string | null {
  const kept = text.replace(/[^\x20-\x7e]/g, '').trim();
  return kept === '' ? null : kept;
}
