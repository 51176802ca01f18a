/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact';

/** A description: paragraphs, tables of lines that begin with a bar, and code in backticks. */
export function Prose({ text }: { readonly text: string }): VNode {
  const blocks = text.split(/\n{2,}/).filter((block) => block !== '');
  return <>{blocks.map((block) => (block.startsWith('|') ? <Bars text={block} /> : <p>{inline(block)}</p>))}</>;
}

function Bars({ text }: { readonly text: string }): VNode {
  const rows = text.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const [head = [], , ...body] = rows;
  return <Table head={head} rows={body.map((cells) => cells.map(inline))} />;
}

/** A table that scrolls horizontally when it is too wide. */
export function Table({
  head,
  rows,
}: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}): VNode {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={head.join(', ')}>
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

function inline(text: string): ComponentChildren {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}
