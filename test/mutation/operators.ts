import ts from 'typescript';

/** One change of one node. */
export interface Replacement {
  /** The kind of change: it is part of a mutant's id. */
  readonly operator: string;
  /** What is replaced; a part of the node that the operator looked at. */
  readonly node: ts.Node;
  readonly text: string;
}

type Operator = (node: ts.Node) => readonly Replacement[];

/** What takes the place of an operator between two operands. */
const TOKENS: Readonly<Record<string, readonly (readonly [operator: string, token: string])[]>> = {
  '<': [
    ['boundary', '<='],
    ['negation', '>='],
  ],
  '<=': [
    ['boundary', '<'],
    ['negation', '>'],
  ],
  '>': [
    ['boundary', '>='],
    ['negation', '<='],
  ],
  '>=': [
    ['boundary', '>'],
    ['negation', '<'],
  ],
  '===': [['negation', '!==']],
  '!==': [['negation', '===']],
  '+': [['arithmetic', '-']],
  '-': [['arithmetic', '+']],
  '*': [['arithmetic', '/']],
  '/': [['arithmetic', '*']],
  '%': [['arithmetic', '*']],
  '+=': [['arithmetic', '-=']],
  '-=': [['arithmetic', '+=']],
};
/** `??` becomes `&&`, because `||` differs from it only for 0 and empty strings. */
const LOGIC: Readonly<Record<string, string>> = { '&&': '||', '||': '&&', '??': '&&' };
const ROUNDINGS: Readonly<Record<string, string>> = { up: 'down', down: 'up' };
const METHODS: Readonly<Record<string, string>> = { every: 'some', some: 'every', min: 'max', max: 'min' };
/** Numbers from here on that name a size or a time are a choice; one more or less is no fault. */
const SIZES_FROM = 10;

const binary: Operator = (node) => {
  if (!ts.isBinaryExpression(node)) return [];
  const token = node.operatorToken.getText();
  if (token === '+' && isText(node)) return [];
  const wanted = (TOKENS[token] ?? []).filter(
    ([operator]) => operator === 'negation' || (!isComparator(node.parent) && !isExtreme(node)),
  );
  return wanted.map(([operator, text]) => ({ operator, node: node.operatorToken, text }));
};

const logic: Operator = (node) => {
  if (!ts.isBinaryExpression(node)) return [];
  const token = LOGIC[node.operatorToken.getText()];
  if (token === undefined) return [];
  const [left, right] = [`(${node.left.getText()})`, `(${node.right.getText()})`];
  const swapped = { operator: 'logic', node, text: `(${left} ${token} ${right})` };
  if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) return [swapped];
  return [swapped, { operator: 'left only', node, text: left }, { operator: 'right only', node, text: right }];
};

const unary: Operator = (node) => {
  if (!ts.isPrefixUnaryExpression(node)) return [];
  const text = `(${node.operand.getText()})`;
  if (node.operator === ts.SyntaxKind.ExclamationToken) return [{ operator: 'negation', node, text }];
  return node.operator === ts.SyntaxKind.MinusToken ? [{ operator: 'sign', node, text }] : [];
};

const conditions: Operator = (node) => {
  if (ts.isIfStatement(node)) {
    const always = { operator: 'condition true', node: node.expression, text: 'true' };
    if (isGuard(node)) return [always, { operator: 'guard', node, text: ';' }];
    return [always, { operator: 'condition false', node: node.expression, text: 'false' }];
  }
  if (ts.isWhileStatement(node)) return [{ operator: 'condition false', node: node.expression, text: 'false' }];
  return [];
};

const branches: Operator = (node) =>
  ts.isConditionalExpression(node) && !isComparator(node)
    ? [
        { operator: 'branch first', node, text: `(${node.whenTrue.getText()})` },
        { operator: 'branch second', node, text: `(${node.whenFalse.getText()})` },
      ]
    : [];

const statements: Operator = (node) => {
  const calls =
    ts.isExpressionStatement(node) &&
    ts.isCallExpression(ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression);
  // The throw of a guard is left out with its guard.
  const throws = ts.isThrowStatement(node) && !ts.isIfStatement(outsideBlock(node));
  return calls || throws ? [{ operator: 'statement', node, text: ';' }] : [];
};

const literals: Operator = (node) => {
  if (ts.isBigIntLiteral(node)) {
    const value = BigInt(node.text.slice(0, -1));
    return [value + 1n, value - 1n].map((each) => literal(node, `${each}n`, each > value));
  }
  if (!ts.isNumericLiteral(node)) return [];
  const value = Number(node.text);
  if (value >= SIZES_FROM && isConstant(node)) return [];
  return [value + 1, value - 1].map((each) => literal(node, String(each), each > value));
};

const methods: Operator = (node) => {
  if (!ts.isCallExpression(node)) return [];
  const name = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
  const other = ts.isIdentifier(name) && Object.hasOwn(METHODS, name.text) ? METHODS[name.text] : undefined;
  // A function called min may have no max beside it.
  return other === undefined || name === node.expression ? [] : [{ operator: 'method', node: name, text: other }];
};

const rounding: Operator = (node) => {
  const other = ts.isStringLiteral(node) && Object.hasOwn(ROUNDINGS, node.text) ? ROUNDINGS[node.text] : undefined;
  return other === undefined ? [] : [{ operator: 'rounding', node, text: `'${other}'` }];
};

const OPERATORS: readonly Operator[] = [
  binary,
  logic,
  unary,
  conditions,
  branches,
  statements,
  literals,
  methods,
  rounding,
];

/** Every change of this node, but not of those below it. */
export function replacementsOf(node: ts.Node): readonly Replacement[] {
  return OPERATORS.flatMap((operator) => operator(node));
}

/** `a < b ? a : b`: of equal ones it is the same either way. */
function isExtreme({ left, right, parent }: ts.BinaryExpression): boolean {
  if (!ts.isConditionalExpression(parent)) return false;
  const operands = [left, right].map((operand) => operand.getText());
  const branches = [parent.whenTrue, parent.whenFalse].map((branch) => branch.getText());
  return operands.sort().join(' ') === branches.sort().join(' ');
}

/** `a < b ? -1 : 1`, as a comparator is written: only its sense matters, not its numbers nor what it says of equal ones. */
function isComparator(node: ts.Node): boolean {
  if (!ts.isConditionalExpression(node)) return false;
  const isStep = (branch: ts.Expression): boolean =>
    isComparator(branch) || ['-1', '0', '1'].includes(branch.getText());
  return isStep(node.whenTrue) && isStep(node.whenFalse);
}

/**
 * True for what no mutant is made in: what is logged and measured, whether that is done, the arguments of errors, assertions of impossible
 * states that do nothing besides, and the numbers of comparators.
 */
export function isLeftOut(node: ts.Node): boolean {
  if (!ts.isSourceFile(node) && isComparator(node.parent) && !ts.isBinaryExpression(node)) return true;
  if (ts.isNewExpression(node) && ts.isThrowStatement(node.parent)) return true;
  // What the compiler writes for undefined.
  if (ts.isVoidExpression(node)) return true;
  if (ts.isIfStatement(node)) return node.elseStatement === undefined && bodyOf(node).every(isLeftOut);
  if (!ts.isExpressionStatement(node)) return false;
  const call = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  if (!ts.isCallExpression(call)) return false;
  const callee = call.expression.getText();
  if (/(^|[.#])(logger|metrics)\??\.\w+$/.test(callee)) return true;
  return callee === 'unreachable' || (callee === 'assert' && !call.getText().includes('await '));
}

const literal = (node: ts.Node, value: string, more: boolean): Replacement => ({
  operator: more ? 'literal +1' : 'literal -1',
  node,
  text: value.startsWith('-') ? `(${value})` : value,
});

/** An `if` without `else` that only leaves: without it, what follows runs. */
function isGuard(node: ts.IfStatement): boolean {
  if (node.elseStatement !== undefined) return false;
  const body = bodyOf(node);
  const [only] = body;
  return (
    body.length === 1 &&
    only !== undefined &&
    (ts.isReturnStatement(only) ||
      ts.isThrowStatement(only) ||
      ts.isContinueStatement(only) ||
      ts.isBreakStatement(only))
  );
}

const bodyOf = ({ thenStatement }: ts.IfStatement): readonly ts.Statement[] =>
  ts.isBlock(thenStatement) ? thenStatement.statements : [thenStatement];

const outsideBlock = (node: ts.Node): ts.Node => (ts.isBlock(node.parent) ? node.parent.parent : node.parent);

/** A `+` with a string or a template among its operands. */
function isText(node: ts.Expression): boolean {
  if (ts.isBinaryExpression(node)) return isText(node.left) || isText(node.right);
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** The number of a constant of the module: `const BATCH = 500`, also as a product. */
function isConstant(node: ts.Node): boolean {
  if (ts.isSourceFile(node)) return false;
  if (ts.isVariableDeclaration(node)) return ts.isSourceFile(node.parent.parent.parent);
  return !ts.isFunctionLike(node) && !ts.isClassLike(node) && isConstant(node.parent);
}
