import { setFlagsFromString } from 'node:v8';

/**
 * Loading a program makes much short-lived garbage, for which V8 grows its young generation to its maximum and never
 * gives it back: 40 MB of an idle till. Until there is work, the young generation keeps its size.
 */
export function loadInLittleMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** From now on the young generation grows with the work, as by default: a busy till collects garbage less often. */
export function workInEnoughMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
