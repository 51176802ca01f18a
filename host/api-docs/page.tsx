/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { fieldsOf, typeOf } from './description.ts';
import type { ApiDescription, ApiOperation, ApiResponse, Media, Schema } from './description.ts';
import { Prose, Table } from './prose.tsx';
import { STYLE } from './style.ts';

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

interface Inside {
  readonly api: ApiDescription;
  /** The operation that shows the fields of a schema first, by the schema. */
  readonly shown: Map<string, ApiOperation>;
}

interface Presence {
  /** The title of the column that tells required fields from optional ones. */
  readonly presence: 'Required' | 'Always returned';
}

/** The whole API reference as one page without script. */
export function renderApiDocs(api: ApiDescription): string {
  const groups = groupsOf(api);
  const shown: Inside['shown'] = new Map();
  const { info } = api;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{info.title}</title>
        <link rel="icon" href="data:," />
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <Contents groups={groups} />
        <main>
          <h1>{info.title}</h1>
          <p class="soft">
            Version {info.version}. Base URL: <code>{api.servers?.[0]?.url ?? '/'}</code>. OpenAPI document:{' '}
            <a href="openapi.json">openapi.json</a>.
          </p>
          <Prose text={info.description ?? ''} />
          <Security api={api} />
          <Errors api={api} />
          {[...groups].map(([tag, entries]) => (
            <section>
              <h2 id={anchor(tag)}>{tag}</h2>
              {entries.map((entry) => (
                <Operation api={api} shown={shown} entry={entry} />
              ))}
            </section>
          ))}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}`;
}

function groupsOf({ paths }: ApiDescription): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'Other';
      const entries = groups.get(tag) ?? [];
      entries.push({ method: method.toUpperCase(), path, operation });
      groups.set(tag, entries);
    }
  }
  return groups;
}

const anchor = (name: string): string => `tag-${name.replace(/[^A-Za-z0-9]+/g, '-')}`;

function Contents({ groups }: { readonly groups: ReadonlyMap<string, readonly Entry[]> }): VNode {
  return (
    <nav aria-label="Contents">
      <ul>
        <li>
          <a href="#authentication">Authentication</a>
        </li>
        <li>
          <a href="#errors">Errors</a>
        </li>
      </ul>
      {[...groups].map(([tag, entries]) => (
        <>
          <a href={`#${anchor(tag)}`}>
            <strong>{tag}</strong>
          </a>
          <ul>
            {entries.map(({ operation }) => (
              <li>
                <a href={`#${operation.operationId}`}>{operation.summary ?? operation.operationId}</a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

function Security({ api }: Pick<Inside, 'api'>): VNode {
  const schemes = Object.entries(api.components?.securitySchemes ?? {});
  const rows = schemes.map(([name, { type, in: place, scheme, description }]) => [
    <code>{name}</code>,
    scheme ?? `${type} in ${place ?? ''}`,
    description ?? '',
  ]);
  return (
    <section>
      <h2 id="authentication">Authentication</h2>
      <Table head={['Name', 'Type', 'Description']} rows={rows} />
    </section>
  );
}

function Errors({ api }: Pick<Inside, 'api'>): VNode {
  const error = api.components?.schemas?.['Error'];
  return (
    <section>
      <h2 id="errors">Errors</h2>
      <Prose text={error?.properties?.['code']?.description ?? ''} />
      {error === undefined ? null : (
        <Fields
          api={api}
          presence="Always returned"
          schema={{
            ...error,
            properties: { ...error.properties, code: { type: 'integer', description: 'One of the above' } },
          }}
        />
      )}
    </section>
  );
}

function Operation({ api, shown, entry: { method, path, operation } }: Inside & { readonly entry: Entry }): VNode {
  const { operationId, summary, description, security = [], parameters = [], requestBody, responses } = operation;
  const ways = security.map((way) => Object.keys(way).join(' + '));
  const rows = parameters.map(({ name, in: place, required, schema, description: words }) => [
    <code>{name}</code>,
    place,
    typeOf(schema ?? {}, api),
    required === true ? 'yes' : 'no',
    words ?? schema?.description ?? '',
  ]);
  return (
    <article>
      <h3 id={operationId}>{summary ?? operationId}</h3>
      <p class="call">
        <code>
          <strong>{method}</strong> {path}
        </code>
      </p>
      <Prose text={description ?? ''} />
      <p class="soft">{ways.length === 0 ? 'No authentication.' : `Authentication: ${ways.join(', or ')}.`}</p>
      {rows.length === 0 ? null : (
        <>
          <h4>Parameters</h4>
          <Table head={['Name', 'In', 'Type', 'Required', 'Description']} rows={rows} />
        </>
      )}
      {Object.entries(requestBody?.content ?? {})
        .slice(0, 1)
        .map(([type, media]) => (
          <Body {...{ api, shown, operation, media }} title={`Request body (${type})`} presence="Required" />
        ))}
      {Object.entries(responses).map(([status, response]) => (
        <Response {...{ api, shown, operation, status, response }} />
      ))}
    </article>
  );
}

function Response({
  api,
  shown,
  operation,
  status,
  response,
}: Inside & { readonly operation: ApiOperation; readonly status: string; readonly response: ApiResponse }): VNode {
  const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
  if (status.startsWith('2') && media !== undefined)
    return (
      <Body
        {...{ api, shown, operation, media }}
        title={`Response ${status} (${type ?? ''})`}
        presence="Always returned"
      />
    );
  return (
    <details>
      <summary>Response {status}</summary>
      <Prose text={response.description} />
    </details>
  );
}

function Body({
  api,
  shown,
  operation,
  title,
  media: { schema, example },
  presence,
}: Inside & Presence & { readonly operation: ApiOperation; readonly title: string; readonly media: Media }): VNode {
  const key = `${presence} ${JSON.stringify(schema)}`;
  const first = shown.get(key);
  if (first === undefined) shown.set(key, operation);
  return (
    <>
      <h4>{title}</h4>
      {schema === undefined ? null : first === undefined ? (
        <Fields {...{ api, schema, presence }} />
      ) : (
        <p>
          The same fields as in <a href={`#${first.operationId}`}>{first.summary ?? first.operationId}</a>.
        </p>
      )}
      {example === undefined ? null : <pre tabIndex={0}>{JSON.stringify(example, null, 2)}</pre>}
    </>
  );
}

function Fields({ api, schema, presence }: Pick<Inside, 'api'> & Presence & { readonly schema: Schema }): VNode | null {
  const fields = fieldsOf(schema, api);
  if (fields.length === 0) return null;
  const rows = fields.map(({ path, type, required, description }) => [
    <code>{path}</code>,
    type,
    required ? 'yes' : 'no',
    description.startsWith('|') ? 'See Errors' : description,
  ]);
  return <Table head={['Field', 'Type', presence, 'Description']} rows={rows} />;
}
