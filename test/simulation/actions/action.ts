import type { SimRandom } from '../random.ts';
import type { Instance } from '../world/instance.ts';
import type { World } from '../world/world.ts';

/** The tools of an action. Its choices come only from `random`. */
export interface Scene {
  readonly world: World;
  readonly random: SimRandom;
  /** The instance that the action uses. */
  readonly instance: Instance;
}

/** An event in the world. */
export interface Action {
  readonly name: string;
  readonly weight: number;
  /** True for an action of a till's instance, in which something can go wrong between two calls. */
  readonly faulty: boolean;
  /** @returns the result, for the log */
  readonly run: (scene: Scene) => Promise<string> | string;
}

/** An action of the world itself. */
export const outside = (name: string, weight: number, run: (scene: Scene) => string): Action => ({
  name,
  weight,
  faulty: false,
  run,
});

/** An action of an instance. */
export const inside = (name: string, weight: number, run: (scene: Scene) => Promise<string>): Action => ({
  name,
  weight,
  faulty: true,
  run,
});

export const NOTHING = 'nothing to do';
