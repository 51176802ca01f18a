import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { broadcastAnswer, broadcastReason } from '../../../adapters/chains/broadcast-answers.ts';
import type { BroadcastAnswer, BroadcastMeaning } from '../../../adapters/chains/broadcast-answers.ts';
import { EVM_BROADCAST_ANSWERS } from '../../../adapters/chains/evm/broadcast-answers.ts';
import { TRON_BROADCAST_ANSWERS } from '../../../adapters/chains/tron/broadcast-answers.ts';
import { UTXO_BROADCAST_ANSWERS } from '../../../adapters/chains/utxo/broadcast-answers.ts';

type Said = readonly [client: string, code: number | string, message: string, means: BroadcastMeaning | null];

const FAMILIES: readonly (readonly [string, readonly BroadcastAnswer[], readonly Said[]])[] = [
  [
    'EVM',
    EVM_BROADCAST_ANSWERS,
    [
      ['geth', -32000, 'already known', 'known'],
      ['Nethermind', -32010, 'AlreadyKnown', 'known'],
      ['Besu', -32000, 'Known transaction', 'known'],
      ['OpenEthereum', -32010, 'Transaction with the same hash was already imported.', 'known'],
      ['anvil', -32003, 'transaction already imported', 'known'],
      ['Erigon', -32000, 'existing tx with same hash', 'known'],
      ['geth', -32000, 'nonce too low: next nonce 5, tx nonce 4', 'spent'],
      ['Erigon', -32000, 'INTERNAL_ERROR: NonceTooLow', 'spent'],
      ['Nethermind', -32010, 'OldNonce, Current nonce: 5, nonce of rejected tx: 4', 'spent'],
      ['OpenEthereum', -32010, 'Transaction nonce is too low. Try incrementing the nonce.', 'spent'],
      ['geth', -32000, 'nonce too high: next nonce 5, tx nonce 9', 'later'],
      ['Nethermind', -32010, 'NonceGap', 'later'],
      ['Besu', -32006, 'Transaction nonce is too distant from current sender nonce', 'later'],
      ['geth', -32000, 'replacement transaction underpriced', 'later'],
      ['geth', -32000, 'max fee per gas less than block base fee: address 0x…', 'later'],
      ['Nethermind', -32010, 'FeeTooLow, MaxFeePerGas too low', 'later'],
      ['Besu', -32009, 'Gas price below configured minimum gas price', 'later'],
      ['Erigon', -32000, 'could not replace existing tx', 'later'],
      ['geth', -32000, 'insufficient funds for gas * price + value: balance 0', 'later'],
      ['Besu', -32004, 'Upfront cost exceeds account balance', 'later'],
      ['geth', -32000, 'txpool is full', 'later'],
      ['geth', -32000, 'exceeds block gas limit', 'refused'],
      ['anvil', -32003, 'intrinsic gas too high', 'refused'],
      ['geth', -32000, 'tx fee (2.10 ether) exceeds the configured cap (1.00 ether)', 'refused'],
      ['geth', -32000, 'intrinsic gas too low: gas 20000, minimum needed 21000', 'refused'],
      ['geth', -32000, 'invalid chain id for signer: have 1 want 5', 'refused'],
      ['a service', -32603, 'Internal error', null],
      ['a service', -32005, 'daily request count exceeded', null],
      ['a service', 3, 'it was not sent', null],
    ],
  ],
  [
    'Tron',
    TRON_BROADCAST_ANSWERS,
    [
      ['java-tron', 'DUP_TRANSACTION_ERROR', '', 'known'],
      ['java-tron', 'SERVER_BUSY', '', 'later'],
      ['java-tron', 'NO_CONNECTION', '', 'later'],
      ['java-tron', 'NOT_ENOUGH_EFFECTIVE_CONNECTION', '', 'later'],
      ['java-tron', 'BLOCK_UNSOLIDIFIED', '', 'later'],
      ['java-tron', 'CONTRACT_VALIDATE_ERROR', '', 'refused'],
      ['java-tron', 'BANDWITH_ERROR', '', 'refused'],
      ['java-tron', 'TRANSACTION_EXPIRATION_ERROR', '', 'refused'],
      ['java-tron', 'TAPOS_ERROR', '', 'refused'],
      ['java-tron', 'SIGERROR', '', 'refused'],
      ['java-tron', 'OTHER_ERROR', 'already known', null],
      ['a service', 'SUCCESS', '', null],
    ],
  ],
  [
    'UTXO',
    UTXO_BROADCAST_ANSWERS,
    [
      ['Bitcoin Core', -27, 'Transaction outputs already in utxo set', 'known'],
      ['Bitcoin Core', -26, 'txn-already-in-mempool', 'known'],
      ['Litecoin Core', -26, 'txn-already-known', 'known'],
      ['Bitcoin Core', -26, 'txn-same-nonwitness-data-in-mempool', 'known'],
      ['Bitcoin Core', -25, 'bad-txns-inputs-missingorspent', 'spent'],
      ['Bitcoin Core', -26, 'txn-mempool-conflict', 'spent'],
      ['Bitcoin Core', -26, 'insufficient fee, rejecting replacement 00…', 'later'],
      ['Bitcoin Core', -26, 'min relay fee not met, 100 < 141', 'later'],
      ['Bitcoin Core', -26, 'mempool min fee not met, 100 < 500', 'later'],
      ['Bitcoin Core', -26, 'too-long-mempool-chain, too many descendants', 'later'],
      ['Bitcoin Core', -26, 'non-final', 'later'],
      ['Bitcoin Core', -28, 'Loading block index…', 'later'],
      ['Bitcoin Core', -25, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)', 'refused'],
      ['Bitcoin Core', -26, 'scriptpubkey', 'refused'],
      ['Bitcoin Core', -22, 'TX decode failed', 'refused'],
      ['a service', -32603, 'Internal error', null],
      ['a service', -1, 'it was not sent', null],
    ],
  ],
];

for (const [family, answers, said] of FAMILIES) {
  describe(`what nodes of ${family} chains answer to a signed transaction`, () => {
    for (const [client, code, message, means] of said) {
      test(`fault 389: ${client} ${code} "${message}" is ${means ?? 'unknown'}`, () => {
        assert.equal(broadcastAnswer(answers, { code, message })?.means ?? null, means);
      });
    }

    test('each class has a source, and is told by code or by words', () => {
      for (const { source, codes, words, reason } of answers) {
        assert.notEqual(source, '');
        assert.notEqual(reason, '');
        assert.equal(codes === undefined && words === undefined, false, reason);
      }
    });
  });
}

test('fault 389: of an unknown answer nothing is repeated', () => {
  assert.equal(broadcastReason(null), 'the node gave an unknown reason');
});
