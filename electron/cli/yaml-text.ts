/** A value as YAML; loaded only for `--output yaml`. */
import { Document, Scalar, visit } from 'yaml';
import { UNSEEN } from '../../shared/unseen';

/** The same value, safe on a terminal: characters that steer it become escapes. */
export function yamlText(value: unknown): string {
  const document = new Document(value ?? null, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      // Only this style has escapes.
      if (typeof node.value === 'string' && node.value.search(UNSEEN) >= 0)
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({ lineWidth: 0 });
  return text
    .replace(UNSEEN, (char) => `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`)
    .trimEnd();
}
