import type { Failure } from './error-table.ts';
import type { HttpResponse } from './messages.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A successful reply around data that is JSON already (specification, "Response envelope of the payment API"). */
export function successReply(dataText: string, traceId: string): HttpResponse {
  return {
    status: 200,
    headers: baseHeaders(traceId),
    body: `{"code":0,"message":"ok","data":${dataText},"result":true}`,
  };
}

/** A failed reply: the envelope without data, and what sections 1 and 3 of the decisions add to it. */
export function failureReply({ code, status, message, details }: Failure, traceId: string): HttpResponse {
  const headers: Record<string, string> = baseHeaders(traceId);
  if (details.retryAfterSeconds !== undefined) headers['Retry-After'] = String(details.retryAfterSeconds);
  if (details.allow !== undefined) headers['Allow'] = details.allow.join(', ');
  if (status === 401) headers['WWW-Authenticate'] = 'API-Key realm="payment API"';
  const body = JSON.stringify({
    code,
    message,
    result: false,
    trace_id: traceId,
    errors: details.fields,
    signing: details.signing,
  });
  return { status, headers, body };
}

/** Text that is no envelope: metrics, the OpenAPI document. */
export function textReply(type: string, body: string, traceId: string): HttpResponse {
  return { status: 200, headers: { ...baseHeaders(traceId), 'Content-Type': type }, body };
}

/** Sends a browser to another page with GET (RFC 9110, 303). */
export function seeOther(location: string, traceId: string): HttpResponse {
  return { status: 303, headers: { ...baseHeaders(traceId), Location: location }, body: '' };
}

/** Replies hold orders, balances and tokens: none of them may rest in a cache or be taken for a page. */
function baseHeaders(traceId: string): Record<string, string> {
  return {
    'X-Trace-Id': traceId,
    'Content-Type': JSON_TYPE,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
}
