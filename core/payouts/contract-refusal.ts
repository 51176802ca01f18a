import { isTillgateError, TillgateError } from '../kernel/index.ts';

const CONTRACT_REFUSES = 'contract-refuses';

/** The error of a payment that a contract refuses in a simulation. The stored message must contain no secret. */
export function contractRefusal(message: string): TillgateError {
  return new TillgateError('STATE_CONFLICT', message, { reason: CONTRACT_REFUSES });
}

/** True for a payment that the network would accept and the contract of its token refuses: {@link contractRefusal}. */
export function isContractRefusal(error: unknown): error is TillgateError {
  return isTillgateError(error, 'STATE_CONFLICT') && error.details.reason === CONTRACT_REFUSES;
}
