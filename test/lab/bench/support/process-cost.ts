import { readFileSync, readdirSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second, whatever the kernel's own clock. */
const TICK_MICROSECONDS = 10_000;

/** What a process has cost so far. */
export interface ProcessCost {
  /** Processor time, in user and kernel mode, in microseconds. */
  readonly cpuMicros: number;
  /** Resident memory, in bytes. */
  readonly rssBytes: number;
}

/** @throws Error where there is no `/proc` (anything but Linux), or no such process */
export function costOf(pid: number): ProcessCost {
  const fields = statOf(pid);
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(procFile(pid, 'status'))?.[1] ?? '0';
  return { cpuMicros: ((fields[11] ?? 0) + (fields[12] ?? 0)) * TICK_MICROSECONDS, rssBytes: Number(rss) * 1024 };
}

/** Processor time of a process and of all that it started, those that ended included, in microseconds. */
export function familyCpuMicros(pid: number): number {
  // Own time in two modes, and that of the children that have ended.
  const ticks = (each: number): number => [11, 12, 13, 14].reduce((sum, at) => sum + (statOrNothing(each)[at] ?? 0), 0);
  return [pid, ...descendantsOf(pid)].reduce((sum, each) => sum + ticks(each), 0) * TICK_MICROSECONDS;
}

/** The processes that a process has started, and theirs. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), statOrNothing(Number(name))[1]] as const),
  );
  const children = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...children(child)]);
  return children(pid);
}

/** Nothing of a process that ended while it was looked at. */
function statOrNothing(pid: number): readonly number[] {
  try {
    return statOf(pid);
  } catch {
    return [];
  }
}

/** From its state on: the command's name before it stands in brackets and may hold anything. */
function statOf(pid: number): readonly number[] {
  return procFile(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
}

function procFile(pid: number, name: string): string {
  return readFileSync(`/proc/${pid}/${name}`, 'utf8');
}
