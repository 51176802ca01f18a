import type { Tracing } from '../adapters/tracing/index.ts';
import { configError } from './config.ts';
import { missingPeer, missingPeerWords } from './missing-peer.ts';

/**
 * What a till is traced with; `null` where it is not, and then nothing of OpenTelemetry is loaded.
 *
 * @throws TillgateError `CONFIG_INVALID` where the package is not installed
 */
export async function loadTracing(wanted: boolean): Promise<Tracing | null> {
  if (!wanted) return null;
  try {
    const { openTracing } = await import('../adapters/tracing/index.ts');
    return openTracing();
  } catch (error) {
    const peer = missingPeer(error);
    if (peer === null) throw error;
    throw configError([{ path: 'tracing', message: missingPeerWords(peer, 'the setting tracing') }]);
  }
}
