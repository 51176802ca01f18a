import type { DocumentStore, NoticeChannel } from '../core/index.ts';

/** The document with the notifiers of the till's plugins, for commands that set no plugin up. */
const KEY = 'host:notice-channels';

/** Notes the notifiers of a till, where they differ from what is noted. Without any, and none noted, nothing is written. */
export async function noteNoticeChannels(documents: DocumentStore, channels: readonly NoticeChannel[]): Promise<void> {
  const stored = await documents.read(KEY);
  const value = JSON.stringify(channels.map(({ name, reaches }) => ({ name, reaches })));
  if (value === (stored?.value ?? '[]')) return;
  // Lost to another instance, which notes the same.
  await documents.write(KEY, value, stored?.version ?? 0);
}

/** What was noted last: a change that a command makes is told like any other. */
export async function notedNoticeChannels(documents: DocumentStore): Promise<readonly NoticeChannel[]> {
  const stored = await documents.read(KEY);
  return stored === null ? [] : (JSON.parse(stored.value) as readonly NoticeChannel[]);
}
