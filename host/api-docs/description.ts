/** The part of an OpenAPI document that the page shows. */
export interface ApiDescription {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Omit<ApiOperation, 'operationId'>>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, ApiResponse>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface ApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface SecurityScheme {
  readonly type: string;
  readonly in?: string;
  readonly name?: string;
  readonly scheme?: string;
  readonly description?: string;
}

/** The part of a JSON schema that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Field {
  /** Dotted path; `[]` marks the items of a list. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

const REF = '#/components/schemas/';
const DEEPEST = 6;

/** The reply that a reference names; what stands beside the reference replaces its own. */
export function responseOf({ $ref, ...beside }: ApiResponse, { components }: ApiDescription): ApiResponse {
  return $ref === undefined ? beside : { ...components?.responses?.[$ref.split('/').at(-1) ?? ''], ...beside };
}

/** Resolves a `$ref` and keeps the description beside it. */
export function resolved(schema: Schema, { components }: ApiDescription): Schema {
  if (schema.$ref === undefined) return schema;
  const target = components?.schemas?.[schema.$ref.slice(REF.length)] ?? {};
  return schema.description === undefined ? target : { ...target, description: schema.description };
}

/** All fields of an object, each followed by its nested fields. */
export function fieldsOf(schema: Schema, api: ApiDescription, prefix = '', depth = 0): readonly Field[] {
  const { properties, required = [], items, anyOf, oneOf, allOf } = resolved(schema, api);
  if (depth > DEEPEST) return [];
  const inside = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])].flatMap((part) =>
    fieldsOf(part, api, prefix, depth + 1),
  );
  if (items !== undefined) return [...inside, ...fieldsOf(items, api, `${prefix}[]`, depth + 1)];
  const own = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const full = resolved(property, api);
    const field = {
      path,
      type: typeOf(full, api),
      required: required.includes(name),
      description: full.description ?? '',
    };
    return [field, ...fieldsOf(full, api, path, depth + 1)];
  });
  return [...inside, ...own];
}

/** A short text for the type of a value. */
export function typeOf(given: Schema, api: ApiDescription): string {
  const schema = resolved(given, api);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeOf(choice, api)))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined && schema.enum.length <= 8)
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items, api)}`;
  const types = [schema.type ?? 'any'].flat().join(' or ');
  return [types, schema.format === undefined ? '' : `(${schema.format})`, limitsOf(schema)]
    .filter((part) => part !== '')
    .join(' ');
}

function limitsOf({ minimum, maximum, maxLength, default: fallback }: Schema): string {
  const limits = [
    minimum === undefined ? '' : `from ${minimum}`,
    maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? '' : `to ${maximum}`,
    maxLength === undefined ? '' : `up to ${maxLength} characters`,
    fallback === undefined ? '' : `default ${JSON.stringify(fallback)}`,
  ];
  return limits.filter((part) => part !== '').join(', ');
}
