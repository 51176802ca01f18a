import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import type { ChainAdapter, ChainRegistry, LightningNode, ScannedRange } from '../../core/index.ts';
import { activeSpan } from './spans.ts';
import type { Spans } from './spans.ts';
import { watchCalls } from './traced-calls.ts';
import type { EndedCall } from './traced-calls.ts';

/**
 * Calls that are polled whether anything happens or not: they are recorded only inside a request, or when they fail.
 */
const POLLS: readonly string[] = ['head', 'blockAt', 'status', 'settled', 'outcome', 'nextNonce', 'balance', 'custody'];

/** Records calls of the nodes of each chain, by the chain's code; a scan that finds nothing is a poll. */
export function traceChains(chains: ChainRegistry, spans: Spans): ChainRegistry {
  return new Map([...chains].map(([code, chain]) => [code, traceChain(chain, spans)]));
}

function traceChain(chain: ChainAdapter, spans: Spans): ChainAdapter {
  const attributes = { 'tillgate.chain': chain.code };
  const ended = (call: EndedCall): void => recordCall(spans, 'chain', call, attributes);
  return watchCalls(chain, ended, (_name, value) =>
    value !== null && value === chain.payments ? watchCalls(value, ended) : value,
  );
}

export function traceLightning(node: LightningNode | null, spans: Spans): LightningNode | null {
  return node === null ? null : watchCalls(node, (call) => recordCall(spans, 'lightning', call, {}));
}

/** Never the address of a node: it may hold a key. */
function recordCall(spans: Spans, part: string, call: EndedCall, attributes: Attributes): void {
  const { method, startedAt, error } = call;
  const poll =
    POLLS.includes(method) || (method === 'scan' && (call.result as ScannedRange | undefined)?.transfers.length === 0);
  if (poll && error === undefined && activeSpan() === null) return;
  spans.record({ name: `${part} ${method}`, kind: SpanKind.CLIENT, startedAt, attributes, error });
}
