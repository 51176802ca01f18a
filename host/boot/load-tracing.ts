import type { Tracing } from '../../adapters/tracing/index.ts';
import { configError } from '../settings/config.ts';
import { missingPeer, missingPeerWords } from './missing-peer.ts';

/**
 * Loads tracing; `null` when it is switched off, and then no OpenTelemetry package is loaded.
 *
 * @throws TillgateError `CONFIG_INVALID` when the package is not installed
 */
export async function loadTracing(wanted: boolean): Promise<Tracing | null> {
  if (!wanted) return null;
  try {
    const { openTracing } = await import('../../adapters/tracing/index.ts');
    return openTracing();
  } catch (error) {
    const peer = missingPeer(error);
    if (peer === null) throw error;
    throw configError([{ path: 'tracing', message: missingPeerWords(peer, 'the setting tracing') }]);
  }
}
