// How long a function may be. ESLint's own rule counts the functions inside it too, so that every
// closure over its dependencies (`createX(deps)`) would have to be shorter than one screen. What has
// to be read at once is what a function does by itself: that is one screen; the closure around such
// functions may be some screens.

/** Inner functions of fewer lines are read where they stand, so their lines count for the outer one. */
const SHORT_LINES = 3;

/** @param {{ loc: { start: { line: number }, end: { line: number } } }} node */
const spanOf = (node) => node.loc.end.line - node.loc.start.line + 1;

/** @type {import('eslint').Rule.RuleModule} */
const functionLines = {
  meta: {
    type: 'suggestion',
    schema: [
      {
        type: 'object',
        properties: { own: { type: 'integer' }, whole: { type: 'integer' } },
        required: ['own', 'whole'],
        additionalProperties: false,
      },
    ],
    messages: {
      own: 'This function has {{lines}} lines of its own; {{most}} are one screen.',
      whole: 'This function has {{lines}} lines with all that is inside it; at most {{most}}.',
    },
  },
  create(context) {
    const [{ own: mostOwn, whole: mostWhole }] = context.options;
    const source = context.sourceCode;
    const commented = new Set(
      source.getAllComments().flatMap(({ loc }) => {
        const isAlone = source.lines[loc.start.line - 1].slice(0, loc.start.column).trim() === '';
        return isAlone
          ? Array.from({ length: spanOf({ loc }) }, (_, index) => loc.start.line + index)
          : [];
      }),
    );
    const codeLines = ({ loc }) => {
      let count = 0;
      for (let line = loc.start.line; line <= loc.end.line; line += 1)
        if (!commented.has(line) && source.lines[line - 1].trim() !== '') count += 1;
      return count;
    };
    /** Lines of longer functions inside each function that is open. */
    const inner = [];
    const enter = () => inner.push(0);
    const leave = (node) => {
      const whole = codeLines(node);
      const own = whole - inner.pop();
      if (inner.length > 0 && spanOf(node) > SHORT_LINES) inner[inner.length - 1] += whole;
      const report = (messageId, lines, most) =>
        context.report({ node, messageId, data: { lines: String(lines), most: String(most) } });
      if (own > mostOwn) report('own', own, mostOwn);
      else if (whole > mostWhole) report('whole', whole, mostWhole);
    };
    const functions = 'FunctionDeclaration, FunctionExpression, ArrowFunctionExpression';
    return { [functions]: enter, [`:matches(${functions}):exit`]: leave };
  },
};

export const sizes = { rules: { 'function-lines': functionLines } };
