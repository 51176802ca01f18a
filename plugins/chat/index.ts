import { definePlugin } from '../../core/index.ts';
import { ChatNotifier, parseChatOptions } from '../../adapters/notifiers/index.ts';
import type { ChatInput, ChatOptions } from '../../adapters/notifiers/index.ts';

/** Sends notices for operators to a chat, by the URL of an incoming webhook. */
export const chat = definePlugin<ChatInput, ChatOptions>({
  name: 'chat',
  version: '1.0.0',
  requires: '^1.8.0',
  options: parseChatOptions,
  async setup(context) {
    const notifier = await ChatNotifier.open(context.options, context.clock);
    context.addNotifier(notifier);
    context.onClose(() => notifier.close());
  },
});

export default chat;
