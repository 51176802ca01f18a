import type { IncomingMessage, ServerResponse } from 'node:http';

const DRAIN_BYTES = 1024 * 1024;
const DRAIN_MS = 2_000;

/**
 * Ends a reply while the client is still sending. Closing at once would reset the connection and lose the reply, so the
 * remaining input is read and dropped up to a limit first.
 */
export function drainThenEnd(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete || req.destroyed) {
    res.end();
    return;
  }
  let drained = 0;
  const finish = (): void => {
    clearTimeout(timer);
    req.off('data', onData).off('end', finish).off('close', finish);
    res.end();
  };
  const onData = (chunk: Buffer): void => {
    drained += chunk.length;
    if (drained > DRAIN_BYTES) finish();
  };
  const timer = setTimeout(finish, DRAIN_MS).unref();
  req.on('data', onData).on('end', finish).on('close', finish).resume();
}
