import type { Logger } from '../../core/index.ts';

/** Resources to close in the reverse of the order in which they were opened. */
export class DisposeStack {
  readonly #logger: Logger;
  readonly #open: { readonly name: string; readonly close: () => void | Promise<void> }[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(name: string, close: () => void | Promise<void>): void {
    this.#open.push({ name, close });
  }

  /** Closes the last opened first; a failure does not prevent closing the others. */
  async close(): Promise<void> {
    for (const { name, close } of this.#open.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.#logger.error('failed to close a part of the till', { part: name, error });
      }
    }
  }
}
