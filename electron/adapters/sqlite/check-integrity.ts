import { createRequire } from 'node:module';
import { databasePath } from './open-database';
import { isRefusedByDisk } from './read-probe';

/** Result of a full check. */
interface IntegrityReport {
  readonly isOk: boolean;
  readonly problems: readonly string[];
  /** The file is unreadable: the result says nothing about its content. */
  readonly isUnread: boolean;
}

const WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const Database = require(workerData.modulePath);
try {
  const db = new Database(workerData.file, { readonly: true, timeout: 5000 });
  const rows = db.pragma('integrity_check(20)').map((row) => String(row.integrity_check));
  const foreign = db.pragma('foreign_key_check').length;
  db.close();
  const problems = rows.filter((row) => row !== 'ok');
  if (foreign > 0) problems.push(foreign + ' broken references');
  parentPort.postMessage({ isOk: problems.length === 0, problems });
} catch (error) {
  parentPort.postMessage({ isOk: false, problems: [String(error && error.message)] });
}`;

/** The full integrity check, in a worker so that it blocks nothing. */
export async function checkIntegrity(dataDir: string): Promise<IntegrityReport> {
  const require = createRequire(import.meta.url);
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(WORKER_SOURCE, {
    eval: true,
    workerData: { file: databasePath(dataDir), modulePath: require.resolve('better-sqlite3') },
  });
  worker.unref();
  const report = await new Promise<Omit<IntegrityReport, 'isUnread'>>((resolve) => {
    worker.once('message', (found: Omit<IntegrityReport, 'isUnread'>) => {
      resolve(found);
      void worker.terminate();
    });
    worker.once('error', (error: Error) => {
      resolve({ isOk: false, problems: [error.message] });
    });
  });
  return { ...report, isUnread: !report.isOk && isRefusedByDisk(databasePath(dataDir)) };
}
