import { play } from './run.ts';
import type { Ending, Story } from './run.ts';

/** A breach's name, without what was seen of it. */
export function ruleOf(breach: string): string {
  return breach.split(':', 1)[0] ?? breach;
}

/** A story of which parts are left out. */
export type ShrunkStory = Story & Required<Pick<Story, 'only' | 'calm'>>;

/**
 * The fewest steps, and the fewest of them with a fault, that still break the same rule: parts are left out for as long
 * as it stays broken, larger ones first.
 *
 * @param tries - how many stories are played at most
 */
export async function shrink(story: Story, { breach, step: last }: Pick<Ending, 'breach' | 'step'>, tries = 400): Promise<ShrunkStory> {
  const { steps } = story;
  const rule = ruleOf(breach ?? '');
  let left = tries;
  const breaks = async (only: readonly number[], calm: ReadonlySet<number>): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    const ending = await play({ ...story, only, calm });
    return ending.breach !== null && ruleOf(ending.breach) === rule;
  };
  let only = Array.from({ length: Math.min(last + 1, steps) }, (_, step) => step);
  for (let size = only.length >> 1; size >= 1 && left > 0; size >>= 1) {
    for (let from = 0; from < only.length && left > 0; ) {
      const fewer = [...only.slice(0, from), ...only.slice(from + size)];
      if (await breaks(fewer, new Set())) only = fewer;
      else from += size;
    }
  }
  const calm = new Set<number>();
  for (const step of only) if (await breaks(only, new Set([...calm, step]))) calm.add(step);
  return { ...story, only, calm };
}

/** What plays a story again. */
export function replayCommand({ seed, steps, only, calm, database }: Story): string {
  const parts = [`npm run simulate --${database === undefined ? '' : ' --pg'} --seed ${seed} --steps ${steps}`];
  if (only !== undefined) parts.push(`--only ${only.join(',')}`);
  if (calm !== undefined && calm.size > 0) parts.push(`--calm ${[...calm].join(',')}`);
  return parts.join(' ');
}
