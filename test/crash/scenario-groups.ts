import { GATE_SALES } from './gate-sale.ts';
import {
  CANCELS_AND_FLOAT,
  CLAIMS,
  MONEY_IN,
  MONEY_OUT,
  PAID_ORDER,
  RETURNS_AND_RESTORES,
  SWEEPS_AND_KEYS,
} from './scenarios.ts';

/** Every scenario; each group is played by a process of its own, and together they reach every named point. */
export const SCENARIO_GROUPS = {
  order: PAID_ORDER,
  in: MONEY_IN,
  out: MONEY_OUT,
  claims: CLAIMS,
  returns: RETURNS_AND_RESTORES,
  cancels: CANCELS_AND_FLOAT,
  keys: SWEEPS_AND_KEYS,
  gate: GATE_SALES,
} as const;
