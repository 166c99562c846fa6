/**
 * Loads the files of a built program with the code that the build compiled for them: a third of a
 * start was reading and compiling JavaScript. The compiled code is next to each file (`<file>.v8`)
 * and belongs to one version of V8; if it is missing, damaged or for another V8, the file is
 * compiled as usual. W4.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

/** Precedes the compiled code in its file. V8 itself would run damaged code. */
const CHECKSUM_BYTES = 20;

type ModuleFunction = (
  exports: unknown,
  require: (id: string) => unknown,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void;

/** Path of a file's compiled code. */
export const compiledPath = (file: string): string => `${file}.v8`;

const checksum = (bytes: Uint8Array): Buffer => createHash('sha1').update(bytes).digest();

/** `code` as it is stored on disk. */
export const sealed = (code: Uint8Array): Buffer => Buffer.concat([checksum(code), code]);

function unsealed(file: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined; // The build could not create it; the file is compiled here.
  }
  const code = bytes.subarray(CHECKSUM_BYTES);
  return checksum(code).equals(bytes.subarray(0, CHECKSUM_BYTES)) ? code : undefined;
}

/**
 * The script of one CommonJS file, not yet run. The compiled code is matched by the length of the
 * source only: the writer has to name the file by its content, as the bundler does. The file cannot
 * import at run time, only require: code compiled ahead has lost its import hook.
 */
export function scriptOf(file: string): vm.Script {
  const source = readFileSync(file, 'utf8');
  const cachedData = unsealed(compiledPath(file));
  return new vm.Script(
    `(function (exports, require, module, __filename, __dirname) { ${source}\n})`,
    { filename: pathToFileURL(file).href, ...(cachedData && { cachedData }) },
  );
}

/** The script of a file that the running program loads; a missing one has an error of its own. */
function laterScript(file: string): vm.Script {
  try {
    return scriptOf(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Read by program-files.ts. Imported from there, the engine would be loaded with this loader too.
    Reflect.set(globalThis, Symbol.for('holdfast.programChanged'), true);
    const words = `Holdfast's program files changed while it was running: ${file} is gone.`;
    throw Object.assign(new Error(words, { cause: error }), { code: 'PROGRAM_CHANGED' });
  }
}

/**
 * Runs `entry` and, once each, the files that it requires by relative path; everything else comes
 * from Node. `onScript` gets each file and its script before it runs. Throws what the files throw.
 */
export function runProgram(
  entry: string,
  onScript?: (file: string, script: vm.Script) => void,
): unknown {
  const modules = new Map<string, { exports: unknown }>();
  const fromNode = createRequire(entry);
  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const script = file === entry ? scriptOf(file) : laterScript(file);
    const module = { exports: {} as unknown };
    modules.set(file, module);
    onScript?.(file, script);
    const dirname = path.dirname(file);
    try {
      (script.runInThisContext() as ModuleFunction)(
        module.exports,
        (id) => (id.startsWith('.') ? load(path.join(dirname, id)) : fromNode(id)),
        module,
        file,
        dirname,
      );
    } catch (error) {
      // Without this, the next one to require it would get a half of it.
      modules.delete(file);
      throw error;
    }
    return module.exports;
  };
  return load(entry);
}
