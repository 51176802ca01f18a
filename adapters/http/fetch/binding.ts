import { TillgateError } from '../../../core/index.ts';
import type { HttpDeps } from '../deps.ts';
import { ClientGone } from '../messages.ts';
import type { HttpResponse, ReplyStream } from '../messages.ts';
import type { Operation } from '../operation.ts';
import { createOperations } from '../operations.ts';
import { HttpApi } from '../pipeline.ts';
import { pathOf } from '../request-checks.ts';
import { fromFetch } from './fetch-request.ts';
import type { RequestFacts } from './fetch-request.ts';

/** How the API is mounted in an application. */
export interface FetchOptions<Context extends readonly unknown[]> {
  /** The path under which the table is mounted, `/till`; the root by default. */
  readonly mount?: string;
  /**
   * Supplies the facts about a request that only the application's server has, from the arguments that the runtime
   * passes.
   */
  readonly facts: (request: Request, ...context: Context) => RequestFacts;
}

/** Answers a request; never rejects. */
export type FetchHandler<Context extends readonly unknown[]> = (
  request: Request,
  ...context: Context
) => Promise<Response>;

/** Statuses with which a `Response` must not have a body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The operations table as a function from `Request` to `Response`, for `Deno.serve`, `Bun.serve`, a worker or Hono. An
 * unknown path is answered with 40400; `api.route` tells beforehand whether a path is known.
 */
export function fetchBinding<Context extends readonly unknown[]>(
  api: HttpApi,
  { mount = '', facts }: FetchOptions<Context>,
): FetchHandler<Context> {
  if (typeof (facts as unknown) !== 'function')
    throw new TillgateError('CONFIG_INVALID', 'toFetch needs facts: (request, …) => ({ peer: the client’s address })');
  return async (request, ...context) => {
    const over = api.begin();
    try {
      const plain = fromFetch(request, mount, facts(request, ...context));
      const path = pathOf(plain.target);
      const route = path === mount || path.startsWith(`${mount}/`) ? api.route(plain.target, mount) : null;
      return toResponse(await api.handle(plain, route), request.method, over);
    } catch (error) {
      // The client may be gone, but a server needs a response.
      const failure = error instanceof ClientGone ? new TillgateError('MALFORMED_REQUEST', error.message) : error;
      return toResponse(api.failure(failure), request.method, over);
    }
  };
}

/** The payment API of a till as one function: {@link fetchBinding} over the operations that the settings allow. */
export function toFetch<Context extends readonly unknown[]>(
  deps: HttpDeps,
  options: FetchOptions<Context> & { readonly extra?: readonly Operation[] },
): FetchHandler<Context> {
  return fetchBinding(new HttpApi(createOperations(deps.settings, options.extra), deps), options);
}

const encoder = new TextEncoder();

/** @param over - called once no more of the reply has to be made */
function toResponse(
  { status, headers, body, stream, parts }: HttpResponse,
  method: string,
  over: () => void,
): Response {
  if (parts !== undefined && method !== 'HEAD') return new Response(readableParts(parts, over), { status, headers });
  over();
  if (parts !== undefined) return new Response(null, { status, headers });
  if (stream !== undefined) return new Response(method === 'HEAD' ? null : readable(stream), { status, headers });
  const bytes = typeof body === 'string' ? encoder.encode(body) : Uint8Array.from(body);
  const bodiless = method === 'HEAD' || NO_BODY.has(status);
  return new Response(bodiless ? null : bytes, {
    status,
    headers: { ...headers, 'Content-Length': String(bytes.length) },
  });
}

/**
 * Reads a part when the client wants more. An error of the source breaks the body off, so the part before it is not
 * taken for the whole.
 */
function readableParts(parts: AsyncIterable<string>, over: () => void): ReadableStream<Uint8Array> {
  const source = parts[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<string>> => {
    try {
      return await source.next();
    } catch (error) {
      over();
      throw error;
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = await next();
        if (part.done !== true) controller.enqueue(encoder.encode(part.value));
        else {
          over();
          controller.close();
        }
      },
      async cancel() {
        over();
        await source.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A client with this many unread texts does not read any more. */
const UNREAD_TEXTS = 64;

function readable(stream: ReplyStream): ReadableStream<Uint8Array> {
  let open = true;
  let over = (): void => undefined;
  const finish = (): void => {
    if (!open) return;
    open = false;
    over();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        over = stream({
          write: (text) => {
            if (open) controller.enqueue(encoder.encode(text));
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => {
            if (!open) return;
            controller.close();
            finish();
          },
        });
        // The reply may have ended before the callback for its end was set.
        if (!open) over();
      },
      cancel: finish,
    },
    { highWaterMark: UNREAD_TEXTS },
  );
}
