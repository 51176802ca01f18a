import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRevert, revertReason } from '../../../adapters/chains/evm/revert-words.ts';

/** `Error(string)` of "blocked". */
const BLOCKED = `0x08c379a0${'20'.padStart(64, '0')}${'7'.padStart(64, '0')}${'626c6f636b6564'.padEnd(64, '0')}`;

describe('what a node says of a call that a contract refuses', () => {
  for (const [client, problem, reason] of [
    ['geth', { code: 3, message: 'execution reverted: blocked', data: BLOCKED }, 'blocked'],
    ['geth without a reason', { code: 3, message: 'execution reverted', data: '0x' }, null],
    ['Lotus', { code: 11, message: 'message execution failed' }, null],
    ['Nethermind', { code: -32015, message: 'VM execution error.', data: `Reverted ${BLOCKED}` }, 'blocked'],
    ['OpenEthereum', { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }, null],
    ['Besu', { code: -32000, message: 'Execution reverted', data: BLOCKED }, 'blocked'],
    [
      'Hardhat',
      {
        code: -32603,
        message: "Error: VM Exception while processing transaction: reverted with reason string 'blocked'",
      },
      'blocked',
    ],
    ['Ganache', { code: -32000, message: 'VM Exception while processing transaction: revert blocked' }, 'blocked'],
    ['one that words it otherwise', { code: -32000, message: 'call failed', data: BLOCKED }, 'blocked'],
    ['one with an assertion', { code: -32000, message: 'invalid opcode: INVALID' }, null],
  ] as const)
    it(`fault 358: is the contract's refusal in the words of ${client}`, () => {
      assert.equal(isRevert(problem), true);
      assert.equal(revertReason(problem), reason);
    });

  for (const problem of [
    { code: -32000, message: 'header not found' },
    { code: -32000, message: 'execution aborted (timeout = 5s)' },
    { code: -32005, message: 'limit exceeded', data: 'see https://example.com' },
    { code: -32603, message: 'Internal error' },
  ])
    it(`fault 358: is the node's failure when it says "${problem.message}"`, () => {
      assert.equal(isRevert(problem), false);
    });
});
