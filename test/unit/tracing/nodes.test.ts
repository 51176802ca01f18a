// @own-process: OpenTelemetry's SDK is registered for the whole process
import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { openTracing } from '../../../adapters/tracing/index.ts';
import { present, TillgateError } from '../../../core/index.ts';
import type { ChainAdapter, ChainCode, ScannedRange, WatchList } from '../../../core/index.ts';

const kept = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(kept)] });
const spans = (): unknown[] =>
  kept
    .getFinishedSpans()
    .map(({ name, attributes, parentSpanContext }) => [name, attributes, parentSpanContext?.spanId]);

const CODE = 'ETH' as ChainCode;
const WATCH: WatchList = { has: () => false, nativeKeys: () => [] };

/** A chain of which each scan finds `found`, and each head fails with `failure`, where there is one. */
function traced(found: readonly string[], failure: Error | null = null): ChainAdapter {
  const chain = {
    code: CODE,
    payments: null,
    head: () => (failure === null ? Promise.resolve({ height: 1 }) : Promise.reject(failure)),
    scan: () => Promise.resolve({ blocks: [], transfers: found } as unknown as ScannedRange),
    normaliseAddress: (text: string) => text,
  } as unknown as ChainAdapter;
  const wrap = present(openTracing().wrap.chains, 'the wrapper of chains');
  return present(wrap(new Map([[CODE, chain]])).get(CODE), 'the chain');
}

describe('spans of nodes', () => {
  before(() => {
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterEach(() => kept.reset());

  test('a scan that finds payments has one; polls that find nothing, and what is computed at once, have none', async () => {
    const idle = traced([]);
    assert.deepEqual(await idle.head(), { height: 1 });
    await idle.scan(1, 2, WATCH);
    assert.equal(idle.normaliseAddress('0xab'), '0xab');
    assert.deepEqual(spans(), []);
    await traced(['a transfer']).scan(1, 2, WATCH);
    assert.deepEqual(spans(), [['chain scan', { 'tillgate.chain': 'ETH' }, undefined]]);
  });

  test('a poll that fails has one, with the code of its error and nothing that its message says', async () => {
    const failure = new TillgateError('NOT_READY', 'https://node.example/v3/a-key-of-the-node failed');
    await assert.rejects(traced([], failure).head(), failure);
    assert.deepEqual(spans(), [['chain head', { 'tillgate.chain': 'ETH', 'error.type': 'NOT_READY' }, undefined]]);
  });

  test('inside of a request each has one, below the request’s', async () => {
    const reply = { status: 200, headers: {}, body: new Uint8Array() };
    await openTracing().request({ operation: 'chainState', method: 'GET', headers: new Map() }, async () => {
      await traced([]).head();
      return reply;
    });
    const [head, request] = kept.getFinishedSpans();
    assert.deepEqual([head?.name, request?.name], ['chain head', 'chainState']);
    assert.equal(head?.parentSpanContext?.spanId, request?.spanContext().spanId);
  });
});
