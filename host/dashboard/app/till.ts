import { createContext, useContext } from 'react';
import type { Api } from './api/api.ts';
import { IdempotencyKeys } from './api/idempotency-keys.ts';
import type { StepUpPrompt } from './step-up/step-up-prompt.ts';

/** The services that pages use besides lists and records. */
export interface Till {
  readonly api: Api;
  readonly stepUp: StepUpPrompt;
}

export const TillContext = createContext<Till | null>(null);

export function useTill(): Till {
  const till = useContext(TillContext);
  if (till === null) throw new Error('There is no till around this component.');
  return till;
}

export const useApi = (): Api => useTill().api;

export const newIdempotencyKeys = (): IdempotencyKeys => new IdempotencyKeys((bytes) => crypto.getRandomValues(bytes));
