import { play } from './run.ts';
import type { Ending, Scenario } from './run.ts';

/** A breach's name, without the observation. */
export function ruleOf(breach: string): string {
  return breach.split(':', 1)[0] ?? breach;
}

/** A scenario with parts left out. */
export type ShrunkStory = Scenario & Required<Pick<Scenario, 'only' | 'calm'>>;

/**
 * Finds the fewest steps, and the fewest of them with a fault, that still break the same rule: parts are left out as
 * long as it stays broken, larger ones first.
 *
 * @param tries - the maximum number of played scenarios
 */
export async function shrink(
  scenario: Scenario,
  { breach, step: last }: Pick<Ending, 'breach' | 'step'>,
  tries = 400,
): Promise<ShrunkStory> {
  const { steps } = scenario;
  const rule = ruleOf(breach ?? '');
  let left = tries;
  const breaks = async (only: readonly number[], calm: ReadonlySet<number>): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    const ending = await play({ ...scenario, only, calm });
    return ending.breach !== null && ruleOf(ending.breach) === rule;
  };
  let only = Array.from({ length: Math.min(last + 1, steps) }, (_, step) => step);
  for (let size = only.length >> 1; size >= 1 && left > 0; size >>= 1) {
    for (let from = 0; from < only.length && left > 0;) {
      const fewer = [...only.slice(0, from), ...only.slice(from + size)];
      if (await breaks(fewer, new Set())) only = fewer;
      else from += size;
    }
  }
  const calm = new Set<number>();
  for (const step of only) if (await breaks(only, new Set([...calm, step]))) calm.add(step);
  return { ...scenario, only, calm };
}

/** The command that plays a scenario again. */
export function replayCommand({ seed, steps, only, calm, database }: Scenario): string {
  const parts = [`npm run simulate --${database === undefined ? '' : ' --pg'} --seed ${seed} --steps ${steps}`];
  if (only !== undefined) parts.push(`--only ${only.join(',')}`);
  if (calm !== undefined && calm.size > 0) parts.push(`--calm ${[...calm].join(',')}`);
  return parts.join(' ');
}
