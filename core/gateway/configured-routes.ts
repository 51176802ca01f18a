import type { GatewayRoute } from './route.ts';

/** The routes of the configuration, which the operator may change while the till runs. */
export class ConfiguredRoutes {
  #routes: readonly GatewayRoute[];
  readonly #listeners = new Set<() => void>();

  constructor(routes: readonly GatewayRoute[] = []) {
    this.#routes = routes;
  }

  all(): readonly GatewayRoute[] {
    return this.#routes;
  }

  /** Calls the listener after each change; the listeners are called in the order in which they were added. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  replace(routes: readonly GatewayRoute[]): void {
    this.#routes = routes;
    for (const listener of this.#listeners) listener();
  }
}
