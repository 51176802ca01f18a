import { DeliverCallbacks } from '../../core/index.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** Callbacks to merchants. */
export const callbackRecipes = {
  deliverCallbacks: recipe(
    ['config', 'storage', 'callbackTransport', 'vault', 'digest', 'random', 'clock', 'deadline', 'logger', 'metrics'],
    ({ config: { callbacks }, callbackTransport: transport, ...ports }) =>
      new DeliverCallbacks({
        ...ports,
        transport,
        settings: {
          scheduleMs: callbacks.schedule.map((seconds) => seconds * 1000),
          timeoutMs: callbacks.timeoutSeconds * 1000,
          allowPrivateNetworks: callbacks.allowPrivateNetworks,
        },
      }),
  ),
} satisfies Recipes;
