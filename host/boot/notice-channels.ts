import type { DocumentStore, NoticeChannel } from '../../core/index.ts';

/** The document that stores the notifiers of the till's plugins, for commands that set up no plugin. */
const KEY = 'host:notice-channels';

/** Stores the notifiers of a till when they differ from the stored ones. */
export async function noteNoticeChannels(documents: DocumentStore, channels: readonly NoticeChannel[]): Promise<void> {
  const stored = await documents.read(KEY);
  const value = JSON.stringify(channels.map(({ name, reaches }) => ({ name, reaches })));
  if (value === (stored?.value ?? '[]')) return;
  // A lost race is harmless: the other instance stores the same list.
  await documents.write(KEY, value, stored?.version ?? 0);
}

/** The stored notifiers, so that a change made by a command is announced like any other. */
export async function notedNoticeChannels(documents: DocumentStore): Promise<readonly NoticeChannel[]> {
  const stored = await documents.read(KEY);
  return stored === null ? [] : (JSON.parse(stored.value) as readonly NoticeChannel[]);
}
