// Maximum length of a function, maximum number of dependencies that a part is given, and maximum
// number of methods that an interface of its own declares.
//
// The length: ESLint's own rule counts inner functions too, so every closure over
// its dependencies (`createX(deps)`) would have to fit one screen. What has to be read at once is
// what a function does itself: that is one screen; the closure around such functions may be
// several.

/** Shorter inner functions are read in place, so their lines count for the outer function. */
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

/** The option of a rule with one limit. */
const MOST = /** @type {const} */ ({
  type: 'object',
  properties: { most: { type: 'integer' } },
  required: ['most'],
  additionalProperties: false,
});

/** Interfaces with these names list what a part is given. */
const BAG = /(?:Deps|Options)$/;

/** @typedef {{ type: string, [key: string]: any }} Node */

/**
 * Counts fields. Of an interface from another file only the names that are picked from it can be
 * counted.
 * @param {Node | undefined} type @param {ReadonlyMap<string, Node>} known @returns {number}
 */
function fieldsOf(type, known) {
  switch (type?.type) {
    case 'TSInterfaceDeclaration': {
      const own = type['body'].body.length;
      /** @type {readonly Node[]} */
      const bases = type['extends'] ?? [];
      return bases.reduce((sum, base) => sum + fieldsOf(base, known), own);
    }
    case 'TSTypeAliasDeclaration':
      return fieldsOf(type['typeAnnotation'], known);
    case 'TSTypeLiteral':
      return type['members'].length;
    case 'TSIntersectionType':
      return type['types'].reduce(
        (/** @type {number} */ sum, /** @type {Node} */ one) => sum + fieldsOf(one, known),
        0,
      );
    case 'TSInterfaceHeritage':
    case 'TSTypeReference': {
      /** @type {readonly Node[]} */
      const given = type['typeArguments']?.params ?? [];
      const name = (type['expression'] ?? type['typeName']).name;
      if (name === 'Omit') return fieldsOf(given[0], known) - picked(given[1]);
      return given.length === 0 ? fieldsOf(known.get(name), known) : picked(given.at(-1));
    }
    default:
      return 0;
  }
}

/** How many names a union of texts has. @param {Node | undefined} type @returns {number} */
function picked(type) {
  if (type?.type === 'TSUnionType') return type['types'].length;
  return type?.type === 'TSLiteralType' ? 1 : 0;
}

/** @type {import('eslint').Rule.RuleModule} */
const dependencyFields = {
  meta: {
    type: 'suggestion',
    schema: [MOST],
    messages: {
      most: '{{name}} has {{fields}} fields; at most {{most}}. Group what changes together.',
    },
  },
  create(context) {
    const [{ most }] = context.options;
    /** @type {Map<string, Node>} */
    const known = new Map();
    /** @param {Node} node */
    const see = (node) => void known.set(node['id'].name, node);
    return {
      TSInterfaceDeclaration: see,
      TSTypeAliasDeclaration: see,
      'Program:exit'() {
        for (const [name, node] of known) {
          const fields = BAG.test(name) ? fieldsOf(node, known) : 0;
          if (fields <= most) continue;
          context.report({
            node: /** @type {import('eslint').Rule.Node} */ (/** @type {unknown} */ (node)),
            messageId: 'most',
            data: { name, fields: String(fields), most: String(most) },
          });
        }
      },
    };
  },
};

/** @type {import('eslint').Rule.RuleModule} */
const interfaceMethods = {
  meta: {
    type: 'suggestion',
    schema: [MOST],
    messages: {
      most: '{{name}} has {{methods}} methods; at most {{most}}. Split it by who calls them.',
    },
  },
  create(context) {
    const [{ most }] = context.options;
    return {
      /** @param {Node} node */
      TSInterfaceDeclaration(node) {
        const methods = node['body'].body.filter(
          (/** @type {Node} */ one) =>
            one.type === 'TSMethodSignature' ||
            one['typeAnnotation']?.typeAnnotation.type === 'TSFunctionType',
        ).length;
        if (methods <= most) return;
        context.report({
          node: /** @type {import('eslint').Rule.Node} */ (/** @type {unknown} */ (node)),
          messageId: 'most',
          data: { name: node['id'].name, methods: String(methods), most: String(most) },
        });
      },
    };
  },
};

export const sizes = {
  rules: {
    'function-lines': functionLines,
    'dependency-fields': dependencyFields,
    'interface-methods': interfaceMethods,
  },
};
