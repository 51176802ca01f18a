import { TillgateError } from '../../../core/index.ts';
import type { CurrencyCode, PayingAddress, PaymentLine } from '../../../core/index.ts';
import { refusal } from '../json-rpc.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { RpcReply } from '../json-rpc-replies.ts';
import { transferInput } from './erc20.ts';
import { asUnits, malformed, toQuantity } from './rpc-values.ts';

/** How much gas a payment takes. */
export interface GasNeed {
  readonly gas: bigint;
  /** True when it could not be tried out, since the hot wallet holds less than the payment. */
  readonly provisional: boolean;
}

/** What a plain payment takes, exactly. */
const PLAIN_GAS = 21_000n;
/** What a token's transfer takes at most where it can not be tried out; the common ones take 35,000 to 80,000. */
const USUAL_TOKEN_GAS = 100_000n;
/** Addresses up to here are the network's built-in contracts, on every network so far. */
const LAST_BUILT_IN = 0xffffn;
/** A contract's way may change between the trial and the block. */
const MARGIN_PERCENT = 125n;

/**
 * The gas of a payment of the native coin. An account without code takes 21,000, and nothing that it could do changes it.
 *
 * @throws TillgateError `INSUFFICIENT_BALANCE` when a deposit address holds less; `STATE_CONFLICT` when the receiving
 * contract refuses it
 */
export async function nativeGas(
  client: JsonRpcClient,
  { address, index }: PayingAddress,
  { to, units, currency }: PaymentLine,
): Promise<GasNeed> {
  // Coins sent there are lost.
  if (BigInt(to) <= LAST_BUILT_IN)
    throw new TillgateError('STATE_CONFLICT', `${to} is no account: it belongs to the network itself.`);
  const [code, balance] = await client.batchResults([
    { method: 'eth_getCode', params: [to, 'latest'] },
    { method: 'eth_getBalance', params: [address, 'latest'] },
  ]);
  if (typeof code !== 'string' || !code.startsWith('0x')) throw malformed('eth_getCode');
  const held = asUnits(balance, 'a balance');
  if (index !== null && held < units) throw tooLittle(address, currency);
  // The hot wallet may be filled yet: it is tried with what is there.
  const value = toQuantity(held < units ? held : units);
  const [estimate] = (await client.batch([{ method: 'eth_estimateGas', params: [{ from: address, to, value }] }])) as [
    RpcReply,
  ];
  if (code !== '0x') return { gas: withMargin(readEstimate(client, estimate)), provisional: false };
  // More than usual: a network with different rules.
  const gas = estimate.problem === null ? asUnits(estimate.result, 'a gas estimate') : PLAIN_GAS;
  return { gas: gas > PLAIN_GAS ? withMargin(gas) : PLAIN_GAS, provisional: false };
}

/**
 * The gas of a token's transfer, which is tried out.
 *
 * @param held - what the source has of the token. The hot wallet may be filled yet; a deposit address may not
 * @throws TillgateError `INSUFFICIENT_BALANCE` when a deposit address holds less; `STATE_CONFLICT` when the contract
 * reverts it, or answers `false`
 */
export async function tokenGas(
  client: JsonRpcClient,
  { address, index }: PayingAddress,
  contract: string,
  { to, units, currency }: PaymentLine,
  held: bigint,
): Promise<GasNeed> {
  if (held < units) {
    if (index !== null) throw tooLittle(address, currency);
    return { gas: USUAL_TOKEN_GAS, provisional: true };
  }
  const call = { from: address, to: contract, data: transferInput(to, units) };
  const [outcome, estimate] = (await client.batch([
    { method: 'eth_call', params: [call, 'latest'] },
    { method: 'eth_estimateGas', params: [call] },
  ])) as [RpcReply, RpcReply];
  if (outcome.problem !== null) throw refused(client, 'eth_call', outcome.problem);
  // Some of the oldest tokens return nothing; a token that returns false has not paid.
  if (typeof outcome.result !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(outcome.result)) throw malformed('eth_call');
  if (outcome.result !== '0x' && BigInt(outcome.result.slice(0, 66)) === 0n) {
    throw new TillgateError('STATE_CONFLICT', 'The token refuses the payment: its contract answers false.');
  }
  return { gas: withMargin(readEstimate(client, estimate)), provisional: false };
}

function tooLittle(address: string, currency: CurrencyCode): TillgateError {
  return new TillgateError('INSUFFICIENT_BALANCE', `${address} holds less ${currency} than is to be paid from there.`);
}

function readEstimate(client: JsonRpcClient, estimate: RpcReply): bigint {
  if (estimate.problem !== null) throw refused(client, 'eth_estimateGas', estimate.problem);
  return asUnits(estimate.result, 'a gas estimate');
}

/** Rounded up. */
function withMargin(gas: bigint): bigint {
  return (gas * MARGIN_PERCENT + 99n) / 100n;
}

/** The JSON-RPC error code of a reverted call, in geth and related nodes. */
const REVERTED = 3;

/** The contract's own message, shortened. */
function refused(
  client: JsonRpcClient,
  method: string,
  problem: { readonly code: number; readonly message: string },
): TillgateError {
  const isOfContract =
    problem.code === REVERTED || /revert|out of gas|exceeds allowance|invalid (?:opcode|jump)/i.test(problem.message);
  if (!isOfContract) return refusal(method, problem, client.host);
  const [, reason] = /revert(?:ed)?:?\s*(?:with reason string)?\s*['"]?([^'"]{1,80})/i.exec(problem.message) ?? [];
  return new TillgateError(
    'STATE_CONFLICT',
    `The network would revert the payment: ${reason?.replace(/[^\x20-\x7e]/g, '').trim() || 'no reason is given'}.`,
  );
}
