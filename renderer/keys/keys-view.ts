/**
 * The keyboard map as one table, used by the help dialog and the handlers. Pure. No key ends,
 * sends, or repeats an effect: those need the pointer, or Tab and Space.
 */
import type { MessageKey } from '../../shared/messages';
import { PAGES } from '../pages';
import { table } from '../../shared/table';

export type KeyId =
  | 'palette'
  | 'pages'
  | 'settings'
  | 'search'
  | 'help'
  | 'back'
  | 'leaveField'
  | 'submit'
  | 'next'
  | 'previous'
  | 'open'
  | 'rowActions'
  | 'send'
  | 'stopTurn'
  | 'answerField'
  | 'toAnswer'
  | 'answer'
  | 'zoom'
  | 'fit'
  | 'jump'
  | 'unfold'
  | 'table'
  | 'find'
  | 'queueMove'
  | 'plotTable'
  | 'linesTable'
  | 'linesMove'
  | 'newTask';

/**
 * The keys: `mod` is Ctrl, or Cmd on a Mac. Two parts separated by a space are pressed one after
 * the other. Letters are lowercase.
 */
type Combo = string;

interface KeyRow {
  readonly id: KeyId;
  readonly combos: readonly Combo[];
  readonly label: MessageKey;
  /** Also while a field has the focus. */
  readonly whileTyping?: true;
}

interface KeyGroup {
  readonly label: MessageKey;
  readonly rows: readonly KeyRow[];
}

/** What works everywhere in the window. */
const EVERYWHERE: readonly KeyRow[] = [
  { id: 'palette', combos: ['mod+k'], label: 'keys.palette', whileTyping: true },
  { id: 'pages', combos: PAGES.map((_page, at) => String(at + 1)), label: 'keys.pages' },
  { id: 'search', combos: ['/'], label: 'keys.search' },
  { id: 'settings', combos: ['mod+,'], label: 'keys.settings', whileTyping: true },
  { id: 'help', combos: ['?'], label: 'keys.help' },
  { id: 'back', combos: ['escape'], label: 'keys.back' },
];

/** In a text field Esc leaves it; then the keys of the page work again. */
const FIELDS: readonly KeyRow[] = [
  { id: 'leaveField', combos: ['escape'], label: 'keys.leaveField', whileTyping: true },
  { id: 'submit', combos: ['mod+enter'], label: 'keys.submit', whileTyping: true },
];

const LISTS: readonly KeyRow[] = [
  { id: 'next', combos: ['j', 'arrowdown'], label: 'keys.next' },
  { id: 'previous', combos: ['k', 'arrowup'], label: 'keys.previous' },
  { id: 'open', combos: ['enter'], label: 'keys.open' },
  { id: 'rowActions', combos: ['.'], label: 'keys.rowActions' },
];

const SESSION: readonly KeyRow[] = [
  { id: 'send', combos: ['mod+enter'], label: 'keys.send', whileTyping: true },
  { id: 'stopTurn', combos: ['escape escape'], label: 'keys.stopTurn', whileTyping: true },
];

/**
 * No single key allows a call, because its effect may be permanent. A key moves the focus to the
 * button, and Space presses it.
 */
const APPROVAL: readonly KeyRow[] = [
  { id: 'toAnswer', combos: ['a'], label: 'keys.toAnswer' },
  { id: 'answerField', combos: ['n'], label: 'keys.answerField' },
  { id: 'answer', combos: ['mod+enter'], label: 'keys.answer', whileTyping: true },
];

const TURN: readonly KeyRow[] = [
  { id: 'zoom', combos: ['+', '-'], label: 'keys.zoom' },
  { id: 'fit', combos: ['0'], label: 'keys.fit' },
  { id: 'jump', combos: ['[', ']'], label: 'keys.jump' },
  { id: 'unfold', combos: ['arrowleft', 'arrowright'], label: 'keys.unfold' },
  { id: 'table', combos: ['t'], label: 'keys.table' },
];

const QUEUE: readonly KeyRow[] = [
  { id: 'queueMove', combos: ['alt+arrowup', 'alt+arrowdown'], label: 'keys.queueMove' },
  { id: 'plotTable', combos: ['t'], label: 'keys.plotTable' },
];

const SCHEDULE: readonly KeyRow[] = [
  { id: 'linesTable', combos: ['t'], label: 'keys.linesTable' },
  { id: 'linesMove', combos: ['arrowleft', 'arrowright'], label: 'keys.linesMove' },
  { id: 'newTask', combos: ['n'], label: 'keys.newTask' },
];

const SETTINGS_WINDOW: readonly KeyRow[] = [
  { id: 'find', combos: ['mod+f'], label: 'keys.find', whileTyping: true },
];

export const KEY_GROUPS: readonly KeyGroup[] = [
  { label: 'keys.group.everywhere', rows: EVERYWHERE },
  { label: 'keys.group.fields', rows: FIELDS },
  { label: 'keys.group.lists', rows: LISTS },
  { label: 'keys.group.approval', rows: APPROVAL },
  { label: 'keys.group.session', rows: SESSION },
  { label: 'keys.group.turn', rows: TURN },
  { label: 'keys.group.schedule', rows: SCHEDULE },
  { label: 'keys.group.queue', rows: QUEUE },
  { label: 'keys.group.settings', rows: SETTINGS_WINDOW },
];

/** The fields of a keydown event that are used here. */
export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** The combo of a keydown event. Shift counts with letters and named keys, not with `?` and digits. */
export function comboOf(pressed: Pressed, isMac: boolean): Combo {
  const { key } = pressed;
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  const mod = isMac ? pressed.metaKey : pressed.ctrlKey;
  const other = isMac ? pressed.ctrlKey : pressed.metaKey;
  return [
    mod ? 'mod+' : '',
    other ? 'other+' : '',
    pressed.altKey ? 'alt+' : '',
    pressed.shiftKey && !isSign ? 'shift+' : '',
    key.toLowerCase(),
  ].join('');
}

/** True if the event matches a combo of a row; for handlers inside a page. */
export function isKey(id: KeyId, pressed: Pressed, isMac = false): boolean {
  const combo = comboOf(pressed, isMac);
  return KEY_GROUPS.some(({ rows }) =>
    rows.some((row) => row.id === id && row.combos.includes(combo)),
  );
}

/** What the window does for a key; pages handle the others. */
export type KeyAct =
  | { readonly kind: 'palette' | 'search' | 'settings' | 'help' | 'back' }
  | { readonly kind: 'page'; readonly at: number };

/** Where the focus is. */
export interface KeyPlace {
  readonly isMac: boolean;
  readonly isTyping: boolean;
  /** A dialog or a menu is open: it has its own keys. */
  readonly isInDialog: boolean;
}

export function actOf(pressed: Pressed, place: KeyPlace): KeyAct | undefined {
  if (place.isInDialog) return undefined;
  const combo = comboOf(pressed, place.isMac);
  const row = EVERYWHERE.find(({ combos }) => combos.includes(combo));
  if (row === undefined || (place.isTyping && row.whileTyping !== true)) return undefined;
  switch (row.id) {
    case 'pages':
      return { kind: 'page', at: row.combos.indexOf(combo) };
    case 'palette':
    case 'search':
    case 'settings':
    case 'help':
    case 'back':
      return { kind: row.id };
    default:
      return undefined;
  }
}

const NAMES = table<string>({
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  escape: 'Esc',
  enter: 'Enter',
  alt: 'Alt',
  shift: 'Shift',
});
const partName = (part: string, isMac: boolean): string => {
  if (part === 'mod') return isMac ? '⌘' : 'Ctrl';
  return NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part);
};

/** A combo as shown on keycaps: `Ctrl K`, `⌘ K`, `Esc Esc`. */
export function comboText(combo: Combo, isMac: boolean): string {
  return combo
    .split(' ')
    .map((press) =>
      press
        .split(/\+(?=.)/)
        .map((part) => partName(part, isMac))
        .join(' '),
    )
    .join(' ');
}

/** The keycaps of a row: more than three digits are shown as first and last. */
export function keysOf(row: KeyRow, isMac: boolean): readonly string[] {
  const texts = row.combos.map((combo) => comboText(combo, isMac));
  const isRun = texts.length > 3;
  return isRun ? [`${texts[0] ?? ''}–${texts.at(-1) ?? ''}`] : texts;
}

/** The keycap of an action. */
export function keyText(id: KeyId, isMac: boolean): string {
  const row = KEY_GROUPS.flatMap(({ rows }) => rows).find((known) => known.id === id);
  return row === undefined ? '' : comboText(row.combos[0] ?? '', isMac);
}

/** The next row of a list; stops at the ends. */
export function nextIndex(count: number, at: number, step: 1 | -1): number {
  if (count === 0) return -1;
  if (at < 0) return step === 1 ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, at + step));
}
