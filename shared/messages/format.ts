/**
 * A small part of ICU MessageFormat: `{name}`, `{count, plural, =0 {…} one {…} other {…}}` with
 * `#`, and `{kind, select, a {…} other {…}}`. Plural rules come from `Intl.PluralRules`.
 *
 * Guarantees: pure; a value that is missing is shown as `{name}`, never as `undefined`; a message
 * that cannot be parsed is shown as written. Values are inserted as they are, never parsed again,
 * so text from outside cannot become a pattern.
 */

/** Possible values in a message. */
export type MessageValue = string | number;
export type MessageValues = Readonly<Record<string, MessageValue>>;

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hash' }
  | { readonly kind: 'value'; readonly name: string }
  | {
      readonly kind: 'choice';
      readonly name: string;
      readonly rule: 'plural' | 'select';
      readonly branches: ReadonlyMap<string, readonly Node[]>;
    };

class Reader {
  #at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  nodes(isNested: boolean, inPlural: boolean): Node[] {
    const out: Node[] = [];
    let text = '';
    const flush = (): void => {
      if (text !== '') out.push({ kind: 'text', text });
      text = '';
    };
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at] ?? '';
      if (char === '}') {
        if (!isNested) throw new Error('unexpected }');
        break;
      }
      this.#at += 1;
      if (char === '{') {
        flush();
        out.push(this.#argument(inPlural));
      } else if (char === '#' && inPlural) {
        flush();
        out.push({ kind: 'hash' });
      } else text += char;
    }
    flush();
    return out;
  }

  #argument(inPlural: boolean): Node {
    const name = this.#until(/[,}]/);
    if (this.#take() === '}') return { kind: 'value', name };
    const rule = this.#until(/,/);
    this.#take();
    if (rule !== 'plural' && rule !== 'select') throw new Error(`unknown rule ${rule}`);
    const branches = new Map<string, readonly Node[]>();
    for (;;) {
      const key = this.#until(/[{}]/);
      if (this.#take() === '}') break;
      branches.set(key, this.nodes(true, rule === 'plural' || inPlural));
      if (this.#take() !== '}') throw new Error('a branch is not closed');
    }
    if (!branches.has('other')) throw new Error(`${name} has no branch "other"`);
    return { kind: 'choice', name, rule, branches };
  }

  #until(stop: RegExp): string {
    const start = this.#at;
    while (this.#at < this.#source.length && !stop.test(this.#source[this.#at] ?? ''))
      this.#at += 1;
    if (this.#at >= this.#source.length) throw new Error('the message ends too early');
    return this.#source.slice(start, this.#at).trim();
  }

  #take(): string {
    const char = this.#source[this.#at] ?? '';
    this.#at += 1;
    return char;
  }
}

const rules = new Map<string, Intl.PluralRules>();
const ruleOf = (locale: string): Intl.PluralRules => {
  const known = rules.get(locale);
  if (known) return known;
  const made = new Intl.PluralRules(locale);
  rules.set(locale, made);
  return made;
};

const write = (
  nodes: readonly Node[],
  values: MessageValues,
  locale: string,
  count: number | undefined,
): string =>
  nodes
    .map((node): string => {
      switch (node.kind) {
        case 'text':
          return node.text;
        case 'hash':
          return count === undefined ? '#' : new Intl.NumberFormat(locale).format(count);
        case 'value': {
          const value = values[node.name];
          return value === undefined ? `{${node.name}}` : String(value);
        }
        case 'choice': {
          const value = values[node.name];
          const key = String(value ?? '');
          const other = node.branches.get('other') ?? [];
          if (node.rule === 'select') {
            return write(node.branches.get(key) ?? other, values, locale, count);
          }
          const number = Number(value ?? 0);
          const branch =
            node.branches.get(`=${key}`) ?? node.branches.get(ruleOf(locale).select(number));
          return write(branch ?? other, values, locale, number);
        }
      }
    })
    .join('');

const parsed = new Map<string, readonly Node[]>();

/** Parses a message once. Throws on a pattern that this formatter does not support. */
export function parseMessage(pattern: string): void {
  if (!parsed.has(pattern)) parsed.set(pattern, new Reader(pattern).nodes(false, false));
}

const namesOf = (nodes: readonly Node[]): string[] =>
  nodes.flatMap((node) => {
    switch (node.kind) {
      case 'text':
      case 'hash':
        return [];
      case 'value':
        return [node.name];
      case 'choice':
        return [node.name, ...[...node.branches.values()].flatMap(namesOf)];
    }
  });

/** Names of the values that a message uses. Throws like {@link parseMessage}. */
export function namesInMessage(pattern: string): readonly string[] {
  parseMessage(pattern);
  return [...new Set(namesOf(parsed.get(pattern) ?? []))];
}

const rewrite = (nodes: readonly Node[], change: (text: string) => string): string =>
  nodes
    .map((node): string => {
      switch (node.kind) {
        case 'text':
          return change(node.text);
        case 'hash':
          return '#';
        case 'value':
          return `{${node.name}}`;
        case 'choice': {
          const branches = [...node.branches].map(
            ([key, inner]) => `${key} {${rewrite(inner, change)}}`,
          );
          return `{${node.name}, ${node.rule}, ${branches.join(' ')}}`;
        }
      }
    })
    .join('');

/**
 * The same pattern with every text in it changed; values and branches stay. `change` must add
 * neither braces nor `#`. Throws like {@link parseMessage}.
 */
export function rewriteMessage(pattern: string, change: (text: string) => string): string {
  parseMessage(pattern);
  return rewrite(parsed.get(pattern) ?? [], change);
}

/** Formats a message with its values. */
export function formatMessage(pattern: string, values: MessageValues, locale = 'en'): string {
  try {
    parseMessage(pattern);
  } catch {
    return pattern; // A broken pattern is a bug in the catalogue; a test parses all of them.
  }
  return write(parsed.get(pattern) ?? [], values, locale, undefined);
}
