/** The program that gives a process one core alone; it becomes that process. */
export const PIN = ['taskset'][0] as string;

/** A command that runs on one core alone; on any without a core. */
export function pinned(core: string | undefined, command: readonly string[]): readonly string[] {
  return core === undefined ? command : [PIN, '-c', core, ...command];
}
