// Sets the switches inside the shipped executable and reads them back: see SECURITY.md, fuses.
import { FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses';
import { SetupStop } from './machine.mjs';

/** The bytes in the wire (electron/fuses does not export their names). */
const ON = 0x31;
const OFF = 0x30;

/**
 * What ships. Off: running as plain Node, options from the environment and the debugger's command
 * line (each would let any local program run code as this app), and rights that only file:// pages
 * need. Integrity of the archive is checked where Electron can check it.
 * @param {string} platform @returns {Record<string, boolean>}
 */
export const shippedFuses = (platform) => ({
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: platform === 'darwin' || platform === 'win32',
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
});

/** @param {string} name */
const numberOf = (name) =>
  /** @type {Record<string, number>} */ (/** @type {unknown} */ (FuseV1Options))[name] ?? -1;

/** @param {string} executable @param {string} platform */
export const flipShippedFuses = async (executable, platform) => {
  const wanted = Object.entries(shippedFuses(platform)).map(([name, on]) => [numberOf(name), on]);
  await flipFuses(executable, {
    version: FuseVersion.V1,
    resetAdHocDarwinSignature: platform === 'darwin',
    ...Object.fromEntries(wanted),
  });
};

/**
 * Compares a wire with what ships.
 * @param {Record<number, number>} wire @param {string} platform
 * @returns {string[]} one line per difference, none where all is well
 */
const fuseDifferences = (wire, platform) =>
  Object.entries(shippedFuses(platform)).flatMap(([name, on]) => {
    const byte = wire[numberOf(name)];
    if (byte === (on ? ON : OFF)) return [];
    const found = byte === ON ? 'on' : byte === OFF ? 'off' : 'absent';
    return [`${name} is ${found}, wanted ${on ? 'on' : 'off'}`];
  });

/** Reads the artefact itself. @param {string} executable @param {string} platform */
export const readFuseDifferences = async (executable, platform) =>
  fuseDifferences(
    /** @type {Record<number, number>} */ (
      /** @type {unknown} */ (await getCurrentFuseWire(executable))
    ),
    platform,
  );

/**
 * Reads them back out of the build; a package with a wrong one is rejected. @param {string}
 * executable @param {string} platform
 */
export const refuseWrongFuses = async (executable, platform) => {
  const differences = await readFuseDifferences(executable, platform);
  if (differences.length > 0)
    throw new SetupStop(`F1: wrong fuses in ${executable}:\n${differences.join('\n')}`);
};
