/** Writes the types of the API for TypeScript, from the operations that programs call by name. */
import { namedOperations, openApiDocument } from '../../adapters/http/index.ts';
import type { ManageDeps, NamedOperation, Operation } from '../../adapters/http/index.ts';
import { isPaged, recordsOf } from '../../adapters/http/operation.ts';
import { singular, v1Code } from '../../adapters/http/replies.ts';

/** The part of JSON Schema that the document uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly (string | null)[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly description?: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required: boolean;
    readonly schema: Schema;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

const SETTINGS: ManageDeps['settings'] = {
  allowPrivateNetworks: false,
  secureCookies: true,
};

/** The operations without use cases: only their definitions are read. */
export const NAMED: readonly NamedOperation[] = namedOperations({ settings: SETTINGS } as ManageDeps);

const DOCUMENT = openApiDocument(NAMED.map(({ row }) => row)) as Document;
const WRITTEN = 'Written by `npm run generate` from the operations of the HTTP edge; do not change it by hand.';

const camelCase = (name: string): string => name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
/** The name of a record's type: the management API names those of the payment API's records apart. */
const typeName = (component: string): string => component.replace(/^Managed/, '');

function comment(text: string | undefined, indent = ''): string {
  if (text === undefined || text === '') return '';
  const lines = sentence(text).split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** A description as a comment: a sentence, in which fields have the names that they have in TypeScript. */
function sentence(text: string): string {
  const named = text.replaceAll('*/', '*\\/').replace(/`[a-z]+(?:_[a-z]+)+`/g, camelCase);
  const whole = /^[a-z]+ /.test(named) || /^[A-Z]/.test(named) ? capital(named) : named;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** What a type is written for: what a caller sends may be a `Date` where the wire has a time. */
type Direction = 'sent' | 'read';

function typeOf(schema: Schema, direction: Direction): string {
  if (schema.$ref !== undefined) return typeName(schema.$ref.split('/').at(-1) ?? '');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, direction)));
  if (schema.allOf !== undefined) return schema.allOf.map((part) => typeOf(part, direction)).join(' & ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => (value === null ? 'null' : `'${value}'`)));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.length === 0 ? 'unknown' : union(types.map((type) => plainType(type, schema, direction)));
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

function plainType(type: string, schema: Schema, direction: Direction): string {
  if (type === 'string') return schema.format === 'date-time' && direction === 'sent' ? 'string | Date' : 'string';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return `readonly (${typeOf(schema.items ?? {}, direction)})[]`;
  if (type !== 'object') return type;
  if (schema.properties !== undefined) return `{\n${membersOf(schema, direction)}}`;
  const members =
    typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties, direction) : 'unknown';
  return `Readonly<Record<string, ${members}>>`;
}

function membersOf({ properties = {}, required = [] }: Schema, direction: Direction): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const type = typeOf(schema, direction);
      const absent = type === 'unknown' ? type : `${type} | undefined`;
      const member = required.includes(name) ? `${camelCase(name)}: ${type}` : `${camelCase(name)}?: ${absent}`;
      return `${comment(schema.description)}readonly ${member};\n`;
    })
    .join('');
}

/** An operation with what the document says about it. */
interface Row {
  readonly resource: string;
  readonly verb: string;
  readonly operation: Operation;
  readonly offered: boolean;
  readonly told: Described;
}

const ROWS: readonly Row[] = NAMED.map(({ row, offered }) => {
  const [resource = '', verb = ''] = row.id.split('.');
  const told = Object.values(DOCUMENT.paths[row.path] ?? {}).find(({ operationId }) => operationId === row.id);
  if (told === undefined) throw new Error(`${row.id} is not in the document`);
  return { resource, verb, operation: row, offered, told };
});

/** The fields that a caller gives besides the values of the path. */
function fieldsOf({ operation, told }: Row): Schema | null {
  const body = Object.values(told.requestBody?.content ?? {})[0]?.schema ?? { properties: {}, required: [] };
  // A program reads JSON.
  const query = (told.parameters ?? []).filter(({ in: place, name }) => place === 'query' && name !== 'format');
  const properties: Record<string, Schema> = {
    ...body.properties,
    ...Object.fromEntries(
      query.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    ),
  };
  const required = [...(body.required ?? []), ...query.filter((each) => each.required).map(({ name }) => name)];
  if (operation.versioned) {
    properties['version'] = { type: 'integer', description: 'Version of the record that you change, as you read it' };
    required.push('version');
  }
  return Object.keys(properties).length === 0 ? null : { type: 'object', properties, required };
}

const paramsName = ({ resource, verb }: Row): string =>
  `${capital(singular(camelCase(resource)))}${capital(camelCase(verb))}Params`;
const pathNames = ({ operation }: Row): string[] =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

function replyType({ told, operation }: Row): string {
  const schema = Object.values(told.responses[operation.status]?.content ?? {})[0]?.schema;
  return schema === undefined ? 'void' : typeOf(schema, 'read');
}

function itemType(row: Row): string {
  const schemas = DOCUMENT.components.schemas;
  const page = schemas[replyType(row)] ?? schemas[`Managed${replyType(row)}`];
  return typeOf(page?.properties?.['items']?.items ?? {}, 'read');
}

interface Door {
  readonly options: (row: Row) => string | null;
  readonly error: (row: Row) => string;
  /** Whether records without an account in their fields must be given one. */
  readonly named: boolean;
}

/** Whether an operation is about an account that a merchant need not name, because it is the merchant's own. */
function isOwned(row: Row): boolean {
  return fieldsOf(row)?.properties?.['account']?.description === OWN_ACCOUNT;
}

const OWN_ACCOUNT = 'ID of the account; defaults to your own';

function methodOf(row: Row, door: Door): string {
  const fields = fieldsOf(row);
  const owned = door.named && isOwned(row);
  const optional = (fields?.required ?? []).length === 0 && !owned;
  const params = pathNames(row).map((name) => `${camelCase(name)}: string`);
  if (fields !== null) params.push(`params${optional ? '?' : ''}: ${paramsName(row)}${owned ? ' & OfAccount' : ''}`);
  const options = door.options(row);
  if (options !== null) params.push(`options?: ${options}`);
  const { summary, description } = row.operation;
  const text = comment(`${summary}. ${description}\n\n${door.error(row)}`.trim());
  const method = `${text}${camelCase(row.verb)}(${params.join(', ')}): Promise<${replyType(row)}>;\n`;
  if (!isPaged(row.operation)) return method;
  const each = params.filter((param) => !param.startsWith('options')).join(', ');
  return `${method}/** Iterates over the whole list and reads it page by page: \`for await (const item of …)\`. */\nall(${each}): AsyncGenerator<${itemType(row)}, void, undefined>;\n`;
}

function byResource(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.resource, [...(groups.get(row.resource) ?? []), row]);
  return groups;
}

function interfaces(rows: readonly Row[], suffix: string, door: Door): string {
  return [...byResource(rows)]
    .map(([resource, of]) => {
      const methods = of.map((row) => methodOf(row, door)).join('\n');
      return `/** The calls of ${words(resource)}. */\nexport interface ${capital(camelCase(resource))}${suffix} {\n${methods}}\n`;
    })
    .join('\n');
}

const words = (resource: string): string => resource.replaceAll('_', ' ');

function api(name: string, about: string, rows: readonly Row[], suffix: string): string {
  const members = [...byResource(rows).keys()].map(
    (resource) => `readonly ${camelCase(resource)}: ${capital(camelCase(resource))}${suffix};\n`,
  );
  return `${comment(about)}export interface ${name} {\n${members.join('')}}\n`;
}

/** The type of the data of each event, by the event's type. */
const EVENTS: readonly (readonly [type: string, data: Schema])[] = Object.entries(DOCUMENT.webhooks).map(
  ([type, { post }]) => [type, Object.values(post.requestBody?.content ?? {})[0]?.schema.properties?.['data'] ?? {}],
);

function events(): string {
  const members = EVENTS.map(([type, data]) => `readonly '${type}': ${typeOf(data, 'read')};\n`);
  return `/** The data of each event, by its type. */\nexport interface EventData {\n${members.join('')}}\n`;
}

/** The components that these rows mention, with what those mention. */
function componentsOf(rows: readonly Row[], more: unknown = null): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (name !== '$ref') visit(member);
      else if (typeof member === 'string' && member.startsWith('#/components/schemas/')) {
        const component = member.split('/').at(-1) ?? '';
        if (found.has(component)) continue;
        found.add(component);
        visit(DOCUMENT.components.schemas[component]);
      }
    }
  };
  visit(more);
  for (const { told, operation } of rows) visit([told.requestBody, told.parameters, told.responses[operation.status]]);
  return [...found].sort();
}

const record = (component: string): string => {
  const schema = DOCUMENT.components.schemas[component] as Schema;
  const head = comment(schema.description);
  return schema.properties === undefined
    ? `${head}export type ${typeName(component)} = ${typeOf(schema, 'read')};\n`
    : `${head}export interface ${typeName(component)} {\n${membersOf(schema, 'read')}}\n`;
};

const paramsType = (row: Row): string => {
  const fields = fieldsOf(row);
  if (fields === null) return '';
  const text = `The fields of \`${camelCase(row.resource)}.${camelCase(row.verb)}\`.`;
  return `${comment(text)}export interface ${paramsName(row)} {\n${membersOf(fields, 'sent')}}\n`;
};

const OFFERED = ROWS.filter(({ offered }) => offered);

function callOf(row: Row): string {
  const { operation } = row;
  const facts = [`method: '${operation.method}'`, `path: '${operation.path}'`];
  if (operation.idempotent) facts.push('keyed: true');
  if (operation.versioned) facts.push('versioned: true');
  if (operation.auth.kind === 'merchant' && operation.auth.scope === 'move') facts.push('once: true');
  if (isPaged(row.operation)) facts.push('paged: true');
  return `${camelCase(row.verb)}: { ${facts.join(', ')} },`;
}

function calls(): string {
  const resources = [...byResource(OFFERED)].map(
    ([resource, rows]) => `${camelCase(resource)}: {\n${rows.map(callOf).join('\n')}\n},`,
  );
  return `/** How the client sends each call. */\nexport const CALLS = {\n${resources.join('\n')}\n} as const satisfies CallTable;\n`;
}

const codesOf = ({ operation }: Row): readonly string[] =>
  operation.errors.flatMap((word) => recordsOf(word, operation).map((record) => `'${v1Code(word, record)}'`));

const CLIENT: Door = {
  named: false,
  options: ({ operation }) => (operation.idempotent ? 'WriteOptions' : 'CallOptions'),
  error: (row) => (row.operation.errors.length === 0 ? '' : `@throws TillgateApiError ${codesOf(row).join(', ')}`),
};

const IN_PROCESS: Door = {
  named: true,
  options: ({ operation }) => (operation.idempotent ? 'InProcessOptions' : null),
  error: ({ operation: { errors } }) =>
    errors.length === 0 ? '' : `@throws TillgateError ${errors.map((word) => `\`${word}\``).join(', ')}`,
};

/** The types and the table of the client. */
function clientFile(): string {
  return [
    `// ${WRITTEN}\nimport type { CallOptions, CallTable, WriteOptions } from './transport.ts';\n`,
    ...componentsOf(OFFERED, EVENTS).map(record),
    events(),
    ...OFFERED.map(paramsType),
    interfaces(OFFERED, 'Api', CLIENT),
    api('MerchantApi', 'What a merchant can call over `/v1`.', OFFERED, 'Api'),
    calls(),
  ].join('\n');
}

/** The types of the calls in process. */
function tillFile(): string {
  const shared = new Set(componentsOf(OFFERED, EVENTS));
  const own = componentsOf(ROWS).filter((component) => !shared.has(component));
  const ownParams = ROWS.filter(({ offered }) => !offered);
  const text = [
    ...own.map(record),
    ...ownParams.map(paramsType),
    `/** The account that a new record is for, or whose record is meant. */\nexport interface OfAccount {\nreadonly account: string;\n}\n`,
    interfaces(ROWS, 'Calls', IN_PROCESS),
    api('TillCalls', 'What an application can call in process, for all accounts.', ROWS, 'Calls'),
  ].join('\n');
  const paramsOfOffered = OFFERED.filter((row) => fieldsOf(row) !== null).map(paramsName);
  const imported = [...shared].map(typeName).concat(paramsOfOffered);
  const used = imported.filter((name) => new RegExp(String.raw`\b${name}\b`).test(text)).sort();
  return `// ${WRITTEN}\nimport type { ${used.join(', ')} } from '../../adapters/client/index.ts';\nimport type { InProcessOptions } from '../../adapters/http/index.ts';\n\nexport type { ${[
    ...shared,
  ]
    .map(typeName)
    .concat('EventData', ...paramsOfOffered)
    .sort()
    .join(', ')} } from '../../adapters/client/index.ts';\n\n${text}`;
}

/** The files that are written from the operations. */
export const API_FILES: Readonly<Record<string, () => string>> = {
  'adapters/client/api.ts': clientFile,
  'host/embed/api.ts': tillFile,
};
