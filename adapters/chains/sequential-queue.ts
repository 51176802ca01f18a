/** Work that is done one piece after another. How a piece ends is told to whoever asked for it; the next begins all the same. */
export class SequentialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#last.then(work);
    this.#last = Promise.allSettled([running]);
    return running;
  }

  /** Waits until all that was asked for so far has ended. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
