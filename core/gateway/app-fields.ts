import { quotaErrors } from './quota.ts';
import { ADMISSION_MODES } from './route.ts';
import type { AdmissionLimits } from './route.ts';
import type { FieldError } from '../kernel/index.ts';
import type { AppChanges } from './app-store.ts';
import { nameProblem } from '../access/index.ts';

const CHAIN = /^[A-Z0-9][A-Z0-9_-]{0,31}$/;
const MAX_CHAINS = 64;
const MAX_LIMIT = 1_000_000_000;

const isLimit = (value: number): boolean => Number.isSafeInteger(value) && value >= 1 && value <= MAX_LIMIT;

/** The rules of the limits. A rate may be below one request a second. */
const LIMIT_FIELDS: readonly {
  name: keyof AdmissionLimits;
  fits: (value: number) => boolean;
  form: string;
}[] = [
  {
    name: 'requestsPerSecond',
    fits: (value) => value > 0 && value <= MAX_LIMIT,
    form: 'a number above 0',
  },
  { name: 'burst', fits: isLimit, form: 'a whole number from 1 up' },
  { name: 'concurrency', fits: isLimit, form: 'a whole number from 1 up' },
];

/** Errors of admission limits; a limit of `null` means none. */
export function limitErrors(limits: AdmissionLimits, path = 'limits'): FieldError[] {
  return LIMIT_FIELDS.flatMap(({ name, fits, form }) => {
    const value = limits[name];
    return value === null || fits(value)
      ? []
      : [{ path: `${path}.${name}`, message: `must be ${form}, or null for no limit` }];
  });
}

/** The error message for an invalid chain code; `null` for a valid one. */
export function chainProblem(chain: string): string | null {
  return CHAIN.test(chain) ? null : 'must be a chain code such as ETH';
}

function chainErrors(chains: readonly string[]): FieldError[] {
  if (chains.length > MAX_CHAINS) return [{ path: 'chains', message: `must name at most ${MAX_CHAINS} chains` }];
  return chains.flatMap((chain, index) => {
    const message = chainProblem(chain) ?? (chains.indexOf(chain) < index ? 'must not be listed twice' : null);
    return message === null ? [] : [{ path: `chains.${index}`, message }];
  });
}

/** All invalid fields of a new or changed App. */
export function appErrors({ name, chains, admissionMode, limits, quota }: AppChanges): readonly FieldError[] {
  const errors: FieldError[] = [];
  const nameWrong = name === undefined ? null : name.trim() === '' ? 'must not be empty' : nameProblem(name);
  if (nameWrong !== null) errors.push({ path: 'name', message: nameWrong });
  if (chains !== undefined) errors.push(...chainErrors(chains));
  if (admissionMode != null && !ADMISSION_MODES.includes(admissionMode)) {
    errors.push({
      path: 'admissionMode',
      message: `must be one of ${ADMISSION_MODES.join(', ')}, or null for the mode of the route`,
    });
  }
  if (limits != null) errors.push(...limitErrors(limits));
  if (quota != null) errors.push(...quotaErrors(quota));
  return errors;
}
