import { context, INVALID_SPAN_CONTEXT, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span, SpanKind, SpanOptions, Tracer } from '@opentelemetry/api';
import { isTillgateError } from '../../core/index.ts';

/** The attribute of every span that concerns an order. */
export const ORDER_ID = 'tillgate.order.id';

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** A finished piece of work. */
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

/** Creates spans. If a tracer fails, only its span is lost, never the work: a payment must not fail because of it. */
export class Spans {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Runs work inside the root span of a new trace, which becomes the parent of spans recorded in the meantime. */
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

/** Records only the code or kind of an error: messages and stacks may contain user input. */
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
