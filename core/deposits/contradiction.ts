import { isTillgateError, TillgateError } from '../kernel/index.ts';

/**
 * The error of an adapter whose node gave answers that cannot be true together, such as two balances of one address at
 * one block. A node that lags, prunes or reorganises does not cause it, only one that gives wrong answers.
 *
 * @param text - a sentence for an operator, without any secret
 */
export function contradiction(text: string): TillgateError {
  return new TillgateError('NODE_FAILED', text, { contradiction: true });
}

/** Whether an error reports that one node's answers contradict each other. */
export function isContradiction(error: unknown): boolean {
  return isTillgateError(error, 'NODE_FAILED') && error.details['contradiction'] === true;
}
