import { context, INVALID_SPAN_CONTEXT, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span, SpanKind, SpanOptions, Tracer } from '@opentelemetry/api';
import { isTillgateError } from '../../core/index.ts';

/** The attribute of every span that concerns an order. */
export const ORDER_ID = 'tillgate.order.id';

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** What a finished piece of work was. */
export interface Finished {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAt: number;
  readonly attributes: Attributes;
  readonly error?: unknown;
}

/** Milliseconds since 1970, finer than `Date.now()`. */
export const timeNow = (): number => performance.timeOrigin + performance.now();

/** The span in which the code runs now; `null` outside of any, and in one that is not recorded. */
export const activeSpan = (): Span | null =>
  quietly(() => {
    const span = trace.getActiveSpan();
    return span?.isRecording() === true ? span : null;
  });

/** Makes spans. A tracer that fails costs its span, never the work: a payment must not fail because of it. */
export class Spans {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Runs work inside a span of a trace of its own, which becomes the parent of what is recorded meanwhile. */
  async around<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const span = quietly(() => this.#tracer.startSpan(name, options, ROOT_CONTEXT)) ?? NO_SPAN;
    try {
      return await inside(span, () => work(span));
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      quietly(() => span.end());
    }
  }

  /** Records what has ended now, inside the active span. */
  record({ name, kind, startedAt, attributes, error }: Finished): void {
    const span = quietly(() => this.#tracer.startSpan(name, { kind, startTime: startedAt, attributes })) ?? NO_SPAN;
    if (error !== undefined) fail(span, error);
    quietly(() => span.end(timeNow()));
  }
}

/** Does the work once, without the context where that cannot be set. */
function inside<T>(span: Span, work: () => Promise<T>): Promise<T> {
  const begun: Promise<T>[] = [];
  quietly(() => {
    context.with(trace.setSpan(context.active(), span), () => {
      begun.push(work());
    });
  });
  return begun[0] ?? work();
}

/** By its code or kind alone: messages and stacks may hold what a user sent. */
function fail(span: Span, error: unknown): void {
  const type = isTillgateError(error) ? error.code : error instanceof Error ? error.name : 'unknown';
  quietly(() => span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type));
}

/** A tracer reports its own errors through the diagnostics of OpenTelemetry. */
export function quietly<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
