import ts from 'typescript';

/** A replacement of a piece of text. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with its changes; they must not overlap. */
export function changedText(text: string, changes: readonly TextChange[]): string {
  return [...changes]
    .sort((a, b) => b.start - a.start)
    .reduce((rest, change) => rest.slice(0, change.start) + change.text + rest.slice(change.end), text);
}

/**
 * A node and everything below it, in the order of the source, without the content of nodes for which `skip` is true.
 */
export function nodesOf(node: ts.Node, skip: (node: ts.Node) => boolean = () => false): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    if (skip(each)) return;
    nodes.push(each);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return nodes;
}
