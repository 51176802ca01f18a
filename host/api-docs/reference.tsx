/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { fieldsOf, responseOf, typeOf } from './description.ts';
import type { ApiDescription, ApiResponse, Media, Schema } from './description.ts';
import { exampleOf } from './example.ts';
import type { Entry, Group } from './groups.ts';
import { Code, inline, Markdown, Table } from './markdown.tsx';
import type { Heading } from './markdown.tsx';

/** What a reference page is rendered from. */
interface Inside {
  readonly api: ApiDescription;
  /** The base URL of the calls in examples. */
  readonly baseUrl: string;
  /** The operation of this page that shows the fields of a schema first, by the schema. */
  readonly shown: Map<string, Heading>;
}

interface Presence {
  /** What fields are marked: those of a request that must be there, or those of a reply that may be absent. */
  readonly presence: 'required' | 'returned';
}

/** The operations of a group by their anchors, and what they are called. */
export const headingsOf = ({ entries }: Group): readonly Heading[] => entries.map(headingOf);

const headingOf = ({ operation: { operationId, summary } }: Entry): Heading => ({
  level: 2,
  text: summary ?? operationId,
  anchor: operationId,
});

/** The events that webhook endpoints receive, by their anchors. */
export const eventHeadings = ({ webhooks = {} }: ApiDescription): readonly Heading[] =>
  Object.keys(webhooks).map((type) => ({ level: 2, text: type, anchor: `event-${type}` }));

/** A page of the reference: its operations, each with fields, examples and errors. */
export function ReferencePage({ group, ...given }: Omit<Inside, 'shown'> & { readonly group: Group }): VNode {
  const inside: Inside = { ...given, shown: new Map() };
  return (
    <>
      <p class="soft">{group.section}</p>
      <h1>{group.title}</h1>
      <ul class="calls">
        {group.entries.map((entry) => (
          <li>
            <a href={`#${entry.operation.operationId}`}>{headingOf(entry).text}</a>{' '}
            <code>
              {entry.method} {entry.path}
            </code>
          </li>
        ))}
      </ul>
      {group.entries.map((entry) => (
        <Operation {...inside} entry={entry} />
      ))}
    </>
  );
}

/** The page of the events: what each endpoint receives by POST. */
export function EventsPage({ api }: Pick<Inside, 'api'>): VNode {
  const shown: Inside['shown'] = new Map();
  const events = Object.entries(api.webhooks ?? {}).flatMap(([type, { post }]) => (post ? [{ type, post }] : []));
  return (
    <>
      <p class="soft">Webhooks</p>
      <h1>Events</h1>
      <p>
        A webhook endpoint receives each event that it subscribes to as a POST request with this body. How to verify and
        answer it is on the page about webhooks.
      </p>
      <ul class="calls">
        {events.map(({ type }) => (
          <li>
            <a href={`#event-${type}`}>{type}</a>
          </li>
        ))}
      </ul>
      {events.map(({ type, post }) => {
        const [media] = Object.values(post.requestBody?.content ?? {});
        const heading: Heading = { level: 2, text: type, anchor: `event-${type}` };
        return (
          <article>
            <h2 id={heading.anchor}>{type}</h2>
            {media === undefined ? null : (
              <Body
                {...{ api, shown, heading, media }}
                schema={media.schema?.properties?.['data'] ?? {}}
                title="Fields of data"
                presence="returned"
              />
            )}
          </article>
        );
      })}
    </>
  );
}

/** How programs log in, by the names that operations give. */
export function SecurityTable({ api }: Pick<Inside, 'api'>): VNode {
  const rows = Object.entries(api.components?.securitySchemes ?? {}).map(
    ([name, { type, in: place, scheme, description }]) => [
      <code>{name}</code>,
      scheme ?? `${type} in ${place ?? ''}`,
      inline(description ?? ''),
    ],
  );
  return <Table head={['Name', 'Type', 'Description']} rows={rows} />;
}

function Operation({ entry, ...inside }: Inside & { readonly entry: Entry }): VNode {
  const { api } = inside;
  const { method, path, operation } = entry;
  const { description, security = [], parameters = [], requestBody, responses } = operation;
  const heading = headingOf(entry);
  const ways = security.map((way) => Object.keys(way).join(' + ') || 'none');
  const rows = parameters.map(({ name, in: place, required, schema, description: words }) => [
    <FieldName path={name} mark={[place, required === true ? 'required' : ''].filter(Boolean).join(', ')} />,
    <FieldText type={typeOf(schema ?? {}, api)} text={words ?? schema?.description ?? ''} />,
  ]);
  const bodies = Object.entries(requestBody?.content ?? {}).slice(0, 1);
  return (
    <article>
      <h2 id={heading.anchor}>{heading.text}</h2>
      <p class="call">
        <code>
          <strong>{method}</strong> {path}
        </code>
      </p>
      <Markdown text={description ?? ''} />
      <p class="soft">{ways.length === 0 ? 'No authentication.' : `Authentication: ${ways.join(', or ')}.`}</p>
      {path.startsWith('/v1/') ? <Code text={curlOf(entry, inside)} /> : null}
      {rows.length === 0 ? null : (
        <>
          <h3>Parameters</h3>
          <Table head={['Parameter', 'Description']} rows={rows} />
        </>
      )}
      {bodies.map(([type, media]) => (
        <Body
          {...inside}
          heading={heading}
          media={media}
          schema={media.schema ?? {}}
          title={`Request body (${type})`}
          presence="required"
        />
      ))}
      <Responses {...inside} heading={heading} responses={responses} />
    </article>
  );
}

/** An operation as a command, with the example of its body. */
function curlOf({ method, path, operation }: Entry, { api, baseUrl }: Inside): string {
  const url = `${baseUrl}${path}`.replaceAll(/\{(\w+)\}/g, '$$$1');
  const media = operation.requestBody?.content['application/json'];
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
    `-H "Authorization: Bearer $KEY"`,
    ...(media === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(exampleIn(media, api))}'`]),
  ];
  return lines.join(' \\\n  ');
}

const exampleIn = ({ example, schema }: Media, api: ApiDescription): unknown =>
  example ?? (schema === undefined ? {} : exampleOf(schema, api));

function Responses({
  responses,
  heading,
  ...inside
}: Inside & { readonly heading: Heading; readonly responses: Readonly<Record<string, ApiResponse>> }): VNode {
  const all = Object.entries(responses).map(
    ([status, response]) => [status, responseOf(response, inside.api)] as const,
  );
  const failures = all.filter(([status]) => Number(status) >= 400);
  return (
    <>
      {all.map(([status, { content = {} }]) => {
        const [type, media] = Object.entries(content)[0] ?? [];
        return !status.startsWith('2') || media === undefined ? null : (
          <Body
            {...inside}
            heading={heading}
            media={media}
            schema={media.schema ?? {}}
            title={`Response ${status} (${type ?? ''})`}
            presence="returned"
          />
        );
      })}
      {failures.length === 0 ? null : (
        <details>
          <summary>Errors</summary>
          <Table
            head={['Status', 'Errors']}
            rows={failures.map(([status, { description = '' }]) => [status, <Markdown text={description} />])}
          />
        </details>
      )}
    </>
  );
}

function Body({
  api,
  shown,
  heading,
  title,
  media,
  schema,
  presence,
}: Pick<Inside, 'api' | 'shown'> &
  Presence & {
    readonly heading: Heading;
    readonly title: string;
    readonly media: Media;
    /** The schema whose fields are listed: that of the body, or of a part of it. */
    readonly schema: Schema;
  }): VNode {
  const key = `${presence} ${JSON.stringify(schema)}`;
  const first = shown.get(key);
  if (first === undefined) shown.set(key, heading);
  const isJson = media.example !== undefined || fieldsOf(media.schema ?? {}, api).length > 0;
  return (
    <>
      <h3>{title}</h3>
      {first === undefined ? (
        <Fields {...{ api, schema, presence }} />
      ) : (
        <p>
          The same fields as in <a href={`#${first.anchor}`}>{first.text}</a>.
        </p>
      )}
      {isJson ? <Code text={JSON.stringify(exampleIn(media, api), null, 2)} /> : null}
    </>
  );
}

function Fields({ api, schema, presence }: Pick<Inside, 'api'> & Presence & { readonly schema: Schema }): VNode | null {
  const fields = fieldsOf(schema, api);
  if (fields.length === 0) return null;
  const rows = fields.map(({ path, type, required, description }) => [
    <FieldName
      path={path}
      mark={presence === 'required' ? (required ? 'required' : '') : required ? '' : 'may be absent'}
    />,
    // The table of codes has a page of its own.
    <FieldText type={type} text={description.startsWith('|') ? 'See Errors' : description} />,
  ]);
  return <Table head={['Field', 'Description']} rows={rows} />;
}

/** The name of a field, and what it is by its place. */
function FieldName({ path, mark }: { readonly path: string; readonly mark: string }): VNode {
  return (
    <>
      <code>{path}</code>
      {mark === '' ? null : <small>{mark}</small>}
    </>
  );
}

function FieldText({ type, text }: { readonly type: string; readonly text: string }): VNode {
  return (
    <>
      {text === '' ? null : <span class="text">{inline(text)}</span>}
      <small>{type}</small>
    </>
  );
}

/** The words by which an operation is found beside its title. */
export const searchText = ({ method, path }: Entry): string => `${method} ${path}`;
