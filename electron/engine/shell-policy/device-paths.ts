/**
 * Whether a line may open a device, or a kernel file that has an effect when it is read: some start
 * a watchdog that restarts the computer, others return their content only once. Judged by the paths
 * that a line spells out or builds itself; the content of outside variables and the targets of
 * links cannot be known before the run.
 */
import { entryOf, table } from '../../../shared/table';
import { forEachChild } from 'unbash';
import type { Command, Script, SyntaxNode, Word, WordPart } from 'unbash';
import { printedByCommand } from './folded-words';
import { parse } from './shell-walk';
import { expandBraces, pathPattern } from './shell-words';

/** Placeholders for a value from outside the line, and for one that the line computes. */
const OUTSIDE = '\u0000';
const COMPUTED = '\u0001';
const EITHER = /[\u0000\u0001]/g;

/**
 * Above these limits a line is not analyzed: the author of a line must not be able to block the
 * process.
 */
const MAX_VALUES = 500;
const MAX_BRANCHES = 64;
const MAX_BRACED_CHARS = 200;
const MAX_CHARS = 4_000;
const MAX_WORK = 8_000;

const FINE_DEVICE = /^(null|zero|full|u?random|std(in|out|err)|fd\/\d+)$/;
/** All other entries lead to a process's files or memory, or remove what they return. */
const FINE_PROC =
  /^((?!kmsg|kcore|kpage|vmcore)[a-z_]+|\d+|[^/]+\/(status|statm?|cmdline|environ|comm|cgroup|limits|s?maps|smaps_rollup|mounts|mountinfo|io|exe|oom_score(_adj)?|wchan|loginuid|sessionid|sched|net\/\w+)|(net|sys|pressure|irq)(\/[\w*-][\w.*-]*)*)?$/;
/** All other entries read hardware registers or the kernel's traces. */
const FINE_SYS =
  /^(fs\/cgroup(\/[\w*@-][\w.*@-]*)*|(devices\/system|kernel\/mm|module|firmware\/devicetree)(\/[\w*@-][\w.,*@-]*)*|block(\/[\w*-]+(\/(queue\/)?[a-z]\w*)?)?|class(\/[\w-]+(\/[\w*.:-]+(\/((statistics|queue)\/)?[a-z]\w*)?)?)?)?$/;
const FINE = table<RegExp>({ dev: FINE_DEVICE, proc: FINE_PROC, sys: FINE_SYS });

/** Where a path may lead: below other folders, perhaps to the root, or to the root. */
type Level = 0 | 1 | 2;

/** Pure. All parts of the line must be known to only read. */
export function mayOpenDevice(script: Script): boolean {
  return new DevicePaths(script).isFound();
}

class DevicePaths {
  private readonly values = new Map<string, Set<string>>();
  private readonly folders: Word[] = [];
  private readonly words: Word[] = [];
  /** Starting points of searches through all files below a folder. */
  private readonly searched: Word[] = [];
  private searches = false;
  /** Variables whose value grows: only their characters matter. */
  private readonly growing = new Set<string>();
  private isTooMuch = false;
  private work = 0;

  constructor(script: Script) {
    this.collect(script);
  }

  isFound(): boolean {
    let level: Level = 0;
    for (const folder of this.folders) {
      for (const text of this.textsOf(folder)) {
        // Further paths would have to be read as if they were spelled out.
        if (/^\/+(\.\/+)*(proc|sys)\b/i.test(text)) return true;
        level = Math.max(level, levelBehind(text)) as Level;
      }
    }
    for (const name of this.growing) {
      const letters = [...(this.values.get(name) ?? [])].join('').toLowerCase();
      if (['/', 'd', 'e', 'v'].every((letter) => letters.includes(letter))) return true;
    }
    if (this.searches && level === 2) return true;
    return (
      this.words.some((word) => this.mayName(word, level)) ||
      this.searched.some((word) => this.textsOf(word).some(leadsToDevices)) ||
      this.isTooMuch
    );
  }

  private mayName(word: Word, level: Level): boolean {
    for (const text of this.textsOf(word)) {
      for (const path of pathsIn(text)) if (isDevice(path, level)) return true;
    }
    return false;
  }

  private collect(node: SyntaxNode): void {
    if (node.type === 'Word') this.words.push(node);
    if (node.type === 'Command' && node.name?.value === 'cd') this.folders.push(...wordsOf(node));
    if (node.type === 'Command' && isSearch(node)) {
      this.searches = true;
      this.searched.push(...startsOf(node));
    }
    if (node.type === 'Assignment' && node.value.type === 'Word') {
      if (new RegExp(`\\$\\{?${node.name}\\b`).test(node.value.text)) this.growing.add(node.name);
      this.set(node.name, [node.value]);
    }
    if (node.type === 'For') this.set(node.name.value, node.wordlist ?? []);
    forEachChild(node, (child) => {
      this.collect(child);
    });
  }

  private set(name: string, words: readonly Word[]): void {
    const all = this.values.get(name) ?? new Set<string>();
    for (const word of words) for (const text of this.textsOf(word)) all.add(text);
    this.values.set(name, all);
  }

  private textsOf(word: Word): readonly string[] {
    this.work += 1;
    this.isTooMuch ||= this.work > MAX_WORK;
    if (this.isTooMuch) return [];
    if (word.parts === undefined) return [word.value];
    if (!word.parts.some((part) => part.type === 'BraceExpansion')) return this.joined(word.parts);
    const branches =
      word.text.length > MAX_BRACED_CHARS ? undefined : expandBraces(word.text, MAX_BRANCHES);
    this.isTooMuch ||= branches === undefined;
    // `{a..e}`: any letter.
    if (branches === undefined || branches.length < 2) return this.joined(word.parts);
    return branches.flatMap((branch) => {
      const one = wordOf(branch);
      return one === undefined ? [''] : this.textsOf(one);
    });
  }

  private joined(parts: readonly WordPart[]): readonly string[] {
    let texts: readonly string[] = [''];
    for (const part of parts) {
      const ends = this.ofPart(part);
      this.isTooMuch ||= texts.length * ends.length > MAX_VALUES;
      if (this.isTooMuch) return [];
      texts = texts.flatMap((text) => ends.map((end) => text + end));
      this.work += texts.length - 1;
      this.isTooMuch ||= texts.some((text) => text.length > MAX_CHARS);
    }
    return texts;
  }

  private ofPart(part: WordPart): readonly string[] {
    switch (part.type) {
      case 'Literal':
      case 'Glob':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return [part.value];
      case 'DoubleQuoted':
        return this.joined(part.parts);
      case 'SimpleExpansion':
        return this.ofVariable(part.text.slice(1));
      case 'ParameterExpansion':
        return this.ofParameter(part);
      case 'CommandExpansion': {
        const [only, second] = part.script?.commands ?? [];
        const command = second === undefined ? only?.command : undefined;
        if (command?.type !== 'Command') return [COMPUTED];
        return [printedByCommand(command, new Map()) ?? COMPUTED];
      }
      case 'BraceExpansion':
        return ['*'];
      default:
        return [COMPUTED];
    }
  }

  private ofVariable(name: string): readonly string[] {
    if (name === 'HOME') return ['~'];
    // `$_` is the last argument of the previous command.
    return [...(this.values.get(name) ?? [name === '_' ? COMPUTED : OUTSIDE])];
  }

  private ofParameter(part: WordPart & { readonly type: 'ParameterExpansion' }): readonly string[] {
    const { operation, parameter } = part;
    if (part.prefix === '#') return ['0'];
    const values = this.ofVariable(parameter);
    if (operation === undefined) return values;
    if (operation.type === 'Default') return [...values, ...this.textsOf(operation.operand)];
    if (operation.type === 'Replace' && /[dev]/i.test(operation.replacement.value))
      return values.map((value) => (/^[^/.]/.test(value.replace(EITHER, '/')) ? COMPUTED : '/dev'));
    return values.map((value) => (/\/dev|^dev/i.test(value) ? '/dev' : COMPUTED));
  }
}

const wordsOf = (command: Command): readonly Word[] =>
  command.args.filter((arg): arg is Word => arg.type === 'Word');

/** Options with which a program reads all files below a folder. */
const SEARCHES = table<RegExp>({
  rg: /^/,
  grep: /^-[a-zA-Z]*[rRd]|^--(?:r|dereference-r|di)/,
  diff: /^-[a-zA-Z]*r|^--rec/,
});
const nameOf = ({ name }: Command): string =>
  (name?.value ?? '').replace(/^\/(usr\/)?bin\//, '').replace(/^[ef]grep$/, 'grep');

function isSearch(command: Command): boolean {
  const option = entryOf(SEARCHES, nameOf(command));
  return (
    option !== undefined &&
    ['', ...wordsOf(command).map(({ value }) => value)].some((arg) => option.test(arg))
  );
}

/** Its operands, without a pattern that comes first. */
function startsOf(command: Command): readonly Word[] {
  const words = wordsOf(command);
  const isNamed = words.some(({ value }) => /^(?:-[a-zA-Z]*[ef]|--(?:reg|file))/.test(value));
  const first = words.findIndex(({ value }) => !value.startsWith('-'));
  return nameOf(command) === 'diff' || isNamed ? words : words.slice(first + 1);
}

/** `/` and the folders of devices and kernel files. */
function leadsToDevices(text: string): boolean {
  if (!text.startsWith('/')) return false;
  const names: string[] = [];
  for (const name of text.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  const [first = '', ...rest] = names;
  if (first === 'dev') return !FINE_DEVICE.test(rest.join('/'));
  return names.length === 0 || first === 'proc' || first === 'sys';
}

/** The part of a line as a separate word. */
function wordOf(text: string): Word | undefined {
  const command = parse(`: ${text}`)?.commands[0]?.command;
  return command?.type === 'Command' ? wordsOf(command)[0] : undefined;
}

/**
 * The paths in an argument: a variable splits at its blanks, and options may have a path attached.
 */
function* pathsIn(text: string): Generator<string> {
  for (const field of text.split(/\s+/)) {
    yield field;
    const equals = field.indexOf('=');
    if (equals >= 0) yield field.slice(equals + 1);
    const letters = /^-[A-Za-z0-9]*/.exec(field)?.[0].length ?? 0;
    // Up to four of the characters may be the start of the value's first name.
    for (let at = Math.max(2, letters - 4); at <= letters; at += 1) yield field.slice(at);
  }
}

/** Level of a relative path after `cd` to this folder. */
function levelBehind(folder: string): Level {
  const names = folder.split('/').filter((name) => name !== '' && name !== '.');
  if (folder.startsWith('/') && names.length === 0) return 2;
  if (folder === '-' || /^~./.test(names[0] ?? '') || /^[\u0000\u0001]/.test(folder)) return 1;
  return names.includes('..') || folder.includes(COMPUTED) ? 1 : 0;
}

/** True if the path may lead into one of the folders above, except to a harmless file. */
function isDevice(path: string, start: Level): boolean {
  const isAbsolute = path.startsWith('/');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  let level: Level = isAbsolute ? 2 : start;
  for (const [at, name] of names.entries()) {
    const rest = names.slice(at + 1).join('/');
    for (const [folder, fine] of Object.entries(FINE)) {
      const isIt = name.toLowerCase() === folder;
      if (level > 0 && isIt && !fine.test(rest)) return true;
      // A folder matched by a pattern matters if something in it is named, or if it may be the
      // device folder.
      if (!isIt && (rest !== '' || isAbsolute) && mayBe(name, folder, level)) return true;
    }
    if (at === 0 && !isAbsolute && mayEndAs(name, rest !== '')) return true;
    level = levelAfter(name, at === 0 && !isAbsolute);
  }
  return false;
}

function levelAfter(name: string, isFirst: boolean): Level {
  const bare = name.replace(EITHER, '');
  // `.*` matches `..` in some shells.
  if (bare === '..' || /^\.[*?[]/.test(bare)) return 2;
  if (name.includes(COMPUTED) || (isFirst && (name.startsWith(OUTSIDE) || /^~./.test(name))))
    return 1;
  return 0;
}

/**
 * True if the pattern may match the folder; a pattern of only wildcards counts only where that
 * folder is.
 */
function mayBe(name: string, folder: string, level: Level): boolean {
  if (level === 0 || !/[*?[\u0000\u0001]/.test(name)) return false;
  if (level === 1 && !/[a-z]/i.test(name)) return false;
  return patternOf(name).test(folder);
}

/** `$(echo /d)ev`: the end of the folder's name after something that may contain its start. */
function mayEndAs(name: string, isFolder: boolean): boolean {
  const at = Math.max(name.lastIndexOf(OUTSIDE), name.lastIndexOf(COMPUTED));
  if (at < 0) return false;
  const end = name.slice(at + 1);
  if (end === '' || (/[*?[]/.test(end) && !isFolder)) return false;
  const ends = name[at] === OUTSIDE ? ['dev'] : ['dev', 'ev', 'v'];
  return ends.some((one) => patternOf(end).test(one));
}

const patternOf = (name: string): RegExp => pathPattern(name.replace(EITHER, '*'), 'i');
