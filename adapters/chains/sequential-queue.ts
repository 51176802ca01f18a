/** Runs tasks one at a time. A failure rejects its caller and does not stop the queue. */
export class SequentialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#last.then(work);
    this.#last = Promise.allSettled([running]);
    return running;
  }

  /** Waits until all queued tasks have ended. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
