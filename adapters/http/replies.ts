import type { ErrorDetails, SigningText } from '../../core/index.ts';
import type { Failure } from './error-table.ts';
import type { HttpResponse } from './messages.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A successful reply. @param dataText - the data as JSON text */
export function successReply(dataText: string, traceId: string): HttpResponse {
  return {
    status: 200,
    headers: baseHeaders(traceId),
    body: `{"code":0,"message":"ok","data":${dataText},"result":true}`,
  };
}

/**
 * A failed reply: the envelope without data, with the invalid fields or the details of a signature that does not
 * verify.
 */
export function failureReply({ code, status, message, details }: Failure, traceId: string): HttpResponse {
  const headers = failureHeaders(status, details, traceId, 'API-Key realm="payment API"');
  const body = JSON.stringify({
    code,
    message,
    result: false,
    trace_id: traceId,
    errors: details.fields,
    signing: details.signing && signingRecord(details.signing),
  });
  return { status, headers, body };
}

function signingRecord({
  algorithm,
  date,
  requestInfo,
  bodyMd5,
  signatureOrigin,
}: SigningText): Readonly<Record<string, string>> {
  return { algorithm, date, request_info: requestInfo, body_md5: bodyMd5, signature_origin: signatureOrigin };
}

/** A successful reply of the management API. The data is JSON text. */
export function manageReply(
  status: number,
  dataText: string,
  traceId: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers: { ...baseHeaders(traceId), ...headers }, body: `{"data":${dataText},"msg":"ok"}` };
}

/** A failed reply of the management API. */
export function manageFailureReply({ status, message, details }: Failure, traceId: string): HttpResponse {
  const headers = failureHeaders(status, details, traceId, 'Bearer realm="management API"');
  const { fields: errors, reason } = details;
  return { status, headers, body: JSON.stringify({ data: null, msg: message, errors, reason }) };
}

function failureHeaders(
  status: number,
  details: ErrorDetails,
  traceId: string,
  challenge: string,
): Record<string, string> {
  const headers: Record<string, string> = baseHeaders(traceId);
  if (details.retryAfterSeconds !== undefined) headers['Retry-After'] = String(details.retryAfterSeconds);
  if (details.allow !== undefined) headers['Allow'] = details.allow.join(', ');
  if (status === 401) headers['WWW-Authenticate'] = challenge;
  return headers;
}

/** A reply without an envelope: metrics, the OpenAPI document. */
export function textReply(
  type: string,
  body: string,
  traceId: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status: 200, headers: { ...baseHeaders(traceId), 'Content-Type': type, ...headers }, body };
}

/** Redirects a browser to another page with GET (RFC 9110, 303). */
export function seeOther(location: string, traceId: string, cookie?: string): HttpResponse {
  const kept = cookie === undefined ? {} : { 'Set-Cookie': cookie };
  return { status: 303, headers: { ...baseHeaders(traceId), ...kept, Location: location }, body: '' };
}

/** Replies contain orders, balances and tokens, so they must not be cached or rendered as a page. */
function baseHeaders(traceId: string): Record<string, string> {
  return {
    'X-Trace-Id': traceId,
    'Content-Type': JSON_TYPE,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
}
