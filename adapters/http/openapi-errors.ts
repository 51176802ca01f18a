import { STATUS_CODES } from 'node:http';
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { ErrorCode } from '../../core/index.ts';
import { ERROR_TABLE, statusOf } from './error-table.ts';
import type { WireError } from './error-table.ts';
import { greenfieldCode, greenfieldErrorSchema } from './greenfield/errors.ts';
import { manageErrorSchema } from './manage/openapi.ts';
import { recordsOf } from './operation.ts';
import type { Operation } from './operation.ts';
import { failureBody, statusIn, v1Code } from './replies.ts';
import type { Api } from './replies.ts';

const PAYMENT_ERRORS = Object.values<WireError>(ERROR_TABLE).filter(({ manageOnly }) => manageOnly !== true);
const CODES = [...new Map(PAYMENT_ERRORS.map(({ code, meaning }) => [code, meaning])).entries()].sort(
  ([a], [b]) => a - b,
);

const signingSchema = z
  .object({
    algorithm: z.string(),
    date: z.string(),
    request_info: z.string(),
    body_md5: z.string(),
    signature_origin: z.string(),
  })
  .optional()
  .meta({
    description: 'The values that the server verified the signature against; only when a signature does not verify',
  });

const errorSchema = z
  .object({
    code: z.number().meta({ type: 'integer', enum: CODES.map(([code]) => code), description: codeTable() }),
    message: z.string(),
    result: z.literal(false),
    trace_id: z.string().meta({ description: "ID of the request in the server's logs; also sent in X-Trace-Id" }),
    errors: z
      .array(z.object({ path: z.string().meta({ description: 'Dotted path of the field' }), message: z.string() }))
      .optional()
      .meta({ description: 'All missing or invalid fields (code 40001)' }),
    signing: signingSchema,
  })
  .meta({ id: 'Error' });

const v1ErrorSchema = z
  .object({
    error: z.object({
      code: z.string().meta({ description: 'Code of the error, such as order_not_found' }),
      message: z.string(),
      field: z.string().optional().meta({ description: 'First missing or invalid field' }),
      fields: z
        .array(z.object({ field: z.string().meta({ description: 'Dotted path of the field' }), message: z.string() }))
        .optional()
        .meta({ description: 'All missing or invalid fields, or the one that names a record that is not there' }),
      trace_id: z.string().meta({ description: "ID of the request in the server's logs; also sent in X-Trace-Id" }),
      signing: signingSchema,
    }),
  })
  .meta({ id: 'V1Error' });

/** Errors of every operation; further ones are derived from its inputs. */
const COMMON: readonly ErrorCode[] = ['MALFORMED_REQUEST', 'METHOD_NOT_ALLOWED', 'INTERNAL', 'NOT_READY'];
const WITH_BODY: readonly ErrorCode[] = ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_FIELDS'];
const WITH_CREDENTIALS: readonly ErrorCode[] = [
  'NO_CREDENTIALS',
  'CREDENTIAL_INVALID',
  'SIGNATURE_INVALID',
  'DATE_INVALID',
  'SIGNATURE_REQUIRED',
  'ACCOUNT_INACTIVE',
  'FORBIDDEN',
  'RATE_LIMITED',
];

const WITH_SESSION: readonly ErrorCode[] = ['NO_CREDENTIALS', 'SESSION_INVALID', 'FORBIDDEN', 'RATE_LIMITED'];

const EXAMPLE_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** An error that an operation can answer. */
interface ListedError {
  readonly word: ErrorCode;
  readonly code: number;
  readonly meaning: string;
}

/** How the failures of an API are documented: their schema, and the name of an error about a kind of record, if it has one. */
const FAILURES: Readonly<
  Record<
    Api,
    {
      readonly schema: z.ZodType;
      /** The name of the schema. */
      readonly id: string;
      /** What the names of its replies begin with. */
      readonly prefix: string;
      readonly name: (error: ListedError, record: string | null) => string;
    }
  >
> = {
  payment: { schema: errorSchema, id: 'Error', prefix: '', name: ({ code }) => String(code) },
  manage: { schema: manageErrorSchema, id: 'ManageError', prefix: 'Manage', name: () => '' },
  v1: { schema: v1ErrorSchema, id: 'V1Error', prefix: 'V1', name: ({ word }, record) => v1Code(word, record) },
  greenfield: {
    schema: greenfieldErrorSchema,
    id: 'GreenfieldError',
    prefix: 'Greenfield',
    name: ({ word }, record) => greenfieldCode(word, record),
  },
};

/** What an error of an operation is called: one name for each kind of record that it may be about. */
function namesOf(error: ListedError, operation: Operation): string {
  return recordsOf(error.word, operation)
    .map((record) => FAILURES[operation.api].name(error, record))
    .join(' or ');
}

/** Examples of the errors that are specific to an operation; the tables of codes document the common ones. */
function errorExamples(operation: Operation, codes: readonly ListedError[]): Record<string, { value: object }> {
  const { api, errors } = operation;
  if (api === 'manage') return {};
  const own = new Set<ErrorCode>(errors);
  const examples = codes
    .filter(({ word }) => own.has(word))
    .flatMap((error) => {
      const status = statusIn(api, error.word, statusOf(error.code));
      const failure = { ...error, message: error.meaning, status, details: {}, ours: false };
      return recordsOf(error.word, operation).map(
        (record) =>
          [FAILURES[api].name(error, record), { value: failureBody(api, failure, EXAMPLE_TRACE, record) }] as const,
      );
    });
  return Object.fromEntries(examples);
}

/** The header of every reply, as a reference to its component. */
export const TRACE_HEADER = { 'X-Trace-Id': { $ref: '#/components/headers/TraceId' } } as const;

/** A reply of an error as a reference to its component, with the errors of one operation beside it. */
interface ErrorResponse {
  readonly $ref: string;
  readonly description?: string;
}

/** The error replies of operations: one component for each status of an API, since they differ in nothing but their codes. */
export class ErrorResponses {
  readonly #shared = new Map<string, { readonly status: number; readonly api: Api; readonly uses: Use[] }>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations)
      for (const [status, codes] of errorsOf(operation)) {
        const { api } = operation;
        const name = componentOf(api, status);
        const shared = this.#shared.get(name) ?? { status, api, uses: [] };
        shared.uses.push({ text: textOf(codes, operation), examples: errorExamples(operation, codes) });
        this.#shared.set(name, shared);
      }
  }

  /** The schemas of the errors, which no operation names itself. */
  get schemas(): readonly z.ZodType[] {
    return [...new Set([...this.#shared.values()].map(({ api }) => FAILURES[api].schema))];
  }

  /** Adds the components, and the header that every reply has. */
  register(registry: OpenAPIRegistry): void {
    registry.registerComponent('headers', 'TraceId', {
      description: "ID of the request in the server's logs",
      required: true,
      schema: { type: 'string' },
    });
    for (const [name, { api, uses }] of this.#shared) {
      const { id } = FAILURES[api];
      const examples = Object.fromEntries(uses.flatMap((use) => Object.entries(use.examples)));
      registry.registerComponent('responses', name, {
        description: usual(uses),
        headers: TRACE_HEADER,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${id}` },
            ...(Object.keys(examples).length === 0 ? {} : { examples }),
          },
        },
      });
    }
  }

  /** The error replies of an operation by their statuses. */
  of(operation: Operation): Readonly<Record<string, ErrorResponse>> {
    const replies = [...errorsOf(operation)].map(([status, codes]): [string, ErrorResponse] => {
      const name = componentOf(operation.api, status);
      const text = textOf(codes, operation);
      const isUsual = text === usual(this.#shared.get(name)?.uses ?? []);
      return [String(status), { $ref: `#/components/responses/${name}`, ...(isUsual ? {} : { description: text }) }];
    });
    return Object.fromEntries(replies);
  }
}

interface Use {
  readonly text: string;
  readonly examples: Readonly<Record<string, { readonly value: object }>>;
}

/** `V1NotFound`: the name of a component. */
const componentOf = (api: Api, status: number): string =>
  `${FAILURES[api].prefix}${(STATUS_CODES[status] ?? String(status)).replaceAll(/\W/g, '')}`;

const textOf = (codes: readonly ListedError[], operation: Operation): string =>
  codes.map((error) => [namesOf(error, operation), error.meaning].filter(Boolean).join(': ')).join('\n\n');

/** The text that most operations have. */
function usual(uses: readonly Use[]): string {
  const counts = new Map<string, number>();
  for (const { text } of uses) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

function errorsOf(operation: Operation): ReadonlyMap<number, readonly ListedError[]> {
  const { auth, schemas, login, errors } = operation;
  const words = new Set<ErrorCode>([
    ...COMMON,
    ...(auth.kind === 'merchant' ? WITH_CREDENTIALS : []),
    ...(auth.kind === 'session' ? WITH_SESSION : []),
    ...(auth.kind === 'merchant' && auth.scope === 'move' ? (['SIGNATURE_REPLAYED'] as const) : []),
    ...(schemas.body !== null
      ? WITH_BODY
      : operation.method === 'GET'
        ? []
        : (['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
    ...(schemas.query !== null ? (['INVALID_FIELDS'] as const) : []),
    ...(login !== null ? (['RATE_LIMITED'] as const) : []),
    ...errors,
  ]);
  const byStatus = new Map<number, ListedError[]>();
  const entries = [...words].map((word) => ({ word, ...ERROR_TABLE[word] })).sort((a, b) => a.code - b.code);
  for (const error of entries) {
    const status = statusIn(operation.api, error.word, statusOf(error.code));
    byStatus.set(status, [...(byStatus.get(status) ?? []), error]);
  }
  return byStatus;
}

function codeTable(): string {
  return ['| code | meaning |', '|---|---|', ...CODES.map(([code, meaning]) => `| ${code} | ${meaning} |`)].join('\n');
}
