import type { SimRandom } from '../random.ts';
import type { Instance } from '../world/instance.ts';
import type { World } from '../world/world.ts';

/** What an action acts with. Its choices come from `random` alone. */
export interface Scene {
  readonly world: World;
  readonly random: SimRandom;
  /** The instance that is asked. */
  readonly instance: Instance;
}

/** Something that happens in the world. */
export interface Action {
  readonly name: string;
  readonly weight: number;
  /** True for what an instance of the till does: there something can go wrong between two calls. */
  readonly faulty: boolean;
  /** @returns what came of it, for the log */
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
