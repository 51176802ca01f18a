import type { BroadcastAnswer } from '../broadcast-answers.ts';

const CODES = 'Bitcoin Core src/rpc/protocol.h, src/node/transaction.cpp';
const WORDS = 'Bitcoin Core src/validation.cpp, src/policy/rbf.cpp (code -26)';

/** Answers to `sendrawtransaction` of Bitcoin Core and what was made of it (Knots, Litecoin Core). */
export const UTXO_BROADCAST_ANSWERS: readonly BroadcastAnswer[] = [
  // RPC_VERIFY_ALREADY_IN_UTXO_SET: in a block, its outputs unspent yet.
  { means: 'known', reason: 'it is in a block', source: CODES, codes: [-27] },
  {
    means: 'known',
    reason: 'it is in the mempool already',
    source: `${WORDS}; older releases "txn-already-in-mempool", "txn-already-known"`,
    // Of another witness, it is the same payment by the same id.
    words: /already[- ]in[- ]mempool|already[- ]known|txn-same-nonwitness-data-in-mempool/i,
  },
  {
    means: 'spent',
    reason: 'its coins were spent',
    source: WORDS,
    words: /inputs-missingorspent|missing inputs|txn-mempool-conflict|spends-conflicting-tx/i,
  },
  {
    means: 'later',
    reason: 'its fee is too low',
    source: WORDS,
    words: /insufficient fee|relay fee not met|mempool min fee not met|min fee not met/i,
  },
  {
    means: 'later',
    reason: 'the mempool of the node does not accept it now',
    source: WORDS,
    words:
      /mempool full|too-long-mempool-chain|too many (?:unconfirmed|potential|descendant)|non-(?:BIP68-)?final|premature-spend|replacement-adds-unconfirmed/i,
  },
  { means: 'later', reason: 'the node is starting', source: CODES, codes: [-28] },
  {
    means: 'refused',
    reason: 'its fee is above what the node allows',
    source: CODES,
    words: /max-?fee-exceeded|fee exceeds maximum|absurdly-high-fee/i,
  },
  // RPC_VERIFY_REJECTED and RPC_VERIFY_ERROR with any other words.
  { means: 'refused', reason: 'it is not valid for this node', source: CODES, codes: [-26, -25, -22] },
];
