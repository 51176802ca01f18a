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
  readonly components?: { readonly responses?: object };
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, { readonly $ref?: string }>> }>>
    >
  >;
}

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Fails for an example in the document, of a request or a reply, that does not fit its schema. Returns how many fit. */
export function assertExamplesFit(document: object): number {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'document', false, false);
  let count = 0;
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      const here = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (key !== 'content') visit(value, here);
      else
        for (const [type, media] of Object.entries(value as Record<string, Media>)) {
          const { example, examples = {} } = media;
          const all = [...('example' in media ? [example] : []), ...Object.values(examples).map((each) => each.value)];
          if (all.length === 0) continue;
          const pointer = `${here}/${type.replaceAll('/', '~1')}/schema`;
          const validate = ajv.compile({ $ref: `document#${pointer}` });
          for (const each of all) assert(validate(each), `${pointer}: ${ajv.errorsText(validate.errors)}`);
          count += all.length;
        }
    }
  };
  visit({ ...document, components: { responses: (document as OpenApiDocument).components?.responses } }, '');
  return count;
}

/** The checker of each document that was served in this process. */
const checkers = new Map<string, OpenApiChecker>();

/**
 * The checker of a served document. Most servers of a process serve the same one, and a schema is compiled once for all of them: for each
 * client anew that took a tenth of the processor time of the HTTP tests.
 */
export function checkerOf(text: string): OpenApiChecker {
  const checker = checkers.get(text) ?? new OpenApiChecker(JSON.parse(text) as object);
  checkers.set(text, checker);
  return checker;
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
    const here = ['paths', path, method.toLowerCase(), 'responses', String(status)]
      .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
      .join('/');
    // Errors are references to the replies that operations share.
    const reply = response.$ref ?? `#/${here}`;
    this.#validate(`document${reply}/content/application~1json/schema`, text);
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
