import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { apiOfPath } from '../../adapters/http/replies.ts';

/** The schema of an error of each API. */
const ERRORS = { payment: 'Error', manage: 'ManageError', v1: 'V1Error', greenfield: 'GreenfieldError' } as const;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, { readonly content?: object }>> }>>
    >
  >;
}

/** Checks replies against an OpenAPI 3.1 document, as served. */
export class OpenApiChecker {
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: object) {
    this.#document = document as OpenApiDocument;
    assert.equal(this.#document.openapi, '3.1.0');
    this.#ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    this.#ajv.addSchema(document, 'document', false, false);
  }

  /** Fails the test when a JSON reply does not match the document for its method, path and status. */
  check(method: string, target: string, { status, headers, text }: Reply): void {
    assert.match(headers['x-trace-id'] ?? '', /^[0-9a-f]{32}$/, 'every reply names its trace');
    if (!(headers['content-type'] ?? '').startsWith('application/json') || text === '') return;
    const path = this.#pathOf(target);
    const operation = path === null ? undefined : this.#document.paths[path]?.[method.toLowerCase()];
    if (path === null || operation === undefined) {
      this.#validate(`document#/components/schemas/${ERRORS[apiOfPath(target)]}`, text);
      return;
    }
    const response = operation.responses[String(status)];
    assert(
      response !== undefined,
      `${method} ${path} answered ${status}, which its description does not name: ${text}`,
    );
    const at = [
      'paths',
      path,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ];
    this.#validate(`document#/${at.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`, text);
  }

  #pathOf(target: string): string | null {
    const sent = target.split('?')[0] ?? '';
    // A slash at the end of these paths makes no difference.
    const path = apiOfPath(sent) === 'greenfield' ? sent.replace(/\/$/, '') : sent;
    const matches = (template: string): boolean =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
    return path in this.#document.paths ? path : (Object.keys(this.#document.paths).find(matches) ?? null);
  }

  #validate(ref: string, text: string): void {
    const known = this.#compiled.get(ref);
    const validate = known ?? this.#ajv.compile({ $ref: ref });
    this.#compiled.set(ref, validate);
    assert(validate(JSON.parse(text)), `${ref}: ${this.#ajv.errorsText(validate.errors)} in ${text}`);
  }
}
