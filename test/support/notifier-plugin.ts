import { definePlugin } from '../../core/index.ts';
import type { NoticeMessage, NoticeOutcome, NoticeReach, Notifier } from '../../core/index.ts';

/** Records messages and answers as scripted. */
export class FakeNotifier implements Notifier {
  readonly name: string;
  readonly reaches: NoticeReach;
  readonly sent: NoticeMessage[] = [];
  answer: (message: NoticeMessage, signal: AbortSignal) => NoticeOutcome | Promise<NoticeOutcome> = () => ({
    kind: 'sent',
  });

  constructor(name = 'fake', reaches: NoticeReach = 'both') {
    this.name = name;
    this.reaches = reaches;
  }

  async send(message: NoticeMessage, signal: AbortSignal): Promise<NoticeOutcome> {
    this.sent.push(message);
    return await this.answer(message, signal);
  }
}

/** The notifiers that plugins of the settings created, by name. */
export const madeNotifiers = new Map<string, FakeNotifier>();

interface Options {
  readonly notifiers: readonly { readonly name: string; readonly reaches: NoticeReach }[];
}

/** A plugin whose notifiers are {@link FakeNotifier}s; its options name them. */
export default definePlugin({
  name: 'test-notifiers',
  version: '1.0.0',
  requires: '^1.8.0',
  options: (input: Options) => input,
  setup({ options, addNotifier }) {
    for (const { name, reaches } of options.notifiers) {
      const notifier = new FakeNotifier(name, reaches);
      madeNotifiers.set(name, notifier);
      addNotifier(notifier);
    }
  },
});
