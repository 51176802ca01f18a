/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact';

/** What a text needs of the pages around it. */
export interface Links {
  /** The address of a link in a text; `null` for one that leads to no page, which is then shown without a link. */
  target(link: string): string | null;
  /** The text of a file that a paragraph names with a link alone; `null` for every other link. */
  file(link: string): string | null;
}

/** A section of a page that can be linked to. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

/** For texts that have no links. */
export const NO_LINKS: Links = { target: () => null, file: () => null };

type Block =
  | ({ readonly kind: 'heading' } & Heading)
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'paragraph'; readonly text: string };

/** The blocks of a text in the part of Markdown that guides and descriptions use; comments are left out. */
export function blocksOf(markdown: string): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let at = 0;
  /** The lines from here on for which a test holds. */
  const take = (holds: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && holds(lines[at] ?? '')) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = /^(#{1,4}) (.+)$/.exec(line);
    const fence = /^```(\w*)$/.exec(line);
    if (line.trim() === '' || /^<!--.*-->$/.test(line)) at += 1;
    else if (heading !== null) {
      const [, marks = '', text = ''] = heading;
      blocks.push({ kind: 'heading', level: marks.length, text, anchor: anchorOf(text) });
      at += 1;
    } else if (fence !== null) {
      at += 1;
      const text = take((each) => each !== '```').join('\n');
      at += 1;
      blocks.push({ kind: 'code', language: fence[1] ?? '', text });
    } else if (line.startsWith('|')) {
      const [head = [], , ...rows] = take((each) => each.startsWith('|')).map(cellsOf);
      blocks.push({ kind: 'table', head, rows });
    } else if (ITEM.test(line)) {
      const items: string[] = [];
      for (const each of take((next) => ITEM.test(next) || /^ +\S/.test(next)))
        if (ITEM.test(each)) items.push(each.replace(ITEM, ''));
        else items.push(`${items.pop() ?? ''} ${each.trim()}`);
      blocks.push({ kind: 'list', ordered: /^\d/.test(line), items });
    } else
      blocks.push({
        kind: 'paragraph',
        text: take((each) => each.trim() !== '' && !/^(#|```|\|)/.test(each)).join(' '),
      });
  }
  return blocks;
}

const ITEM = /^(?:-|\d+\.) /;

const cellsOf = (line: string): string[] =>
  line
    .replaceAll(String.raw`\|`, '\u0000')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\u0000', '|'));

/** `Pay an order` as the last part of an address: `pay-an-order`. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** A text in the part of Markdown of {@link blocksOf}. */
export function Markdown({ text, links = NO_LINKS }: { readonly text: string; readonly links?: Links }): VNode {
  return <>{blocksOf(text).map((block) => blockOf(block, links))}</>;
}

function blockOf(block: Block, links: Links): VNode {
  switch (block.kind) {
    case 'heading': {
      const Level = `h${block.level}` as 'h2';
      return block.level === 1 ? (
        <h1>{inline(block.text, links)}</h1>
      ) : (
        <Level id={block.anchor}>{inline(block.text, links)}</Level>
      );
    }
    case 'code':
      return <Code text={block.text} />;
    case 'table':
      return <Table head={block.head} rows={block.rows.map((cells) => cells.map((cell) => inline(cell, links)))} />;
    case 'list': {
      const items = block.items.map((item) => <li>{inline(item, links)}</li>);
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'paragraph': {
      const file = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(block.text);
      const text = file === null ? null : links.file(file[2] ?? '');
      return text === null ? <p>{inline(block.text, links)}</p> : <Code text={text} />;
    }
  }
}

/** A program or a document, which scrolls sideways when it is too wide. */
export function Code({ text }: { readonly text: string }): VNode {
  return (
    <pre tabIndex={0}>
      <code>{text.trimEnd()}</code>
    </pre>
  );
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g;

/** Code, bold text and links within a line. */
export function inline(text: string, links: Links = NO_LINKS): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, label = '', link = ''] = match;
    parts.push(text.slice(from, match.index));
    from = match.index + whole.length;
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (bold !== undefined) parts.push(<strong>{bold}</strong>);
    else {
      const target = links.target(link);
      const shown = inline(label, NO_LINKS);
      parts.push(target === null ? <span>{shown}</span> : <a href={target}>{shown}</a>);
    }
  }
  parts.push(text.slice(from));
  return parts;
}

/** A table that scrolls sideways when it is too wide. */
export function Table({
  head,
  rows,
}: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}): VNode {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={head.join(', ')}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
