import { TillgateError } from '../../../core/index.ts';
import { readTransferLog } from './transaction-info.ts';
import type { TransferLog } from './transaction-info.ts';
import { revertReason } from './trc20.ts';
import type { TokenCall } from './trc20.ts';
import type { TronClient } from './tron-client.ts';
import { asArray, asHex, asObject, asUnits, asWords, toHexAddress } from './tron-values.ts';

/** A contract's function called on a node only, without a transaction. */
export interface ConstantCall extends TokenCall {
  /** The key of the caller, which need not exist on the chain. */
  readonly callerKey: string;
  readonly contractKey: string;
}

/** The result of a simulated call: `refused` is the reason why it would fail, `null` when it would not. */
export interface ConstantOutcome {
  readonly refused: string | null;
  /** Hexadecimal. */
  readonly output: string;
  readonly energy: bigint;
  readonly transfers: readonly TransferLog[];
}

/** Exceptions of the virtual machine are the call's result; a timeout is a failure of the node. */
const CALL_FAILED = /vm\.program\.Program\$(?!OutOfTime)/;
const CALL_CODES: ReadonlySet<unknown> = new Set(['CONTRACT_VALIDATE_ERROR', 'CONTRACT_EXE_ERROR']);

/** @throws TillgateError `NODE_FAILED` when the node could not answer */
export async function callConstant(client: TronClient, call: ConstantCall): Promise<ConstantOutcome> {
  const answer = asObject(await client.askExactly('/wallet/triggerconstantcontract', bodyOf(call)), 'a call');
  const result = asObject(answer['result'], 'the result of a call');
  const output = asArray(answer['constant_result'] ?? [], 'the output of a call')
    .map((part) => asHex(part, 'the output of a call'))
    .join('');
  const logs = asArray(answer['logs'] ?? [], 'the logs of a call');
  return {
    refused: readRefusal(result, answer['transaction'], output, client.host),
    output,
    energy: asUnits(answer['energy_used'], 'the energy of a call'),
    transfers: logs.map(readTransferLog).filter((log) => log !== null),
  };
}

/** The node's own estimate; `null` where it does not offer one, as most do not. */
export async function estimateEnergy(client: TronClient, call: ConstantCall): Promise<bigint | null> {
  const answer = asObject(await client.askExactly('/wallet/estimateenergy', bodyOf(call)), 'an estimate');
  const result = asObject(answer['result'] ?? {}, 'the result of an estimate');
  return result['result'] === true ? asUnits(answer['energy_required'], 'the estimated energy') : null;
}

function bodyOf({ callerKey, contractKey, selector, parameter }: ConstantCall): object {
  return {
    owner_address: toHexAddress(callerKey),
    contract_address: toHexAddress(contractKey),
    function_selector: selector,
    parameter,
  };
}

function readRefusal(
  result: Readonly<Record<string, unknown>>,
  transaction: unknown,
  output: string,
  host: string,
): string | null {
  const { code } = result;
  const words = asWords(result['message']);
  if (code !== undefined && code !== 'SUCCESS') {
    if (!CALL_CODES.has(code) && !CALL_FAILED.test(words)) {
      throw new TillgateError(
        'NODE_FAILED',
        `The node at ${host} could not make the call: ${words} (${asWords(code)}).`,
      );
    }
    return words;
  }
  const [outcome] = asArray(asObject(transaction ?? {}, 'a call')['ret'] ?? [], 'the outcome of a call');
  const failed = outcome !== undefined && asObject(outcome, 'the outcome of a call')['ret'] === 'FAILED';
  return failed || words !== '' ? (revertReason(output) ?? (words === '' ? 'without a reason' : words)) : null;
}
