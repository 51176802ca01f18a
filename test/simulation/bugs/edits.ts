/**
 * Descriptions of edits of the syntax tree. A place is found by an exported declaration, the kind of a node and, if
 * necessary, a property or a string in the node: none of them depends on the names of local variables and private
 * members, or on the format.
 */

/** An exported function or class, which has its name at run time. */
interface Declared {
  readonly name: string;
}

/** The material of a replacement: the source texts of a node's parts. */
export interface PartsOf {
  /** A binary expression; the operator `=` finds assignments. */
  readonly binary: { readonly left: string; readonly right: string };
  readonly conditional: { readonly whenTrue: string; readonly whenFalse: string };
  /** A call of a method, or of a function, which has an empty receiver. */
  readonly call: { readonly callee: string; readonly receiver: string; readonly args: readonly string[] };
  readonly spread: object;
  readonly string: object;
  /** A property of an object literal. */
  readonly property: { readonly key: string; readonly value: string };
  /** A clause of a switch; `bodies` has the statements of all its clauses by their string. */
  readonly clause: { readonly label: string; readonly bodies: Readonly<Record<string, string>> };
}

/** Narrows the places of an edit. */
interface Filter<Parts> {
  /** A string, or the name of a property that is read, somewhere in the node. */
  readonly mentions?: string;
  readonly where?: (parts: Parts) => boolean;
  /** The position among several matches, 1 for the first in the source. */
  readonly nth?: number;
  /** True to edit all matches. */
  readonly every?: boolean;
}

/** Tools for a replacement. */
export interface EditContext {
  /** An expression for a dependency that the declaration destructures from an object somewhere, as in `this.#deps.clock`. */
  dependency(name: string): string;
}

/** One edit: exactly one place must match, unless the filter says otherwise. */
export interface Edit<Kind extends keyof PartsOf = keyof PartsOf> extends Filter<never> {
  readonly declaration: string;
  /** True to search the declaration's whole module. */
  readonly wholeModule: boolean;
  readonly kind: Kind;
  /** The name of a node of this kind: an operator, a method's name, a label, a key or a string. */
  readonly named: string | null;
  readonly becomes: (parts: never, context: EditContext) => string;
}

interface Place<Parts> {
  becomes(replacement: (parts: Parts, context: EditContext) => string): Edit;
}

type Find<Kind extends keyof PartsOf> = (named: string, filter?: Filter<PartsOf[Kind]>) => Place<PartsOf[Kind]>;

interface Scope {
  readonly binary: Find<'binary'>;
  readonly call: Find<'call'>;
  readonly string: Find<'string'>;
  readonly property: Find<'property'>;
  readonly clause: Find<'clause'>;
  conditional(filter?: Filter<PartsOf['conditional']>): Place<PartsOf['conditional']>;
  spread(filter?: Filter<object>): Place<object>;
}

function scope(declaration: string, wholeModule: boolean): Scope {
  const find = <Kind extends keyof PartsOf>(
    kind: Kind,
    named: string | null,
    filter: Filter<PartsOf[Kind]> = {},
  ): Place<PartsOf[Kind]> => ({
    becomes: (becomes) => ({ declaration, wholeModule, kind, named, ...filter, becomes }),
  });
  return {
    binary: (operator, filter) => find('binary', operator, filter),
    call: (method, filter) => find('call', method, filter),
    string: (value, filter) => find('string', value, filter),
    property: (key, filter) => find('property', key, filter),
    clause: (label, filter) => find('clause', label, filter),
    conditional: (filter) => find('conditional', null, filter),
    spread: (filter) => find('spread', null, filter),
  };
}

/** Places inside an exported function or class. */
export const within = ({ name }: Declared): Scope => scope(name, false);

/** Places in the module that exports a function or class. */
export const inModuleOf = ({ name }: Declared): Scope => scope(name, true);
