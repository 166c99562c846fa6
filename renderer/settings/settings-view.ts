/** How each setting is edited and named, and what a search finds. Pure. */
import type { ConfigEntry, ConfigProblem, KeyView, ToolView } from '../../shared/types';
import { CATALOGUE, t } from '../../shared/messages';
import { valuesOf } from '../parts/named-values';
import { isRemembered, OWN_PARTS, sectionKeys, SECTIONS } from './setting-groups';
import type { SectionName, ShownKey } from './setting-groups';

/** What a resumed turn may do with a step whose result is unknown. */
export const POLICIES = ['retry', 'skip', 'discard_skill', 'prompt'] as const;

/** The choices that a setting has for single names. Invalid ones are omitted. */
export function namedChoices<C extends string>(
  value: unknown,
  choices: readonly C[],
): readonly { readonly name: string; readonly choice: C }[] {
  return Object.entries(valuesOf(value))
    .flatMap(([name, given]) => {
      const choice = choices.find((known) => known === given);
      return choice === undefined ? [] : [{ name, choice }];
    })
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** The same value with the choice for one name set or removed. */
export function withChoice<C extends string>(
  value: unknown,
  choices: readonly C[],
  name: string,
  choice: C | undefined,
): Record<string, C> {
  const rest = namedChoices(value, choices).filter((row) => row.name !== name);
  const rows = choice === undefined ? rest : [...rest, { name, choice }];
  return Object.fromEntries(rows.map((row) => [row.name, row.choice]));
}

/** What a rule allows a tool: run, run after approval, or never run. */
export const TOOL_RULES = ['allow', 'ask', 'deny'] as const;

/**
 * Known names without a rule: tools with effects first, then the others. A tool that can tell its
 * harmless calls apart is also listed as `<tool>:effects`.
 */
export function ruleProposals(tools: readonly ToolView[], value: unknown): readonly string[] {
  const taken = new Set(namedChoices(value, TOOL_RULES).map((row) => row.name));
  const isEffect = ({ purity }: ToolView): boolean =>
    purity === 'side_effect' || purity === 'external';
  const names = [
    ...tools.filter(isEffect),
    ...tools.filter((tool) => !isEffect(tool) && tool.purity !== 'llm'),
  ].map(({ name }) => name);
  return [...new Set(names)].filter((name) => !taken.has(name));
}

/** True if the file's value differs from the default: then it can be reset. */
export const isChanged = ({ source, value, default: initial }: ConfigEntry): boolean =>
  source === 'file' && JSON.stringify(value) !== JSON.stringify(initial);

/** The control for a setting's value. */
type Control =
  | { readonly kind: 'switch'; readonly value: boolean }
  /** A choice of two values, shown as a switch. */
  | { readonly kind: 'onOff'; readonly value: boolean }
  | { readonly kind: 'choice'; readonly value: string; readonly choices: readonly string[] }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'tags'; readonly value: readonly string[] };

export function controlOf(entry: ConfigEntry): Control {
  const { value, choices } = entry;
  if (choices?.length === 2 && choices.includes('on') && choices.includes('off'))
    return { kind: 'onOff', value: value === 'on' };
  if (choices && choices.length > 0) {
    return { kind: 'choice', value: String(value), choices };
  }
  if (typeof value === 'boolean') return { kind: 'switch', value };
  // A duration may also be written as a number; the field stays a text field if the default is
  // text.
  if (typeof value === 'number' && typeof entry.default === 'number')
    return { kind: 'number', value };
  if (Array.isArray(value)) return { kind: 'tags', value: value.map(String) };
  return { kind: 'text', value: String(value) };
}

/** Set where a change in the file would have no effect. */
export const isOverridden = (entry: ConfigEntry): boolean =>
  entry.source === 'environment' || entry.source === 'command line';

interface FoundSetting {
  readonly key: ShownKey;
  readonly section: SectionName;
}

const allShown = (): readonly FoundSetting[] => [
  ...Object.entries(OWN_PARTS).map(([key, section]) => ({ key: key as ShownKey, section })),
  ...SECTIONS.flatMap((section) => sectionKeys(section).map((key) => ({ key, section }))),
];

/** Settings whose name, key, or sentence contains all search words. */
export function findSettings(
  search: string,
  entries: readonly ConfigEntry[],
): readonly FoundSetting[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const about = new Map(entries.map((entry) => [entry.key, entry.about]));
  return allShown().filter(({ key }) => {
    const text = [key, t(`setting.${key}`), about.get(key) ?? ''].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Where a provider's key is stored, in one sentence. K1, K2, K3. */
export function keySentence(key: KeyView): string {
  if (!key.present) return t('key.none');
  const last4 = key.last4 === undefined ? '' : `…${key.last4}`;
  switch (key.storage) {
    case 'os-keyring':
      return t('key.keyring', { last4 });
    case 'session-only':
      return t('key.session', { last4 });
    case 'plaintext-consented':
      return t('key.plaintext', { last4 });
    case 'environment':
      return t('key.environment', { last4 });
    case 'file':
      return t('key.file', { last4 });
    case 'none':
      return t('key.none');
  }
}

/** Adds or removes a name, keeping the order of the others. */
export function toggled(list: readonly string[], name: string, isOn: boolean): readonly string[] {
  const without = list.filter((entry) => entry !== name);
  return isOn ? [...without, name] : without;
}

/** Label of a choice; its raw value if the catalogue has none. */
export function choiceLabel(key: string, value: string): string {
  const name = `choice.${key}.${value}`;
  return Object.hasOwn(CATALOGUE, name) ? t(name as 'choice.app.theme.light') : value;
}

/** Words ignored in the comparison. */
const SMALL =
  /^(?:a|an|the|of|in|on|for|to|or|and|that|is|are|was|has|it|its|when|while|each|one|such|where)$/;
const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !SMALL.test(word));

/** One sentence in which at most one word is not in the label. */
function saysTheSame(label: string, about: string): boolean {
  if (/[;:(]/.test(about)) return false;
  const known = new Set(wordsOf(label));
  return wordsOf(about).filter((word) => !known.has(word)).length <= 1;
}

/** The part of a setting's sentence that the label does not say; empty if there is none. Pure. */
export function aboutBeside(label: string, about: string): string {
  if (saysTheSame(label, about)) return '';
  if (!about.toLowerCase().startsWith(label.toLowerCase())) return about;
  const rest = about.slice(label.length);
  if (rest.trim() === '') return '';
  // Only a whole part of the sentence is omitted.
  const [, more] = /^[;:,.]\s*(\S.*)$/s.exec(rest) ?? [];
  return more === undefined ? about : `${more.charAt(0).toUpperCase()}${more.slice(1)}`;
}

/** Their sentences are for the command line and the reference; here the label is enough. */
const SAID_BY_LABEL: ReadonlySet<string> = new Set([
  'app.close_to_tray',
  'app.start_at_login',
  'app.theme',
  'approvals.mode',
  'breakers.success_threshold',
  'nats.credentials_env',
  'notifications.answers',
  'notifications.decisions',
  'notifications.outages',
  'observability.enabled',
  'power.battery_floor',
  'resilience.limit_max_wait',
  'resilience.recovery.max_attempts',
  'resilience.scheduler.catchup_spacing',
  'resilience.scheduler.check_timeout',
  'resume.world_drift',
  'work.lease_renew',
]);

/** Help texts of the command line end without a period; under a label they need one. */
const asSentence = (text: string): string =>
  text === '' || /[.?!]$/.test(text) ? text : `${text}.`;

/** The sentence under the label of a setting; empty if the label already says it. Pure. */
export function aboutOf(key: ShownKey, label: string, about: string): string {
  if (isRemembered(key) || SAID_BY_LABEL.has(key)) return '';
  const beside = `settingAbout.${key}`;
  if (Object.hasOwn(CATALOGUE, beside)) return t(beside as 'settingAbout.nats.url');
  return asSentence(aboutBeside(label, about));
}

/** The meaning of an empty field. Pure. */
export function placeholderOf(key: string): string {
  if (/time_?zone$/.test(key)) return t('settings.emptyZone');
  return key === 'browser.command' ? t('settings.emptyProgram') : t('settings.emptyNone');
}

/** A problem in the settings, in the parts that are displayed, without repetition. */
interface ProblemParts {
  /** File and line; empty if the value does not come from the file. */
  readonly place: string;
  /** Empty if the sentence names it. */
  readonly key: string;
  readonly sentence: string;
}

/** The engine's message starts with the position, for readers who see only the message. Pure. */
export function problemParts({ line, key, message }: ConfigProblem, file: string): ProblemParts {
  const told = line === undefined ? file : `${file}, line ${String(line)}`;
  const isTold = message.startsWith(`${told}: `);
  return {
    place: line !== undefined ? t('settings.line', { file, line }) : isTold ? file : '',
    key: key === undefined || message.includes(key) ? '' : key,
    sentence: isTold ? message.slice(told.length + 2) : message,
  };
}

/**
 * True for a value that is not just an older state of the page's own writes: it equals the last
 * one, or neither a write nor the initial value.
 */
export const isNews = (value: unknown, written: readonly string[]): boolean => {
  const at = written.indexOf(JSON.stringify(value));
  return at < 0 || at === written.length - 1;
};
