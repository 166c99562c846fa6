import { createRedactor, isSecretKey, type Redactor } from '../../../shared/redact';

/**
 * Hides in a report everything that the redactor knows, and the value of every environment variable
 * whose name looks like a secret, even if no setting uses it.
 */
export function createReportHider(deps: {
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly redactor: Pick<Redactor, 'redactText'>;
}): (text: string) => string {
  const fromEnvironment = createRedactor();
  for (const [name, value] of Object.entries(deps.own))
    if (value !== undefined && isSecretKey(name) && !FOLDERS.has(name))
      fromEnvironment.learn(value.trim());
  return (text) => fromEnvironment.redactText(deps.redactor.redactText(text));
}

/** `pwd` is a password, but not in the environment of a shell. */
const FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);
