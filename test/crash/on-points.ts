import { HANDLERS } from '../../core/index.ts';
import { after, afterStatement, before, committed } from './crash-point.ts';
import type { CrashPoint } from './crash-point.ts';

/** The moments at which an application with handlers is killed. */
export const ON_POINTS = {
  'on:subscribed': after(
    ({ storage }) => storage.documents.write,
    (key) => key === HANDLERS,
  ),
  'on:order-stored': after(({ storage }) => storage.orders.create),
  'on:committed': committed(({ tx }) => tx.orders.move),
  'on:begun': before(({ application }) => application.handle),
  'on:done': after(({ application }) => application.handle),
  // BEGIN is the first statement, the attempt's INSERT the second.
  'on:attempt-stored': afterStatement(2, ({ storage }) => storage.callbacks.finish),
  'on:recorded': after(({ storage }) => storage.callbacks.finish),
} satisfies Record<string, CrashPoint>;

export type OnPointName = keyof typeof ON_POINTS;

/** The moments at which an application is killed while it forgets a type of events. */
export const FORGET_POINTS = {
  'forget:unlisted': after(
    ({ tx }) => tx.documents.write,
    (key) => key === HANDLERS,
  ),
  'forget:given-up': after(({ tx }) => tx.callbacks.giveUpHandled),
  'forget:committed': committed(({ tx }) => tx.callbacks.giveUpHandled),
} satisfies Record<string, CrashPoint>;
