import type { Listening, ChannelListener } from './dialect.ts';

/** The part of a connection of `pg` that listening needs. */
interface PgConnection {
  query(text: string): Promise<unknown>;
  on(event: 'notification' | 'error' | 'end', listener: () => void): unknown;
}

/**
 * Listens on a connection of its own.
 *
 * @param end - closes the connection
 */
export async function listenPg(raw: unknown, channel: string, listener: ChannelListener, end: () => Promise<void>): Promise<Listening> {
  const connection = raw as PgConnection;
  let over = false;
  const ended = (): void => {
    if (over) return;
    over = true;
    // What is half dead would keep its socket; it may fail to close, and the listener hears all the same that it is lost.
    void Promise.allSettled([end()]);
    listener.lost();
  };
  connection.on('notification', () => listener.news());
  connection.on('error', ended);
  connection.on('end', ended);
  try {
    await connection.query(`LISTEN "${channel}"`);
  } catch (error) {
    over = true;
    await end();
    throw error;
  }
  return {
    end: async () => {
      if (over) return;
      over = true;
      await end();
    },
  };
}
