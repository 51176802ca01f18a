import type { BroadcastAnswer } from '../broadcast-answers.ts';

/** Answers to `eth_sendRawTransaction`. Clients share codes (-32000, -32003, -32010, -32603) between all of them: the words decide. */
export const EVM_BROADCAST_ANSWERS: readonly BroadcastAnswer[] = [
  {
    means: 'known',
    reason: 'it is reported as known, but the node does not return it',
    source:
      'geth core/txpool/errors.go "already known"; Nethermind AcceptTxResult.cs "AlreadyKnown"; Besu TransactionInvalidReason.java "Known transaction"; OpenEthereum, anvil "already imported"; Erigon "existing tx with same hash"',
    words: /already ?known|known transaction|already imported|already exists|existing tx with same hash/i,
  },
  {
    means: 'spent',
    reason: 'its nonce was used',
    source:
      'geth core/error.go "nonce too low"; Erigon "NonceTooLow"; Nethermind "OldNonce"; OpenEthereum "nonce is too low"',
    words: /nonce ?(?:is )?too ?low|old ?nonce|invalid nonce/i,
  },
  {
    means: 'later',
    reason: 'its nonce is too high',
    source:
      'geth core/error.go "nonce too high"; Nethermind "NonceGap", "NonceTooFarInFuture"; Besu "Transaction nonce is too distant"',
    words: /nonce ?(?:is )?too ?(?:high|distant|far)|nonce ?gap/i,
  },
  {
    means: 'later',
    reason: 'its gas price is too low',
    source:
      'geth core/txpool/errors.go "transaction underpriced", core/error.go "max fee per gas less than block base fee"; Nethermind "FeeTooLow"; Besu "Gas price below configured minimum gas price"; Erigon "could not replace existing tx"',
    words:
      /underpriced|(?:fee|tip|price)[^.]{0,40}too ?low|max fee per gas less than|below (?:the |configured )?minimum|could not replace/i,
  },
  {
    means: 'later',
    reason: 'its sender holds too little',
    source:
      'geth core/error.go "insufficient funds for gas * price + value"; Nethermind "InsufficientFunds"; Besu "Upfront cost exceeds account balance"',
    words: /insufficient ?funds|overdraft|exceeds (?:the |account )?balance/i,
  },
  {
    means: 'later',
    reason: 'its pool has no room',
    source:
      'geth core/txpool/errors.go "txpool is full", "account limit exceeded", "in-flight transaction limit reached"; OpenEthereum "too many transactions in the queue"',
    words: /pool is full|account limit exceeded|in-flight transaction limit|too many transactions/i,
  },
  {
    means: 'refused',
    reason: 'its gas does not fit into a block',
    source:
      'geth core/txpool/errors.go "exceeds block gas limit"; Nethermind "GasLimitExceeded"; anvil "intrinsic gas too high"',
    words: /gas ?limit|exceeds block|intrinsic gas too high/i,
  },
  {
    means: 'refused',
    reason: 'its fee is above what the node allows',
    source: 'geth internal/ethapi/api.go "tx fee (… ether) exceeds the configured cap"',
    words: /exceeds the configured cap/i,
  },
  {
    means: 'refused',
    reason: 'it is not valid for this node',
    source:
      'geth core/error.go "intrinsic gas too low", core/types "invalid sender", "transaction type not supported", "invalid chain id for signer"',
    words: /intrinsic gas too low|invalid sender|type not supported|chain ?id/i,
  },
];
