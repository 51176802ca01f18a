import type { Deadline } from '../../core/index.ts';

/** {@link Deadline} with a timer that does not keep the process alive. */
export const deadline: Deadline = (ms) => AbortSignal.timeout(ms);
