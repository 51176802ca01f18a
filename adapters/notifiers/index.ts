/** Notices to people: by mail and to a chat. @packageDocumentation */
export { parseChatOptions } from './chat/options.ts';
export type { ChatInput, ChatOptions } from './chat/options.ts';
export { CHAT_FORMATS } from './chat/chat-body.ts';
export type { ChatFormat } from './chat/chat-body.ts';
export { ChatNotifier } from './chat/chat-notifier.ts';
export { parseSmtpOptions } from './smtp/options.ts';
export type { SmtpInput, SmtpOptions } from './smtp/options.ts';
export { SmtpNotifier } from './smtp/smtp-notifier.ts';
