import type { BroadcastAnswer } from '../broadcast-answers.ts';

const SOURCE =
  'java-tron protocol/src/main/protos/api/api.proto Return.response_code, framework Wallet.broadcastTransaction';

/** Answers to `/wallet/broadcasthex`; the code decides. `OTHER_ERROR` and what is not listed are unknown: another node is asked. */
export const TRON_BROADCAST_ANSWERS: readonly BroadcastAnswer[] = [
  // A node remembers what it was offered, taken or not: only the transaction itself shows that it was.
  {
    means: 'known',
    reason: 'it is reported as known, but the node does not return it',
    source: SOURCE,
    codes: ['DUP_TRANSACTION_ERROR'],
  },
  {
    means: 'later',
    reason: 'the node is busy, or has no connections',
    source: SOURCE,
    codes: ['SERVER_BUSY', 'NO_CONNECTION', 'NOT_ENOUGH_EFFECTIVE_CONNECTION', 'BLOCK_UNSOLIDIFIED'],
  },
  {
    means: 'refused',
    reason: 'its sender holds too little, or its contract refuses it',
    source: SOURCE,
    codes: ['CONTRACT_VALIDATE_ERROR', 'CONTRACT_EXE_ERROR', 'BANDWITH_ERROR'],
  },
  { means: 'refused', reason: 'it has expired', source: SOURCE, codes: ['TRANSACTION_EXPIRATION_ERROR'] },
  { means: 'refused', reason: 'its reference block is not of this chain', source: SOURCE, codes: ['TAPOS_ERROR'] },
  {
    means: 'refused',
    reason: 'it is not valid for this node',
    source: SOURCE,
    codes: ['SIGERROR', 'TOO_BIG_TRANSACTION_ERROR'],
  },
];
