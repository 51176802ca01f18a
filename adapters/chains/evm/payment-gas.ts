import { contractRefusal, TillgateError } from '../../../core/index.ts';
import type { Authorization, CurrencyCode, ErrorCode, PayingAddress, PaymentLine } from '../../../core/index.ts';
import { refusal } from '../json-rpc.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { RpcProblem, RpcReply } from '../json-rpc-replies.ts';
import { authorizationInput } from './authorization-call.ts';
import { transferInput } from './erc20.ts';
import { isRevert, revertReason } from './revert-words.ts';
import { asUnits, malformed, toQuantity } from './rpc-values.ts';

/** The gas that a payment needs. */
export interface GasNeed {
  readonly gas: bigint;
  /** It could not be simulated, because the hot wallet holds less than the payment. */
  readonly provisional: boolean;
}

/** The gas of a plain payment. */
const PLAIN_GAS = 21_000n;
/** The gas assumed for a token transfer that cannot be simulated; common tokens need 35,000 to 80,000. */
const USUAL_TOKEN_GAS = 100_000n;
/** The path through a contract may change between the simulation and the block. */
const MARGIN_PERCENT = 125n;

/**
 * The gas of a payment of the native coin. An account without code needs 21,000, and cannot change that.
 *
 * @param cap - the highest limit that is signed
 * @throws TillgateError `INSUFFICIENT_BALANCE` when a deposit address holds less; `DESTINATION_UNPAYABLE` when the
 *   receiving contract refuses the payment or needs more gas than the cap
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
  // The hot wallet may still be filled, so the payment is simulated with what it holds.
  const value = toQuantity(held < units ? held : units);
  const [estimate] = (await client.batch([{ method: 'eth_estimateGas', params: [{ from: address, to, value }] }])) as [
    RpcReply,
  ];
  if (code !== '0x')
    return { gas: limitOf(readEstimate(client, estimate, 'DESTINATION_UNPAYABLE'), cap), provisional: false };
  // More than usual: a network with other rules.
  const gas = estimate.problem === null ? asUnits(estimate.result, 'a gas estimate') : PLAIN_GAS;
  return { gas: gas > PLAIN_GAS ? limitOf(gas, cap) : PLAIN_GAS, provisional: false };
}

/**
 * The gas of a token transfer, which is simulated.
 *
 * @param held - the token balance of the source. The hot wallet may still be filled; a deposit address may not
 * @param cap - the highest limit that is signed
 * @throws TillgateError `INSUFFICIENT_BALANCE` when a deposit address holds less; `STATE_CONFLICT` when the contract
 *   reverts it or returns `false`; `DESTINATION_UNPAYABLE` when it needs more gas than the cap
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
    throw contractRefusal('The token refuses the payment: its contract returns false.');
  }
  return { gas: limitOf(readEstimate(client, estimate, 'STATE_CONFLICT'), cap), provisional: false };
}

/** The most gas of an authorization; USDC needs some 85,000 when the receiver has no balance yet. */
const MOST_CHARGE_GAS = 150_000n;

/**
 * The gas of executing a payer's authorization, which is simulated.
 *
 * @throws TillgateError `STATE_CONFLICT` when the contract reverts it: used, expired, not valid yet, or no balance;
 *   `DESTINATION_UNPAYABLE` when it needs more gas than the cap
 */
export async function chargeGas(
  client: JsonRpcClient,
  { address }: PayingAddress,
  contract: string,
  { to, charge, cap }: { readonly to: string; readonly charge: Authorization; readonly cap: bigint },
): Promise<GasNeed> {
  const call = { from: address, to: contract, data: authorizationInput(to, charge) };
  const [estimate] = (await client.batch([{ method: 'eth_estimateGas', params: [call] }])) as [RpcReply];
  const gas = readEstimate(client, estimate, 'STATE_CONFLICT');
  return { gas: limitOf(gas, cap < MOST_CHARGE_GAS ? cap : MOST_CHARGE_GAS), provisional: false };
}

function tooLittle(address: string, currency: CurrencyCode): TillgateError {
  return new TillgateError('INSUFFICIENT_BALANCE', `${address} holds less ${currency} than is to be paid from there.`);
}

/** @param code - the error code when the contract refuses */
function readEstimate(client: JsonRpcClient, estimate: RpcReply, code: ErrorCode): bigint {
  if (estimate.problem !== null) throw refused(client, 'eth_estimateGas', estimate.problem, code);
  return asUnits(estimate.result, 'a gas estimate');
}

/**
 * The gas limit to sign: the simulated gas plus the margin, rounded up, and never above the cap. The receiver's code
 * decides how much gas it uses, and the sender pays for it.
 */
function limitOf(tried: bigint, cap: bigint): bigint {
  if (tried > cap) {
    throw new TillgateError(
      'DESTINATION_UNPAYABLE',
      `The payment would use ${tried} gas, but at most ${cap} are allowed: its receiver is a contract that needs too much gas.`,
    );
  }
  const limit = (tried * MARGIN_PERCENT + 99n) / 100n;
  return limit > cap ? cap : limit;
}

/** The contract's own message if it refused; otherwise the node's. */
function refused(client: JsonRpcClient, method: string, problem: RpcProblem, code: ErrorCode): TillgateError {
  if (!isRevert(problem)) return refusal(method, problem, client.host);
  const message = `The network would revert the payment: ${revertReason(problem) ?? 'no reason is given'}.`;
  return code === 'STATE_CONFLICT' ? contractRefusal(message) : new TillgateError(code, message);
}
