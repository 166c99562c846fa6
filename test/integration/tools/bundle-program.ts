import { join } from 'node:path';
import { build } from 'vite';

/** Bundles a program of this folder for plain Node, everything inside; returns its path. */
export async function bundleProgram(source: string, outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    root: import.meta.dirname,
    ssr: { noExternal: true },
    build: {
      ssr: join(import.meta.dirname, source),
      outDir,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { output: { format: 'esm', entryFileNames: 'program.mjs' } },
    },
  });
  return join(outDir, 'program.mjs');
}
