// Maximum length of a function. ESLint's own rule counts inner functions too, so every closure over
// its dependencies (`createX(deps)`) would have to fit one screen. What has to be read at once is
// what a function does itself: that is one screen; the closure around such functions may be
// several.

/** Shorter inner functions are read in place, so their lines count for the outer one. */
const SHORT_LINES = 3;

/** @typedef {{ start: { line: number, column: number }, end: { line: number } }} Place */

/** @param {Place} place */
const spanOf = ({ start, end }) => end.line - start.line + 1;

/** Every node that ESLint passes has a place. @param {{ loc?: Place | null | undefined }} node */
const placeOf = (node) => /** @type {Place} */ (node.loc);

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
    /** @param {number} line */
    const textOf = (line) => source.lines[line - 1] ?? '';
    const commented = new Set(
      source.getAllComments().flatMap((comment) => {
        const place = placeOf(comment);
        const { line, column } = place.start;
        const isAlone = textOf(line).slice(0, column).trim() === '';
        return isAlone ? Array.from({ length: spanOf(place) }, (_, index) => line + index) : [];
      }),
    );
    /** @param {Place} place */
    const codeLines = ({ start, end }) => {
      let count = 0;
      for (let line = start.line; line <= end.line; line += 1)
        if (!commented.has(line) && textOf(line).trim() !== '') count += 1;
      return count;
    };
    /** Lines of longer functions inside each function that is open. @type {number[]} */
    const inner = [];
    const enter = () => void inner.push(0);
    /** @param {import('eslint').Rule.Node} node */
    const leave = (node) => {
      const place = placeOf(node);
      const whole = codeLines(place);
      const own = whole - (inner.pop() ?? 0);
      const outer = inner.at(-1);
      if (outer !== undefined && spanOf(place) > SHORT_LINES) {
        inner[inner.length - 1] = outer + whole;
      }
      /** @param {'own' | 'whole'} messageId @param {number} lines @param {number} most */
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
