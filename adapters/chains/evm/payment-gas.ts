import { TillgateError } from '../../../core/index.ts';
import type { Authorization, CurrencyCode, ErrorCode, PayingAddress, PaymentLine } from '../../../core/index.ts';
import { refusal } from '../json-rpc.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { RpcReply } from '../json-rpc-replies.ts';
import { authorizationInput } from './authorization-call.ts';
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
/** A contract's way may change between the trial and the block. */
const MARGIN_PERCENT = 125n;

/**
 * The gas of a payment of the native coin. An account without code takes 21,000, and nothing that it could do changes it.
 *
 * @param cap - the highest limit that is signed
 * @throws TillgateError `INSUFFICIENT_BALANCE` when a deposit address holds less; `DESTINATION_UNPAYABLE` when the receiving
 * contract refuses it, or needs more gas than the cap
 */
export async function nativeGas(
  client: JsonRpcClient,
  { address, index }: PayingAddress,
  { to, units, currency }: PaymentLine,
  cap: bigint,
): Promise<GasNeed> {
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
  if (code !== '0x')
    return { gas: limitOf(readEstimate(client, estimate, 'DESTINATION_UNPAYABLE'), cap), provisional: false };
  // More than usual: a network with different rules.
  const gas = estimate.problem === null ? asUnits(estimate.result, 'a gas estimate') : PLAIN_GAS;
  return { gas: gas > PLAIN_GAS ? limitOf(gas, cap) : PLAIN_GAS, provisional: false };
}

/**
 * The gas of a token's transfer, which is tried out.
 *
 * @param held - what the source has of the token. The hot wallet may be filled yet; a deposit address may not
 * @param cap - the highest limit that is signed
 * @throws TillgateError `INSUFFICIENT_BALANCE` when a deposit address holds less; `STATE_CONFLICT` when the contract
 * reverts it, or answers `false`; `DESTINATION_UNPAYABLE` when it needs more gas than the cap
 */
export async function tokenGas(
  client: JsonRpcClient,
  { address, index }: PayingAddress,
  contract: string,
  { to, units, currency }: PaymentLine,
  { held, cap }: { readonly held: bigint; readonly cap: bigint },
): Promise<GasNeed> {
  if (held < units) {
    if (index !== null) throw tooLittle(address, currency);
    return { gas: USUAL_TOKEN_GAS < cap ? USUAL_TOKEN_GAS : cap, provisional: true };
  }
  const call = { from: address, to: contract, data: transferInput(to, units) };
  const [outcome, estimate] = (await client.batch([
    { method: 'eth_call', params: [call, 'latest'] },
    { method: 'eth_estimateGas', params: [call] },
  ])) as [RpcReply, RpcReply];
  if (outcome.problem !== null) throw refused(client, 'eth_call', outcome.problem, 'STATE_CONFLICT');
  // Some of the oldest tokens return nothing; a token that returns false has not paid.
  if (typeof outcome.result !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(outcome.result)) throw malformed('eth_call');
  if (outcome.result !== '0x' && BigInt(outcome.result.slice(0, 66)) === 0n) {
    throw new TillgateError('STATE_CONFLICT', 'The token refuses the payment: its contract answers false.');
  }
  return { gas: limitOf(readEstimate(client, estimate, 'STATE_CONFLICT'), cap), provisional: false };
}

/** What the call takes at most; USDC takes some 85,000 where the receiver has none yet. */
const MOST_PULL_GAS = 150_000n;

/**
 * The gas of sending a payer's authorization, which is tried out.
 *
 * @throws TillgateError `STATE_CONFLICT` when the contract reverts it: used, expired, not valid yet, or the balance is gone;
 * `DESTINATION_UNPAYABLE` when it needs more gas than the cap
 */
export async function pullGas(
  client: JsonRpcClient,
  { address }: PayingAddress,
  contract: string,
  { to, pull, cap }: { readonly to: string; readonly pull: Authorization; readonly cap: bigint },
): Promise<GasNeed> {
  const call = { from: address, to: contract, data: authorizationInput(to, pull) };
  const [estimate] = (await client.batch([{ method: 'eth_estimateGas', params: [call] }])) as [RpcReply];
  const gas = readEstimate(client, estimate, 'STATE_CONFLICT');
  return { gas: limitOf(gas, cap < MOST_PULL_GAS ? cap : MOST_PULL_GAS), provisional: false };
}

function tooLittle(address: string, currency: CurrencyCode): TillgateError {
  return new TillgateError('INSUFFICIENT_BALANCE', `${address} holds less ${currency} than is to be paid from there.`);
}

/** @param code - of the error when the contract refuses */
function readEstimate(client: JsonRpcClient, estimate: RpcReply, code: ErrorCode): bigint {
  if (estimate.problem !== null) throw refused(client, 'eth_estimateGas', estimate.problem, code);
  return asUnits(estimate.result, 'a gas estimate');
}

/**
 * The gas limit to sign: what the trial took with the margin, rounded up, and never above the cap. A receiver decides by its
 * code what it takes, and the sender pays for it.
 */
function limitOf(tried: bigint, cap: bigint): bigint {
  if (tried > cap) {
    throw new TillgateError(
      'DESTINATION_UNPAYABLE',
      `The payment would take ${tried} gas, and at most ${cap} are allowed: its receiver is a contract that needs too much.`,
    );
  }
  const limit = (tried * MARGIN_PERCENT + 99n) / 100n;
  return limit > cap ? cap : limit;
}

/** The JSON-RPC error code of a reverted call, in geth and related nodes. */
const REVERTED = 3;

/** The contract's own message, shortened. */
function refused(
  client: JsonRpcClient,
  method: string,
  problem: { readonly code: number; readonly message: string },
  code: ErrorCode,
): TillgateError {
  const isOfContract =
    problem.code === REVERTED || /revert|out of gas|exceeds allowance|invalid (?:opcode|jump)/i.test(problem.message);
  if (!isOfContract) return refusal(method, problem, client.host);
  const [, reason] = /revert(?:ed)?:?\s*(?:with reason string)?\s*['"]?([^'"]{1,80})/i.exec(problem.message) ?? [];
  return new TillgateError(
    code,
    `The network would revert the payment: ${reason?.replace(/[^\x20-\x7e]/g, '').trim() || 'no reason is given'}.`,
  );
}
