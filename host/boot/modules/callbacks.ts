import { DeliverCallbacks } from '../../../core/index.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** Callbacks to merchants. */
export const callbackRecipes = {
  deliverCallbacks: recipe(
    ['config', 'storage', 'callbackTransport', 'vault', 'digest', 'random', 'clock', 'deadline', 'logger', 'metrics'],
    ({ config: { callbacks: settings }, callbackTransport: transport, ...ports }) =>
      new DeliverCallbacks({ ...ports, transport, settings }),
  ),
} satisfies Recipes;
