import type { Listening, ChannelListener } from './dialect.ts';

/** The part of a `pg` connection that is used here. */
interface PgConnection {
  query(text: string): Promise<unknown>;
  on(event: 'notification' | 'error' | 'end', listener: () => void): unknown;
}

/**
 * Listens on a dedicated connection.
 *
 * @param end - closes the connection
 */
export async function listenPg(
  raw: unknown,
  channel: string,
  listener: ChannelListener,
  end: () => Promise<void>,
): Promise<Listening> {
  const connection = raw as PgConnection;
  let over = false;
  const ended = (): void => {
    if (over) return;
    over = true;
    // A half-open connection would keep its socket. Closing it may fail; the listener is called in any case.
    void Promise.allSettled([end()]);
    listener.onLost();
  };
  connection.on('notification', () => listener.onNotification());
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
