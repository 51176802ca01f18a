import type { ErrorCode, ErrorDetails, SigningText } from '../../core/index.ts';
import type { Failure } from './error-table.ts';
import { GREENFIELD_STATUSES, greenfieldFailure, unsupportedCall } from './greenfield/errors.ts';
import type { HttpResponse } from './messages.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** How an API writes its replies. */
interface ReplyForm {
  /** The scheme of `WWW-Authenticate`. */
  readonly challenge: string;
  /** HTTP statuses of errors that differ from those of {@link ERROR_TABLE}. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Whether a slash at the end of a path makes no difference. */
  readonly slashes?: true;
  /** The failure of a call that the API does not have; by default it is the one of the other APIs. */
  readonly unknown?: (failure: Failure, method: string, path: string) => Failure;
  /** A success. @param dataText - the data as JSON text */
  success(dataText: string): string;
  /** A failure. @param resource - the kind of record that the operation is about, such as `order`; `null` for none */
  failure(failure: Failure, traceId: string, resource: string | null): object;
}

/** The form of replies of each API. */
const REPLY_FORMS = {
  payment: {
    challenge: 'API-Key realm="payment API"',
    success: (dataText) => `{"code":0,"message":"ok","data":${dataText},"result":true}`,
    failure: ({ code, message, details: { fields, signing } }, traceId) => ({
      code,
      message,
      result: false,
      trace_id: traceId,
      errors: fields,
      signing: signing && signingRecord(signing),
    }),
  },
  manage: {
    challenge: 'Bearer realm="management API"',
    success: (dataText) => `{"data":${dataText},"msg":"ok"}`,
    failure: ({ message, details: { fields, reason } }) => ({ data: null, msg: message, errors: fields, reason }),
  },
  v1: {
    challenge: 'Bearer realm="v1"',
    success: (dataText) => dataText,
    failure: ({ word, message, details: { fields, signing } }, traceId, resource) => ({
      error: {
        code: v1Code(word, fields?.[0]?.path ?? resource),
        message,
        field: fields?.[0]?.path,
        fields: fields?.map(({ path, message: problem }) => ({ field: path, message: problem })),
        trace_id: traceId,
        signing: signing && signingRecord(signing),
      },
    }),
  },
  greenfield: {
    challenge: 'token realm="store"',
    statuses: GREENFIELD_STATUSES,
    unknown: unsupportedCall,
    slashes: true,
    success: (dataText) => dataText,
    failure: (failure, _traceId, resource) => greenfieldFailure(failure, resource),
  },
} as const satisfies Readonly<Record<string, ReplyForm>>;

/** The API to which an operation belongs, which determines the form of its replies. */
export type Api = keyof typeof REPLY_FORMS;

/** The base paths of the APIs that have one. */
export const BASE_PATHS = { manage: '/manage/v1', v1: '/v1', greenfield: '/api/v1' } as const satisfies Partial<
  Record<Api, string>
>;

/** The API at a path, also where there is no operation. */
export function apiOfPath(path: string): Api {
  const found = Object.entries(BASE_PATHS).find(([, base]) => path.startsWith(`${base}/`));
  return (found?.[0] ?? 'payment') as Api;
}

/** The name of one record of a resource: `order` for `orders`, `address` for `addresses`. */
export const singular = (resource: string): string => resource.replace(/(?<=ss|ch)es$|s$/, '');

/**
 * The code of an error in `/v1`: `order_not_found` for an unknown order.
 *
 * @param record - the kind of record that there is not: that of the operation, or the one that a field names
 */
export function v1Code(word: ErrorCode, record: string | null): string {
  const code = word.toLowerCase();
  return word === 'NOT_FOUND' && record !== null ? `${record}_${code}` : code;
}

/** The HTTP status of an error in an API. */
export function statusIn(api: Api, word: ErrorCode, status: number): number {
  const { statuses = {} }: ReplyForm = REPLY_FORMS[api];
  return statuses[word] ?? status;
}

/** Whether a slash at the end of a path makes no difference in an API. */
export function takesSlash(api: Api): boolean {
  const { slashes }: ReplyForm = REPLY_FORMS[api];
  return slashes === true;
}

/** The failure of a call that is not in the table, in the words of its API. */
export function unknownCall(api: Api, failure: Failure, method: string, path: string): Failure {
  const { unknown }: ReplyForm = REPLY_FORMS[api];
  return unknown?.(failure, method, path) ?? failure;
}

/** A successful reply. @param dataText - the data as JSON text */
export function successReply(
  api: Api,
  status: number,
  dataText: string,
  traceId: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers: { ...baseHeaders(traceId), ...headers }, body: REPLY_FORMS[api].success(dataText) };
}

/** A failed reply. @param resource - the kind of record that the operation is about; `null` for none */
export function failureReply(
  api: Api,
  failure: Failure,
  traceId: string,
  resource: string | null = null,
): HttpResponse {
  const status = statusIn(api, failure.word, failure.status);
  const headers = failureHeaders(status, failure.details, traceId, REPLY_FORMS[api].challenge);
  return { status, headers, body: JSON.stringify(failureBody(api, { ...failure, status }, traceId, resource)) };
}

/** The body of a failed reply. */
export function failureBody(api: Api, failure: Failure, traceId: string, resource: string | null): object {
  const form: ReplyForm = REPLY_FORMS[api];
  return form.failure(failure, traceId, resource);
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
