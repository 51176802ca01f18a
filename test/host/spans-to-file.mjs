// An application's OpenTelemetry: preloaded by `node --import`, it appends each span to the file that SPANS_FILE names.
// With SPANS_BROKEN every span throws where it begins or ends, or the context does.
import { appendFileSync } from 'node:fs';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const plain = (span) => ({
  name: span.name,
  traceId: span.spanContext().traceId,
  id: span.spanContext().spanId,
  parent: span.parentSpanContext?.spanId ?? null,
  links: span.links.map((link) => link.context.traceId),
  attributes: span.attributes,
  failed: span.status.code === 2,
});

const toFile = new SimpleSpanProcessor({
  export: (spans, done) => {
    for (const span of spans) appendFileSync(process.env.SPANS_FILE, `${JSON.stringify(plain(span))}\n`);
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
});
const broken = (when) => {
  appendFileSync(process.env.SPANS_FILE, `${JSON.stringify({ name: when })}\n`);
  throw new Error(`the tracer fails when a span ${when}`);
};
const failing = (when) => ({
  onStart: () => when === 'begins' && broken(when),
  onEnd: () => when === 'ends' && broken(when),
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
});

const { SPANS_BROKEN } = process.env;
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [SPANS_BROKEN === undefined ? toFile : failing(SPANS_BROKEN)] }),
);
const contexts = new AsyncLocalStorageContextManager().enable();
if (SPANS_BROKEN === 'context is asked for') contexts.active = contexts.with = () => broken(SPANS_BROKEN);
context.setGlobalContextManager(contexts);
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
